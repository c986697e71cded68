"""The edges of a graph in compressed sparse rows, and its terms by number."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from gpm.terms import RdfTerm
from nfa_native.core.coding import coded
from nfa_native.paths.searcher import EdgeIndex
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError
from spaseq.paths.adjacency import distinct_edges, edge_index
from spaseq.paths.names import node_bytes
from spaseq.paths.terms import GraphTerms

MOST_EDGES = 2**32 - 2


class GraphEdges:
    """A frozen set of edges between numbered nodes.

    ``label_property`` is the IRI of what LABEL looks at; None: nodes are called by what they are.
    """

    def __init__(self, terms: Terms, words: Words, label_property: str | None) -> None:
        """Edges from their words (``gpm.edges.edge_words``); nobody else adds to ``terms`` any more."""
        vertices, codes = coded(np.concatenate([words[0], words[2]]))
        predicates, labels = coded(words[1])
        if max(len(vertices), words.shape[1]) > MOST_EDGES:
            raise OptionError(f"a graph has at most {MOST_EDGES:,} nodes and edges")
        subjects, objects = np.split(codes.astype(np.uint32), 2)
        edges = distinct_edges(labels.astype(np.uint32), subjects, objects)
        terms.freeze()
        self.terms = GraphTerms(terms, vertices)
        self.label_property = label_property
        self.edges = edges
        self.predicates = tuple(terms.bytes(int(word))[1:].decode() for word in predicates)
        self._labels = {iri: number for number, iri in enumerate(self.predicates)}
        self.index: EdgeIndex = edge_index(*edges, len(predicates), len(vertices))

    @property
    def labels(self) -> Mapping[str, int]:
        """The numbers of predicates by their IRIs."""
        return self._labels

    def __len__(self) -> int:
        """How many edges there are."""
        return len(self.edges[0])

    @property
    def node_count(self) -> int:
        """How many nodes there are, each the end of some edge."""
        return len(self.terms)

    def vertex(self, term: RdfTerm) -> int | None:
        """The number of a node; None: the graph does not have it."""
        return self.terms.vertex(term)

    def labelled(self, text: str) -> NDArray[np.uint32]:
        """The numbers of the nodes that LABEL ``text`` means."""
        if self.label_property is None:
            vertex = self.terms.vertex_of(node_bytes(text))
            return np.array([] if vertex is None else [vertex], np.uint32)
        return np.array(self._by_label.get(text, ()), np.uint32)

    @cached_property
    def _by_label(self) -> dict[str, list[int]]:
        """The vertices by the texts of their labels."""
        found: dict[str, list[int]] = {}
        number = self._labels.get(self.label_property or "")
        if number is None:
            return found
        labels, subjects, objects = self.edges
        start, stop = np.searchsorted(labels, [number, number + 1])
        for subject, object_ in zip(subjects[start:stop].tolist(), objects[start:stop].tolist(), strict=True):
            value = self.terms.value(object_)
            if value.kind == "literal" and subject not in (known := found.setdefault(value.text, [])):
                known.append(subject)
        return found

    def __repr__(self) -> str:
        return f"<Graph of {self.node_count:,} nodes, {len(self):,} edges, {len(self.predicates):,} predicates>"
