"""Parquet files as record batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.sources.tables.source import BATCH_ROWS, cannot_read, check_values, to_usual, without_times
from spaseq.sources.tables.types import ValueKind, column_named, kind_of_type, usual_schema


class ParquetSource:
    """A Parquet file, read batch by batch; texts are dictionary-encoded, as they are in the file, unless told else."""

    def __init__(self, path: str | Path, declared: dict[str, pyarrow.DataType]) -> None:
        self._path = str(path)
        self._declared = declared
        self._has_codes = True
        self._file = self._open(())
        self.names: tuple[str, ...] = tuple(self._file.schema_arrow.names)
        self._schema = pyarrow.schema([])

    def has_times(self, column: str) -> None:
        """A column has times: texts are not made timestamps here, whatever is declared, so that one may be none."""
        if kind_of_type(self._file.schema_arrow.field(column).type) is ValueKind.TEXT:
            self._declared = without_times(self._declared, column)

    def without_codes(self) -> None:
        """Read texts as such: nearly all are different, and each batch would bring the whole dictionary again."""
        self._has_codes = False

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        stored = self._file.schema_arrow
        if self._has_codes:
            read = dict.fromkeys(map(column_named, columns))
            self._file = self._open([name for name in read if kind_of_type(stored.field(name).type) is ValueKind.TEXT])
        self._schema = usual_schema(pyarrow.schema([(name, self._type(column_named(name))) for name in columns]))
        return self._schema

    def _type(self, column: str) -> pyarrow.DataType:
        return self._declared.get(column, self._file.schema_arrow.field(column).type)

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """All rows."""
        first = 0
        columns = list(dict.fromkeys(map(column_named, self._schema.names))) or list(self.names[:1])
        try:
            for batch in self._file.iter_batches(BATCH_ROWS, columns=columns, use_threads=False):
                check_values(batch, self._schema.names, first, self.place)
                yield to_usual(batch, self._schema, first, self.place, self._declared)
                first += batch.num_rows
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OSError) as error:
            raise cannot_read(self._path, error) from None

    def place(self, row: int) -> Location:
        """The file, and the number of the row from 1."""
        return Location(f"{self._path}, row {row + 1}")

    def _open(self, texts: Sequence[str]) -> Any:
        from pyarrow import parquet

        try:
            return parquet.ParquetFile(self._path, read_dictionary=list(texts))
        except MemoryError:
            raise
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:  # names of columns that are no text
            raise StreamError(f"this is no Parquet file: {error}", Location(self._path)) from None
        except OSError as error:
            raise cannot_read(self._path, error) from None
