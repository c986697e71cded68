"""A table for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spaseq.results.formats.writer import Layout
from spaseq.results.shortening import shorten, show, show_events
from spaseq.results.table import MatchTable
from spaseq.results.times import iso

_GAP = 3  # characters between two columns


class TableWriter:
    """Columns for times, variables and events.

    The first matches of a query set the widths; later ones follow under the same head.  A terminal gets long terms
    folded, and IRIs without a prefix cut to their last two parts; a file has all of it on one line.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._terminal = output.isatty()
        self._console = Console(file=output, highlight=False)
        self._layout = layout
        self._query: tuple[str, tuple[str, ...]] | None = None
        self._widths: list[int] = []

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        rows = [self._cells(table, index) for index in range(len(table))]
        if rows and (table.query, table.columns) != self._query:
            self._begin(table, rows)
        for cells in rows:
            if self._terminal and any(map(_exceeds, cells, self._widths)):
                self._console.print(self._folded(cells))
            else:
                self._output.write(self._line(cells))

    def close(self) -> None:
        """Nothing stands at the end."""

    def _begin(self, table: MatchTable, rows: list[list[str]]) -> None:
        """A head of its own for each query; its columns as wide as these rows want."""
        if self._query is not None:
            self._output.write("\n")
        if self._layout.several:
            self._console.print(Text(table.query, style="bold"))
        heads = _heads(table)
        self._widths = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
        if self._terminal:
            self._widths = _fit(self._widths, self._console.width - _GAP * (len(heads) - 1))
        self._console.print(Text(self._line(heads), style="bold"), soft_wrap=True, end="")
        self._output.write("─" * (sum(self._widths) + _GAP * (len(heads) - 1)) + "\n")
        if self._terminal:  # later rows may have more of the line than the first ones wanted
            self._widths[-1] += max(0, self._console.width - sum(self._widths) - _GAP * (len(heads) - 1))
        self._query = (table.query, table.columns)

    def _line(self, cells: Sequence[str]) -> str:
        padded = (
            cell if _exceeds(cell, width) else set_cell_size(cell, width)
            for cell, width in zip(cells, self._widths, strict=True)
        )
        return (" " * _GAP).join(padded).rstrip() + "\n"

    def _folded(self, cells: Sequence[str]) -> Table:
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        for width in self._widths:
            grid.add_column(width=width, overflow="fold")
        grid.add_row(*map(Text, cells))
        return grid

    def _cells(self, table: MatchTable, index: int) -> list[str]:
        prefixes, brief = self._layout.prefixes, self._terminal
        cells = [iso(int(table.first[index])), iso(int(table.last[index]))]
        cells += [show(value, prefixes, brief) for _, value in table.row(index)]
        if table.derived is None:
            return [*cells, show_events(table.events(index), prefixes, brief)]
        event = table.derived[index]
        return [*cells, shorten(event.name, prefixes), str(len(event.triples))]


def _exceeds(cell: str, width: int) -> bool:
    return cell_len(cell) > width


def _heads(table: MatchTable) -> list[str]:
    tail = ["events"] if table.derived is None else ["derived event", "triples"]
    return ["first", "last", *("?" + name for name in table.columns), *tail]


def _fit(wanted: list[int], room: int) -> list[int]:
    """The widths wanted, the widest made narrower until they fit into ``room``: the two times last, none below 8."""
    widths = list(wanted)
    for start in (2, 0):
        while sum(widths) > room and max(widths[start:], default=0) > 8:
            widest = max(range(start, len(widths)), key=widths.__getitem__)
            widths[widest] -= 1
    return widths
