"""A table for people: lines of cells under each other, and how they fit a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from spaseq.results.formats.writer import Layout, ResultBlock, Shortening, TextCell
from spaseq.text import on_one_line

_TIMES = 2  # columns that come first, and are made narrower last
_LEAST = (8, 3)  # characters of a column that is made narrower: as long as others can be, and at all


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The widths of columns, and the characters between two of them."""

    widths: tuple[int, ...]
    gap: int

    @staticmethod
    def wanted(lines: Iterable[Sequence[TextCell]], gap: int) -> ColumnLayout:
        """Columns that have room for all of the lines."""
        texts = ([cell.text for cell in line] for line in lines)
        return ColumnLayout(tuple(max(map(cell_len, column)) for column in zip(*texts, strict=True)), gap)

    @property
    def total(self) -> int:
        """The width of a line."""
        return sum(self.widths) + self.gap * (len(self.widths) - 1)

    def at_most(self, widest: int | None) -> ColumnLayout:
        """Columns none of which is wider than that, if there is such a bound."""
        return self if widest is None else replace(self, widths=tuple(min(widest, width) for width in self.widths))

    def narrowed(self, most: int | None) -> ColumnLayout:
        """Columns that fit into a line, where that can be: the widest are made narrower, those of times last."""
        widths = list(self.widths)
        for least in _LEAST if most is not None else ():
            for start in (_TIMES, 0):
                _narrow(widths, start, least, (most or 0) - self.gap * (len(widths) - 1))
        return replace(self, widths=tuple(widths))

    def widened(self, most: int | None) -> ColumnLayout:
        """The last column gets the rest of the line, as later rows may have more than the first ones."""
        rest = 0 if most is None else max(0, most - self.total)
        return replace(self, widths=(*self.widths[:-1], self.widths[-1] + rest))

    def line(self, cells: Sequence[TextCell], most: int | None) -> str:
        """The cells on one line; if that is wider than ``most``, those that are wider than their columns are cut."""
        whole = self._joined(cell.text for cell in cells)
        if most is None or cell_len(whole) <= most:
            return whole + "\n"
        line = self._joined(cut(cell, width) for cell, width in zip(cells, self.widths, strict=True))
        return cut(TextCell(line), most) + "\n"

    def rule(self, most: int | None) -> str:
        """A line below the head."""
        return "─" * (self.total if most is None else min(self.total, most))

    def _joined(self, texts: Iterable[str]) -> str:
        padded = (text + " " * (width - cell_len(text)) for text, width in zip(texts, self.widths, strict=True))
        return (" " * self.gap).join(padded).rstrip()


def cut(cell: TextCell, width: int) -> str:
    """The text, with ``…`` for what is too much of it."""
    if cell_len(cell.text) <= width:
        return cell.text
    if not cell.tail:
        return set_cell_size(cell.text, width - 1) + "…"
    kept = cell.text.removeprefix("…").removesuffix(">")
    while cell_len(kept) > width - 1:
        kept = kept[1:]
    return "…" + kept


def _narrow(widths: list[int], start: int, least: int, room: int) -> None:
    while sum(widths) > room and max(widths[start:], default=0) > least:
        widths[max(range(start, len(widths)), key=widths.__getitem__)] -= 1


# ── the writer ───────────────────────────────────────────────────────────────────────────────────────────
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
