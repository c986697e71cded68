"""The attributes that aggregates and GROUP BY read: as numbers, and back as values of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
from pyarrow import types

from spaseq.errors import QueryError
from spaseq.tuples.columns.kinds import Kind, check_attribute, shown
from spaseq.tuples.columns.predicates import vector
from spaseq.tuples.columns.vectors import Column, Mask, Vector
from spaseq.tuples.encoding.partitions import NO_PARTITION, Numbers, Partitions

NO_VALUE = NO_PARTITION  # the number of NULL
MANY = 1 << 14  # values of which some may be over


class Operand:
    """A column of a source's batches, which have ``schema``; QueryError if no query can use it."""

    def __init__(self, name: str, schema: pyarrow.Schema) -> None:
        self.name = name
        self.kind = check_attribute(name, schema)
        self.type: pyarrow.DataType = schema.field(name).type
        if types.is_dictionary(self.type):
            self.type = self.type.value_type
        self._numbers = Partitions((name,), schema)
        self._many = MANY

    @property
    def is_double(self) -> bool:
        """Whether its values are doubles."""
        return bool(types.is_floating(self.type))

    @property
    def is_ordered(self) -> bool:
        """Whether its values are numbers of 64 bits, in their order."""
        return self.kind is not Kind.TEXT and not types.is_uint64(self.type)

    def check_number(self, function: str) -> None:
        """QueryError if there is nothing to add up."""
        if self.kind not in (Kind.NUMBER, Kind.NULL):
            raise QueryError(f"{function} needs a number, not the attribute {self.name} of type {shown(self.type)}")

    def number(self, batch: pyarrow.RecordBatch) -> Numbers:
        """For each event (n) the number of its value, from 0 in the order in which they come; NO_VALUE for NULL."""
        return self._numbers.number(batch)

    def numbered(self, numbers: Numbers) -> pyarrow.Array:
        """The values with these numbers (m)."""
        return self._array(numbers, numbers == NO_VALUE)

    @property
    def has_many(self) -> bool:
        """Whether so many values have numbers that half of them may be in no match any more."""
        return len(self._numbers) >= self._many

    def keep(self, held: Numbers) -> Numbers:
        """Forget all values but those with a number of ``held`` (m); the new numbers by those before."""
        kept = np.unique(held[held != NO_VALUE])
        numbers = np.full(len(self._numbers), NO_VALUE, np.uint32)
        numbers[kept] = np.arange(len(kept))
        self._numbers.keep(kept)
        self._many = max(MANY, 2 * len(kept), len(held))
        return numbers

    def has(self, numbers: Numbers) -> bool:
        """Whether all these are numbers of values, or of NULL."""
        return bool(((numbers < len(self._numbers)) | (numbers == NO_VALUE)).all())

    def read(self, batch: pyarrow.RecordBatch) -> Vector:
        """The values (n): numbers, times in microseconds, truth values as 0 and 1, texts as their numbers."""
        return self.read_number(batch) if self.kind is Kind.TEXT else vector(batch.column(self.name))

    def read_number(self, batch: pyarrow.RecordBatch) -> Vector:
        """The numbers of the values (n)."""
        numbers = self.number(batch)
        return Vector(numbers.astype(np.int64), numbers != NO_VALUE)

    def state(self) -> dict[str, Any]:
        """The values that have numbers, as PARTITIONS."""
        return self._numbers.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Know these values; SnapshotError: they cannot be."""
        self._numbers.restore(state)

    def ranks(self, numbers: Column) -> tuple[Column, Column]:
        """Of texts by number (m): their places in the order of these texts, and the numbers in that order."""
        used, places = np.unique(numbers, return_inverse=True)
        texts = self._numbers.at(used.astype(np.uint32))
        order = np.array(sorted(range(len(used)), key=texts.__getitem__), np.int64)
        ranks = np.empty(len(used), np.int64)
        ranks[order] = np.arange(len(used))
        return ranks[places], used[order]

    def shown(self, values: Column, missing: Mask) -> pyarrow.Array:
        """What ``read`` gives as values of the column's type (m), NULL where they are missing."""
        if self.kind is Kind.TEXT:
            return self._array(values, missing)
        if types.is_null(self.type):
            return pyarrow.nulls(len(values))
        huge = values.dtype == object
        return pyarrow.array(values, self.type if huge else None, mask=missing).cast(self.type)

    def _array(self, numbers: Column, missing: Mask) -> pyarrow.Array:
        """The values by number."""
        used, places = np.unique(numbers[~missing].astype(np.uint32), return_inverse=True)
        values = self._numbers.at(used)
        found = pyarrow.array(values, pyarrow.int64() if types.is_timestamp(self.type) else self.type).cast(self.type)
        where = np.zeros(len(numbers), np.int64)
        where[~missing] = places
        return found.take(pyarrow.array(where, mask=missing))


def renumbered(values: Numbers, numbers: Numbers) -> Numbers:
    """The new numbers (n) of values that had others; NULL stays NO_VALUE."""
    return np.append(numbers, np.uint32(NO_VALUE))[np.minimum(values, len(numbers))]
