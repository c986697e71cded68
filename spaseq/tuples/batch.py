"""Rows of one stream with their times: what tables, frames and dictionaries are to the runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow

from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples.columns.rows import FewRows, Rows, behind_each_other
from spaseq.tuples.columns.schema import STREAM, ColumnTypes
from spaseq.tuples.encoding.times import Times

FEW = 64  # texts of a dictionary that are kept without a thought


@dataclass(slots=True, eq=False)  # not frozen, as one is made for each row that is pushed
class TableBatch:
    """Rows of a ``stream`` with their ``times`` (µs; whatever, where events have none).

    ``types`` are those of all columns that are known.
    """

    stream: str
    times: Times
    rows: Rows
    types: ColumnTypes

    def __len__(self) -> int:
        return len(self.times)

    def _with(self, times: Times, rows: Rows) -> TableBatch:
        return TableBatch(self.stream, times, rows, self.types)

    def part(self, start: int, stop: int) -> TableBatch:
        """See ``Batch``."""
        return self._with(self.times[start:stop], self.rows.slice(start, stop - start))

    def take(self, chosen: Times) -> TableBatch:
        """See ``Batch``."""
        return self._with(self.times[chosen], self.rows.take(pyarrow.array(chosen)))

    def compact(self) -> TableBatch:
        """See ``Batch``; of Arrow's columns, dictionaries have what is there."""
        return self if isinstance(self.rows, FewRows) else self._with(self.times, without_unused(self.rows))

    def is_like(self, other: TableBatch) -> bool:
        """See ``Batch``."""
        one, another = self.rows.schema, other.rows.schema
        return one is another or bool(one.equals(another))

    def joined(self, others: Sequence[TableBatch]) -> TableBatch:
        """See ``Batch``.  StreamError: a number of one of them has no equal of its column's type by now."""
        if not others:
            return self
        every = [self, *others]
        alike = all(map(self.is_like, others))
        rows = [each.rows if alike else self.types.aligned(each.rows) for each in every]
        return self._with(np.concatenate([each.times for each in every]), concatenated(rows))

    def aligned(self, where: str = "<streams>") -> TableBatch:
        """The same with all columns that are known.  StreamError as of ``ColumnTypes.aligned``."""
        rows = self.types.aligned(self.rows, where)
        return self if rows is self.rows else self._with(self.times, rows)

    def named(self) -> TableBatch:
        """The same with the name of the stream as a column."""
        if isinstance(self.rows, FewRows):
            return self._with(self.times, self.rows.with_column(pyarrow.field(STREAM, CODED_TEXT), self.stream))
        codes = np.zeros(self.rows.num_rows, np.int32)
        names = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([self.stream]))
        columns, heads = [*self.rows.columns, names], [*self.rows.schema.names, STREAM]
        return self._with(self.times, pyarrow.record_batch(columns, names=heads))


def of_arrow(rows: Rows) -> pyarrow.RecordBatch:
    """Rows as a batch of Arrow."""
    return rows.batch() if isinstance(rows, FewRows) else rows


def concatenated(rows: Sequence[Rows]) -> Rows:
    """Rows of the same columns, one behind the other; dictionaries are made one."""
    few = [each for each in rows if isinstance(each, FewRows)]
    if len(few) == len(rows):
        return behind_each_other(few)
    batches = [without_unused(of_arrow(each)) for each in rows]
    table = pyarrow.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    (batch,) = table.to_batches() or [batches[0].slice(0, 0)]
    return batch


def without_unused(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The same with dictionaries of what is there, if they have much else, which nothing would ever let go of."""
    for place, column in enumerate(batch.columns):
        if isinstance(column, pyarrow.DictionaryArray) and len(column.dictionary) > 2 * len(column) + FEW:
            encoded = column.dictionary_decode().dictionary_encode().cast(column.type)
            batch = batch.set_column(place, batch.schema.field(place), encoded)
    return batch
