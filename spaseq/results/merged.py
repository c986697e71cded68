"""Results of several queries in one order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spaseq.results.table import MatchTable


@dataclass(frozen=True, slots=True, eq=False)
class MergedTables:
    """``m`` results of several queries: ``turns`` (m) has for each the number of its table in ``tables``.

    The results of a table take their turns in its order.
    """

    tables: Sequence[MatchTable]
    turns: NDArray[np.intp]

    @staticmethod
    def of(table: MatchTable) -> MergedTables:
        """The results of one table."""
        return MergedTables((table,), np.zeros(len(table), np.intp))

    def __len__(self) -> int:
        return len(self.turns)

    def first(self, most: int) -> MergedTables:
        """At most so many of them, the first ones."""
        return self if len(self) <= most else MergedTables(self.tables, self.turns[:most])

    def only(self, queries: Collection[str]) -> MergedTables:
        """Those of these queries."""
        kept = [number for number, table in enumerate(self.tables) if table.query in queries]
        if len(kept) == len(self.tables):
            return self
        numbers = np.full(len(self.tables), -1)
        numbers[kept] = np.arange(len(kept))
        turns = numbers[self.turns]
        return MergedTables([self.tables[number] for number in kept], turns[turns >= 0])

    def runs(self) -> Iterator[MatchTable]:
        """The results in order as tables, each with those of one query that follow each other."""
        taken = [0] * len(self.tables)
        ends = np.append(np.flatnonzero(np.diff(self.turns)) + 1, len(self.turns)) if len(self.turns) else ()
        start = 0
        for end in np.asarray(ends).tolist():
            number = int(self.turns[start])
            table, at = self.tables[number], taken[number]
            taken[number] = at + end - start
            yield table if end - start == len(table) else table[at : taken[number]]
            start = end
