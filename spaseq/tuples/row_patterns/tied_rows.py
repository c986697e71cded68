"""Rows of one time, which wait until time has passed it where further columns sort them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow

from spaseq.pattern.rows.query import RowOrder
from spaseq.sources.tables.types import exact_name
from spaseq.streams.batch import Numbers
from spaseq.streams.timestamps import GREATEST
from spaseq.tuples.columns.rows import FewRows, behind_each_other
from spaseq.tuples.row_patterns.sorting import by_keys, few_by_keys

POSITION = "position\n"  # a column that no query can mean: where a row is among all
_FIELD = pyarrow.field(exact_name(POSITION), pyarrow.int64())


class TiedRows:
    """Rows with the columns ``named``, of which those of one time are sorted by ``keys``, if there are some.

    Then rows that have their turn have their positions as a column of ``schema`` more.
    """

    def __init__(self, named: pyarrow.Schema, keys: Sequence[RowOrder]) -> None:
        self.schema = named.append(pyarrow.field(POSITION, pyarrow.int64())) if keys else named
        self._keys = keys
        self._waiting: list[pyarrow.RecordBatch] = []  # rows of one time
        self._few: list[FewRows] = []  # that came last, and are no batch yet
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
        self._gather()
        return pyarrow.concat_batches(self._waiting) if self._waiting else _empty(self.schema)

    def keep(self, rows: pyarrow.RecordBatch, time: int) -> None:
        """These wait, which are of one time, and no others."""
        self._waiting, self._few, self._count, self._time = [rows], [], rows.num_rows, time

    def add(self, rows: pyarrow.RecordBatch, times: Numbers, first: int) -> tuple[pyarrow.RecordBatch, Numbers]:
        """Rows came, the first of them at that position; those that have their turn."""
        if not self._keys:
            return rows.rename_columns(self.schema.names) if self.schema.names else rows, times
        positions = pyarrow.array(np.arange(first, first + rows.num_rows))
        return self._add(pyarrow.RecordBatch.from_arrays([*rows.columns, positions], schema=self.schema), times)

    def add_few(self, rows: FewRows, times: Numbers, first: int) -> tuple[FewRows | pyarrow.RecordBatch, Numbers]:
        """The same of a few rows, which have the columns ``exact_name`` of the schema."""
        if not self._keys:
            return rows, times
        rows = rows.beside(_FIELD, range(first, first + rows.num_rows))
        if self._waiting:
            found = self._add(self._batch(rows), times)
            if self._count <= rows.num_rows:  # these are all that wait
                self._waiting, self._few = [], [rows.slice(rows.num_rows - self._count)]
            return found
        every = self._times(times)
        count = int(np.searchsorted(every, every[-1]))
        whole = behind_each_other([*self._few, rows])
        self._few, self._count, self._time = [whole.slice(count)], whole.num_rows - count, int(every[-1])
        return few_by_keys(whole.slice(0, count), every[:count], self._keys), every[:count]

    def _add(self, rows: pyarrow.RecordBatch, times: Numbers) -> tuple[pyarrow.RecordBatch, Numbers]:
        self._gather()
        every = self._times(times)
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

    def _times(self, times: Numbers) -> Numbers:
        """Those of the rows that wait, and of those that come."""
        return np.concatenate([np.full(self._count, self._time), times]) if self._count else times

    def _gather(self) -> None:
        """The few become a batch."""
        few = [part for part in self._few if len(part)]
        self._few = []
        if few:
            self._waiting.append(self._batch(behind_each_other(few)))

    def _batch(self, rows: FewRows) -> pyarrow.RecordBatch:
        columns = rows.select([exact_name(name) for name in self.schema.names]).columns
        return pyarrow.RecordBatch.from_arrays(columns, schema=self.schema)

    def _sorted(self, rows: pyarrow.RecordBatch, times: Numbers) -> tuple[pyarrow.RecordBatch, Numbers]:
        return rows.take(by_keys(rows, times, self._keys)), times


def _empty(schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([], type_) for type_ in schema.types], schema=schema)
