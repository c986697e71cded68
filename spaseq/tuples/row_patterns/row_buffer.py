"""The rows of a stream that results may still show, or conditions read: by their numbers among all."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import types

from spaseq.sources.tables.types import exact_name
from spaseq.tuples.columns.rows import FewRows, behind_each_other
from spaseq.tuples.row_patterns.buffers import joined

_FEW = 1 << 12  # rows that are moved without a thought


class RowBuffer:
    """Rows with the columns of ``schema``, in the order of their numbers."""

    def __init__(self, schema: pyarrow.Schema) -> None:
        self.schema = schema
        self._parts: list[tuple[NDArray[np.int64], pyarrow.RecordBatch]] = []
        self._few: list[FewRows] = []  # that came last, and are no part yet
        self._few_numbers: list[int] = []  # the first one of each
        self._few_count = 0

    def __len__(self) -> int:
        return sum(len(numbers) for numbers, _ in self._parts) + self._few_count

    def add(self, first: int, batch: pyarrow.RecordBatch) -> None:
        """Rows, the first of them with that number, behind all that are there."""
        self._gather()
        self._add(first, batch)

    def add_few(self, first: int, rows: FewRows) -> None:
        """The same of a few, which have the columns ``exact_name`` of the schema."""
        self._few.append(rows)
        self._few_numbers.append(first)
        self._few_count += rows.num_rows
        if self._few_count >= _FEW:
            self._gather()

    def _gather(self) -> None:
        """The few that came last become a part."""
        if self._few:
            few, first = behind_each_other(self._few), self._few_numbers[0]
            self._forget_few()
            columns = few.select([exact_name(name) for name in self.schema.names]).columns
            self._add(first, pyarrow.RecordBatch.from_arrays(columns, schema=self.schema))

    def _forget_few(self) -> None:
        self._few, self._few_numbers, self._few_count = [], [], 0

    def _add(self, first: int, batch: pyarrow.RecordBatch) -> None:
        numbers = np.arange(first, first + batch.num_rows)
        while self._parts and self._parts[-1][1].num_rows <= min(2 * len(numbers), _FEW):
            before, rows = self._parts.pop()
            numbers, batch = np.concatenate([before, numbers]), self._behind(rows, batch)
        self._parts.append((numbers, batch))

    def take(self, numbers: NDArray[np.int64]) -> pyarrow.RecordBatch:
        """The rows of these numbers, which are there, in their order."""
        self._gather()
        if len(self._parts) == 1:
            there, batch = self._parts[0]
            return batch.take(pyarrow.array(_places(there, numbers)))
        there = np.concatenate([np.zeros(0, np.int64), *(its for its, _ in self._parts)])
        table = pyarrow.Table.from_batches([batch for _, batch in self._parts], self.schema)
        found = table.take(pyarrow.array(_places(there, numbers)))
        arrays = [joined(column.chunks, column.type) for column in found.columns]
        return pyarrow.RecordBatch.from_arrays(arrays, schema=self.schema)

    def value(self, number: int, name: str) -> Any:
        """A value of the row of that number, as ``FewRows`` have them."""
        if self._few and number >= self._few_numbers[0]:
            place = bisect_right(self._few_numbers, number) - 1
            return self._few[place].values(exact_name(name))[number - self._few_numbers[place]]
        part = bisect_right(self._parts, number, key=lambda part: int(part[0][0])) - 1
        there, batch = self._parts[part]
        found = batch.column(name)[int(np.searchsorted(there, number))]
        return found.value if types.is_timestamp(found.type) else found.as_py()

    def keep(self, numbers: NDArray[np.int64]) -> None:
        """Let go of all others; ``numbers`` rise."""
        if len(numbers) < len(self):
            self.restore(numbers, self.take(numbers))

    def restore(self, numbers: NDArray[np.int64], rows: pyarrow.RecordBatch) -> None:
        """These rows are there, and no others."""
        self._parts = [(numbers, rows)] if len(numbers) else []
        self._forget_few()

    def _behind(self, one: pyarrow.RecordBatch, other: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        pairs = zip(one.columns, other.columns, self.schema.types, strict=True)
        return pyarrow.RecordBatch.from_arrays([joined([a, b], type_) for a, b, type_ in pairs], schema=self.schema)


def _places(there: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    is_whole = bool(len(there)) and there[-1] - there[0] == len(there) - 1
    found: NDArray[np.int64] = numbers - there[0] if is_whole else np.searchsorted(there, numbers)
    return found
