"""A graph with some edges more and some less, which shares with it whatever they do not touch.

Edges come as terms, or as names to a graph of a table; they are numbered as those of the graph, which may get more of
them.  Of compressed sparse rows all is copied as it is but for those that change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.edges import SCOPE, edge_words
from gpm.rows import Words
from gpm.terms import term_bytes
from nfa_native.core.coding import coded
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError, require
from spaseq.paths.edges import (
    HALF,
    NO_EDGES,
    NO_KEYS,
    EdgeRows,
    GraphEdges,
    Keys,
    LabelRows,
    Numbers,
    are_among,
    check_size,
    distinct_keys,
    edge_keys,
    ends_of,
    iri_of,
    row_keys,
    rows_of,
    swapped,
)
from spaseq.paths.terms import UNKNOWN, MoreTerms, Vertices, node_bytes, relation_bytes


def given_words(terms: Terms, source: Any, are_names: bool) -> Words:
    """uint64[3, n]: the edges of a source; ``are_names``: strings are names as in tables.

    Errors are those of ``gpm.edges.edge_words`` and of ``edge_table``.
    """
    if not are_names:
        return edge_words(terms, source)
    if not isinstance(source, list | tuple | set | frozenset | Iterator):
        return _table(terms, source)
    rows = list(source)
    if not all(isinstance(row, tuple) and len(row) == 3 for row in rows):
        return edge_words(terms, rows)
    return terms.intern_many([text for row in rows for text in _texts(row)]).reshape(-1, 3).T


def _texts(row: tuple[Any, Any, Any]) -> Iterable[bytes]:
    forms = (node_bytes, relation_bytes, node_bytes)
    parts = zip(row, forms, strict=True)
    return (form(part) if type(part) is str else term_bytes(part, SCOPE) for part, form in parts)


def _table(terms: Terms, source: Any) -> Words:
    require("pyarrow")
    from spaseq.paths.tables import TableForm, edge_table

    return edge_table(terms, source, TableForm())


# ── edges from elsewhere in the numbers of a graph ───────────────────────────────────────────────────────
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


# ── compressed sparse rows ───────────────────────────────────────────────────────────────────────────────
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelChange:
    """The keys of one label's edges that come, which it does not have, and of those that go; they rise."""

    fresh: Keys
    gone: Keys

    @staticmethod
    def of(rows: LabelRows, added: Keys, removed: Keys) -> LabelChange:
        """What changes in these rows; an edge that is both added and removed is there afterwards."""
        known = keys_leaving(rows.along, sources_of(np.concatenate([added, removed])))
        going = removed[~are_among(removed, added)]
        return LabelChange(added[~are_among(added, known)], going[are_among(going, known)])

    def applied(self, rows: LabelRows, vertices: int) -> LabelRows:
        """The rows after it, where there are so many vertices."""
        along, against = all_grown(rows, vertices)
        fresh, gone = np.sort(swapped(self.fresh)), np.sort(swapped(self.gone))
        return LabelRows(_changed(along, self.fresh, self.gone, vertices), _changed(against, fresh, gone, vertices))


def all_grown(rows: LabelRows, vertices: int) -> LabelRows:
    """The same rows where there are more vertices."""
    return LabelRows(_grown(rows.along, vertices), _grown(rows.against, vertices))


def have_rows(rows: EdgeRows, vertices: Numbers) -> NDArray[np.bool_]:
    """Of each of these vertices whether edges leave it."""
    if rows.vertices is not None:
        return are_among(vertices, rows.vertices)
    have: NDArray[np.bool_] = rows.offsets[vertices] < rows.offsets[vertices + 1]
    return have


def sources_of(keys: Keys) -> Numbers:
    """The vertices that edges leave, each once, in order."""
    return np.unique(keys >> HALF).astype(np.uint32)


def keys_leaving(rows: EdgeRows, sources: Numbers) -> Keys:
    """The keys of the edges that leave these vertices, which rise."""
    if rows.vertices is None:
        sources = sources[sources < len(rows.offsets) - 1]
        at = sources.astype(np.int64)
    else:
        sources = sources[are_among(sources, rows.vertices)]
        at = np.searchsorted(rows.vertices, sources)
    starts = rows.offsets[at].astype(np.int64)
    counts = rows.offsets[at + 1] - starts
    places = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    return edge_keys(np.repeat(sources, counts), rows.targets[places])


def _grown(rows: EdgeRows, vertices: int) -> EdgeRows:
    if rows.vertices is not None:
        return rows
    more = np.full(vertices + 1 - len(rows.offsets), rows.offsets[-1])
    return EdgeRows(None, np.concatenate([rows.offsets, more]), rows.targets) if len(more) else rows


