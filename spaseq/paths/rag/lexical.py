"""Scores by words that a question has in common with the names of relations and nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from spaseq.paths.edges import GraphEdges
from spaseq.paths.rag.names import GraphNames
from spaseq.paths.rag.scoring import StepScorer, share_of
from spaseq.paths.rag.words import words_of
from spaseq.paths.weights import Scores, StepWeights

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
