"""What is left of the matcher of a query that is over: its counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.rows import AtomRows
from nfa_native.automata.automaton import Automaton
from nfa_native.core import archive
from nfa_native.core.arrays import Arrays, column, read_store
from nfa_native.core.counters import numbers_of, tree_of
from nfa_native.terms.rows import EventRows
from spaseq.graphs.matchers import AnyMatcher, Words
from spaseq.results.match_rows import MatchRows
from spaseq.streams.timestamps import GREATEST

_NOBODY = -(2**63)
VERSION = 1  # of its store in snapshots


class Spent:
    """A matcher that takes what it is told, and does nothing with it."""

    count_only = False
    tallies = False
    unfinished = False
    position = 0
    open_tick = None
    due = GREATEST

    def __init__(self, automaton: Automaton, counters: dict[str, Any]) -> None:
        self.automaton = automaton
        self._counters = counters

    @property
    def count(self) -> int:
        """The matcher's results."""
        return int(self._counters["results"])

    def bound(self, most: int, most_held: int) -> None:
        """It holds nothing."""

    def feed(self, times: NDArray[np.int64], events: Words, rows: Sequence[AtomRows | None]) -> None:
        """Nothing happens."""

    def feed_event(self, time: int, event: int, rows: list[EventRows | None]) -> None:
        """Nothing happens."""

    def advance(self, time: int) -> None:
        """Nothing happens."""

    def finish(self) -> None:
        """Nothing happens."""

    def go_on(self) -> None:
        """Nothing is left to be done."""

    def complete(self) -> None:
        """Nothing is left to be done."""

    def pending(self) -> int:
        """There are no results."""
        return 0

    def take(self) -> MatchRows:
        """Never called, as nothing is pending."""
        raise AssertionError("a query that is over has no results")

    def oldest_event(self) -> int:
        """No event is needed."""
        return GREATEST

    def groups(self) -> int:
        """Nothing is kept."""
        return 0

    def waiting(self) -> NDArray[np.int64]:
        """Nobody waits."""
        return np.full(len(self.automaton.states), _NOBODY, np.int64)

    def may_join(self, state: int, index: int, keys: Words) -> NDArray[np.bool_]:
        """Nobody waits."""
        return np.zeros(keys.shape[1], np.bool_)

    def statistics(self) -> dict[str, Any]:
        """The counters when it ended, and nothing that is kept."""
        states = [state | {"groups": 0} for state in self._counters["states"]]
        return self._counters | {"states": states, "nodes": 0, "stored_events": 0}

    def sweep_soon(self) -> None:
        """Nothing is kept."""

    def trace(self) -> Words:
        """It holds no words."""
        return np.zeros(0, np.uint64)

    next_event = 0
    next_time = _NOBODY

    def snapshot(self) -> bytes:
        """The counters."""
        is_enumerated = self._counters.get("aggregates") == "enumerated"
        columns: Arrays = {"counters": numbers_of(self._counters), "enumerated": np.array([is_enumerated], np.uint8)}
        return archive.pack({"spent": (VERSION, columns)})

    @staticmethod
    def restore(matcher: AnyMatcher, data: bytes) -> Spent:
        """What was left when ``snapshot`` was taken, of a matcher like this one; ValueError: damaged."""
        like = matcher.statistics()
        columns = read_store(data, "spent", VERSION)
        counters = tree_of(column(columns, "counters", np.int64), like)
        is_enumerated = bool(column(columns, "enumerated", np.uint8, 1)[0])
        if is_enumerated and "aggregates" in like:
            counters["aggregates"] = "enumerated"
        return Spent(matcher.automaton, counters)
