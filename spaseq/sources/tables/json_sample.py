"""The first lines of JSON: which members they have, and of what their values are.

Arrow reads them if it can; else they are decoded one by one, which tells what is wrong with a line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow
import pyarrow.compute as pc
from pyarrow import types

from spaseq.sources.tables.json_text import LineError, WrittenNumber, decoded, objects_of
from spaseq.sources.tables.json_types import ValueShape
from spaseq.sources.tables.raw import copied, ensure_room
from spaseq.sources.tables.source import is_text

_COUNTED = (types.is_string, types.is_integer, types.is_floating)
_ROOM = 10  # times its bytes is what JSON may need in memory


class JsonSample(ABC):
    """Some ``count`` objects; ``names`` are those of their members, in order of the first lines that have them."""

    names: Sequence[str]
    count: int

    @abstractmethod
    def shape(self, name: str) -> ValueShape:
        """What the values of a member are."""

    @abstractmethod
    def distinct(self, name: str) -> int:
        """How many different texts, or numbers as they are written, a member has, about."""

    @abstractmethod
    def has_numbers(self, name: str) -> bool:
        """Whether a value of a member is a number, or a truth value."""


class DecodedLines(JsonSample):
    """Objects that were decoded one by one."""

    def __init__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows = rows
        self.names = list(filter(is_text, dict.fromkeys(name for row in rows for name in row)))
        self.count = len(rows)

    def shape(self, name: str) -> ValueShape:
        """See ``JsonSample``."""
        shape = ValueShape()
        for row in self._rows:
            shape.add(row.get(name))
        return shape

    def distinct(self, name: str) -> int:
        """See ``JsonSample``."""
        return len({value for row in self._rows if isinstance(value := row.get(name), str)})

    def has_numbers(self, name: str) -> bool:
        """See ``JsonSample``."""
        return any(isinstance(row.get(name), WrittenNumber | bool) for row in self._rows)


class ArrowLines(JsonSample):
    """The objects of the lines ``data``, as Arrow has read them; ``first`` has the names of the first line's members.

    Texts that are times are texts here, and decimals have the type that is declared.
    """

    def __init__(self, data: bytes, batch: pyarrow.RecordBatch, first: Sequence[str]) -> None:
        self._data = data
        self._batch = batch
        self.names = list(dict.fromkeys((*first, *batch.schema.names)))
        self.count = batch.num_rows

    def shape(self, name: str) -> ValueShape:
        """See ``JsonSample``."""
        return ValueShape.of_column(self._batch.column(name)) if name in self.names else ValueShape()

    def distinct(self, name: str) -> int:
        """See ``JsonSample``."""
        column = self._batch.column(name) if name in self.names else pyarrow.nulls(0)
        return pc.count_distinct(column).as_py() if any(test(column.type) for test in _COUNTED) else 0

    def has_numbers(self, name: str) -> bool:
        """See ``JsonSample``."""
        return self.shape(name).kind in ("boolean", "integer", "double")

    def rows(self, block: bytes, schema: pyarrow.Schema) -> pyarrow.RecordBatch | None:
        """The rows of these lines with this schema, if they are just that."""
        known = self._batch.schema
        if block != self._data or not all(field.name in self.names and field in known for field in schema):
            return None
        return self._batch.select(schema.names)


def sampled_by_arrow(data: bytes, declared: Mapping[str, pyarrow.DataType]) -> ArrowLines | None:
    """The objects of some lines; None: a line may be malformed, or values of a member are of several kinds."""
    objects = objects_of(data)
    if objects is None:
        return None
    block, count = objects
    try:
        first = decoded(block[: block.index(b"\n")])
        table = rows_by_arrow(block, pyarrow.schema(_known(first, declared)), "infer")
        if any(map(_has_times, table.schema.types)):
            table = rows_by_arrow(block, _timeless(table.schema))
        (batch,) = table.to_batches()
        batch.validate(full=True)
        return ArrowLines(data, batch, list(first)) if batch.num_rows == count else None
    except MemoryError:
        raise
    except (LineError, pyarrow.ArrowException, ValueError):  # names that are no UTF-8; there is no column
        return None


def rows_by_arrow(block: bytes, schema: pyarrow.Schema, others: str = "ignore") -> pyarrow.Table:
    """The objects of a block with the types of a schema; ``others`` says what becomes of other members."""
    from pyarrow import json as arrow_json

    ensure_room(_ROOM * len(block))
    return arrow_json.read_json(
        pyarrow.BufferReader(copied(block)),
        read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1),
        parse_options=arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=others),
    )


def _known(
    first: Mapping[str, Any], declared: Mapping[str, pyarrow.DataType]
) -> Iterator[tuple[str, pyarrow.DataType]]:
    """The types of members of the first line of which Arrow would lose how they are written."""
    for name, value in first.items():
        if isinstance(value, str) and types.is_decimal(declared.get(name, pyarrow.null())):
            yield name, declared[name]
        elif isinstance(value, str) and not isinstance(value, WrittenNumber):
            yield name, pyarrow.string()


def _has_times(type_: pyarrow.DataType) -> bool:
    if types.is_struct(type_):
        return any(_has_times(field.type) for field in type_)
    return types.is_timestamp(type_) or (types.is_list(type_) and _has_times(type_.value_type))


def _timeless(schema: pyarrow.Schema) -> pyarrow.Schema:
    """The schema with texts for times."""
    return pyarrow.schema([field.with_type(_written(field.type)) for field in schema])


def _written(type_: pyarrow.DataType) -> pyarrow.DataType:
    if types.is_struct(type_):
        return pyarrow.struct([field.with_type(_written(field.type)) for field in type_])
    if types.is_list(type_):
        return pyarrow.list_(_written(type_.value_type))
    return pyarrow.string() if types.is_timestamp(type_) else type_