def _changed(rows: EdgeRows, fresh: Keys, gone: Keys, vertices: int) -> EdgeRows:
    if rows.vertices is not None:  # few edges
        keys = row_keys(rows)
        keys = np.delete(keys, np.searchsorted(keys, gone))
        return rows_of(np.insert(keys, np.searchsorted(keys, fresh), fresh), vertices)
    near = keys_leaving(rows, sources_of(np.concatenate([fresh, gone])))
    gone = gone[are_among(gone, near)]  # all, unless a file was damaged; else a row could get less than no edges
    come, go = _places(rows, near, fresh), _places(rows, near, gone)
    targets = np.insert(rows.targets, come, fresh.astype(np.uint32))
    targets = np.delete(targets, go + np.searchsorted(come, go, "right"))
    more = np.zeros(len(rows.offsets), np.uint32)  # where it is less it wraps, and wraps back when it is added
    np.add.at(more, (fresh >> HALF) + np.uint64(1), 1)
    np.subtract.at(more, (gone >> HALF) + np.uint64(1), 1)
    return EdgeRows(None, rows.offsets + np.cumsum(more, dtype=np.uint32), targets)


def _places(rows: EdgeRows, near: Keys, keys: Keys) -> Places:
    """Where edges stand among all targets, or would stand; ``near`` are the keys that leave the same vertices."""
    sources = keys >> HALF
    in_row = np.searchsorted(near, keys) - np.searchsorted(near, sources << HALF)
    found: Places = rows.offsets[sources].astype(np.int64) + in_row
    return found


# ── graphs ───────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class EdgeChange:
    """How many edges came and went, and how many of those that were given made no difference.

    These are edges to be added that were ``there`` already, and edges to be removed that were ``unknown``.
    """

    added: int
    removed: int
    there: int
    unknown: int


def change_edges(graph: GraphEdges, old: GraphEdges, added: Any, removed: Any) -> EdgeChange:
    """Let a new graph be an old one with some edges more and some less, as of ``given_words``.

    Nodes and predicates keep their numbers, new ones get the next.  StreamError: a damaged file had the old graph.
    """
    numbering, terms = EdgeNumbering(old), Terms()
    are_names = old.label_property is None
    to_come = numbering.new_edges(terms, given_words(terms, added, are_names))
    to_go, strangers = numbering.known_edges(terms, given_words(terms, removed, are_names))
    count = len(numbering.labels)
    rows = [*old.rows, *[LabelRows(NO_EDGES, NO_EDGES)] * (count - len(old.rows))]
    changes = {
        label: LabelChange.of(rows[label], to_come.get(label, NO_KEYS), to_go.get(label, NO_KEYS))
        for label in sorted({*to_come, *to_go})
    }
    try:
        _apply(graph, old, numbering, rows, changes)
    except (IndexError, ValueError) as error:  # only a saved graph that was damaged has rows without order
        raise StreamError(f"the rows of the graph are damaged: {error}") from None
    return _counted(to_come, to_go, strangers, changes)


def _apply(
    graph: GraphEdges,
    old: GraphEdges,
    numbering: EdgeNumbering,
    rows: Sequence[LabelRows],
    changes: Mapping[int, LabelChange],
) -> None:
    terms = MoreTerms(old.terms, tuple(numbering.texts)) if numbering.texts else old.terms
    vertices = len(terms)
    check_size(vertices, len(old) + sum(len(each.fresh) for each in changes.values()))
    changed = [
        changes[label].applied(each, vertices) if label in changes else all_grown(each, vertices)
        for label, each in enumerate(rows)
    ]
    names, change = old.known_names, changes.get(numbering.labels.get(old.label_property or "", -1))
    if names is not None and change is not None:
        names = names.changed(terms, change.fresh, change.gone)
    idle = _idle(old.idle, changes, changed)
    GraphEdges.__init__(graph, terms, tuple(numbering.labels), changed, old.label_property, idle, names)


def _idle(before: Numbers, changes: Mapping[int, LabelChange], rows: Sequence[LabelRows]) -> Numbers:
    """The vertices without edges: some of those that were so before, and of those that lost some."""
    some = np.unique(np.concatenate([before, *(ends_of(each.gone) for each in changes.values())]))
    for way in (way for each in rows for way in each):
        if len(some):
            some = some[~have_rows(way, some)]
    return some


def _counted(
    to_come: KeysByLabel, to_go: KeysByLabel, strangers: int, changes: Mapping[int, LabelChange]
) -> EdgeChange:
    fresh = sum(len(each.fresh) for each in changes.values())
    gone = sum(len(each.gone) for each in changes.values())
    stay = sum(int(are_among(keys, to_come.get(label, NO_KEYS)).sum()) for label, keys in to_go.items())
    there = sum(map(len, to_come.values())) - fresh
    return EdgeChange(fresh, gone, there, sum(map(len, to_go.values())) + strangers - stay - gone)
