"""Arrow tables, batches and readers as record batches, and what has Arrow's C stream, such as frames of polars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.tuples.columns.kinds import Kind, kind_of_type
from spaseq.tuples.columns.schema import usual_schema
from spaseq.tuples.sources.source import BATCH_ROWS, check_values, to_usual, without_times


class ArrowSource:
    """Record batches that are there already, or come from a reader."""

    def __init__(
        self, schema: pyarrow.Schema, data: Iterator[pyarrow.RecordBatch], declared: dict[str, pyarrow.DataType]
    ) -> None:
        self.names: tuple[str, ...] = tuple(schema.names)
        self._given = schema
        self._declared = declared
        self._types = pyarrow.schema([(field.name, declared.get(field.name, field.type)) for field in schema])
        self._data = data
        self._schema = pyarrow.schema([])

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if kind_of_type(self._given.field(column).type) is Kind.TEXT:
            self._declared = without_times(self._declared, column)
            field = self._types.field(column).with_type(self._declared.get(column, self._given.field(column).type))
            self._types = self._types.set(self._types.get_field_index(column), field)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        self._schema = usual_schema(pyarrow.schema([self._types.field(name) for name in columns]))
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows, in parts that fit the cache."""
        first = 0
        for batch in self._data:
            if not batch.schema.equals(self._given):
                raise StreamError("the columns of this batch are not those of the first one", self.place(first))
            check_values(batch, self._schema.names, first, self.place)
            for start in range(0, batch.num_rows, BATCH_ROWS):
                part = batch.slice(start, BATCH_ROWS)
                yield to_usual(part, self._schema, first + start, self.place, self._declared)
            first += batch.num_rows

    def place(self, row: int) -> Location:
        """The number of the row from 0, as in the table."""
        return Location(f"<table>, row {row}")


def arrow_source(data: Any, declared: dict[str, pyarrow.DataType]) -> ArrowSource:
    """A source of an Arrow table, record batch or reader, or of an object with Arrow's C stream."""
    if isinstance(data, pyarrow.RecordBatch):
        return ArrowSource(data.schema, iter([data]), declared)
    if isinstance(data, pyarrow.Table):
        return ArrowSource(data.schema, iter(data.to_batches()), declared)
    reader = data if isinstance(data, pyarrow.RecordBatchReader) else pyarrow.RecordBatchReader.from_stream(data)
    return ArrowSource(reader.schema, iter(reader), declared)
