"""Parquet: the matches of one query as a frame, in row groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from spaseq.errors import OptionError
from spaseq.results.formats.writer import Layout
from spaseq.results.packages import require
from spaseq.results.table import MatchTable

if TYPE_CHECKING:
    import pyarrow

    from spaseq.results.parquet import RowGroups


class ParquetWriter:
    """The columns of ``spaseq.results.frames``; OptionError for a terminal, without pyarrow, or for unknown types.

    The first 65,536 matches decide on the types of the columns that ``layout.types`` does not have; one without a value
    there is of strings.  StreamError: a later term is no value of its column's type.  The first table that is written
    may have no matches: it says which columns there are.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        require("pyarrow")
        if output.isatty():
            raise OptionError("parquet is nothing for a terminal: say where it goes (--output FILE)")
        self._sink = output.buffer
        self._layout = layout
        self._types: dict[str, pyarrow.DataType] = {}
        self._file: RowGroups | None = None
        self._empty: MatchTable | None = None
        self._waiting: list[MatchTable] = []
        self._rows = self._written = 0  # that wait, and before them

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        from spaseq.results.frame_types import chosen
        from spaseq.results.parquet import GROUP_ROWS

        if self._empty is None:
            self._empty = table[:0]
            self._types = chosen(self._layout.types, table.columns)
        while self._rows + len(table) >= GROUP_ROWS:
            rest = GROUP_ROWS - self._rows
            self._wait(table[:rest])
            self._write_group()
            table = table[rest:]
        self._wait(table)

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        if self._empty is None:
            return
        try:
            if self._rows:
                self._write_group()
        finally:
            file = self._file or self._open(self._frame([self._empty]))
            file.close()

    def _wait(self, table: MatchTable) -> None:
        if len(table):
            self._waiting.append(table)
            self._rows += len(table)

    def _write_group(self) -> None:
        tables, self._waiting, self._rows = self._waiting, [], 0
        frame = self._frame(tables)
        (self._file or self._open(frame)).add(frame)
        self._written += frame.num_rows

    def _frame(self, tables: list[MatchTable]) -> pyarrow.Table:
        from spaseq.results.frames import fitted

        frame, self._types = fitted(tables, self._types, self._written)
        return frame

    def _open(self, frame: pyarrow.Table) -> RowGroups:
        from spaseq.results.parquet import RowGroups

        self._file = RowGroups(self._sink, frame.schema)
        return self._file
