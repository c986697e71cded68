"""Matches of a query as a table, which can become frames of other libraries or HTML; those of several in one order."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import itemgetter, le
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from nfa_native.core.arrays import counted
from spaseq.errors import require
from spaseq.results.match import Match, MatchColumns, ResultShape
from spaseq.results.terms import show, show_events
from spaseq.streams.timestamps import iso

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from spaseq.results.arrow import Types


def in_order(tables: Sequence[MatchTable], turns: Callable[[], Mapping[str, int]]) -> list[Match]:
    """The matches of all tables, by the time at which they were decided; among equals in the order of the tables.

    ``turns`` tells this order by query where some table is of several.
    """
    if len(tables) < 2:
        return list(tables[0]) if tables else []
    if any(table.places is not None for table in tables):
        matches = [match for table in tables for match in table]
        turn = turns()
        return sorted(matches, key=lambda match: (match.microseconds.decided, turn[match.query]))
    matches = [match for table in tables for match in table]
    decided = [time for table in tables for time in table.decided.tolist()]
    if all(map(le, decided, decided[1:])):
        return matches
    return [matches[place] for place in np.argsort(decided, kind="stable").tolist()]


def merged_matches(sources: Sequence[Iterable[MatchTable]], places: Sequence[int]) -> Iterator[Match]:
    """The same, one by one, of sources each of which is in order by itself: see ``merged_tables``."""
    if len(sources) == 1:
        return (match for table in sources[0] for match in table)
    timed = [_timed(source, place) for source, place in zip(sources, places, strict=True)]
    return (match for _, match in heapq.merge(*timed, key=itemgetter(0)))


def merged_tables(sources: Sequence[Iterable[MatchTable]], places: Sequence[int]) -> Iterator[MergedTables]:
    """The same, as tables; one table of each source is held at a time.

    Results of one time come in the order of their places: those that a table has, else that of its source (these
    ascend).
    """
    if len(sources) == 1:
        yield from map(MergedTables.of, sources[0])
        return
    heads = [_Head(iter(source), place) for source, place in zip(sources, places, strict=True)]
    while heads := [head for head in heads if head.fill()]:
        yield _earliest(heads)


def _timed(tables: Iterable[MatchTable], place: int) -> Iterator[tuple[tuple[int, int], Match]]:
    for table in tables:
        turns = zip(table.decided.tolist(), _places(table, place).tolist(), strict=True)
        yield from zip(turns, table, strict=True)


def _places(table: MatchTable, place: int) -> NDArray[np.int64]:
    return np.full(len(table), place) if table.places is None else table.places


Side = Literal["left", "right"]
_BEFORE: Side = "left"
_BEHIND: Side = "right"


@dataclass(slots=True)
class _Head:
    """What is to be taken next of a source."""

    source: Iterator[MatchTable]
    place: int  # of results whose tables do not tell it
    table: MatchTable | None = None

    def fill(self) -> bool:
        """Get a table if nothing is left; False at the end of the source."""
        if self.table is None:
            self.table = next((table for table in self.source if len(table)), None)
        return self.table is not None

    def latest(self) -> tuple[int, int]:
        """When the last result of the table was decided, and its place."""
        assert self.table is not None
        return int(self.table.decided[-1]), self.place if self.table.places is None else int(self.table.places[-1])

    def take(self, until: tuple[int, int], included: bool) -> MatchTable:
        """Its results that were decided before that time, or at it and of places before that one; or at both."""
        assert self.table is not None
        table, (time, place), side = self.table, until, _BEHIND if included else _BEFORE
        if table.places is None:
            before = self.place < place or (included and self.place == place)
            count = int(np.searchsorted(table.decided, time, side=_BEHIND if before else _BEFORE))
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
    places = np.concatenate([_places(table, head.place) for table, head in zip(tables, heads, strict=True)])
    return MergedTables(tables, turns[np.lexsort((places, decided))])


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


@dataclass(frozen=True, eq=False, repr=False)
class FamilyTable(MatchTable):
    """Matches of queries that run as one, in order of decision and among equals in that of the queries.

    ``places`` says of which query each is; by place, ``names`` are what queries are called, ``titles`` what their
    columns are where that is something else, and ``shapes`` those of their results so far.
    """

    names: Mapping[int, str] = field(default_factory=dict)
    titles: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    shapes: dict[int, ResultShape] = field(default_factory=dict)

    @staticmethod
    def of(
        table: MatchTable,
        names: Mapping[int, str],
        titles: Mapping[int, tuple[str, ...]],
        shapes: dict[int, ResultShape],
    ) -> FamilyTable:
        """A table of results that has ``places``."""
        values = {one.name: getattr(table, one.name) for one in fields(table)}
        return FamilyTable(**values | {"names": names, "titles": titles, "shapes": shapes})

    @property
    def queries(self) -> Collection[str]:
        """See ``MatchColumns``."""
        return [] if self.places is None else [self.names[place] for place in counted(self.places)[0].tolist()]

    def query_of(self, index: int) -> str:
        """See ``MatchColumns``."""
        assert self.places is not None
        return self.names[int(self.places[index])]

    def row(self, index: int) -> list[tuple[str, Any]]:
        """See ``MatchColumns``."""
        assert self.places is not None
        titles = self.titles.get(int(self.places[index])) if self.titles else None
        values = super().row(index)
        return values if titles is None else [(name, value) for name, (_, value) in zip(titles, values, strict=True)]

    def alone(self, indices: NDArray[np.int64]) -> FamilyTable:
        """See ``MatchColumns``."""
        found = super().alone(indices)
        assert found.places is not None
        places = set(found.places.tolist())
        titles = {place: self.titles[place] for place in places & self.titles.keys()}
        return replace(found, names={place: self.names[place] for place in places}, titles=titles, shapes={})

    def by_query(self) -> Iterator[tuple[NDArray[np.intp], MatchTable]]:
        """The results of each query that has some, and where they stand here."""
        assert self.places is not None
        order = np.argsort(self.places, kind="stable")
        together = self.select(order)
        places, counts = counted(self.places)
        ends = np.cumsum(counts)
        for place, start, end in zip(places.tolist(), (ends - counts).tolist(), ends.tolist(), strict=True):
            yield order[start:end], together.part(self.names[place], place, start, end)

    def part(self, query: str, place: int, start: int, end: int) -> MatchTable:
        """The results from one position to another, which are those of that query."""
        first, last = self.pick_offsets[[start, end]].tolist()
        shape = self.shapes.setdefault(place, ResultShape(self.shape.gpms))
        # Copies: whoever keeps the results of one query does not keep those of others.
        return MatchTable(
            query, self.titles.get(place, self.columns), self.words[start:end].copy(), self.first[start:end].copy(),
            self.last[start:end].copy(), self.decided[start:end].copy(), self.pick_offsets[start : end + 1] - first,
            self.pick_atoms[first:last].copy(), self.pick_events[first:last].copy(), self.atom_names, self.event_name,
            self.terms, shape, places=np.full(end - start, place),
        )  # fmt: skip


def each_of_one_query(tables: Iterable[MatchTable]) -> Iterator[MatchTable]:
    """The tables, those of families as one for each query."""
    for table in tables:
        if isinstance(table, FamilyTable):
            yield from (part for _, part in table.by_query())
        else:
            yield table


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

    def by_query(self) -> MergedTables:
        """The same, each table of one query."""
        if not any(isinstance(table, FamilyTable) for table in self.tables):
            return self
        tables: list[MatchTable] = []
        turns = np.empty(len(self.turns), np.intp)
        for number, table in enumerate(self.tables):
            which = np.full(len(table), len(tables))
            if isinstance(table, FamilyTable):
                for found, part in table.by_query():
                    which[found] = len(tables)
                    tables.append(part)
            else:
                tables.append(table)
            its = np.flatnonzero(self.turns == number)
            turns[its] = which[: len(its)]
        return MergedTables(tables, turns)

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
