"""A plan and matcher as simple as can be, to test what lies around them.

Every event that matches the atom ``A`` is a match of its own, decided at its time, or, if the query has a window, when
that much time has passed: like a negation at the end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpm.algebra import Group, Iri, Projection, Triple, Triples, Variable
from spaseq.pattern.sequences import Atom, AtomDefinition, Construction, Query, Selection, Stream, Window

VALUE = Iri("http://ex.org/value")


class Raw(NamedTuple):
    first: np.ndarray
    last: np.ndarray
    decided: np.ndarray
    pick_offsets: np.ndarray
    pick_atoms: np.ndarray
    pick_events: np.ndarray
    words: np.ndarray


class StandInMatcher:
    """``waiting`` and ``decided`` hold ``(decision time, event time, number, word)``."""

    def __init__(self, delay: int) -> None:
        self.delay = delay
        self.fed: list[tuple[int, int]] = []
        self.waiting: list[tuple[int, int, int, int]] = []
        self.decided: list[tuple[int, int, int, int]] = []
        self.count = 0
        self.count_only = False
        self.tallies = False
        self.next = 0

    def feed(self, times: np.ndarray, events: np.ndarray, rows: list[Any]) -> None:
        self.fed += zip(times.tolist(), events.tolist(), strict=True)
        self.next = int(events[-1]) + 1
        if rows[0] is None:
            return
        for event, word in zip(rows[0].row_event.tolist(), rows[0].columns[0].tolist(), strict=True):
            time = int(times[event])
            match = (time + self.delay, time, int(events[event]), word)
            (self.waiting if self.delay else self.decided).append(match)

    def feed_event(self, time: int, event: int, rows: list[Any]) -> None:
        self.feed(np.array([time]), np.array([event], np.uint64), rows)

    @property
    def due(self) -> int:
        return min((match[0] for match in self.waiting), default=2**63 - 1)

    unfinished = False

    def bound(self, most: int, most_held: int) -> None:
        """It never pauses."""

    def go_on(self) -> None:
        """It never pauses."""

    def complete(self) -> None:
        """It never pauses."""

    def pending(self) -> int:
        return len(self.decided)

    def advance(self, time: int) -> None:
        self._decide([match for match in self.waiting if match[0] < time])

    def finish(self) -> None:
        self._decide(list(self.waiting))

    def _decide(self, matches: list[tuple[int, int, int, int]]) -> None:
        self.decided += sorted(matches)
        self.waiting = [match for match in self.waiting if match not in matches]

    def take(self) -> Raw:
        taken, self.decided = self.decided, []
        self.count += len(taken)
        decided, time, number, word = (np.array(column) for column in zip(*taken, strict=True)) if taken else [[]] * 4
        offsets = np.arange(len(taken) + 1)
        last = np.array(time, np.int64)
        words = np.array(word, np.uint64).reshape(-1, 1)
        picks = np.zeros(len(taken), np.uint16)
        return Raw(last, last, np.array(decided, np.int64), offsets, picks, np.array(number, np.uint64), words)

    def oldest_event(self) -> int:
        return min((match[2] for match in self.waiting), default=self.next)

    def statistics(self) -> dict[str, Any]:
        return {"waiting": len(self.waiting), "atoms": [self.count]}

    def trace(self) -> np.ndarray:
        return np.array([match[3] for match in self.waiting], np.uint64)

    @property
    def next_event(self) -> int:
        return self.next

    next_time = -(2**63)

    def snapshot(self) -> bytes:
        return json.dumps([self.waiting, self.count, self.next]).encode()


class StandInPlan:
    """The plan of a query made by ``query``."""

    decided_by_edge = True
    decided_out_of_order = False
    rows_together = True
    by_partition = False
    match_aggregates = False
    readings = ()

    def __init__(self, query: Query) -> None:
        self.query = query
        self.atoms = query.atoms
        self.columns = self.varying = ("v",)
        self.matchers: list[StandInMatcher] = []

    @property
    def selection(self) -> tuple[Projection, ...]:
        return self.query.form.projections if isinstance(self.query.form, Selection) else ()

    @property
    def having(self) -> tuple[()]:
        return ()

    def report(self, counters: dict[str, Any], came: dict[str, int], evaluated: dict[int, int]) -> dict[str, Any]:
        return {"counters": counters, "came": dict(came)}

    def fingerprint(self) -> str:
        return hashlib.sha256(repr(self.query).encode()).hexdigest()

    def fingerprint_of(self, terms: tuple[bytes, ...]) -> str:
        return self.fingerprint()

    def automaton(self, terms: Any) -> None:
        """It has none."""

    def start(self, terms: Any, automaton: None = None) -> StandInMatcher:
        window = self.query.window
        self.matchers.append(StandInMatcher(window.length if window is not None and not window.events else 0))
        return self.matchers[-1]

    def restore(
        self, terms: Any, data: bytes, word_map: Callable[[np.ndarray], np.ndarray], automaton: None = None
    ) -> StandInMatcher:
        matcher = self.start(terms)
        waiting, matcher.count, matcher.next = json.loads(data)
        words = word_map(np.array([match[3] for match in waiting], np.uint64)).tolist()
        matcher.waiting = [(*match[:3], word) for match, word in zip(waiting, words, strict=True)]
        return matcher


def query(*streams: str, name: str = "", delay: int = 0, events: bool = False, into: str = "") -> Query:
    """Matches the events of the first of ``streams`` that have a value; ``into`` makes it derive a stream."""
    pattern = Group((Triples((Triple(Variable("s"), VALUE, Variable("v")),)),))
    template = (Triple(Iri("http://ex.org/derived"), VALUE, Variable("v")),)
    form = Construction(template, into) if into else Selection((Projection("v", Variable("v")),))
    window = Window(delay or 1, events=events) if delay or events else None
    declared = tuple(Stream(iri.rpartition(":")[2], iri) for iri in streams)
    atom = AtomDefinition("A", streams[0], pattern, ("v",))
    return Query(form, declared, (atom,), Atom("A"), window, name)
