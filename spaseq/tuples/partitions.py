"""Partitions: for every event, the number of its values in the attributes of PARTITION BY."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.tuples.kinds import check_attribute
from spaseq.tuples.predicates import coded

NO_PARTITION = 0xFFFFFFFF

Numbers = npt.NDArray[np.uint32]
Numbering = defaultdict[Hashable, int]


class Partitions:
    """Numbers partitions from 0 in the order in which they are found; equal values have the same number ever after.

    Numbers are equal by value, as 1 and 1.0 are.  An event with NULL (or NaN) in one of ``columns`` is in none.
    QueryError if there is no such column.
    """

    def __init__(self, columns: Sequence[str], schema: pyarrow.Schema) -> None:
        for name in columns:
            check_attribute(name, schema)
        self.columns = tuple(columns)
        self._values = [_numbering() for _ in columns]
        self._pairs = [_numbering() for _ in columns[1:]]

    def __len__(self) -> int:
        """How many there are so far."""
        return len((self._pairs or self._values)[-1]) - 1

    @property
    def values(self) -> list[Any]:
        """The values of the first column, by number if it is the only one; times in microseconds."""
        return [value for value in self._values[0] if value is not None]

    def number(self, batch: pyarrow.RecordBatch) -> Numbers:
        """The partition of each event of a batch (n), NO_PARTITION for those in none."""
        first, *others = (
            _numbered(batch.column(name), known) for name, known in zip(self.columns, self._values, strict=True)
        )
        for other, known in zip(others, self._pairs, strict=True):
            first = _paired(first, other, known)
        return first


def _numbering() -> Numbering:
    """Gives a new value the next number from 0, and NULL none; all in C, as streams may have many values."""
    numbering: Numbering = defaultdict(count().__next__)
    numbering[None] = NO_PARTITION
    return numbering


def _paired(first: Numbers, second: Numbers, numbering: Numbering) -> Numbers:
    """Numbers for pairs of numbers, NO_PARTITION if one of the two is that."""
    pairs = first.astype(np.uint64) << np.uint64(32) | second
    absent = (first == NO_PARTITION) | (second == NO_PARTITION)
    return _numbered(pyarrow.array(pairs, mask=absent if absent.any() else None), numbering)


def _numbered(column: pyarrow.Array, numbering: Numbering) -> Numbers:
    """The numbers of the values; new values get theirs in the order of their first places."""
    if types.is_null(column.type):
        return np.full(len(column), NO_PARTITION, np.uint32)
    if types.is_timestamp(column.type):
        column = column.view(pyarrow.int64())
    codes, values = coded(_distinct(column))
    numbers = list(map(numbering.__getitem__, _listed(values)))
    return np.array(numbers, np.uint32)[codes]


def _distinct(column: pyarrow.Array) -> pyarrow.DictionaryArray:
    """The column with a dictionary of the values that do occur, in the order of their first places."""
    if not types.is_dictionary(column.type):
        return column.dictionary_encode()
    used = column.indices.dictionary_encode()
    return pyarrow.DictionaryArray.from_arrays(used.indices, column.dictionary.take(used.dictionary))


def _listed(values: pyarrow.Array) -> list[Hashable]:
    """Values in Python, of which the last is NULL; NaN is NULL."""
    if types.is_floating(values.type):
        values = pyarrow.compute.if_else(pyarrow.compute.is_nan(values), None, values)
    if values.null_count > 1:
        found: list[Hashable] = values.to_pylist()
        return found
    return [*values[:-1].to_numpy(zero_copy_only=False).tolist(), None]
