"""Several files as one table: those of a folder, or of a pattern of names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.sources.tables.csv import CsvSource
from spaseq.sources.tables.frames import ArrowSource
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.parquet import ParquetSource
from spaseq.sources.tables.types import column_named, shown

FileSource: TypeAlias = CsvSource | JsonSource | ParquetSource | ArrowSource
Opener: TypeAlias = "Callable[[str, FileSource | None], FileSource]"


class FilesInTurn:
    """Files with the same columns, one after the other, each opened when its rows are asked for.

    Types are those of the first one.  ``open_one`` opens a file that is read as another one was.  StreamError: a file
    has other columns, or it is of another format.
    """

    def __init__(self, files: Sequence[str], open_one: Opener) -> None:
        self._files = files
        self._open = open_one
        self._first = open_one(files[0], None)
        self._schema = pyarrow.schema([])
        self._times: list[str] = []
        self._sources: list[FileSource] = []
        self._rows: list[int] = []  # before each of the sources
        self._count = 0  # of the rows that were read
        self.names: tuple[str, ...] = tuple(self._first.names)

    @property
    def has_members(self) -> bool:
        """Whether it has objects of JSON, of whose members types may be declared."""
        return isinstance(self._first, JsonSource)

    def as_text(self, column: str) -> None:
        """As of ``CsvSource``, where there is no type."""
        if isinstance(self._first, CsvSource | JsonSource):
            self._first.as_text(column)
        else:
            self.has_times(column)

    def has_times(self, column: str) -> None:
        """A column has times, of which one may be none."""
        self._times.append(column)
        self._first.has_times(column)

    def without_codes(self) -> None:
        """As of ``ParquetSource``."""
        if isinstance(self._first, ParquetSource):
            self._first.without_codes()

    def begin_as(self, kinds: Mapping[str, pyarrow.DataType]) -> None:
        """As of ``CsvSource``, where types are inferred."""
        if isinstance(self._first, CsvSource | JsonSource):
            self._first.begin_as(kinds)

    @property
    def kinds(self) -> dict[str, pyarrow.DataType]:
        """As of ``CsvSource``; none where files say which types they have."""
        return self._first.kinds if isinstance(self._first, CsvSource | JsonSource) else {}

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        self._schema = self._first.choose(columns)
        return self._schema

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """The rows of all files."""
        yield from self._rows_of(self._first)
        for file in self._files[1:]:
            yield from self._rows_of(self._like_first(file))

    def _rows_of(self, source: FileSource) -> Iterator[pyarrow.RecordBatch]:
        """Those of the next file."""
        self._sources.append(source)
        self._rows.append(self._count)
        for batch in source.batches():
            self._count += batch.num_rows
            yield batch

    def place(self, row: int) -> Location:
        """Where the row is in its file."""
        number = bisect_right(self._rows, row) - 1
        return self._sources[number].place(row - self._rows[number]) if number >= 0 else self._first.place(row)

    def _like_first(self, file: str) -> FileSource:
        """The next file, about to be read as the first one was."""
        source = self._open(file, self._first)
        if type(source) is not type(self._first):
            raise StreamError(f"this is no file of the format of {self._files[0]}", Location(file))
        self._check_names(source, file)
        if isinstance(source, CsvSource | JsonSource):
            source.choose_as(self._first)  # type: ignore[arg-type]  # it is of the same class
            return source
        for column in self._times:
            source.has_times(column)
        self._check_types(source.choose(self._schema.names), file)
        return source

    def _check_names(self, source: FileSource, file: str) -> None:
        missing = [name for name in self.names if name not in source.names]
        more = [name for name in source.names if name not in self.names]
        if missing or more:
            what = f"has no column {missing[0]}, as" if missing else f"has a column {more[0]}, unlike"
            raise StreamError(f"the file {what} {self._files[0]}", Location(file))

    def _check_types(self, schema: pyarrow.Schema, file: str) -> None:
        for field, first in zip(schema, self._schema, strict=True):
            if field.type != first.type:
                name = column_named(field.name)
                message = f"the column {name} is {shown(field.type)} here, and {shown(first.type)} in {self._files[0]}"
                hint = f'declare its type: {{"{name}": "{shown(first.type)}"}}'
                raise StreamError(message, Location(file), hint=hint)
