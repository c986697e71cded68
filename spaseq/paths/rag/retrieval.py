"""The paths of a graph that tell most about a question."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import OptionError, SpaseqWarning
from spaseq.paths.best import BestPaths, Scores, lengths
from spaseq.paths.budget import Budget
from spaseq.paths.graph import Graph
from spaseq.paths.rag.questions import (
    QuestionBatch,
    QuestionResolver,
    QuestionSearches,
    Resolve,
    ResolvedQuestion,
    gathered,
    goes_best_first,
    in_thread,
)
from spaseq.paths.rag.scoring import EachPath, LexicalScorer, PathScore, PathScorer, StepScorer, checked_scores
from spaseq.paths.results import Path, Paths, in_turn
from spaseq.results.terms import Value

Each = Callable[[Callable[[str], Any], Iterable[str]], Iterable[Any]]
Resolved = ResolvedQuestion | Exception

_PATHS = UUID("5f0d3c1e-7a52-4c8b-9b36-2f4be3a1d907")  # the namespace in which paths have their ids


@dataclass(frozen=True, slots=True)
class RankedPath:
    """A path, its score, and its ``text`` as a language model shall read it."""

    path: Path
    score: float
    text: str

    @property
    def id(self) -> str:
        """A UUID of its nodes and relations: the same in each graph and process, another for any other path.

        Blank nodes count by their labels.
        """
        steps = [f"{'^' * inverse}{Value('uri', iri).to_ntriples()}" for iri, inverse in self.path.steps()]
        nodes = [value.to_ntriples() for value in self.path.values()]
        return str(uuid5(_PATHS, "\n".join(in_turn(nodes, steps))))  # terms of N-Triples have no line ends

    def metadata(self) -> dict[str, Any]:
        """What retrievers of other libraries tell beside the text: id, query, score, nodes and relations as texts."""
        relations = [f"^{iri}" if inverse else iri for iri, inverse in self.path.steps()]
        nodes = [value.text for value in self.path.values()]
        query, score = self.path.query, self.score
        return {"id": self.id, "query": query, "score": score, "nodes": nodes, "relations": relations}

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class RetrievedPaths:
    """The best paths for a question, best first.

    ``complete`` is False if a budget ended the search before all paths were found; ``warnings`` name what the graph
    does not have.
    """

    question: str
    paths: tuple[RankedPath, ...]
    complete: bool
    warnings: tuple[str, ...]

    def __iter__(self) -> Iterator[RankedPath]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)

    def __str__(self) -> str:
        """The paths, one a line: the context of a prompt."""
        return "\n".join(path.text for path in self.paths)

    def metadata(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Of each path the text, and all that is known of it, whether the search was complete and warnings too."""
        for path in self.paths:
            yield path.text, path.metadata() | {"complete": self.complete, "warnings": list(self.warnings)}


