"""The partitions of a stream by their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, TypeAlias

import numpy as np
import pyarrow
from numpy.typing import NDArray

from spaseq.sources.tables.types import exact_name
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.row_patterns.sorting import partition_keys

Key: TypeAlias = tuple[Any, ...]
_NAN = "\nNaN"  # in the place of a number that is none: they are alike


class PartitionNumbers:
    """Numbers of partitions, by what rows have in the columns of ``names``."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._numbers: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, rows: pyarrow.RecordBatch, new: Callable[[], int]) -> NDArray[np.uint32]:
        """The numbers of the partitions of rows; those that come for the first time get ``new`` ones."""
        if not self._names or rows.num_rows == 1:
            (key,) = self._keys_of(rows.slice(0, 1))
            return np.full(rows.num_rows, self._number(key, new), np.uint32)
        table = pyarrow.Table.from_batches([rows.select(self._names)])
        codes = partition_keys(table, self._names)
        firsts = np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))
        keys = self._keys_of(table.take(pyarrow.array(firsts)))
        return np.array([self._number(key, new) for key in keys], np.uint32)[codes]

    def of_few(self, rows: FewRows, new: Callable[[], int]) -> NDArray[np.uint32]:
        """The same of a few rows, which have the columns ``exact_name`` of the names."""
        columns = (map(_alike, rows.values(exact_name(name))) for name in self._names)
        keys = zip(*columns, strict=True) if self._names else repeat((), rows.num_rows)
        return np.fromiter((self._number(key, new) for key in keys), np.uint32, rows.num_rows)

    def forget(self, numbers: Iterable[int]) -> None:
        """These are given to others."""
        for number in numbers:
            del self._numbers[self._keys.pop(number)]

    def _keys_of(self, rows: pyarrow.RecordBatch | pyarrow.Table) -> list[Key]:
        if not self._names:
            return [()]
        return list(zip(*(map(_alike, rows.column(name).to_pylist()) for name in self._names), strict=True))

    def keys(self, numbers: Sequence[int], types: pyarrow.Schema) -> pyarrow.RecordBatch:
        """The keys of some partitions, as columns of these ``types``."""
        keys = [self._keys[number] for number in numbers]
        columns = [[_value(key[place]) for key in keys] for place in range(len(self._names))]
        arrays = [pyarrow.array(column, type_) for column, type_ in zip(columns, types.types, strict=True)]
        return pyarrow.RecordBatch.from_arrays([*arrays, pyarrow.nulls(len(keys))], schema=with_count(types))

    def restore(self, keys: pyarrow.RecordBatch, numbers: Sequence[int]) -> None:
        """These partitions have these keys."""
        self._keys = dict(zip(numbers, self._keys_of(keys) if self._names else [()] * len(numbers), strict=True))
        self._numbers = {key: number for number, key in self._keys.items()}

    def renumber(self, numbers: Mapping[int, int]) -> None:
        """All have other numbers now."""
        self._keys = {numbers[number]: key for number, key in self._keys.items()}
        self._numbers = {key: number for number, key in self._keys.items()}

    def _number(self, key: Key, new: Callable[[], int]) -> int:
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = new()
            self._keys[found] = key
        return found


def with_count(types: pyarrow.Schema) -> pyarrow.Schema:
    """A column more, so that there are as many rows where there are no others."""
    return types.append(pyarrow.field("count\n", pyarrow.null()))


def _value(key: Any) -> Any:
    """A value of which a key has this part."""
    if isinstance(key, tuple):
        return list(map(_value, key))
    return float("nan") if key == _NAN else key


def _alike(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_alike, value))
    return _NAN if value != value else value
