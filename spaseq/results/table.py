"""Matches of a query as a table, which can become frames of other libraries or HTML; those of several in one order."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter, le
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import require
from spaseq.results.match import Match, MatchColumns
from spaseq.results.terms import show, show_events
from spaseq.streams.timestamps import iso

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from spaseq.results.arrow import Types


def in_order(tables: Sequence[MatchTable]) -> list[Match]:
    """The matches of all tables, by the time at which they were decided; among equals in the order of the tables."""
    if len(tables) < 2:
        return list(tables[0]) if tables else []
    matches = [match for table in tables for match in table]
    decided = [time for table in tables for time in table.decided.tolist()]
    if all(map(le, decided, decided[1:])):
        return matches
    return [matches[place] for place in np.argsort(decided, kind="stable").tolist()]


def merged_matches(sources: Sequence[Iterable[MatchTable]]) -> Iterator[Match]:
    """The same, one by one, of sources each of which is in order by itself."""
    if len(sources) == 1:
        return (match for table in sources[0] for match in table)
    return (match for _, match in heapq.merge(*map(_timed, sources), key=itemgetter(0)))


def merged_tables(sources: Sequence[Iterable[MatchTable]]) -> Iterator[MergedTables]:
    """The same, as tables; one table of each source is held at a time.

    Where tables say of which row of parameters their results are, those of one time come in the order of rows.
    """
    if len(sources) == 1:
        yield from map(MergedTables.of, sources[0])
        return
    heads = [_Head(iter(source)) for source in sources]
    while heads := [head for head in heads if head.fill()]:
        yield _earliest(heads)


def _timed(tables: Iterable[MatchTable]) -> Iterator[tuple[int, Match]]:
    return (pair for table in tables for pair in zip(table.decided.tolist(), table, strict=True))


Side = Literal["left", "right"]
_BEFORE: Side = "left"
_BEHIND: Side = "right"


@dataclass(slots=True)
class _Head:
    """What is to be taken next of a source."""

    source: Iterator[MatchTable]
    table: MatchTable | None = None

    def fill(self) -> bool:
        """Get a table if nothing is left; False at the end of the source."""
        if self.table is None:
            self.table = next((table for table in self.source if len(table)), None)
        return self.table is not None

    def latest(self) -> tuple[int, int]:
        """When the last result of the table was decided, and the place of its row."""
        assert self.table is not None
        return int(self.table.decided[-1]), 0 if self.table.places is None else int(self.table.places[-1])

    def take(self, until: tuple[int, int], included: bool) -> MatchTable:
        """Its results that were decided before that time, or at it and of rows before that place; or at both."""
        assert self.table is not None
        table, (time, place), side = self.table, until, _BEHIND if included else _BEFORE
        if table.places is None:
            count = int(np.searchsorted(table.decided, time, side=side))
        else:
            first, end = (int(np.searchsorted(table.decided, time, side=one)) for one in (_BEFORE, _BEHIND))
            count = first + int(np.searchsorted(table.places[first:end], place, side=side))
        self.table = table[count:] if count < len(table) else None
        return table[:count] if count < len(table) else table


def _earliest(heads: Sequence[_Head]) -> MergedTables:
    """The results that come before all that is not known yet."""
    latest = [head.latest() for head in heads]
    until = min(latest)
    first = latest.index(until)
    # At that time itself the first source may go on, and its results come before those of later ones.
    tables = [head.take(until, number <= first) for number, head in enumerate(heads)]
    turns = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
    decided = np.concatenate([table.decided for table in tables])
    places = [np.zeros(len(table), np.int64) if table.places is None else table.places for table in tables]
    return MergedTables(tables, turns[np.lexsort((np.concatenate(places), decided))])


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
    from html import escape

    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


# ── tables of one query ──────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, eq=False, repr=False)
class MatchTable(MatchColumns):
    """``m`` matches of one query with ``k`` columns (``MatchColumns``), as a sequence of ``Match``.

    ``to_arrow``, ``to_pandas`` and ``to_polars`` make frames of them; a notebook shows the first.
    """

    def to_arrow(self, types: Types | None = None, terms: str | None = None) -> pyarrow.Table:
        """An Arrow table (``spaseq.results.frames``), with these types of some columns.

        ``terms="ntriples"``: columns of variables have no types, but their terms in N-Triples, as strings; that is
        faster, and nothing is lost.  OptionError: pyarrow is not installed, a type or column is unknown, or types and
        terms are asked for.  StreamError: a term is none of its column's type.
        """
        require("pyarrow")
        from spaseq.results.frames import to_arrow

        return to_arrow(self, types, terms)

    def to_pandas(self, types: Types | None = None) -> pandas.DataFrame:
        """A data frame of pandas; errors as of ``to_arrow``."""
        require("pandas", "pyarrow")
        from spaseq.results.frames import to_pandas

        return to_pandas(self.to_arrow(types))

    def to_polars(self, types: Types | None = None) -> polars.DataFrame:
        """A data frame of polars; errors as of ``to_arrow``."""
        require("polars", "pyarrow")
        from spaseq.results.frames import to_polars

        return to_polars(self.to_arrow(types))

    def _repr_html_(self) -> str:

        return to_html(self)


# ── results of several queries in one order ──────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True, eq=False)
class MergedTables:
    """``m`` results of several queries: ``turns`` (m) has for each the number of its table in ``tables``.

    The results of a table take their turns in its order.
    """

    tables: Sequence[MatchTable]
    turns: NDArray[np.intp]

    @staticmethod
    def of(table: MatchTable) -> MergedTables:
        """The results of one table."""
        return MergedTables((table,), np.zeros(len(table), np.intp))

    def __len__(self) -> int:
        return len(self.turns)

    def first(self, most: int) -> MergedTables:
        """At most so many of them, the first ones."""
        return self if len(self) <= most else MergedTables(self.tables, self.turns[:most])

    def only(self, queries: Collection[str]) -> MergedTables:
        """Those of these queries."""
        kept = [number for number, table in enumerate(self.tables) if table.query in queries]
        if len(kept) == len(self.tables):
            return self
        numbers = np.full(len(self.tables), -1)
        numbers[kept] = np.arange(len(kept))
        turns = numbers[self.turns]
        return MergedTables([self.tables[number] for number in kept], turns[turns >= 0])

    def runs(self) -> Iterator[MatchTable]:
        """The results in order as tables, each with those of one query that follow each other."""
        taken = [0] * len(self.tables)
        ends = np.append(np.flatnonzero(np.diff(self.turns)) + 1, len(self.turns)) if len(self.turns) else ()
        start = 0
        for end in np.asarray(ends).tolist():
            number = int(self.turns[start])
            table, at = self.tables[number], taken[number]
            taken[number] = at + end - start
            yield table if end - start == len(table) else table[at : taken[number]]
            start = end