class PathRetrieval:
    """Answers questions by paths of a graph.

    ``resolve`` makes pairs of a question: where paths start, and along what they lead.  A start is a number, a term or
    a name of a node, as in ``Graph.match``, or None if the query has FROM; a path query is the text of an expression
    or of whole queries, or what ``prepare`` gives.  A ``resolve`` that is async needs ``aretrieve`` and the like.

    ``score`` is a function of the question and a path, or a ``PathScorer``; without one, ``LexicalScorer``.  ``text``
    writes a path.  ``time_limit`` and ``most_edges`` are the budget of a call, however many questions it has.
    OptionError: an argument makes no sense.

    With a ``StepScorer``, such as ``LexicalScorer``, paths are searched for best first where that is worth it: see
    ``goes_best_first``.  Each question then has its share of the budget, and its own ``complete``.
    """

    def __init__(
        self,
        graph: Graph,
        resolve: Resolve,
        *,
        top: int | None = 10,
        score: PathScore | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
        text: Callable[[Path], str] = str,
    ) -> None:
        if not isinstance(graph, Graph) or not callable(resolve):
            raise OptionError("a retrieval has a spaseq.paths.Graph, and a function that resolves questions")
        self.graph = graph
        self.top = checked_most("top", top)
        self._resolver = QuestionResolver(graph, resolve)
        self._scorer = _scorer(graph, score)
        self._budget = Budget.of(None, time_limit, most_edges)
        self._text = text

    def retrieve(self, question: str, top: int | None = None) -> RetrievedPaths:
        """The best ``top`` paths for a question (else as many as the retrieval gives); see ``retrieve_all``."""
        return self.retrieve_all([question], top)[0]

    def retrieve_all(self, questions: Iterable[str], top: int | None = None) -> list[RetrievedPaths]:
        """The best paths for each question, all found by one search: a query that several ask runs once.

        OptionError, QuerySyntaxError, QueryError: ``resolve`` gave what is no path query or is async, or a score is no
        number.
        """
        return self._ranked([self._resolver.resolved(question) for question in _several(questions)], top)

    def attempt_all(
        self, questions: Sequence[str], top: int | None = None, each: Each = map
    ) -> list[RetrievedPaths | Exception]:
        """As ``retrieve_all``, but what goes wrong when a question is resolved stands in its place.

        ``each`` is what ``map`` does, maybe with threads: ``executor.map``, if ``resolve`` waits for a model.
        """
        return self._attempts(list(each(self._attempted, questions)), top)

    async def aretrieve(self, question: str, top: int | None = None) -> RetrievedPaths:
        """As ``retrieve``, without holding up the event loop; ``resolve`` may be async."""
        return (await self.aretrieve_all([question], top))[0]

    async def aretrieve_all(
        self, questions: Iterable[str], top: int | None = None, at_once: int | None = None
    ) -> list[RetrievedPaths]:
        """As ``retrieve_all``, without holding up the event loop; ``resolve`` may be async.

        So many questions are resolved at once, None: all.  If some go wrong, the error of the first is raised.
        """
        resolved = await self._resolved_at_once(_several(questions), at_once)
        for one in resolved:
            if isinstance(one, Exception):
                raise one
        return await in_thread(self._ranked, resolved, top)

    async def aattempt_all(
        self, questions: Sequence[str], top: int | None = None, at_once: int | None = None
    ) -> list[RetrievedPaths | Exception]:
        """As ``aretrieve_all``, but what goes wrong when a question is resolved stands in its place."""
        return await in_thread(self._attempts, await self._resolved_at_once(questions, at_once), top)

    async def _resolved_at_once(self, questions: Iterable[str], at_once: int | None) -> list[Resolved]:
        return await gathered(self._aattempted, list(questions), checked_most("at_once", at_once))

    def _attempted(self, question: str) -> Resolved:
        try:
            return self._resolver.resolved(question)
        except Exception as error:  # resolve is not ours: it may ask a model that does not answer
            return error

    async def _aattempted(self, question: str) -> Resolved:
        try:
            return await self._resolver.aresolved(question)
        except Exception as error:
            return error

    def _attempts(self, resolved: Sequence[Resolved], top: int | None) -> list[RetrievedPaths | Exception]:
        found = iter(self._ranked([one for one in resolved if isinstance(one, ResolvedQuestion)], top))
        return [next(found) if isinstance(one, ResolvedQuestion) else one for one in resolved]

    def _ranked(self, asked: Sequence[ResolvedQuestion], top: int | None) -> list[RetrievedPaths]:
        most = self.top if top is None else checked_most("top", top)
        scorer = self._scorer
        if most is not None and isinstance(scorer, StepScorer) and goes_best_first(scorer, asked, self._budget):
            searches = QuestionSearches(self.graph, scorer, most)
            return [self._retrieved(*pair) for pair in zip(asked, searches.found(asked, self._budget), strict=True)]
        return self._chosen(asked, most)

    def _retrieved(self, asked: ResolvedQuestion, paths: BestPaths) -> RetrievedPaths:
        best = (
            RankedPath(path, score, self._text(path)) for path, score in zip(paths, paths.scores.tolist(), strict=True)
        )
        return RetrievedPaths(asked.question, tuple(best), paths.complete, paths.warnings)

    def _chosen(self, asked: Sequence[ResolvedQuestion], most: int | None) -> list[RetrievedPaths]:
        """The best of all paths."""
        batch = QuestionBatch(asked).match(self.graph, self._budget.seconds, self._budget.edges)
        found = [batch.of(one) for one in asked]
        scores = self._scores([one.question for one in asked], found)
        return [
            RetrievedPaths(one.question, self._best(paths, some, most), paths.complete, paths.warnings)
            for one, paths, some in zip(asked, found, scores, strict=True)
        ]

    def _scores(self, questions: Sequence[str], found: Sequence[Paths]) -> list[Scores]:
        """The scores of all paths; questions without paths are not scored."""
        having = [number for number, paths in enumerate(found) if len(paths)]
        given = self._scorer.scores([questions[number] for number in having], [found[number] for number in having])
        if len(given) != len(having):
            raise OptionError(f"a scorer gives scores for each of {len(having)} questions, not for {len(given)}")
        scores = [np.empty(0)] * len(found)
        for number, some in zip(having, given, strict=True):
            scores[number] = checked_scores(some, found[number])
        return scores

    def _best(self, paths: Paths, scores: Scores, most: int | None) -> tuple[RankedPath, ...]:
        """The paths of the highest scores, each once, even if two queries found it."""
        best: dict[tuple[tuple[int, ...], tuple[int, ...]], RankedPath] = {}
        for place in ranking(paths, scores).tolist():
            if len(best) == most:
                break
            path = paths[place]
            key = path.vertices, path.symbols
            if key not in best:
                best[key] = RankedPath(path, float(scores[place]), self._text(path))
        return tuple(best.values())


def ranking(paths: Paths, scores: Scores) -> NDArray[np.int64]:
    """The places of paths, best first: of equal scores shorter ones, then those that were found first."""
    return np.lexsort((lengths(paths.columns), -scores))


def checked_most(name: str, most: int | None) -> int | None:
    """How many at most, None: all.  OptionError: it is no such number; it is called by its name."""
    if most is not None and (type(most) is not int or most < 1):
        raise OptionError(f"{name} is a number from 1 on, not {most!r:.80}")
    return most


def _several(questions: Iterable[str]) -> Iterable[str]:
    if isinstance(questions, str):
        raise OptionError("questions are several texts, not one")
    return questions


def _scorer(graph: Graph, score: PathScore | None) -> PathScorer:
    if score is None:
        return LexicalScorer(graph)
    if hasattr(score, "scores"):
        return score
    if not callable(score):
        raise OptionError(f"score is a function of a question and a path, or a scorer, not {score!r:.80}")
    return EachPath(score)


def tell_warnings(found: RetrievedPaths) -> None:
    """Without paths nobody would see what the graph does not have."""
    if found.warnings and not found.paths:
        lines = [f"no paths for the question {found.question!r:.80}", *found.warnings]
        warnings.warn("\n".join(lines), SpaseqWarning, stacklevel=2)
