"""Partitions: for every event, the number of its values in the attributes of PARTITION BY."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow

from spaseq.runtime.snapshot.validation import Shape
from spaseq.sources.tables.types import check_attribute
from spaseq.tuples.columns.numbering import NO_NUMBER, IntegerNumbering, Numbers, numbering
from spaseq.tuples.columns.rows import FewRows, Rows
from spaseq.tuples.columns.serialisation import require

__all__ = ("NO_PARTITION", "Numbers", "Partitions")

NO_PARTITION = NO_NUMBER
PARTITIONS: Shape = {"values": [bytes], "pairs": [bytes]}


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

    def at(self, numbers: Numbers) -> list[Any]:
        """Those of ``values`` with these numbers."""
        return self._values[0].at(numbers)

    def number(self, batch: Rows) -> Numbers:
        """The partition of each event of a batch (n), NO_PARTITION for those in none."""
        if isinstance(batch, FewRows):
            return self._number_few(batch)
        first, *others = (
            known.number(batch.column(name)) for name, known in zip(self.columns, self._values, strict=True)
        )
        for other, pairs in zip(others, self._pairs, strict=True):
            first = pairs.number_pairs(first, other)
        return first

    def _number_few(self, rows: FewRows) -> Numbers:
        first, *others = (
            known.number_few(rows.values(name)) for name, known in zip(self.columns, self._values, strict=True)
        )
        for other, pairs in zip(others, self._pairs, strict=True):
            first = pairs.number_few_pairs(first, other)
        return np.array(first, np.uint32)

    def keep(self, kept: Numbers) -> None:
        """Forget all partitions but those of these numbers (rising), which get the numbers from 0 on."""
        for values, pairs in zip(reversed(self._values[1:]), reversed(self._pairs), strict=True):
            kept, others = pairs.keep_pairs(kept)
            values.keep(others)
        self._values[0].keep(kept)

    def state(self) -> dict[str, Any]:
        """What is known, as PARTITIONS."""
        return {
            "values": [values.stored() for values in self._values],
            "pairs": [pairs.stored() for pairs in self._pairs],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken; SnapshotError: it is of other columns."""
        require(len(state["values"]) == len(self._values), "partitions are by other columns")
        require(len(state["pairs"]) == len(self._pairs), "partitions are by other columns")
        for known, data in zip([*self._values, *self._pairs], [*state["values"], *state["pairs"]], strict=True):
            known.restore(data)
        before = len(self._values[0])
        for values, pairs in zip(self._values[1:], self._pairs, strict=True):
            pairs.check_pairs(before, len(values))
            before = len(pairs)
