"""The edges of a graph as compressed sparse rows, and its nodes by number and by the texts of their labels.

For each label, and each way, there are the neighbours of each vertex.  On the way there an edge is a number, its key:
the vertex that it leaves in the upper half, the one that it enters in the lower half.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from gpm.terms import RdfTerm
from nfa_native.core.coding import coded
from nfa_native.paths.searcher import EdgeIndex
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError
from spaseq.paths.terms import GraphTerms, InternedTerms, node_bytes
from spaseq.text import NameIndex

Numbers = NDArray[np.uint32]
Keys = NDArray[np.uint64]
SPARSE = 8  # a label with fewer than a vertex in so many has rows for those vertices alone that have edges
HALF = np.uint64(32)
NO_KEYS = np.empty(0, np.uint64)


class EdgeRows(NamedTuple):
    """Edges that leave vertices: row i has the ``targets`` from ``offsets[i]`` to ``offsets[i + 1]``, which rise.

    It is that of ``vertices[i]``, which rise too; None: of vertex i.
    """

    vertices: Numbers | None
    offsets: Numbers
    targets: Numbers


NO_EDGES = EdgeRows(np.empty(0, np.uint32), np.zeros(1, np.uint32), np.empty(0, np.uint32))


class LabelRows(NamedTuple):
    """The edges of one label, along and against their direction."""

    along: EdgeRows
    against: EdgeRows


def edge_index(labels: Iterable[LabelRows], vertices: int) -> EdgeIndex:
    """What searches walk along."""
    index = EdgeIndex(vertices)
    for rows in labels:
        index.add(rows.along, rows.against)
    return index


def rows_by_label(labels: Numbers, keys: Keys, label_count: int, vertices: int) -> tuple[LabelRows, ...]:
    """The rows of each label, from the label and the key of n edges in any order, some maybe twice."""
    narrow = labels.astype(np.uint16) if label_count <= 1 << 16 else labels  # few bits are put in order faster
    order = np.argsort(narrow, kind="stable")
    by_label = keys[order]
    bounds = np.cumsum(np.bincount(labels, minlength=label_count)).tolist()
    return tuple(label_rows(distinct_keys(by_label[start:stop]), vertices) for start, stop in pairwise([0, *bounds]))


def label_rows(keys: Keys, vertices: int) -> LabelRows:
    """The rows of one label, whose keys rise."""
    return LabelRows(rows_of(keys, vertices), rows_of(np.sort(swapped(keys)), vertices))


def rows_of(keys: Keys, vertices: int) -> EdgeRows:
    """The rows of edges whose keys rise."""
    sources, targets = (keys >> HALF).astype(np.uint32), keys.astype(np.uint32)
    if len(keys) * SPARSE >= vertices:
        return EdgeRows(None, _offsets(np.bincount(sources, minlength=vertices)), targets)
    found, counts = np.unique(sources, return_counts=True)
    return EdgeRows(found, _offsets(counts), targets)


def edge_keys(sources: Numbers, targets: Numbers) -> Keys:
    """The keys of edges."""
    keys = sources.astype(np.uint64)
    keys <<= HALF
    keys |= targets
    return keys


def row_keys(rows: EdgeRows) -> Keys:
    """The keys of the edges that are in rows; they rise."""
    sources = np.arange(len(rows.offsets) - 1, dtype=np.uint32) if rows.vertices is None else rows.vertices
    return edge_keys(np.repeat(sources, np.diff(rows.offsets)), rows.targets)


def ends_of(keys: Keys) -> Numbers:
    """The vertices of edges."""
    return np.concatenate([keys >> HALF, keys]).astype(np.uint32)


def swapped(keys: Keys) -> Keys:
    """The keys of the same edges against their direction."""
    return (keys << HALF) | (keys >> HALF)


def distinct_keys(keys: Keys) -> Keys:
    """These keys in order, each once."""
    found = np.sort(keys)
    if not len(found):
        return found
    fresh = np.concatenate([[True], found[1:] != found[:-1]])
    return found if fresh.all() else found[fresh]


def are_among(some: NDArray[Any], known: NDArray[Any]) -> NDArray[np.bool_]:
    """Of each whether it is one of those that are known, which rise."""
    if not len(known):
        return np.zeros(len(some), np.bool_)
    places = np.searchsorted(known, some)
    found: NDArray[np.bool_] = known[np.minimum(places, len(known) - 1)] == some
    return found


def _offsets(counts: NDArray[np.int64]) -> Numbers:
    offsets = np.zeros(len(counts) + 1, np.uint32)
    np.cumsum(counts, out=offsets[1:])
    return offsets


# ── nodes by the texts of their labels ───────────────────────────────────────────────────────────────────
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


# ── edges and terms by number ────────────────────────────────────────────────────────────────────────────
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
