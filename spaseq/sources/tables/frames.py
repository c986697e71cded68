"""Tables, frames and rows of Python that are there already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.sources.tables.source import BATCH_ROWS, better_type, check_values, is_text, to_usual, without_times
from spaseq.sources.tables.types import ValueKind, column_named, converted, first_bad, kind_of_type, usual_schema


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
        if kind_of_type(self._given.field(column).type) is ValueKind.TEXT:
            self._declared = without_times(self._declared, column)
            field = self._types.field(column).with_type(self._declared.get(column, self._given.field(column).type))
            self._types = self._types.set(self._types.get_field_index(column), field)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        asked = [(name, self._types.field(column_named(name)).type) for name in columns]
        self._schema = usual_schema(pyarrow.schema(asked))
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


_ROWS = 1 << 12  # taken together; types are inferred from the first that many


class DictionarySource:
    """An iterable of dictionaries; a key that a row does not have is NULL.

    A column has the type that is declared, or that of its values in the first 4096 rows.
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]], declared: dict[str, pyarrow.DataType]) -> None:
        self._declared = declared
        self._rows = iter(rows)
        self._begin = self._take(0)
        found = self._names()
        self.names: tuple[str, ...] = tuple(dict.fromkeys(chain(found, declared)))
        self._types = self._schema = pyarrow.schema([])

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if any(isinstance(row.get(column), str) for row in self._begin):
            self._declared = without_times(self._declared, column)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; StreamError if one begins with values of several types."""
        read = dict.fromkeys(map(column_named, columns))
        self._types = pyarrow.schema([(name, self._type(name)) for name in read])
        asked = [(name, self._types.field(column_named(name)).type) for name in columns]
        self._schema = usual_schema(pyarrow.schema(asked))
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first, rows = 0, self._begin
        self._begin = []
        while rows:
            columns = [self._column(field, rows, first) for field in self._types]
            batch = pyarrow.record_batch(columns, schema=self._types) if columns else _empty(len(rows))
            yield to_usual(batch, self._schema, first, self.place, self._declared)
            first += len(rows)
            rows = self._take(first)

    def place(self, row: int) -> Location:
        """The number of the row from 0."""
        return Location(f"<rows>, row {row}")

    def _names(self) -> Iterator[str]:
        """The keys of the first rows; StreamError for what cannot be the name of a column."""
        for number, row in enumerate(self._begin):
            for name in row:
                if not is_text(name):
                    raise StreamError(f"the name of a column is a text, not {name!r:.80}", self.place(number))
            yield from row

    def _take(self, first: int) -> list[Mapping[str, Any]]:
        rows = list(islice(self._rows, _ROWS))
        for index, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise StreamError(f"a row is a dictionary, not {type(row).__name__}", self.place(first + index))
        return rows

    def _type(self, name: str) -> pyarrow.DataType:
        if name in self._declared:
            return self._declared[name]
        values = [row.get(name) for row in self._begin]
        if converted(values, None) is None:
            index = first_bad(values, None)
            raise self._changed(name, converted(values[:index], None).type, values[index], index)
        return converted(values, None).type

    def _column(self, field: pyarrow.Field, rows: list[Mapping[str, Any]], first: int) -> pyarrow.Array:
        values = [row.get(field.name) for row in rows]
        parse = field.name in self._declared
        column = converted(values, field.type, parse)
        if column is None:
            index = first_bad(values, field.type, parse)
            raise self._changed(field.name, field.type, values[index], first + index)
        return column

    def _changed(self, name: str, before: pyarrow.DataType, value: Any, row: int) -> StreamError:
        if isinstance(value, str) and not is_text(value):
            return StreamError(f"the column {name} has a text that is no UTF-8: {value!r:.80}", self.place(row))
        if name in self._declared:
            return StreamError(f"the column {name} is declared {before}, but has {value!r:.80}", self.place(row))
        message = f"the column {name} was {before} so far, but has {value!r:.80}"
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            message += ", which does not fit into 64 bits"
        better = "string" if isinstance(value, str) else better_type(before, value)
        return StreamError(message, self.place(row), hint=f'declare its type: {{"{name}": "{better}"}}')


def _empty(rows: int) -> pyarrow.RecordBatch:
    """Rows without any column."""
    return pyarrow.record_batch({"": pyarrow.nulls(rows)}).select([])


_SEEN = 1 << 12  # values that tell whether times are texts


class PandasSource:
    """The columns of a frame; what pandas takes as missing is NULL."""

    def __init__(self, frame: Any, declared: dict[str, pyarrow.DataType]) -> None:
        self.names = tuple(map(str, frame.columns))
        self._frame = frame
        self._declared = declared
        self._source = ArrowSource(pyarrow.schema([]), iter(()), {})

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if any(isinstance(value, str) for value in self._frame.iloc[:, self.names.index(column)].head(_SEEN)):
            self._declared = without_times(self._declared, column)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``, which are converted now; StreamError if one has values of several types."""
        read = dict.fromkeys(map(column_named, columns)) or self.names[:1]
        table = pyarrow.table({name: self._converted(name) for name in read})
        self._source = ArrowSource(table.schema, iter(table.to_batches(BATCH_ROWS)), self._declared)
        return self._source.choose(columns)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        return self._source.batches()

    def place(self, row: int) -> Location:
        """The number of the row from 0, as for ``iloc``."""
        return Location(f"<frame>, row {row}")

    def _converted(self, name: str) -> pyarrow.Array | pyarrow.ChunkedArray:
        series = self._frame.iloc[:, self.names.index(name)]
        if name in self._declared and series.dtype == object:
            return self._mixed(name, series.tolist(), self._declared[name])
        try:
            return pyarrow.array(series, from_pandas=True)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OverflowError, UnicodeError) as error:
            message = f"the column {name} has values of several types: {error}"
            hint = f'declare its type: {{"{name}": "string"}}'
            raise StreamError(message, Location("<frame>"), hint=hint) from None

    def _mixed(self, name: str, values: list[Any], type_: pyarrow.DataType) -> pyarrow.Array:
        found = converted(values, type_, declared=True)
        if found is None:
            row = first_bad(values, type_, declared=True)
            raise StreamError(f"the column {name} is declared {type_}, but has {values[row]!r:.80}", self.place(row))
        return found
