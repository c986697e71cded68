"""Edges from elsewhere in the numbers of a graph, which may get more of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from nfa_native.core.coding import coded
from nfa_native.terms.words import Terms
from spaseq.paths.adjacency import Keys, distinct_keys, edge_keys
from spaseq.paths.edges import GraphEdges, iri_of
from spaseq.paths.terms import UNKNOWN, Vertices

KeysByLabel = Mapping[int, Keys]  # each once, and rising


class EdgeNumbering:
    """The numbers of a graph's vertices and labels, and of those that are new: ``texts``, canonical bytes, and IRIs."""

    def __init__(self, graph: GraphEdges) -> None:
        self._graph = graph
        self.texts: dict[bytes, int] = {}
        self.labels = dict(graph.numbers)

    def new_edges(self, terms: Terms, words: Words) -> KeysByLabel:
        """These edges, whose terms get numbers if they have none."""
        sources, labels, targets = self._columns(terms, words, self._all, self._label_or_new)
        return _by_label(sources, labels, targets)

    def known_edges(self, terms: Terms, words: Words) -> tuple[KeysByLabel, int]:
        """Those of the edges whose terms have numbers, and how many others there are."""
        columns = self._columns(terms, words, self._known, self._label)
        is_known = (columns != UNKNOWN).all(axis=0)
        others = np.unique(words[:, ~is_known], axis=1)
        return _by_label(*columns[:, is_known]), others.shape[1]

    def _columns(
        self, terms: Terms, words: Words, vertices: Callable[[list[bytes]], Vertices], label: Callable[[str], int]
    ) -> NDArray[np.int64]:
        ends, codes = coded(np.concatenate([words[0], words[2]]))
        numbers = vertices(terms.bytes_many(ends))[codes]
        predicates, places = coded(words[1])
        labels = np.array([label(iri_of(text)) for text in terms.bytes_many(predicates)], np.int64)[places]
        count = words.shape[1]
        return np.stack([numbers[:count], labels, numbers[count:]])

    def _known(self, texts: list[bytes]) -> Vertices:
        """The vertices of terms, or UNKNOWN."""
        found = self._graph.terms.vertices_of(texts)
        for place in np.flatnonzero(found == UNKNOWN).tolist():
            found[place] = self.texts.get(texts[place], UNKNOWN)
        return found

    def _all(self, texts: list[bytes]) -> Vertices:
        """The vertices of terms, of which some may be new."""
        found = self._known(texts)
        for place in np.flatnonzero(found == UNKNOWN).tolist():
            found[place] = self.texts.setdefault(texts[place], len(self._graph.terms) + len(self.texts))
        return found

    def _label(self, iri: str) -> int:
        return self.labels.get(iri, UNKNOWN)

    def _label_or_new(self, iri: str) -> int:
        return self.labels.setdefault(iri, len(self.labels))


def _by_label(sources: NDArray[np.int64], labels: NDArray[np.int64], targets: NDArray[np.int64]) -> KeysByLabel:
    order = np.argsort(labels, kind="stable")
    keys = edge_keys(sources[order].astype(np.uint32), targets[order].astype(np.uint32))
    found, starts = np.unique(labels[order], return_index=True)
    parts = pairwise([*starts.tolist(), len(order)])
    return {label: distinct_keys(keys[start:stop]) for label, (start, stop) in zip(found.tolist(), parts, strict=True)}
