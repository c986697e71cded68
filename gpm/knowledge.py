"""Patterns over background knowledge evaluated once and for all, and matched with tables of events by hash."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import cast
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt
import pyoxigraph
from pyoxigraph import BlankNode, NamedNode, QuerySolutions

from gpm.algebra import Element
from gpm.background import BackgroundGraphs
from gpm.native.cells import encode_cells
from gpm.native.hashing import HashIndex
from gpm.printing import print_element
from gpm.rewrite import canonical
from gpm.rows import Words
from gpm.scope import graph_names
from gpm.string_limits import FUNCTIONS, bounded
from gpm.tables import Table
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

Indices = npt.NDArray[np.int64]
TableKey = tuple[tuple[str, ...], str, tuple[str, ...]]  # graphs, pattern, columns

RECENT = 16  # tables that stay though nobody uses them: to make one again may take long


@dataclass(slots=True)
class RowClass:
    """Rows that bind the same columns, ``bound``, with an index for each set of columns that was asked for.

    ``rows`` are their numbers; None: all rows of the table.
    """

    bound: frozenset[int]
    rows: Indices | None
    indexes: dict[tuple[int, ...], HashIndex] = field(default_factory=dict)


class KnowledgeTable:
    """The solutions of a pattern over background knowledge, columns (names, r); ``origin`` is it by other names."""

    def __init__(self, names: tuple[str, ...], columns: Words) -> None:
        self.names = names
        self.origin: KnowledgeTable | None = None
        self.columns = columns
        count = columns.shape[1]
        self._classes = [
            RowClass(bound, None if len(rows) == count else rows) for bound, rows in _classes(columns, count)
        ]

    @property
    def words(self) -> Words:
        """The words of all columns."""
        return self.columns

    def shares_with(self, names: tuple[str, ...]) -> bool:
        """Whether a table with these columns is joined by at least one of them."""
        return not set(names).isdisjoint(self.names)

    def pairs(self, left: Table, need_common: bool = False) -> tuple[Indices, Indices]:
        """Row numbers of all compatible pairs; ``need_common``: of those that bind at least one variable both."""
        shared = self._shared(left)
        none = np.empty(0, dtype=np.int64)
        found = [(none, none)]
        for bound, rows in _classes(left.columns[[a for a, _ in shared]], len(left.events)):
            for right in self._classes:
                key = [pair for k, pair in enumerate(shared) if k in bound and pair[1] in right.bound]
                if key or not need_common:
                    found.append(self._pairs(left, rows, right, key))
        first, second = (np.concatenate(indices) for indices in zip(*found, strict=True))
        return first, second

    def joined(self, names: tuple[str, ...], rows: EventRows) -> tuple[tuple[str, ...], EventRows] | None:
        """The join with rows of one event, whose columns have these names; None if it takes ``pairs`` to find it."""
        if len(self._classes) != 1 or len(self._classes[0].bound) < len(self.names):
            return None
        shared = [(names.index(name), n) for n, name in enumerate(self.names) if name in names]
        keys = rows.select(tuple(a for a, _ in shared))
        if not shared or not keys.is_bound:
            return None
        first, second = self._index(self._classes[0], tuple(b for _, b in shared)).probe(keys)
        new = tuple(n for n, name in enumerate(self.names) if name not in names)
        return names + tuple(self.names[n] for n in new), rows.joined(first, self.columns, second, new)

    def combined(self, left: Table, first: Indices, second: Indices) -> Table:
        """The unions of rows ``first`` of ``left`` with rows ``second`` of this table; −1 is no row of this table."""
        columns = [*left.columns[:, first]]
        for a, b in self._shared(left):
            if not columns[a].all():
                columns[a] = np.where(columns[a] == 0, self._picked(b, second), columns[a])
        new = [n for n, name in enumerate(self.names) if name not in left.names]
        names = left.names + tuple(self.names[n] for n in new)
        words = np.array([*columns, *(self._picked(n, second) for n in new)], dtype=np.uint64)
        return Table(names, left.events[first], words.reshape(len(names), len(first)))

    def _picked(self, column: int, rows: Indices) -> Words:
        """The words of one column in some rows; 0 for row −1."""
        partners = rows >= 0
        if partners.all():
            return cast(Words, self.columns[column].take(rows))
        picked = np.zeros(len(rows), dtype=np.uint64)
        picked[partners] = self.columns[column, rows[partners]]
        return picked

    def _shared(self, left: Table) -> list[tuple[int, int]]:
        """The columns of ``left`` and of this table that are the same variable."""
        return [(left.names.index(name), n) for n, name in enumerate(self.names) if name in left.names]

    def _pairs(
        self, left: Table, left_rows: Indices, right: RowClass, key: list[tuple[int, int]]
    ) -> tuple[Indices, Indices]:
        """Indices of the compatible pairs; ``key`` are the shared columns that both sides bind."""
        words = left.columns[[a for a, _ in key]][:, left_rows]
        first, second = self._index(right, tuple(b for _, b in key)).probe(words, len(left_rows))
        return left_rows[first], second if right.rows is None else right.rows[second]

    def _index(self, rows: RowClass, key: tuple[int, ...]) -> HashIndex:
        if key not in rows.indexes:
            columns = self.columns[list(key)]
            count = columns.shape[1] if rows.rows is None else len(rows.rows)
            rows.indexes[key] = HashIndex(columns if rows.rows is None else columns[:, rows.rows], count)
        return rows.indexes[key]


class Knowledge:
    """The materialised parts of a background, made when first asked for, of at most ``limit`` rows each.

    A table goes with those who use it, if it is none of the latest ``RECENT``.
    """

    def __init__(self, background: BackgroundGraphs, terms: Terms, limit: int = 2_000_000) -> None:
        self.background = background
        self.terms = terms
        self.limit = limit
        self._tables: WeakValueDictionary[TableKey, KnowledgeTable] = WeakValueDictionary()
        self._recent: deque[KnowledgeTable] = deque(maxlen=RECENT)
        self._too_large: deque[TableKey] = deque(maxlen=RECENT)

    def updated(self, background: BackgroundGraphs) -> Knowledge:
        """The knowledge of a later version of the background; tables of graphs that are as before are shared."""
        later = Knowledge(background, self.terms, self.limit)
        old, new = self.background.graphs, background.graphs
        changed = {name for name in {*old, *new} if old.get(name) is not new.get(name)}
        for key, table in self._tables.items():
            if changed.isdisjoint(key[0]):
                later._tables[key] = table
        later._recent.extend(self._recent)
        later._too_large.extend(key for key in self._too_large if changed.isdisjoint(key[0]))
        return later

    def on(self, terms: Terms) -> Knowledge:
        """The knowledge for a table of terms that lies on this one's: what is materialised here is shared."""
        other = Knowledge(self.background, terms, self.limit)
        other._tables, other._too_large = self._tables.copy(), self._too_large.copy()
        return other

    def table(self, element: Element, columns: tuple[str, ...]) -> KnowledgeTable | None:
        """The solutions of an element, restricted to some of its variables; None if they are too many.

        The element reads nothing but background graphs.
        """
        tree, names = canonical(element)
        key = (graph_names(tree), print_element(bounded(tree)), tuple(names[name] for name in columns))
        found = self._tables.get(key)
        if found is None and key not in self._too_large:
            found = self._materialised(key)
        return None if found is None else _renamed(found, columns)

    def _materialised(self, key: TableKey) -> KnowledgeTable | None:
        found = self._materialise(*key)
        if found is None:
            self._too_large.append(key)
            return None
        self._tables[key] = found
        self._recent.append(found)
        return found

    def _materialise(self, graphs: tuple[str, ...], text: str, columns: tuple[str, ...]) -> KnowledgeTable | None:
        projection = " ".join("?" + name for name in columns) or "(1 AS ?any)"
        store = self.background.store(graphs)
        named: list[NamedNode | BlankNode] = [
            NamedNode(name) for name in graphs
        ]  # an unknown graph is empty, not missing
        query = f"SELECT DISTINCT {projection} {{ {text} }} LIMIT {self.limit + 1}"
        answer = store.query(query, named_graphs=named, custom_functions=FUNCTIONS)
        assert isinstance(answer, QuerySolutions)
        data = cast(bytes, answer.serialize(format=pyoxigraph.QueryResultsFormat.TSV))
        rows = data.count(b"\n") - 1
        if rows > self.limit:
            return None
        words = encode_cells(self.terms, data, max(1, len(columns)))[: len(columns)]
        table = KnowledgeTable(columns, words)
        self.terms.hold(table)
        return table


def _renamed(table: KnowledgeTable, names: tuple[str, ...]) -> KnowledgeTable:
    """The same table, sharing data and indexes, with other names."""
    other = KnowledgeTable.__new__(KnowledgeTable)
    other.names, other.columns, other._classes, other.origin = names, table.columns, table._classes, table
    return other


def _classes(columns: Words, count: int) -> list[tuple[frozenset[int], Indices]]:
    """The rows grouped by the set of columns that they bind."""
    if not count:
        return []
    bound = columns != 0
    if bound.all():
        return [(frozenset(range(len(columns))), np.arange(count))]
    kinds, kind_of = np.unique(bound, axis=1, return_inverse=True)
    kind_of = kind_of.reshape(-1)
    sets = [frozenset(np.flatnonzero(kind).tolist()) for kind in kinds.T]
    return [(bound_columns, np.flatnonzero(kind_of == k)) for k, bound_columns in enumerate(sets)]
