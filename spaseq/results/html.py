"""Results in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from spaseq.pattern.times import iso
from spaseq.results.match import MatchColumns
from spaseq.results.shortening import show, show_events

MOST_SHOWN = 20


def to_html(table: MatchColumns, most: int = MOST_SHOWN) -> str:
    """An HTML table of the first ``most`` matches, with a line that tells how many there are."""
    heads = ["first", "last", *("?" + name for name in table.columns), "events"]
    rest = f"{len(table)} matches" + (f", the first {most} shown" if len(table) > most else "")
    return html_table(heads, (_cells(table, index) for index in range(min(len(table), most))), rest)


def html_table(heads: Sequence[str], rows: Iterable[Iterable[str]], told: str) -> str:
    """Rows of cells under their heads, and what is told about them."""
    body = "".join(_row("td", row) for row in rows)
    return f"<table><thead>{_row('th', heads)}</thead><tbody>{body}</tbody></table><p>{told}</p>"


def _cells(table: MatchColumns, index: int) -> list[str]:
    times = [iso(int(table.first[index])), iso(int(table.last[index]))]
    return times + [show(value, {}) for _, value in table.row(index)] + [show_events(table.events(index), {})]


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
