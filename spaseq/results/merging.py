"""The results of several queries in one order: by the time at which they were decided, then by query."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter, le

import numpy as np

from spaseq.results.match import Match
from spaseq.results.table import MatchTable, MergedTables


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
    """The same, as tables; one table of each source is held at a time."""
    if len(sources) == 1:
        yield from map(MergedTables.of, sources[0])
        return
    heads = [_Head(iter(source)) for source in sources]
    while heads := [head for head in heads if head.fill()]:
        yield _earliest(heads)


def _timed(tables: Iterable[MatchTable]) -> Iterator[tuple[int, Match]]:
    return (pair for table in tables for pair in zip(table.decided.tolist(), table, strict=True))


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

    def latest(self) -> int:
        """When the last result of the table was decided."""
        assert self.table is not None
        return int(self.table.decided[-1])

    def take(self, until: int, included: bool) -> MatchTable:
        """Its results that were decided before that time, or at it."""
        assert self.table is not None
        table = self.table
        count = int(np.searchsorted(table.decided, until, side="right" if included else "left"))
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
    return MergedTables(tables, turns[np.argsort(np.concatenate([table.decided for table in tables]), kind="stable")])
