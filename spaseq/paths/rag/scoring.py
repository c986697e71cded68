"""What a path is worth as an answer to a question: numbers for many paths at once, the higher the better.

They come from a function of the user, from words that a question has in common with the names of relations and nodes
(equal for one thing: ``directed_by``, ``starredActors``), or from how near both are in the space of a model.  Nodes and
relations are called by a label if they have one, else as paths are shown.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpm.algebra import Iri
from spaseq.errors import OptionError
from spaseq.paths.best import Scores, StepWeights, first_nodes, lengths, mean_of_steps, reached
from spaseq.paths.edges import GraphEdges
from spaseq.paths.results import Path, Paths, in_turn
from spaseq.paths.terms import NamedGraph, relation_iri, short_name


# ── what nodes and relations are called ──────────────────────────────────────────────────────────────────
class GraphNames:
    """The names of a graph.  Labels are read once, when the first name is asked for."""

    def __init__(self, graph: GraphEdges) -> None:
        self.graph = graph

    def node(self, vertex: int) -> str:
        """The name of a node, by its number."""
        label = self._labels.get(vertex)
        if label is not None:
            return label
        value = self.graph.terms.value(vertex)
        return short_name(value.text) if value.kind == "uri" else value.text

    def relation(self, number: int) -> str:
        """The name of a predicate, by its number."""
        iri = self.graph.predicates[number]
        vertex = self.graph.vertex(Iri(iri)) if self._labels else None
        label = None if vertex is None else self._labels.get(vertex)
        return short_name(iri) if label is None else label

    def step(self, symbol: int) -> str:
        """The name of a step, as ``Path.symbols`` has it: ``^`` stands before those that are taken inverse."""
        return f"^{self.relation(symbol >> 1)}" if symbol & 1 else self.relation(symbol >> 1)

    def path(self, path: Path) -> str:
        """``a -> r -> b``, as ``str(path)``, with labels where there are any."""
        return " -> ".join(in_turn([*map(self.node, path.vertices)], [*map(self.step, path.symbols)]))

    def predicates(self, name: str) -> tuple[str, ...]:
        """The IRIs of predicates that somebody may mean by ``name``: an IRI itself, a relation, or a name of several.

        The graph may not have the only one.
        """
        iri = relation_iri(name)
        return (iri,) if iri in self.graph.labels else tuple(self._predicates.get(name, (iri,)))

    @cached_property
    def _labels(self) -> dict[int, str]:
        """The first label of each node that has one."""
        number = self.graph.labels.get(self.graph.label_property or "")
        if number is None:
            return {}
        found: dict[int, str] = {}
        for subject, object_ in zip(*(ends.tolist() for ends in self.graph.edges_of(number)), strict=True):
            value = self.graph.terms.value(object_)
            if value.kind == "literal":
                found.setdefault(subject, value.text)
        return found

    @cached_property
    def _predicates(self) -> dict[str, list[str]]:
        """IRIs by the last part of them, and by label."""
        found = defaultdict(list)
        for number, iri in enumerate(self.graph.predicates):
            for name in {short_name(iri), self.relation(number)}:
                found[name].append(iri)
        return found


_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_STEM = re.compile("(.{3,}?)(?:ings|ers|ors|ing|ed|en|er|or|es|e|s)?")  # the longest ending that leaves three letters


def words_of(text: str) -> Iterator[str]:
    """The stems of its words, in order.  Humps, as in ``directedBy``, separate words as well."""
    return (stem(word.casefold()) for part in _HUMP.split(text) for word in _WORD.findall(part))


def stem(word: str) -> str:
    """A word without its ending: films, film; directors, directed, director, direct.  It is rough, and of English."""
    found = _STEM.fullmatch(word)
    word = found[1] if found else word
    is_doubled = len(word) > 3 and word[-1] == word[-2] and word[-1].isalpha()  # starring, star
    return word[:-1] if is_doubled else word


# ── what a path is worth ─────────────────────────────────────────────────────────────────────────────────
class PathScorer(Protocol):
    """Who gives scores to the paths of many questions together."""

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """For each question finite numbers, one for each of the paths that were found for it."""


PathScore: TypeAlias = "PathScorer | Callable[[str, Path], float]"


class EachPath:
    """A function that gives the score of one path, as a ``PathScorer``."""

    def __init__(self, score: Callable[[str, Path], float]) -> None:
        self._score = score

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """Path by path.  OptionError: a score is no number."""
        return [
            [self._number(question, path) for path in paths] for question, paths in zip(questions, found, strict=True)
        ]

    def _number(self, question: str, path: Path) -> float:
        score = self._score(question, path)
        try:
            return float(score)
        except (TypeError, ValueError):
            raise OptionError(f"the score of the path {path} is {score!r:.80}, and no number") from None


class StepScorer(ABC):
    """A scorer for which a path is worth the mean of what its steps are worth, whatever their order."""

    def __init__(self, graph: GraphEdges) -> None:
        self.graph = graph

    @abstractmethod
    def step_weights(self, question: str, start: int) -> StepWeights:
        """The weights of predicates and nodes for a question, on paths from the node of this number.

        Paths of several starts are scored together if these have the same object.
        """

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """The mean weights of paths.  OptionError: they are of another graph, or weights do not fit it."""
        return [self._of_one(question, paths) for question, paths in zip(questions, found, strict=True)]

    def weights_on(self, graph: NamedGraph, question: str) -> Callable[[int], StepWeights]:
        """``step_weights`` by start, for paths of a graph.  OptionError: as of ``scores``."""
        if graph is not self.graph:
            raise OptionError("the scorer is of another graph than the paths")
        return lambda start: self.step_weights(question, start).checked(self.graph)

    def _of_one(self, question: str, paths: Paths) -> Scores:
        weights_of = self.weights_on(paths.graph, question)
        starts, start_of_path = np.unique(first_nodes(paths.columns), return_inverse=True)
        weights = [weights_of(start) for start in starts.tolist()]
        kinds = {each: number for number, each in enumerate(dict.fromkeys(weights))}
        kind_of_path = np.array([kinds[each] for each in weights])[start_of_path]
        scores = np.empty(len(paths))
        for each, number in kinds.items():
            places = np.flatnonzero(kind_of_path == number)
            scores[places] = each.scores(paths.columns.take(places))
        return scores


def checked_scores(scores: ArrayLike, paths: Paths) -> Scores:
    """Scores as an array.  OptionError: there is not one for each path, or one is not finite: it names the path."""
    try:
        found = np.asarray(scores, np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"a scorer gives an array of numbers for each question, not {scores!r:.80}") from None
    if found.shape != (len(paths),):
        raise OptionError(f"a scorer gives one number for each of {len(paths)} paths, not an array of {found.shape}")
    wrong = np.flatnonzero(~np.isfinite(found))
    if len(wrong):
        raise OptionError(f"the score of the path {paths[int(wrong[0])]} is {found[wrong[0]]}")
    return found


def share_of(number: float) -> float:
    """A share of relations in a score.  OptionError: it is no number from 0 to 1."""
    if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 1:
        raise OptionError(f"relation_share is a number from 0 to 1, not {number!r:.80}")
    return float(number)


# ── by words in common ───────────────────────────────────────────────────────────────────────────────────
_KEPT = 4  # weights: the starts of a question are few, or share them
WordsOf = Callable[[str], Iterable[str]]


class LexicalScorer(StepScorer):
    """How far a question names what a path takes: 0 if nothing, 1 if all.

    A name is that of a relation or of a node; ``words`` gives its words.  The rarer a word, the more it weighs:
    log(1 + n / m) if m of the n names of the graph have it.  The *overlap* of a question with a name is the weight of
    the words that both have, by the weight of all words of the name.  A step has the overlap with its relation, times
    ``relation_share``, and that with the node to which it leads, times the rest; a path has the mean of its steps, or 0
    without any.  Words that name the start of a path do not count for its nodes: a question names it anyway.

    All names of the graph are read when the first question comes.
    """

    def __init__(self, graph: GraphEdges, relation_share: float = 0.5, words: WordsOf = words_of) -> None:
        super().__init__(graph)
        self._share = share_of(relation_share)
        self._words = words
        self._names = GraphNames(graph)
        self._weights = lru_cache(_KEPT)(self._weights_of_words)

    def step_weights(self, question: str, start: int) -> StepWeights:
        """The overlap with all relations and nodes, each times its share."""
        asked = frozenset(self._words(question))
        return self._weights(asked, asked.difference(self._words(self._names.node(start))))

    def _weights_of_words(self, asked: frozenset[str], sought: frozenset[str]) -> StepWeights:
        """Weights by the words that are looked for in relations, and in nodes."""
        relations = self._index.overlap(asked)[: self._relation_count]
        nodes = self._index.overlap(sought)[self._relation_count :]
        return StepWeights(self._share * relations, (1 - self._share) * nodes)

    @property
    def _relation_count(self) -> int:
        return len(self.graph.predicates)

    @cached_property
    def _index(self) -> WordIndex:
        relations = [self._names.relation(number) for number in range(self._relation_count)]
        nodes = [self._names.node(vertex) for vertex in range(self.graph.vertex_count)]
        return WordIndex([list(dict.fromkeys(self._words(name))) for name in relations + nodes])


class WordIndex:
    """Names by their words, and what each word weighs.  A name has each of its words once."""

    def __init__(self, names: Sequence[Sequence[str]]) -> None:
        self._numbers: dict[str, int] = {}
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for name in names for word in name]
        words = np.array(numbers, np.int64)
        of_name = np.repeat(np.arange(len(names)), [len(name) for name in names])
        counts = np.bincount(words)  # names that have the word
        self._having = of_name[np.argsort(words, kind="stable")]  # the names with word 0, then those with word 1 …
        self._starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        self._weights = np.log1p(len(names) / counts)
        total = np.bincount(self._having, np.repeat(self._weights, counts), len(names))
        self._total = np.where(total == 0, 1, total)  # some names have no words

    def overlap(self, words: Iterable[str]) -> Scores:
        """float64[names]: what these words weigh in each name, of 1."""
        weights = np.zeros(len(self._total))
        for word in sorted({self._numbers[word] for word in words if word in self._numbers}):  # as the total is added
            weights[self._having[self._starts[word] : self._starts[word + 1]]] += self._weights[word]
        weights /= self._total
        return weights


# ── by embeddings ────────────────────────────────────────────────────────────────────────────────────────
Embed = Callable[[list[str]], ArrayLike]
Vectors = NDArray[np.float32]


class EmbeddingScorer:
    """The cosine of a question with a path: from -1 to 1.

    ``embed`` gives a row of numbers for each text of a list.  The relations of a path are one text, in turn
    (``directed_by -> ^directed_by``), and each of its nodes is one.  A score is the cosine of the question with the
    relations, times ``relation_share``, and the mean of its cosines with all nodes but the first, times the rest; that
    of a path without edges is the cosine with its node.  A row of zeros has the cosine 0 with everything.

    Texts of relations and nodes are embedded once, those that are new to all questions of a call together.
    """

    def __init__(self, graph: GraphEdges, embed: Embed, relation_share: float = 0.5) -> None:
        self._names = GraphNames(graph)
        self._share = share_of(relation_share)
        self._vectors = TextVectors(embed)

    def scores(self, questions: Sequence[str], found: Sequence[Paths]) -> Sequence[ArrayLike]:
        """Cosines.  OptionError: ``embed`` does not give one row for each text."""
        texts = [text for paths in found for text in self._texts(paths)]
        asked = self._vectors.learn(texts, questions)
        return [self._of_one(one, paths) for one, paths in zip(asked, found, strict=True)]

    def _texts(self, paths: Paths) -> list[str]:
        nodes = [self._names.node(vertex) for vertex in np.unique(paths.columns.vertices).tolist()]
        return list(dict.fromkeys(self._relations(paths))) + nodes

    def _relations(self, paths: Paths) -> list[str]:
        """The text of the relations of each path that has some."""
        shown = {symbol: self._names.step(symbol) for symbol in np.unique(paths.columns.symbols).tolist()}
        return [" -> ".join(map(shown.__getitem__, path.symbols)) for path in paths if path.symbols]

    def _of_one(self, question: Vectors, paths: Paths) -> Scores:
        near = self._node_cosines(question, paths)
        scores = near[first_nodes(paths.columns)]  # of paths without edges
        has_steps = lengths(paths.columns) > 0
        nodes = mean_of_steps(near[reached(paths.columns)], paths.columns)[has_steps]
        relations = self._vectors.rows(self._relations(paths)) @ question
        scores[has_steps] = self._share * relations + (1 - self._share) * nodes
        return scores

    def _node_cosines(self, question: Vectors, paths: Paths) -> Scores:
        """float64[nodes of the graph]: the cosine with each node of these paths."""
        vertices = np.unique(paths.columns.vertices)
        near = np.zeros(self._names.graph.vertex_count)
        near[vertices] = self._vectors.rows([self._names.node(vertex) for vertex in vertices.tolist()]) @ question
        return near


class TextVectors:
    """Vectors of length 1, or 0, of texts; those that ``learn`` was told once are kept."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._kept: dict[str, Vectors] = {}
        self._width: int | None = None

    def learn(self, texts: Iterable[str], questions: Sequence[str]) -> Vectors:
        """Keep texts that are not known yet; the rows of ``questions``, which are not kept."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        rows = self._unit_rows([*new, *questions])
        self._kept |= zip(new, rows, strict=False)
        return rows[len(new) :]

    def rows(self, texts: Sequence[str]) -> Vectors:
        """float32[texts, width]: those of texts that are kept."""
        return np.array([self._kept[text] for text in texts], np.float32).reshape(len(texts), self._width or 0)

    def _unit_rows(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self._width or 0), np.float32)
        rows = self._embedded(texts)
        self._width = rows.shape[1]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        norms[norms == 0] = 1
        with np.errstate(invalid="ignore"):  # numbers that are not finite make scores that are not, which are refused
            unit: Vectors = rows / norms
        return unit

    def _embedded(self, texts: list[str]) -> Vectors:
        given = self._embed(texts)
        try:
            rows = np.asarray(given, np.float32)
        except (TypeError, ValueError):
            raise OptionError(f"embed gives a row of numbers for each text, not {given!r:.80}") from None
        if rows.ndim != 2 or len(rows) != len(texts) or rows.shape[1] != (self._width or rows.shape[1]):
            raise OptionError(f"embed gives a row for each of {len(texts)} texts, not an array of {rows.shape}")
        return rows
