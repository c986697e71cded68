"""Partitions: for every event, the number of its values in the attributes of PARTITION BY."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow
from pyarrow import types

from spaseq.tuples.kinds import check_attribute
from spaseq.tuples.predicates import coded

NO_PARTITION = 0xFFFFFFFF

Numbers = npt.NDArray[np.uint32]


class Partitions:
    """Numbers partitions from 0 in the order in which they are found; equal values have the same number ever after.

    Numbers are equal by value, as 1 and 1.0 are.  An event with NULL (or NaN) in one of ``columns`` is in none.
    QueryError if there is no such column.
    """

    def __init__(self, columns: Sequence[str], schema: pyarrow.Schema) -> None:
        for name in columns:
            check_attribute(name, schema)
        self.columns = tuple(columns)
        self._values: list[dict[Hashable, int]] = [{} for _ in columns]
        self._pairs: list[dict[Hashable, int]] = [{} for _ in columns[1:]]

    def __len__(self) -> int:
        """How many there are so far."""
        return len((self._pairs or self._values)[-1])

    def number(self, batch: pyarrow.RecordBatch) -> Numbers:
        """The partition of each event of a batch (n), NO_PARTITION for those in none."""
        first, *others = (
            _numbered(batch.column(name), known) for name, known in zip(self.columns, self._values, strict=True)
        )
        for other, known in zip(others, self._pairs, strict=True):
            first = _paired(first, other, known)
        return first


def _paired(first: Numbers, second: Numbers, known: dict[Hashable, int]) -> Numbers:
    """Numbers for pairs of numbers, NO_PARTITION if one of the two is that."""
    pairs = first.astype(np.uint64) << np.uint64(32) | second
    absent = (first == NO_PARTITION) | (second == NO_PARTITION)
    return _numbered(pyarrow.array(pairs, mask=absent if absent.any() else None), known)


def _numbered(column: pyarrow.Array, known: dict[Hashable, int]) -> Numbers:
    """Numbers for the values; ``known`` has those so far and gets the new ones, in their order."""
    if types.is_null(column.type):
        return np.full(len(column), NO_PARTITION, np.uint32)
    if types.is_timestamp(column.type):
        column = column.view(pyarrow.int64())
    codes, values = coded(_distinct(column))
    numbers = [_number(value, known) for value in values.to_pylist()]
    return np.array(numbers, np.uint32)[codes]


def _distinct(column: pyarrow.Array) -> pyarrow.DictionaryArray:
    """The column with a dictionary of the values that do occur, in the order of their first places."""
    if not types.is_dictionary(column.type):
        return column.dictionary_encode()
    used = column.indices.dictionary_encode()
    return pyarrow.DictionaryArray.from_arrays(used.indices, column.dictionary.take(used.dictionary))


def _number(value: Hashable, known: dict[Hashable, int]) -> int:
    if value is None or value != value:  # NaN
        return NO_PARTITION
    return known.setdefault(value, len(known))
