"""The edges of a graph in compressed sparse rows, and its terms by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from gpm.terms import RdfTerm
from nfa_native.core.coding import coded
from nfa_native.paths.searcher import EdgeIndex
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError
from spaseq.paths.adjacency import HALF, LabelRows, edge_index, edge_keys, row_keys, rows_by_label
from spaseq.paths.names import node_bytes
from spaseq.paths.node_names import NodeNames
from spaseq.paths.terms import GraphTerms, InternedTerms
from spaseq.suggestion import NameIndex

MOST_EDGES = 2**30 - 1  # whose ends are counted by an int32
NONE = np.empty(0, np.uint32)


class GraphEdges:
    """A frozen set of edges between numbered nodes.

    Label i, which has the IRI ``predicates[i]``, has the edges ``rows[i]``.  ``label_property`` is the IRI of what
    LABEL looks at; None: nodes are called by what they are.  Vertices that are ``idle``, which rise, have no edge, and
    so are no nodes.
    """

    def __init__(
        self,
        terms: GraphTerms,
        predicates: Sequence[str],
        rows: Sequence[LabelRows],
        label_property: str | None,
        idle: NDArray[np.uint32] = NONE,
        names: NodeNames | None = None,
    ) -> None:
        """``names`` are what LABEL finds, if somebody knows it already."""
        self.terms = terms
        self.predicates = tuple(predicates)
        self.rows = tuple(rows)
        self.label_property = label_property
        self.idle = idle
        self.index: EdgeIndex = edge_index(self.rows, len(terms))
        self.numbers = {iri: number for number, iri in enumerate(self.predicates)}
        self._sizes = [len(each.along.targets) for each in self.rows]
        self._names = names

    @cached_property
    def labels(self) -> Mapping[str, int]:
        """The numbers of predicates by their IRIs, of those that have edges."""
        return {iri: number for iri, number in self.numbers.items() if self._sizes[number]}

    @cached_property
    def label_index(self) -> NameIndex:
        """What finds the predicate that somebody meant."""
        return NameIndex(self.labels)

    def __len__(self) -> int:
        """How many edges there are."""
        return sum(self._sizes)

    @property
    def vertex_count(self) -> int:
        """How many numbers nodes may have, from 0 on."""
        return len(self.terms)

    @property
    def node_count(self) -> int:
        """How many nodes there are, each the end of some edge."""
        return len(self.terms) - len(self.idle)

    def edges_of(self, label: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """Subjects and objects of the edges of one label, in their order."""
        keys = row_keys(self.rows[label].along)
        return (keys >> HALF).astype(np.uint32), keys.astype(np.uint32)

    def vertex(self, term: RdfTerm) -> int | None:
        """The number of a node; None: the graph does not have it."""
        return self._unless_idle(self.terms.vertex(term))

    def labelled(self, text: str) -> NDArray[np.uint32]:
        """The numbers of the nodes that LABEL ``text`` means."""
        if self.label_property is not None:
            return self.names.find(text)
        vertex = self._unless_idle(self.terms.vertex_of(node_bytes(text)))
        return NONE if vertex is None else np.array([vertex], np.uint32)

    @property
    def names(self) -> NodeNames:
        """What LABEL finds by ``label_property``."""
        if self._names is None:
            number = self.numbers.get(self.label_property or "")
            edges = np.empty(0, np.uint64) if number is None else row_keys(self.rows[number].along)
            self._names = NodeNames.of(self.terms, edges)
        return self._names

    @property
    def known_names(self) -> NodeNames | None:
        """``names``, if somebody asked for them already."""
        return self._names

    def _unless_idle(self, vertex: int | None) -> int | None:
        return None if vertex is None or (self.idle == vertex).any() else vertex

    def __repr__(self) -> str:
        return f"<Graph of {self.node_count:,} nodes, {len(self):,} edges, {len(self.labels):,} predicates>"


def interned_edges(terms: Terms, words: Words) -> tuple[GraphTerms, tuple[str, ...], tuple[LabelRows, ...]]:
    """Terms, predicates and rows of edges in words (``gpm.edges.edge_words``); nobody else adds to ``terms`` any more.

    OptionError: they are too many.
    """
    check_size(0, words.shape[1])
    vertices, codes = coded(np.concatenate([words[0], words[2]]))
    predicates, labels = coded(words[1])
    terms.freeze()
    keys = edge_keys(*np.split(codes.astype(np.uint32), 2))
    rows = rows_by_label(labels.astype(np.uint32), keys, len(predicates), len(vertices))
    return InternedTerms(terms, vertices), tuple(iri_of(terms.bytes(int(word))) for word in predicates), rows


def iri_of(text: bytes) -> str:
    """The IRI with these canonical bytes."""
    return text[1:].decode()


def check_size(vertices: int, edges: int) -> None:
    """OptionError: a graph cannot have so many."""
    if max(vertices, edges) > MOST_EDGES:
        raise OptionError(f"a graph has at most {MOST_EDGES:,} nodes and edges")
