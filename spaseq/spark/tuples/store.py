"""The rows that an engine was given, for as long as a result may show them."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow

from spaseq.spark.tuples.reading import TIME

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Rows that came together: the number of the first one, and the latest of their times (µs)."""

    first: int
    last: int
    rows: pyarrow.Table


class RowStore:
    """Packed rows, numbered in the order in which they come; ``following`` is the number of the next one."""

    def __init__(self, following: int = 0) -> None:
        self.following = following
        self._parts: deque[_Part] = deque()

    def add(self, rows: pyarrow.Table) -> pyarrow.Array:
        """Rows came, at least one; gives their numbers."""
        first, self.following = self.following, self.following + len(rows)
        times = rows[TIME].cast(pyarrow.int64()).to_numpy()
        self._parts.append(_Part(first, int(times.max()), rows))
        return pyarrow.array(np.arange(first, self.following))

    def take(self, numbers: Rows, names: Sequence[str]) -> pyarrow.Table:
        """Some columns of the rows with these numbers (n), which may come often; all are there."""
        unique, places = np.unique(numbers, return_inverse=True)
        firsts = np.array([part.first for part in self._parts])
        edges = np.append(np.searchsorted(unique, firsts), len(unique))
        found = [
            part.rows.select(names).take(pyarrow.array(unique[begin:end] - part.first))
            for part, begin, end in zip(self._parts, edges[:-1], edges[1:], strict=True)
            if begin < end
        ]
        rows = pyarrow.concat_tables(found).combine_chunks() if found else self._parts[0].rows.select(names).slice(0, 0)
        return rows.take(pyarrow.array(places))

    def forget(self, before: int) -> None:
        """Rows before this time (µs) are in no result that is still to come; parts that have no others go."""
        self._parts = deque(part for part in self._parts if part.last >= before)

    def rows(self) -> list[tuple[int, pyarrow.Table]]:
        """All that are there, each part with the number of its first row."""
        return [(part.first, part.rows) for part in self._parts]

    def restore(self, first: int, rows: pyarrow.Table) -> None:
        """Rows that were there, from this number on."""
        following, self.following = self.following, first
        self.add(rows)
        self.following = following
