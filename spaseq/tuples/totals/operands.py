"""What aggregates and GROUP BY are of: read as numbers, and back as values of their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow
from pyarrow import types

from spaseq.errors import QueryError, StreamError
from spaseq.pattern.formulas.predicates import Attribute, Value
from spaseq.pattern.formulas.printing import print_value
from spaseq.pattern.formulas.query import FormulaQuery
from spaseq.sources.tables.types import ValueKind, check_attribute, shown
from spaseq.tuples.columns.predicate_kinds import calculated_type
from spaseq.tuples.columns.predicates import numbers, vector
from spaseq.tuples.columns.vectors import Column, Mask, Vector
from spaseq.tuples.encoding.partitions import NO_PARTITION, Numbers, Partitions

NO_VALUE = NO_PARTITION  # the number of NULL
MANY = 1 << 14  # values of which some may be over
_LEAST, _GREATEST = -(2**63), 2**63 - 1
_FAR = 2**64  # whatever is beyond 64 bits is kept as this, or its negative


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
        return self.kind is not ValueKind.TEXT and not types.is_uint64(self.type)

    def check_number(self, function: str) -> None:
        """QueryError if there is nothing to add up."""
        if self.kind not in (ValueKind.NUMBER, ValueKind.NULL):
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
        return self.read_number(batch) if self.kind is ValueKind.TEXT else vector(batch.column(self.name))

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
        if self.kind is ValueKind.TEXT:
            return self._array(values, missing)
        if types.is_null(self.type):
            return pyarrow.nulls(len(values))
        huge = values.dtype == object
        return pyarrow.array(values, self.type if huge else None, mask=missing).cast(self.type)

    def beyond(self, vector: Vector) -> Mask | None:
        """Which of the values do not fit in 64 bits (n); None: all do, or the type of the column has room for them."""
        return None

    def _array(self, numbers: Column, missing: Mask) -> pyarrow.Array:
        """The values by number."""
        used, places = np.unique(numbers[~missing].astype(np.uint32), return_inverse=True)
        values = self._numbers.at(used)
        found = pyarrow.array(values, pyarrow.int64() if types.is_timestamp(self.type) else self.type).cast(self.type)
        where = np.zeros(len(numbers), np.int64)
        where[~missing] = places
        return found.take(pyarrow.array(where, mask=missing))


class CalculatedOperand(Operand):
    """Numbers that are calculated of a source's batches, which have ``schema``: int64, or doubles.

    They have no numbers of values, as nothing is grouped by them.  QueryError as of ``Operand``, and for what is no
    number.
    """

    def __init__(self, value: Value, schema: pyarrow.Schema) -> None:
        self.name = print_value(value)
        self.kind = ValueKind.NUMBER
        self.type = calculated_type(value, schema)
        self._value = value

    @property
    def has_many(self) -> bool:
        """No value has a number."""
        return False

    def read(self, batch: pyarrow.RecordBatch) -> Vector:
        """The numbers (n); those that do not fit in 64 bits are ``beyond`` them."""
        found = numbers(self._value, batch)
        if found.values.dtype != object:
            return found
        near = np.minimum(np.maximum(found.values, -_FAR), _FAR)
        return Vector(near.astype(np.int64) if Vector(near).fits(_LEAST, _GREATEST) else near, found.valid)

    def beyond(self, vector: Vector) -> Mask | None:
        """Which of the values do not fit in 64 bits (n); None: all do."""
        if vector.values.dtype != object:
            return None
        far = np.asarray((vector.values < _LEAST) | (vector.values > _GREATEST), np.bool_)
        return far if vector.valid is None else far & vector.valid


def operands_of(query: FormulaQuery, schema: pyarrow.Schema) -> dict[str, Operand]:
    """What the query's aggregates and GROUP BY are of, by name; QueryError: no query can use one of them."""
    found = {key.attribute.name: Operand(key.attribute.name, schema) for key in query.group_by}
    for aggregate in query.aggregates:
        name, value = aggregate.operand, aggregate.value
        if name is None or value is None:
            continue
        if name not in found:
            is_column = isinstance(value, Attribute)
            found[name] = Operand(name, schema) if is_column else CalculatedOperand(value, schema)
        if aggregate.function in ("SUM", "AVG"):
            found[name].check_number(aggregate.function)
    return found


def too_large(operand: Operand, position: int) -> StreamError:
    """The error of a value that does not fit in 64 bits."""
    message = f"{operand.name} of the event at position {position} does not fit in 64 bits"
    return StreamError(message, hint="calculate with doubles: multiply by 1.0 first")


def renumbered(values: Numbers, numbers: Numbers) -> Numbers:
    """The new numbers (n) of values that had others; NULL stays NO_VALUE."""
    return np.append(numbers, np.uint32(NO_VALUE))[np.minimum(values, len(numbers))]
