"""A table for people."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TextIO

from rich.console import Console
from rich.text import Text

from spaseq.results.formats.block import ResultBlock, Shortening
from spaseq.results.formats.columns import ColumnLayout, TextCell
from spaseq.results.formats.writer import Layout
from spaseq.showing import on_one_line


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let whoever called know; rich would end the program with exit code 1."""
        raise BrokenPipeError


class TableWriter:
    """A table for each query whose results follow each other.

    The first results of a query set the layout; later ones follow under the same head.  On a terminal a result is one
    line: cells become shorter, and what is still too wide is cut where there is a ``…``.  A file has all of it.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._console = _Console(file=output, highlight=False)
        self._width = self._console.width if output.isatty() else None
        self._layout = layout
        self._begun: tuple[str, tuple[str, ...]] | None = None  # the query and the heads of the table
        self._shortening = Shortening()
        self._columns: ColumnLayout | None = None
        self._waiting: list[ResultBlock] = []  # until the columns are laid out

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        if not len(block):
            return
        if (block.query, tuple(block.heads)) != self._begun:
            self._begin(block)
        self._waiting.append(block)
        if self._columns or not self._layout.awaited or sum(map(len, self._waiting)) >= self._layout.first_rows:
            self._write_lines()

    def close(self) -> None:
        """Write what waits; nothing stands at the end."""
        self._write_lines()

    def _begin(self, block: ResultBlock) -> None:
        """A table, under the name of its query if there are several."""
        self._write_lines()
        if self._begun is not None:
            self._output.write("\n")
        if self._layout.several:
            self._write_head(on_one_line(block.query) + "\n")
        self._begun, self._columns = (block.query, tuple(block.heads)), None

    def _write_lines(self) -> None:
        blocks, self._waiting = self._waiting, []
        if not blocks:
            return
        columns = self._columns = self._columns or self._headed(blocks)
        for block in blocks:
            self._output.writelines(columns.line(line, self._width) for line in self._cells(block))

    def _headed(self, blocks: list[ResultBlock]) -> ColumnLayout:
        """The columns of a table whose head is written: as wide as its rows want, or as the terminal allows."""
        heads = [TextCell(on_one_line(head)) for head in blocks[0].heads]
        columns = self._laid_out(blocks, heads).at_most(blocks[0].widest).narrowed(self._width)
        self._write_head(columns.line(heads, self._width))
        self._output.write(columns.rule(self._width) + "\n")
        return columns.widened(self._width)

    def _laid_out(self, blocks: list[ResultBlock], heads: list[TextCell]) -> ColumnLayout:
        """Columns of the first shortening that fits the terminal, or of the last one."""
        for shortening in blocks[0].shortenings if self._width is not None else (Shortening(),):
            self._shortening = shortening
            rows = (line for block in blocks for line in self._cells(block))
            columns = ColumnLayout.wanted([heads, *islice(rows, self._layout.first_rows)], shortening.gap)
            if self._width is None or columns.total <= self._width:
                break
        return columns

    def _cells(self, block: ResultBlock) -> Iterator[list[TextCell]]:
        """The results of a block, as cells that do not steer a terminal."""
        for index in range(len(block)):
            yield [TextCell(on_one_line(cell.text), cell.tail) for cell in block.cells(index, self._shortening)]

    def _write_head(self, line: str) -> None:
        if self._layout.bold:
            self._console.print(Text(line, style="bold"), soft_wrap=True, end="")
        else:
            self._output.write(line)
