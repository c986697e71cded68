"""A few rows, as lists of Python's values: for so few, arrays of Arrow cost more than all that is done with them.

Values are those of the usual types: integers of 64 bits, doubles that are numbers, texts that have an encoding, truth
values, times as microseconds, and None for NULL.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow
from pyarrow import types

MOST_FEW = 128  # rows that are taken so


class FewRows:
    """Rows with the columns of ``schema``, of which those that ``lists`` does not have are NULL.

    What knows them reads ``values``; whoever asks for a ``column``, as of a batch, gets one of Arrow.
    """

    __slots__ = ("_begin", "_columns", "_end", "_lists", "schema")

    def __init__(self, schema: pyarrow.Schema, lists: Mapping[str, Sequence[Any]], end: int, begin: int = 0) -> None:
        """The rows from ``begin`` to ``end`` of the lists."""
        self.schema = schema
        self._lists = lists
        self._begin, self._end = begin, end
        self._columns: dict[str, pyarrow.Array] = {}

    def __len__(self) -> int:
        """How many rows there are."""
        return self._end - self._begin

    @property
    def names(self) -> Collection[str]:
        """The columns that are not NULL everywhere."""
        return self._lists.keys()

    @property
    def num_rows(self) -> int:
        """The same, as of a batch."""
        return self._end - self._begin

    def values(self, name: str) -> Sequence[Any]:
        """The values of a column."""
        found = self._lists.get(name)
        if found is None:
            return [None] * (self._end - self._begin)
        return found if self._end - self._begin == len(found) else found[self._begin : self._end]

    # ── as of a batch ────────────────────────────────────────────────────────────────────────────────────
    def column(self, name: str) -> pyarrow.Array:
        """A column as an array of its type."""
        if name not in self._columns:
            self._columns[name] = array(self.values(name), self.schema.field(name).type)
        return self._columns[name]

    @property
    def columns(self) -> list[pyarrow.Array]:
        """All columns as arrays."""
        return [self.column(name) for name in self.schema.names]

    def select(self, names: Sequence[str]) -> pyarrow.RecordBatch:
        """Some columns as a batch."""
        schema = pyarrow.schema([self.schema.field(name) for name in names])
        return pyarrow.record_batch([self.column(name) for name in names], schema=schema)

    def batch(self) -> pyarrow.RecordBatch:
        """All of it as a batch."""
        return pyarrow.record_batch(self.columns, schema=self.schema)

    # ── others of them ───────────────────────────────────────────────────────────────────────────────────
    def of_schema(self, schema: pyarrow.Schema) -> FewRows:
        """The same with columns of this schema, in which the values are of their types."""
        return self if schema is self.schema else FewRows(schema, self._lists, self._end, self._begin)

    def with_column(self, field: pyarrow.Field, value: object) -> FewRows:
        """The same with one column more, which has one value."""
        return self.beside(field, [value] * len(self))

    def beside(self, field: pyarrow.Field, values: Sequence[Any]) -> FewRows:
        """The same with one column more, which has these values."""
        lists = {name: self.values(name) for name in self._lists} | {field.name: values}
        return FewRows(self.schema.append(field), lists, len(self))

    def slice(self, begin: int, length: int | None = None) -> FewRows:
        """Rows in their place."""
        end = self._end if length is None else self._begin + begin + length
        return FewRows(self.schema, self._lists, end, self._begin + begin)

    def take(self, places: pyarrow.Array) -> FewRows:
        """The rows at these places."""
        order = places.to_pylist()
        lists = {name: list(map(self.values(name).__getitem__, order)) for name in self._lists}
        return FewRows(self.schema, lists, len(order))

    def filter(self, chosen: pyarrow.Array) -> FewRows:
        """The rows for which it is true."""
        return self.take(pyarrow.array([place for place, one in enumerate(chosen.to_pylist()) if one], pyarrow.int64()))


Rows = pyarrow.RecordBatch | FewRows


def behind_each_other(parts: Sequence[FewRows]) -> FewRows:
    """Rows of one schema as one."""
    names = dict.fromkeys(name for part in parts for name in part._lists)
    lists = {name: [value for part in parts for value in part.values(name)] for name in names}
    return FewRows(parts[0].schema, lists, sum(map(len, parts)))


def array(values: Sequence[Any], type_: pyarrow.DataType) -> pyarrow.Array:
    """Values as an array of one of the usual types."""
    if types.is_dictionary(type_):
        return pyarrow.array(values, type_.value_type).dictionary_encode().cast(type_)
    if types.is_timestamp(type_):
        return pyarrow.array(values, pyarrow.int64()).view(type_)
    return pyarrow.array(values, type_)
