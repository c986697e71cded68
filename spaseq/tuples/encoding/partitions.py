"""Partitions: for every event, the number of its values in the attributes of PARTITION BY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow

from spaseq.tuples.columns.kinds import check_attribute
from spaseq.tuples.columns.numbering import NO_NUMBER, IntegerNumbering, Numbers, numbering

__all__ = ("NO_PARTITION", "Numbers", "Partitions")

NO_PARTITION = NO_NUMBER


class Partitions:
    """Numbers partitions from 0 in the order in which they are found; equal values have the same number, until it is
    forgotten.

    Numbers are equal by value, as 1 and 1.0 are.  An event with NULL (or NaN) in one of ``columns`` is in none.
    QueryError if there is no such column.
    """

    def __init__(self, columns: Sequence[str], schema: pyarrow.Schema) -> None:
        for name in columns:
            check_attribute(name, schema)
        self.columns = tuple(columns)
        self._values = [numbering(schema.field(name).type) for name in columns]
        self._pairs = [IntegerNumbering() for _ in columns[1:]]

    def __len__(self) -> int:
        """How many there are so far."""
        return len((self._pairs or self._values)[-1])

    @property
    def values(self) -> list[Any]:
        """The values of the first column, by number if it is the only one; times in microseconds."""
        return self._values[0].values

    def number(self, batch: pyarrow.RecordBatch) -> Numbers:
        """The partition of each event of a batch (n), NO_PARTITION for those in none."""
        first, *others = (
            known.number(batch.column(name)) for name, known in zip(self.columns, self._values, strict=True)
        )
        for other, pairs in zip(others, self._pairs, strict=True):
            first = pairs.number_pairs(first, other)
        return first

    def keep(self, kept: Numbers) -> None:
        """Forget all partitions but those of these numbers (rising), which get the numbers from 0 on."""
        for values, pairs in zip(reversed(self._values[1:]), reversed(self._pairs), strict=True):
            kept, others = pairs.keep_pairs(kept)
            values.keep(others)
        self._values[0].keep(kept)
