"""Results on their way out: in one order, to callbacks, and to whoever has called the engine."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter, le
from typing import Any, TypeVar

import numpy as np

from spaseq.results.match import Match
from spaseq.results.table import MatchTable, MergedTables

OnMatch = Callable[[Match], object]
T = TypeVar("T")


class Calls:
    """Calls of callbacks of one kind; what they raise is kept until all have been called."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._errors: list[Exception] = []

    def call(self, callback: Callable[[T], object], value: T) -> None:
        """Call it.  MemoryError alone is raised at once: there may be none for the next one either."""
        try:
            callback(value)
        except MemoryError:
            raise
        except Exception as error:
            self._errors.append(error)

    def check(self) -> None:
        """ExceptionGroup: what callbacks have raised since this was asked last."""
        errors, self._errors = self._errors, []
        if errors:
            raise ExceptionGroup(f"{self._kind} raised; all were called, and results come with the next call", errors)


class Delivery:
    """Hands matches to the callbacks of their queries, then to whoever has called the engine."""

    def __init__(self) -> None:
        self._calls = Calls("callbacks (on_match)")
        self._untold: deque[tuple[Match, OnMatch | None]] = deque()
        self._told: list[Match] = []  # nobody was given them yet

    @property
    def waits(self) -> bool:
        """Whether there are matches that a call could not give, as a callback raised."""
        return bool(self._told or self._untold)

    def deliver(self, matches: Sequence[Match], callbacks: Mapping[str, OnMatch | None]) -> list[Match]:
        """These matches, behind those that wait; ``callbacks`` are those of their queries.

        ExceptionGroup: some callbacks have raised.  All were called, and the matches come with the next call.
        """
        self._untold.extend((match, callbacks[match.query]) for match in matches)
        while self._untold:
            match, callback = self._untold.popleft()
            self._told.append(match)
            if callback is not None:
                self._calls.call(callback, match)
        self._calls.check()
        told, self._told = self._told, []
        return told


Merge = Callable[[Sequence[Iterable[MatchTable]]], Iterator[T]]


class Decided(Iterator[MatchTable]):
    """What one call decides: tables one after the other, each of one query; or all of it in one order.

    It is found as it is asked for, in one of these ways.  What is not taken comes with a later call.
    """

    def __init__(self, tables: Iterator[MatchTable], merged_by: Callable[[Merge[Any]], Iterator[Any]]) -> None:
        self._tables = tables
        self._merged_by = merged_by

    def __iter__(self) -> Iterator[MatchTable]:
        return self._tables

    def __next__(self) -> MatchTable:
        return next(self._tables)

    def matches(self) -> Iterator[Match]:
        """Matches one by one, in order of decision, among equals in that of their queries."""
        return self._merged_by(merged_matches)

    def merged(self) -> Iterator[MergedTables]:
        """The same, many together."""
        return self._merged_by(merged_tables)


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
