"""Rows of one time, which wait until time has passed it where further columns sort them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow

from spaseq.pattern.rows.query import RowOrder
from spaseq.streams.batch import Numbers
from spaseq.streams.timestamps import GREATEST
from spaseq.tuples.row_patterns.sorting import by_keys

POSITION = "position\n"  # a column that no query can mean: where a row is among all


class TiedRows:
    """Rows with the columns ``named``, of which those of one time are sorted by ``keys``, if there are some.

    Then rows that have their turn have their positions as a column of ``schema`` more.
    """

    def __init__(self, named: pyarrow.Schema, keys: Sequence[RowOrder]) -> None:
        self.schema = named.append(pyarrow.field(POSITION, pyarrow.int64())) if keys else named
        self._keys = keys
        self._waiting: list[pyarrow.RecordBatch] = []  # rows of one time
        self._count, self._time = 0, GREATEST

    @property
    def sorts(self) -> bool:
        """Whether some wait."""
        return bool(self._keys)

    def __len__(self) -> int:
        return self._count

    @property
    def due(self) -> int:
        """As long as time has not passed this, none has its turn without a further row."""
        return self._time if self._count else GREATEST

    @property
    def rows(self) -> pyarrow.RecordBatch:
        """Those that wait."""
        return pyarrow.concat_batches(self._waiting) if self._waiting else _empty(self.schema)

    def keep(self, rows: pyarrow.RecordBatch, time: int) -> None:
        """These wait, which are of one time, and no others."""
        self._waiting, self._count, self._time = [rows], rows.num_rows, time

    def add(self, rows: pyarrow.RecordBatch, times: Numbers, first: int) -> tuple[pyarrow.RecordBatch, Numbers]:
        """Rows came, the first of them at that position; those that have their turn."""
        if not self._keys:
            return rows.rename_columns(self.schema.names) if self.schema.names else rows, times
        positions = pyarrow.array(np.arange(first, first + rows.num_rows))
        rows = pyarrow.RecordBatch.from_arrays([*rows.columns, positions], schema=self.schema)
        every = np.concatenate([np.full(self._count, self._time), times]) if times[-1] != self._time else times
        if every[0] == every[-1]:
            self._waiting.append(rows)
            self._count, self._time = self._count + rows.num_rows, int(every[-1])
            return _empty(self.schema), times[:0]
        count = int(np.searchsorted(every, every[-1]))
        whole = pyarrow.concat_batches([*self._waiting, rows])
        self.keep(whole.slice(count), int(every[-1]))
        return self._sorted(whole.slice(0, count), every[:count])

    def passed(self, time: int) -> tuple[pyarrow.RecordBatch, Numbers]:
        """No row before that time will come: those that have their turn."""
        if not self._count or (time <= self._time and time < GREATEST):
            return _empty(self.schema), np.zeros(0, np.int64)
        rows, times = self.rows, np.full(self._count, self._time)
        self._waiting, self._count = [], 0
        return self._sorted(rows, times)

    def _sorted(self, rows: pyarrow.RecordBatch, times: Numbers) -> tuple[pyarrow.RecordBatch, Numbers]:
        return rows.take(by_keys(rows, times, self._keys)), times


def _empty(schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([], type_) for type_ in schema.types], schema=schema)
