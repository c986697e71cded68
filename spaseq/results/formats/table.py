"""A table for people."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.text import Text

from spaseq.results.formats.columns import GAP, ColumnLayout, TextCell
from spaseq.results.formats.writer import Layout
from spaseq.results.shortening import shorten, show, show_events
from spaseq.results.table import MatchTable
from spaseq.results.times import iso

# How a terminal's lines become shorter, step by step: the last parts of IRIs that are shown, whether ``last`` is the
# time that went by since ``first``, and the characters between two columns.
_STEPS = ((2, False, GAP), (2, True, GAP), (1, True, GAP), (1, True, 2), (1, True, 1))
_WHOLE = (0, False, GAP)
_FIRST_ROWS = 1000  # that say how wide columns are


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let whoever called know; rich would end the program with exit code 1."""
        raise BrokenPipeError


class TableWriter:
    """Columns for times, variables and events.

    The first matches of a query set the layout; later ones follow under the same head.  On a terminal a match is one
    line: IRIs without a prefix are cut to their last parts, ``last`` may become the time that went by, and what is
    still too wide is cut where there is a ``…``.  A file has all of it.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._console = _Console(file=output, highlight=False)
        self._width = self._console.width if output.isatty() else None
        self._layout = layout
        self._query: tuple[str, tuple[str, ...]] | None = None
        self._step = _WHOLE
        self._columns = ColumnLayout((), GAP)

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        if len(table) and (table.query, table.columns) != self._query:
            self._begin(table)
        for index in range(len(table)):
            self._output.write(self._columns.line(self._cells(table, index), self._width))

    def close(self) -> None:
        """Nothing stands at the end."""

    def _begin(self, table: MatchTable) -> None:
        """A head of its own for each query; its columns as wide as these rows want, or as the terminal allows."""
        if self._query is not None:
            self._output.write("\n")
        if self._layout.several:
            self._console.print(Text(table.query, style="bold"))
        heads = [TextCell(head) for head in _heads(table)]
        self._columns = self._laid_out(table, heads).narrowed(self._width)
        self._console.print(Text(self._columns.line(heads, self._width), style="bold"), soft_wrap=True, end="")
        self._output.write(self._columns.rule(self._width) + "\n")
        self._columns = self._columns.widened(self._width)
        self._query = (table.query, table.columns)

    def _laid_out(self, table: MatchTable, heads: list[TextCell]) -> ColumnLayout:
        """Columns of the first step that fits the terminal, or of the last one."""
        for step in (_WHOLE,) if self._width is None else _STEPS:
            self._step = step
            rows = [self._cells(table, index) for index in range(min(len(table), _FIRST_ROWS))]
            columns = ColumnLayout.wanted([heads, *rows], step[2])
            if self._width is None or columns.total <= self._width:
                break
        return columns

    def _cells(self, table: MatchTable, index: int) -> list[TextCell]:
        prefixes, (parts, elapsed, _) = self._layout.prefixes, self._step
        first, last = int(table.first[index]), int(table.last[index])
        cells = [TextCell(iso(first), True), TextCell(iso(last), True)]
        if elapsed:
            cells = [TextCell(_without_zeros(iso(first)), True), TextCell(_elapsed(last - first))]
        for _, value in table.row(index):
            cells.append(TextCell(show(value, prefixes, parts), value is not None and value.kind == "uri"))
        if table.derived is None:
            return [*cells, TextCell(show_events(table.events(index), prefixes, parts))]
        event = table.derived[index]
        return [*cells, TextCell(shorten(event.name, prefixes), True), TextCell(str(len(event.triples)))]


def _heads(table: MatchTable) -> list[str]:
    tail = ["events"] if table.derived is None else ["derived event", "triples"]
    return ["first", "last", *("?" + name for name in table.columns), *tail]


def _without_zeros(time: str) -> str:
    return time.rstrip("Z").rstrip("0") + "Z" if "." in time else time


def _elapsed(microseconds: int) -> str:
    """``+0.1s``: all digits that there are."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"+{seconds}.{rest:06d}".rstrip("0").rstrip(".") + "s" if rest else f"+{seconds}s"
