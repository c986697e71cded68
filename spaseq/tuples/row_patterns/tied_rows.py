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
        self.rows = self.schema.empty_table().combine_chunks().to_batches() or [_empty(self.schema)]
        self.times = np.zeros(0, np.int64)
        self._keys = keys

    @property
    def sorts(self) -> bool:
        """Whether some wait."""
        return bool(self._keys)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def due(self) -> int:
        """As long as time has not passed this, none has its turn without a further row."""
        return int(self.times[-1]) if len(self.times) else GREATEST

    def add(self, rows: pyarrow.RecordBatch, times: Numbers, first: int) -> tuple[pyarrow.RecordBatch, Numbers]:
        """Rows came, the first of them at that position; those that have their turn."""
        if not self._keys:
            return rows.rename_columns(self.schema.names) if self.schema.names else rows, times
        positions = pyarrow.array(np.arange(first, first + rows.num_rows))
        rows = pyarrow.RecordBatch.from_arrays([*rows.columns, positions], schema=self.schema)
        self.rows, self.times = [*self.rows, rows], np.concatenate([self.times, times])
        return self.passed(int(times[-1]) if len(times) else -GREATEST)

    def passed(self, time: int) -> tuple[pyarrow.RecordBatch, Numbers]:
        """No row before that time will come: those that have their turn."""
        count = int(np.searchsorted(self.times, time, side="left")) if time < GREATEST else len(self.times)
        if not count:
            return _empty(self.schema), self.times[:0]
        rows = pyarrow.concat_batches(self.rows)
        ready, times = rows.slice(0, count), self.times[:count]
        self.rows, self.times = [rows.slice(count)], self.times[count:]
        return ready.take(by_keys(ready, times, self._keys)), times


def _empty(schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    return pyarrow.RecordBatch.from_arrays([pyarrow.array([], type_) for type_ in schema.types], schema=schema)
