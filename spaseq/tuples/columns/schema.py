"""The columns of events that come in batches: each has one type, whatever batches and streams it comes in.

Columns of all the types that sources have become columns of the few types that the rest of the package knows: int64
(uint64 if that is too small), float64, string, bool, timestamp[us] and null; texts may be dictionary-encoded, with
codes of 32 bits.  Other types stay as they are: no query can use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.errors import Location, QueryError, StreamError
from spaseq.runtime.snapshot.validation import Shape
from spaseq.sources.tables.types import CODED_TEXT, ValueKind, column_named, kind_of_type, read_type, shown, usual
from spaseq.text import did_you_mean
from spaseq.tuples.columns.rows import FewRows, Rows
from spaseq.tuples.columns.serialisation import require, schema_read, schema_stored

STREAM = "stream\n"  # the column with the names of the streams: no query can mean it


def common_types(columns: Sequence[str], schemas: Mapping[str, pyarrow.Schema]) -> pyarrow.Schema:
    """The types of columns, each of which some stream has; QueryError if a column is of different kinds."""
    return pyarrow.schema([(name, _common_type(name, schemas)) for name in columns])


def wider(one: pyarrow.DataType, other: pyarrow.DataType) -> pyarrow.DataType | None:
    """The type of a column that has values of both; None: they are of different kinds."""
    if one == other or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    kinds = {kind_of_type(one), kind_of_type(other)}
    if kinds == {ValueKind.NUMBER}:
        return pyarrow.float64()
    return CODED_TEXT if kinds == {ValueKind.TEXT} else None


def _common_type(name: str, schemas: Mapping[str, pyarrow.Schema]) -> pyarrow.DataType:
    """The type of a column in all streams that have it."""
    found = {stream: schema.field(name).type for stream, schema in schemas.items() if name in schema.names}
    type_, first = pyarrow.null(), ""
    for stream, other in found.items():
        both = wider(type_, other)
        if both is None:
            there, here = shown(found[first]), shown(other)
            message = f"the attribute {name} is of type {there} in {first}, and of type {here} in {stream}"
            raise QueryError(message, hint="a column's type can be declared")
        type_, first = both, stream if types.is_null(type_) else first
    return type_


# ── types of columns that come in batches ────────────────────────────────────────────────────────────────
NOWHERE = Location()
COLUMNS: Shape = {"types": bytes, "fixed": [str], "others": [str]}


class ColumnTypes:
    """The types of columns by name: fixed when a query has begun to read them, until then as wide as was needed.

    A column that a batch does not have is NULL there.
    """

    def __init__(self, declared: Mapping[str, pyarrow.DataType]) -> None:
        """``declared``: those that are fixed from the beginning, of the usual types."""
        self._types: dict[str, pyarrow.DataType] = {STREAM: CODED_TEXT, **declared}
        self._fixed = set(self._types)
        self._others: dict[str, None] = {}
        self._schema: pyarrow.Schema | None = None  # of what was aligned, and of few rows
        self._few_schemas: dict[bool, pyarrow.Schema] = {}
        self._few: pyarrow.Schema | None = None  # that of the few rows that were aligned last
        self.version = 0  # another one when the type of a column is another, or fixed

    @property
    def names(self) -> tuple[str, ...]:
        """All columns whose types are known."""
        return tuple(name for name in self._types if name != STREAM)

    def hear_of(self, names: Iterable[str]) -> None:
        """There are such columns."""
        self._others.update(dict.fromkeys(names))

    @property
    def schema(self) -> pyarrow.Schema:
        """All columns that are known."""
        return pyarrow.schema([(name, self._types[name]) for name in self.names])

    def type(self, name: str) -> pyarrow.DataType | None:
        """The type of a column that is fixed; None: it is not."""
        return self._types[name] if name in self._fixed else None

    @property
    def nulls(self) -> list[str]:
        """The columns that are fixed, though no value came in them."""
        return [name for name in self._fixed if pyarrow.types.is_null(self._types[name])]

    def learn(self, schema: pyarrow.Schema) -> None:
        """Batches of this schema came; StreamError: a column cannot have one type in all."""
        for field in schema:
            before = self._types.get(field.name)
            if field.name not in self._fixed and before != field.type:
                self._types[field.name] = field.type if before is None else common(field.name, before, field.type)
                self._change()

    def fixed(self, names: Iterable[str], wanted: Sequence[str]) -> pyarrow.Schema:
        """The schema of the named columns, whose types stay from now on; QueryError for one that is not there."""
        for name in wanted:
            if name not in self._types:
                raise QueryError(
                    f"the events have no attribute {name}",
                    hint=did_you_mean(name, {**dict.fromkeys(self.names), **self._others}),
                )
        schema = pyarrow.schema([(name, self._types[name]) for name in dict.fromkeys([*names, *wanted])])
        self._fixed.update(schema.names)
        self._change()
        return schema

    def _change(self) -> None:
        """What was made of the types so far is not true any more."""
        self._schema = None
        self._few_schemas.clear()
        self._few = None
        self.version += 1

    def state(self) -> dict[str, Any]:
        """What is known, as COLUMNS."""
        return {"types": schema_stored(self._types), "fixed": sorted(self._fixed), "others": list(self._others)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken; SnapshotError: it cannot be."""
        self._types = schema_read(state["types"])
        require(self._types.get(STREAM) == CODED_TEXT, "streams have no names")
        is_usual = all(read_type(name, type_) == type_ for name, type_ in self._types.items())
        require(is_usual, "columns are of other types")
        self._fixed = set(state["fixed"])
        require(self._fixed <= self._types.keys(), "there is no such column")
        self.hear_of(state["others"])
        self._change()

    def has(self, schema: pyarrow.Schema) -> bool:
        """Whether these columns are known, with their types fixed."""
        return all(self.type(field.name) == field.type for field in schema)

    def aligned(self, batch: Rows, where: str = "<streams>") -> Rows:
        """Rows with all columns that are known, in their types so far.

        StreamError (at ``where``): a number has no equal of the column's type.
        """
        if isinstance(batch, FewRows):  # whose columns are fixed
            if batch.schema is self._few:
                return batch
            self._few = self.few_schema(STREAM in batch.names)
            return batch.of_schema(self._few)
        if self._schema is not None and batch.schema.equals(self._schema):
            return batch
        schema = self._whole(STREAM in batch.schema.names)
        columns = [_column(batch, field, where) for field in schema]
        if not columns:
            return batch
        self._schema = schema
        return pyarrow.RecordBatch.from_arrays(columns, schema=schema)

    def few_schema(self, has_streams: bool) -> pyarrow.Schema:
        """That of few rows; with the names of their streams, if they have some."""
        if has_streams not in self._few_schemas:
            self._few_schemas[has_streams] = self._whole(has_streams)
        return self._few_schemas[has_streams]

    def _whole(self, has_streams: bool) -> pyarrow.Schema:
        """All columns that are known; that of the names of streams if it is there."""
        return pyarrow.schema([(name, type_) for name, type_ in self._types.items() if has_streams or name != STREAM])


