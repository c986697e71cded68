"""Parquet: the results of one query as a frame, in row groups."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeAlias

from spaseq.errors import OptionError, require
from spaseq.results.formats.writer import Layout, MessageOutput, ResultBlock, Utf8Output

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ParquetWriter as FileWriter

    Framer: TypeAlias = Callable[[Sequence[ResultBlock]], pyarrow.Table]

GROUP_ROWS = 1 << 16
PART_ROWS = 1 << 20


class PartsWriter:
    """A file of Parquet for all results between two cuts, or for a million rows; they have the same columns."""

    def __init__(self, output: MessageOutput, layout: Layout) -> None:
        require("pyarrow")
        self._output = output
        self._layout = layout
        self._first: ResultBlock | None = None  # without results: which columns there are
        self._frame: Framer | None = None
        self._part = Utf8Output(io.BytesIO())
        self._writer: ParquetWriter | None = None
        self._rows = 0
        output.on_cut(self.cut)

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        if self._first is None:
            self._first, self._frame = block[:0], block.framer(self._layout.types)
        if not len(block):
            return
        if self._writer is None:
            self._part = Utf8Output(io.BytesIO())
            self._writer = ParquetWriter(self._part, self._layout, self._frame)
            self._writer.write(self._first)
        self._writer.write(block)
        self._rows += len(block)
        if self._rows >= PART_ROWS and self._output.may_leave():
            self.cut()

    def cut(self) -> None:
        """End the file that is written."""
        if self._writer is not None:
            self._writer.close()
            self._output.write_message(self._part.buffer.getvalue())  # type: ignore[attr-defined]
            self._writer, self._rows = None, 0

    def close(self) -> None:
        """Write the rest."""
        self.cut()


class ParquetWriter:
    """Frames in row groups of 65,536; OptionError for a terminal, without pyarrow, or for unknown types.

    Of columns of terms the first row group decides on the types that ``layout.types`` does not have (``MatchFramer``).
    The first block that is written may have no results: it says which columns there are.
    """

    def __init__(self, output: TextIO, layout: Layout, frame: Framer | None = None) -> None:
        require("pyarrow")
        if output.isatty():
            raise OptionError("parquet is nothing for a terminal: say where it goes (--output FILE)")
        self._sink = output.buffer
        self._layout = layout
        self._frame = frame
        self._file: FileWriter | None = None
        self._empty: ResultBlock | None = None
        self._waiting: list[ResultBlock] = []
        self._rows = 0  # that wait

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        if self._empty is None:
            self._empty = block[:0]
            self._frame = self._frame or block.framer(self._layout.types)
        while self._rows + len(block) >= GROUP_ROWS:
            rest = GROUP_ROWS - self._rows
            self._wait(block[:rest])
            self._write_group()
            block = block[rest:]
        self._wait(block)

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        if self._empty is None or self._frame is None:
            return
        try:
            if self._rows:
                self._write_group()
        finally:
            (self._file or self._open(self._frame([self._empty]))).close()

    def _wait(self, block: ResultBlock) -> None:
        if len(block):
            self._waiting.append(block)
            self._rows += len(block)

    def _write_group(self) -> None:
        assert self._frame is not None
        blocks, self._waiting, self._rows = self._waiting, [], 0
        frame = self._frame(blocks)
        (self._file or self._open(frame)).write_table(frame, row_group_size=GROUP_ROWS)

    def _open(self, frame: pyarrow.Table) -> FileWriter:
        """The file, which has the schema of its first frame; the output stays the caller's."""
        import pyarrow
        from pyarrow import parquet

        self._file = parquet.ParquetWriter(pyarrow.PythonFile(self._sink, "w"), frame.schema)
        return self._file
