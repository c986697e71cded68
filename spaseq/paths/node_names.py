"""The nodes of a graph by the texts of their labels."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.adjacency import Keys, are_among, edge_keys
from spaseq.paths.terms import GraphTerms

Vertices = NDArray[np.uint32]


class NodeNames:
    """``nodes``, and for each a literal that is its label, ``labels``, in the order of the texts of these."""

    def __init__(self, terms: GraphTerms, nodes: Vertices, labels: Vertices) -> None:
        self.terms = terms
        self.nodes = nodes
        self.labels = labels

    @staticmethod
    def of(terms: GraphTerms, edges: Keys) -> NodeNames:
        """The names that these edges, from nodes to labels, give."""
        none = np.empty(0, np.uint32)
        return NodeNames(terms, none, none).changed(terms, edges, np.empty(0, np.uint64))

    def find(self, text: str) -> Vertices:
        """The nodes with this label, whatever its language and datatype, in order."""
        places = range(len(self.nodes))
        start = bisect_left(places, text, key=self._text)
        stop = bisect_right(places, text, start, key=self._text)
        return np.unique(self.nodes[start:stop])

    def changed(self, terms: GraphTerms, added: Keys, removed: Keys) -> NodeNames:
        """The names with some edges more and some less, which rise; ``terms`` has those here, with the same numbers."""
        kept = ~are_among(edge_keys(self.nodes, self.labels), removed)
        left = NodeNames(terms, self.nodes[kept], self.labels[kept])
        named = ((key >> 32, key & 0xFFFFFFFF) for key in added.tolist())
        found = [(value.text, node, label) for node, label in named if (value := terms.value(label)).kind == "literal"]
        return left._with(sorted(found))

    def _with(self, found: list[tuple[str, int, int]]) -> NodeNames:
        every = range(len(self.nodes))
        places = [bisect_right(every, text, key=self._text) for text, _, _ in found] if every else [0] * len(found)
        columns = [np.array([row[part] for row in found], np.uint32) for part in (1, 2)]
        nodes, labels = (
            np.insert(old, places, new) for old, new in zip((self.nodes, self.labels), columns, strict=True)
        )
        return NodeNames(self.terms, nodes, labels)

    def _text(self, place: int) -> str:
        return self.terms.value(int(self.labels[place])).text
