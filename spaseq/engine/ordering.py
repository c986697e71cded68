"""The results of several queries in one order."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter, le

import numpy as np

from spaseq.results.match import Match
from spaseq.results.table import MatchTable


class Decided(Iterator[MatchTable]):
    """What one call decides: tables one after the other, each of one query; or its ``matches``, one by one.

    It is found as it is asked for.  What is not taken comes with a later call.
    """

    def __init__(self, tables: Iterator[MatchTable], matches: Callable[[], Iterator[Match]]) -> None:
        self._tables = tables
        self._matches = matches

    def __iter__(self) -> Iterator[MatchTable]:
        return self._tables

    def __next__(self) -> MatchTable:
        return next(self._tables)

    def matches(self) -> Iterator[Match]:
        """The same as matches in order of decision, instead of the tables."""
        return self._matches()


def in_order(tables: Sequence[MatchTable]) -> list[Match]:
    """The matches of all tables, by the time at which they were decided; among equals in the order of the tables."""
    if len(tables) < 2:
        return list(tables[0]) if tables else []
    matches = [match for table in tables for match in table]
    decided = [time for table in tables for time in table.decided.tolist()]
    if all(map(le, decided, decided[1:])):
        return matches
    return [matches[place] for place in np.argsort(decided, kind="stable").tolist()]


def merged(sources: Sequence[Iterable[MatchTable]]) -> Iterator[Match]:
    """The same, one by one, of sources each of which is in order by itself."""
    if len(sources) == 1:
        return (match for table in sources[0] for match in table)
    return (match for _, match in heapq.merge(*map(_timed, sources), key=itemgetter(0)))


def _timed(tables: Iterable[MatchTable]) -> Iterator[tuple[int, Match]]:
    return (pair for table in tables for pair in zip(table.decided.tolist(), table, strict=True))
