"""A table for people."""

from __future__ import annotations

from typing import TextIO

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from spaseq.results.formats.writer import Layout
from spaseq.results.shortening import shorten, show, show_events
from spaseq.results.table import MatchTable
from spaseq.results.times import iso

_GAP = 3  # characters between two columns
_UNLIMITED = 100_000  # characters a line when no terminal sets a width


class TableWriter:
    """Columns for times, variables and events.

    The first matches of a query set the widths; later ones follow under the same head, long terms folded.  On a
    terminal IRIs without a prefix are cut to their last two parts; a file has them whole.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._brief = output.isatty()
        width = None if self._brief else _UNLIMITED
        self._console = Console(file=output, width=width, highlight=False, soft_wrap=False)
        self._layout = layout
        self._query: tuple[str, tuple[str, ...]] | None = None
        self._widths: list[int] = []

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        if not len(table):
            return
        query = (table.query, table.columns)
        if query != self._query:
            self._begin(table)
        rows = self._grid(table, header=query != self._query)
        self._query = query
        self._console.print(rows, crop=False)

    def close(self) -> None:
        """Nothing stands at the end."""

    def _begin(self, table: MatchTable) -> None:
        """A head of its own for each query; its columns as wide as these rows want."""
        if self._query is not None:
            self._console.print()
        if self._layout.several:
            self._console.print(Text(table.query, style="bold"))
        grid = self._grid(table, header=True, widths=[])
        options = self._console.options
        cells = [list(column.cells) for column in grid.columns]
        heads = [column.header for column in grid.columns]
        wanted = [
            max(Measurement.get(self._console, options, cell).maximum for cell in [head, *column])
            for head, column in zip(heads, cells, strict=True)
        ]
        self._widths = _fit(wanted, self._console.width - _GAP * (len(wanted) - 1))

    def _grid(self, table: MatchTable, header: bool, widths: list[int] | None = None) -> Table:
        grid = Table(box=box.SIMPLE_HEAD if header else None, show_header=header, show_edge=False, pad_edge=False)
        widths = self._widths if widths is None else widths
        for number, name in enumerate(_heads(table)):
            width = widths[number] if widths else None
            grid.add_column(Text(name), width=width, overflow="fold")
        for index in range(len(table)):
            grid.add_row(*map(Text, self._cells(table, index)))
        return grid

    def _cells(self, table: MatchTable, index: int) -> list[str]:
        prefixes, brief = self._layout.prefixes, self._brief
        cells = [iso(int(table.first[index])), iso(int(table.last[index]))]
        cells += [show(value, prefixes, brief) for _, value in table.row(index)]
        if table.derived is None:
            return [*cells, show_events(table.events(index), prefixes, brief)]
        event = table.derived[index]
        return [*cells, shorten(event.name, prefixes), str(len(event.triples))]


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
