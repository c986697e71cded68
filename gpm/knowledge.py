"""Patterns over background knowledge evaluated once and for all, and matched with tables of events by hash."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from pyoxigraph import NamedNode, QuerySolutions

from gpm.algebra import Element
from gpm.background import Background
from gpm.printing import print_element
from gpm.rewrite import canonical
from gpm.rows import Words
from gpm.scope import graph_names
from gpm.tables import CellEncoder, Table, solution_cells

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Index:
    """Rows of a table sorted by the hash of some columns: ``rows[lo:hi]`` have the hashes ``hashes[lo:hi]``."""

    hashes: Words
    rows: Indices


@dataclass(slots=True)
class RowClass:
    """Rows that bind the same columns, ``bound``, with an index for each set of columns that was asked for."""

    bound: frozenset[int]
    rows: Indices
    indexes: dict[tuple[int, ...], Index] = field(default_factory=dict)


class KnowledgeTable:
    """The solutions of a pattern over background knowledge, columns (names, r)."""

    def __init__(self, names: tuple[str, ...], columns: Words) -> None:
        self.names = names
        self.columns = columns
        self._classes = [RowClass(bound, rows) for bound, rows in _classes(columns, columns.shape[1])]

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

    def combined(self, left: Table, first: Indices, second: Indices) -> Table:
        """The unions of rows ``first`` of ``left`` with rows ``second`` of this table; −1 is no row of this table."""
        picked = np.zeros((len(self.names), len(second)), dtype=np.uint64)
        partners = second >= 0
        picked[:, partners] = self.columns[:, second[partners]]
        columns = [*left.columns[:, first]]
        for a, b in self._shared(left):
            columns[a] = np.where(columns[a] == 0, picked[b], columns[a])
        new = [n for n, name in enumerate(self.names) if name not in left.names]
        names = left.names + tuple(self.names[n] for n in new)
        words = np.array([*columns, *picked[new]], dtype=np.uint64).reshape(len(names), len(first))
        return Table(names, left.events[first], words)

    def _shared(self, left: Table) -> list[tuple[int, int]]:
        """The columns of ``left`` and of this table that are the same variable."""
        return [(left.names.index(name), n) for n, name in enumerate(self.names) if name in left.names]

    def _pairs(
        self, left: Table, left_rows: Indices, right: RowClass, key: list[tuple[int, int]]
    ) -> tuple[Indices, Indices]:
        """Indices of the compatible pairs; ``key`` are the shared columns that both sides bind."""
        index = self._index(right, tuple(b for _, b in key))
        hashes = _hash(left.columns[[a for a, _ in key]][:, left_rows], len(left_rows))
        low = np.searchsorted(index.hashes, hashes, side="left")
        counts = np.searchsorted(index.hashes, hashes, side="right") - low
        first = np.repeat(left_rows, counts)
        offsets = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = index.rows[np.repeat(low, counts) + offsets]
        if len(key) < 2:  # the hash of one column is the word itself
            return first, second
        equal = np.all([left.columns[a, first] == self.columns[b, second] for a, b in key], axis=0)
        return first[equal], second[equal]

    def _index(self, rows: RowClass, key: tuple[int, ...]) -> Index:
        if key not in rows.indexes:
            hashes = _hash(self.columns[list(key)][:, rows.rows], len(rows.rows))
            order = np.argsort(hashes, kind="stable")
            rows.indexes[key] = Index(hashes[order], rows.rows[order])
        return rows.indexes[key]


class Knowledge:
    """The materialised parts of a background, made when first asked for, of at most ``limit`` rows each."""

    def __init__(self, background: Background, cells: CellEncoder, limit: int = 2_000_000) -> None:
        self.background = background
        self.cells = CellEncoder(cells.terms, pinned=True)  # tables hold their words for ever
        self.limit = limit
        self._tables: dict[tuple[str, tuple[str, ...]], KnowledgeTable | None] = {}

    def table(self, element: Element, columns: tuple[str, ...]) -> KnowledgeTable | None:
        """The solutions of an element, restricted to some of its variables; None if they are too many.

        The element reads nothing but background graphs.
        """
        tree, names = canonical(element)
        key = (print_element(tree), tuple(names[name] for name in columns))
        if key not in self._tables:
            self._tables[key] = self._materialise(graph_names(tree), *key)
        found = self._tables[key]
        return None if found is None else _renamed(found, columns)

    def _materialise(self, graphs: tuple[str, ...], text: str, columns: tuple[str, ...]) -> KnowledgeTable | None:
        for name in graphs:  # an unknown graph is empty, not missing
            self.background.store.add_graph(NamedNode(name))
        projection = " ".join("?" + name for name in columns) or "(1 AS ?any)"
        answer = self.background.store.query(f"SELECT DISTINCT {projection} {{ {text} }} LIMIT {self.limit + 1}")
        assert isinstance(answer, QuerySolutions)
        found = solution_cells(answer)
        rows = len(found[0])
        if rows > self.limit:
            return None
        words = [self.cells.column(column) for column in found[: len(columns)]]
        return KnowledgeTable(columns, np.array(words, dtype=np.uint64).reshape(len(columns), rows))


def _renamed(table: KnowledgeTable, names: tuple[str, ...]) -> KnowledgeTable:
    """The same table, sharing data and indexes, with other names."""
    other = KnowledgeTable.__new__(KnowledgeTable)
    other.names, other.columns, other._classes = names, table.columns, table._classes
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


def _hash(columns: Words, count: int) -> Words:
    """One number per row: the word of a single column, a mixture of several, 0 without columns."""
    result = np.zeros(count, dtype=np.uint64)
    for n, column in enumerate(columns):
        result = column.astype(np.uint64) if n == 0 else (result ^ (result >> np.uint64(31))) * _ODD + column
    return result


_ODD = np.uint64(0x9E3779B97F4A7C15)
