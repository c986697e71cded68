"""Parquet, a row group at a time."""

from __future__ import annotations

from typing import IO

import pyarrow
from pyarrow import parquet

GROUP_ROWS = 1 << 16


class RowGroups:
    """A Parquet file of frames with one schema, written into a binary file that stays the caller's.

    Frames wait until they fill a row group; ``close`` writes the rest and the end of the file.
    """

    def __init__(self, sink: IO[bytes], schema: pyarrow.Schema) -> None:
        self._writer = parquet.ParquetWriter(pyarrow.PythonFile(sink, "w"), schema)
        self._schema = schema
        self._waiting: list[pyarrow.Table] = []
        self._rows = 0

    def add(self, frame: pyarrow.Table) -> None:
        """Append the rows of a frame."""
        self._waiting.append(frame)
        self._rows += frame.num_rows
        if self._rows >= GROUP_ROWS:
            self._write()

    def close(self) -> None:
        """End the file."""
        if self._rows:
            self._write()
        self._writer.close()

    def _write(self) -> None:
        frame = pyarrow.concat_tables(self._waiting)
        self._waiting, self._rows = [], 0
        self._writer.write_table(frame, row_group_size=GROUP_ROWS)
