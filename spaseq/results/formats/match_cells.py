"""Matches as cells of a table for people."""

from __future__ import annotations

from collections.abc import Mapping

from spaseq.pattern.times import iso
from spaseq.results.formats.block import Shortening
from spaseq.results.formats.columns import TextCell
from spaseq.results.shortening import shorten, show, show_events
from spaseq.results.table import MatchTable


def match_cells(table: MatchTable, index: int, prefixes: Mapping[str, str], shortening: Shortening) -> list[TextCell]:
    """Times, variables, and events or the event that was derived."""
    parts = shortening.parts
    cells = _times(int(table.first[index]), int(table.last[index]), shortening.elapsed)
    for _, value in table.row(index):
        cells.append(TextCell(show(value, prefixes, parts), value is not None and value.kind == "uri"))
    if table.derived is None:
        return [*cells, TextCell(show_events(table.events(index), prefixes, parts))]
    event = table.derived[index]
    return [*cells, TextCell(shorten(event.name, prefixes), True), TextCell(str(len(event.triples)))]


def _times(first: int, last: int, elapsed: bool) -> list[TextCell]:
    if elapsed:
        return [TextCell(_without_zeros(iso(first)), True), TextCell(_elapsed(last - first))]
    return [TextCell(iso(first), True), TextCell(iso(last), True)]


def _without_zeros(time: str) -> str:
    return time.rstrip("Z").rstrip("0") + "Z" if "." in time else time


def _elapsed(microseconds: int) -> str:
    """``+0.1s``: all digits that there are."""
    seconds, rest = divmod(microseconds, 1_000_000)
    return f"+{seconds}.{rest:06d}".rstrip("0").rstrip(".") + "s" if rest else f"+{seconds}s"