def common(name: str, one: pyarrow.DataType, other: pyarrow.DataType) -> pyarrow.DataType:
    """The type of a column that came with both; StreamError if there is none."""
    found = wider(one, other)
    if found is None:
        raise changed(name, one, other)
    return found


def changed(name: str, before: pyarrow.DataType, now: pyarrow.DataType, at: Location = NOWHERE) -> StreamError:
    """The error of a column that had another type so far."""
    name = column_named(name)
    hint = f'declare its type: {{"{name}": "{_wide(before, now)}"}}'
    return StreamError(f"the column {name} was {shown(before)} so far, but is {shown(now)} now", at, hint=hint)


def _wide(before: pyarrow.DataType, now: pyarrow.DataType) -> str:
    if pyarrow.types.is_null(before):
        return shown(now)
    return "double" if wider(before, now) == pyarrow.float64() else "string"


def _column(batch: pyarrow.RecordBatch, field: pyarrow.Field, where: str) -> pyarrow.Array:
    place = batch.schema.get_field_index(field.name)
    if place < 0:
        return pyarrow.nulls(batch.num_rows, field.type)
    try:
        return usual(batch.column(place), field.type)
    except pyarrow.ArrowException as error:
        message = f"the attribute {column_named(field.name)} does not become {shown(field.type)}: {error}"
        raise StreamError(message, Location(where)) from None
