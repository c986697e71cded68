"""Fields of structs as columns: ``place.city`` is a field of the column ``place``, unless a column is called so."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import pyarrow
import pyarrow.compute
from pyarrow import types

from spaseq.errors import Location, QueryError
from spaseq.suggestion import did_you_mean
from spaseq.tuples.columns.schema import usual_schema
from spaseq.tuples.sources.formatted import TextTimes
from spaseq.tuples.sources.source import Source, to_usual

Path = tuple[str, ...]  # a column, and the names of fields in each other


def path_of(name: str, columns: Iterable[str]) -> Path | None:
    """The column that begins a name with dots, and the fields behind it; None: there is no such column."""
    known, parts = set(columns), name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        if (column := ".".join(parts[:length])) in known:
            return column, *parts[length:]
    return None


def with_fields(source: Source, wanted: Iterable[str], known: Container[str] = ()) -> Source:
    """The source with those of the ``wanted`` columns that are fields of structs, as columns of their own.

    Those that are ``known`` may be missing, and are NULL then.
    """
    names = source.names
    paths = {name: path_of(name, names) for name in wanted if name not in names}
    fields = {name: path for name, path in paths.items() if path is not None}
    return StructFields(source, fields, known) if fields else source


class StructFields:
    """A source with more columns: each is a field of a struct, by the path to it.

    Of a struct that is NULL it is NULL.
    """

    def __init__(self, source: Source, fields: Mapping[str, Path], known: Container[str] = ()) -> None:
        self._source = source
        self._fields = fields
        self._known = known
        self._schema = pyarrow.schema([])

    @property
    def names(self) -> Sequence[str]:
        """Those of the source, and the fields."""
        return (*self._source.names, *self._fields)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``; QueryError for a field that is not there."""
        own = [self._fields[name][0] if name in self._fields else name for name in columns]
        schema = self._source.choose(tuple(dict.fromkeys(own)))
        found = [pyarrow.field(name, self._type(name, schema)) for name in columns]
        self._schema = usual_schema(pyarrow.schema(found))
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first = 0
        for batch in self._source.batches():
            columns = [self._column(name, batch) for name in self._schema.names]
            whole = pyarrow.RecordBatch.from_arrays(columns, names=self._schema.names)
            yield to_usual(whole, self._schema, first, self.place)
            first += batch.num_rows

    def place(self, row: int) -> Location:
        """Where the row is."""
        return self._source.place(row)

    def told(self, row: int) -> tuple[str, str] | None:
        """As of ``TextTimes``."""
        return self._source.told(row) if isinstance(self._source, TextTimes) else None

    def _type(self, name: str, schema: pyarrow.Schema) -> pyarrow.DataType:
        """The type of a column; null where there is nothing of it."""
        column, *path = self._fields.get(name, (name,))
        type_ = schema.field(column).type
        for number, part in enumerate(path):
            if types.is_null(type_):
                return type_
            names = [field.name for field in type_] if types.is_struct(type_) else []
            if names.count(part) != 1:
                if name in self._known:
                    return pyarrow.null()
                hint = did_you_mean(part, names) or f"{'.'.join((column, *path[:number]))} is of type {type_}"
                raise QueryError(f"the events have no attribute {name}", hint=hint)
            type_ = type_.field(part).type
        return type_

    def _column(self, name: str, batch: pyarrow.RecordBatch) -> pyarrow.Array:
        column, *path = self._fields.get(name, (name,))
        if path and types.is_null(self._schema.field(name).type):
            return pyarrow.nulls(batch.num_rows)
        found = batch.column(column)
        return pyarrow.compute.struct_field(found, path) if path else found
