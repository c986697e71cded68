"""Files of Arrow's own format: those of IPC (Feather), and streams of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow

from spaseq.errors import Location, StreamError
from spaseq.sources.tables.frames import ArrowSource
from spaseq.sources.tables.source import cannot_read
from spaseq.sources.tables.types import column_named

_FILE = b"ARROW1"  # begins a file; a stream begins with a length
_FEATHER_1 = b"FEA1"


class IpcSource(ArrowSource):
    """The record batches of a file or stream of Arrow IPC; columns that are not asked for are not read."""

    def __init__(self, path: str | Path, declared: dict[str, pyarrow.DataType]) -> None:
        self._path = str(path)
        super().__init__(self._opened(None).schema, iter(()), declared)

    def choose(self, columns: Sequence[str]) -> pyarrow.Schema:
        """The types of ``columns``."""
        chosen = super().choose(columns)
        read = dict.fromkeys(map(column_named, columns)) or self.names[:1]
        reader = self._opened([self.names.index(name) for name in read])
        self._given, self._data = reader.schema, self._read(reader)
        return chosen

    def place(self, row: int) -> Location:
        """The file, and the number of the row from 1, as of Parquet."""
        return Location(f"{self._path}, row {row + 1}")

    def _read(self, reader: Any) -> Iterator[pyarrow.RecordBatch]:
        try:
            if isinstance(reader, pyarrow.RecordBatchReader):
                yield from reader
            else:
                yield from map(reader.get_batch, range(reader.num_record_batches))
        except MemoryError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise cannot_read(self._path, error) from None

    def _opened(self, fields: Sequence[int] | None) -> Any:
        """A reader of some fields, by their numbers, or of all."""
        from pyarrow import ipc

        try:
            file = pyarrow.OSFile(self._path)
            begin = file.read(len(_FILE))
            file.seek(0)
            self._check(begin)
            options = ipc.IpcReadOptions(included_fields=None if fields is None else sorted(fields))
            return (ipc.open_file if begin == _FILE else ipc.open_stream)(file, options=options)
        except MemoryError:
            raise
        except (pyarrow.ArrowException, UnicodeDecodeError) as error:
            raise StreamError(f"this is no Arrow file: {error}", Location(self._path)) from None
        except OSError as error:
            raise cannot_read(self._path, error) from None

    def _check(self, begin: bytes) -> None:
        if begin.startswith(_FEATHER_1):
            hint = "pyarrow.feather.read_table and write_feather make one of version 2"
            raise StreamError("this is Feather of version 1, which is not read", Location(self._path), hint=hint)
