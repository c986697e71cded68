"""Tables of solutions, and how pyoxigraph's answers become tables of words.

pyoxigraph writes its solutions as TSV in native code; equal cells are equal terms, so each distinct cell is encoded
once.  That is faster than one Python object per solution and term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyoxigraph

from gpm.cell_text import cell_bytes
from gpm.rows import Positions, Words
from nfa_native.terms.dictionary import Terms

_NO_POSITIONS = np.empty(0, dtype=np.uint32)


@dataclass(frozen=True, slots=True)
class Table:
    """Solutions of a pattern on a run of events: ``events`` (r) indexes the run, ``columns`` (names, r) holds words."""

    names: tuple[str, ...]
    events: Positions
    columns: Words

    @staticmethod
    def empty(names: tuple[str, ...]) -> Table:
        """The table without rows."""
        return Table(names, _NO_POSITIONS, np.empty((len(names), 0), dtype=np.uint64))

    @staticmethod
    def join(tables: Sequence[Table], names: tuple[str, ...]) -> Table:
        """The rows of several tables with these columns, one below the other."""
        filled = [table for table in tables if len(table.events)]
        if len(filled) < 2:
            return filled[0] if filled else Table.empty(names)
        events = np.concatenate([table.events for table in filled])
        return Table(names, events, np.concatenate([table.columns for table in filled], axis=1))

    def column(self, name: str) -> Words:
        """The words of one column; all unbound if the table does not have it."""
        if name in self.names:
            return cast(Words, self.columns[self.names.index(name)])
        return np.zeros(len(self.events), dtype=np.uint64)

    def select(self, names: tuple[str, ...]) -> Words:
        """The words of some columns, shape (names, r)."""
        if names == self.names:
            return self.columns
        return np.array([self.column(name) for name in names], dtype=np.uint64).reshape(len(names), len(self.events))

    def where(self, keep: np.ndarray) -> Table:
        """The rows that a boolean mask or an array of indices picks."""
        return Table(self.names, self.events[keep], self.columns[:, keep])

    def shifted(self, offset: int) -> Table:
        """The same rows on a run that begins ``offset`` events earlier."""
        return Table(self.names, self.events + np.uint32(offset), self.columns) if offset else self


class GraphNumbers(dict[bytes, int]):
    """Numbers of staged events by the TSV cells of their graphs' names, ``<urn:e:17>``."""

    def __missing__(self, cell: bytes) -> int:
        number = self[cell] = int(cell[7:-1])
        return number

    def column(self, cells: Sequence[bytes]) -> Positions:
        """The numbers of the cells of a column."""
        return np.fromiter(map(self.__getitem__, cells), dtype=np.uint32, count=len(cells))


class CellEncoder(dict[bytes, int]):
    """Words of TSV cells, collectable, remembered up to ``limit`` distinct cells."""

    def __init__(self, terms: Terms, limit: int = 1 << 16) -> None:
        super().__init__({b"": 0})
        self.terms = terms
        self.limit = limit
        self.graphs = GraphNumbers()
        self._collections = terms.collections

    def __missing__(self, cell: bytes) -> int:
        if len(self) >= self.limit:
            self.forget()
        word = self[cell] = self.terms.intern_transient(cell_bytes(cell))
        return word

    def forget(self) -> None:
        """Remember no cell; their words may be free."""
        self.clear()
        self[b""] = 0

    def column(self, cells: Sequence[bytes]) -> Words:
        """The words of the cells of a column."""
        if self._collections != self.terms.collections:
            self._collections = self.terms.collections
            self.forget()
        return np.fromiter(map(self.__getitem__, cells), dtype=np.uint64, count=len(cells))


def solution_cells(solutions: pyoxigraph.QuerySolutions) -> list[list[bytes]]:
    """The cells of all solutions, one list per variable of the projection."""
    width = len(solutions.variables)
    data = cast(bytes, solutions.serialize(format=pyoxigraph.QueryResultsFormat.TSV))
    cells = data.replace(b"\n", b"\t").split(b"\t")  # no cell holds a raw tab or line end
    return [cells[width + n : -1 : width] for n in range(width)]
