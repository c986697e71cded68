"""Rows given as dictionaries, as record batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.tuples.columns.kinds import converted, first_bad
from spaseq.tuples.columns.schema import usual_schema
from spaseq.tuples.sources.source import better_type, is_text, to_usual, without_times

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
        self._types = pyarrow.schema([])

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if any(isinstance(row.get(column), str) for row in self._begin):
            self._declared = without_times(self._declared, column)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; StreamError if one begins with values of several types."""
        self._types = pyarrow.schema([(name, self._type(name)) for name in columns])
        return usual_schema(self._types)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first, rows, schema = 0, self._begin, usual_schema(self._types)
        self._begin = []
        while rows:
            columns = [self._column(field, rows, first) for field in self._types]
            batch = pyarrow.record_batch(columns, schema=self._types) if columns else _empty(len(rows))
            yield to_usual(batch, schema, first, self.place, self._declared)
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
