"""One running query whose SELECT aggregates over matches: totals instead of matches, as long as the data allow it.

What the automaton cannot know is looked at batch by batch: an event with several solutions, or a value that is no exact
number, may be more than totals can tell.  From such a batch on a ``Matcher`` enumerates matches; it is given what the
window has seen before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton, WindowSpec
from nfa_native.automata.kinds import MatchQuantity
from nfa_native.core import archive
from nfa_native.core.arrays import MOST, Arrays, ascends, column, distinct, read_store, table
from nfa_native.joins.history import (
    FOREVER,
    LONG_AGO,
    History,
    HistoryBatch,
    Numbers,
    RowColumns,
    Rows,
    Words,
    batch_of,
    joined,
)
from nfa_native.joins.matcher import Matcher, RawMatches
from nfa_native.joins.substreams import split
from nfa_native.joins.totals import Ends, MatchedEvents, MatchTotal, SemiringAggregation, are_exact
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

MANY = 2**63  # more than there can be
COUNTERS = ("atoms", "fired", "entered")
VERSION = 1  # of its store in snapshots
WordMap = Callable[[Words], Words]
Total = tuple[int | None, ...]  # the number of matches, then one for each quantity; None: too large, or none


@dataclass(frozen=True, slots=True)
class TotalsSpec:
    """``keys[a]`` are the columns of atom a's rows that make the key, and ``shown`` the result columns with its parts.

    ``exact[a]`` are columns that may hold nothing but exact numbers.  ``one_row``: an event may have but one row for an
    atom; otherwise all of its rows must have the same key.  Quantity STARTS is the first of least values.
    """

    keys: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]
    quantities: tuple[MatchTotal, ...]
    exact: tuple[tuple[int, ...], ...]
    one_row: bool


class TotalledMatches(NamedTuple):
    """As ``RawMatches``; the first rows, one for each of ``totals``, stand for all matches of a time and key.

    They have no picks, and of their words only the key."""

    first: Numbers
    last: Numbers
    decided: Numbers
    pick_offsets: Numbers
    pick_atoms: NDArray[np.uint16]
    pick_events: Words
    words: Words
    totals: tuple[Total, ...]


class MatchTotals:
    """Runs an automaton over batches of events as a ``Matcher`` does; ``take`` gives totals of matches."""

    count_only = False
    tallies = False

    def __init__(self, automaton: Automaton, terms: Terms, spec: TotalsSpec) -> None:
        self.automaton = automaton
        self.terms = terms
        self.position = 0
        self.count = 0
        self._spec = spec
        self._aggregation = SemiringAggregation(automaton, terms, spec.keys, spec.quantities)
        self._matcher: Matcher | None = None
        self._history = History()
        self._time = LONG_AGO  # of the last event
        self._tick = 0  # its number
        self._tick_position = 0  # of its first event
        self._open = False
        self._promised = LONG_AGO
        self._next_event = 0
        self._waiting: list[TotalledMatches] = []  # results that came out before enumeration began
        self._before: dict[str, Numbers] = {}  # counters of events that this aggregation has not seen
        self._bounds = MANY, MANY

    @property
    def enumerates(self) -> bool:
        """Whether the data made enumeration necessary."""
        return self._matcher is not None

    @property
    def open_tick(self) -> int | None:
        """The time of the tick whose events may not all be there yet; None: there is none."""
        return self._time if self._open else None

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def feed(self, times: Numbers, events: Words, rows: Sequence[Rows | None]) -> None:
        """As ``Matcher.feed``."""
        if not len(times):
            return
        if self.automaton.keys:
            times, events, rows = split(times, events, rows, self.automaton.keys)
        batch = HistoryBatch(
            self.position, times, events, tuple(one if one is None or len(one.row_event) else None for one in rows)
        )
        if self._matcher is None and not self._can_total(batch):
            self._enumerate()
        if self._matcher is not None:
            self._matcher.feed(times, events, rows)
        else:
            self._total(batch)
        self._pass(batch)

    def feed_event(self, time: int, event: int, rows: list[EventRows | None]) -> None:
        """As ``Matcher.feed_event``."""
        self.feed(*batch_of(time, event, rows))

    # ── pauses ───────────────────────────────────────────────────────────────────────────────────────────
    def bound(self, most: int, most_held: int) -> None:
        """As ``Matcher.bound``, of matches that are enumerated."""
        self._bounds = most, most_held
        if self._matcher is not None:
            self._matcher.bound(most, most_held)

    @property
    def unfinished(self) -> bool:
        """As ``Matcher.unfinished``."""
        return self._matcher is not None and self._matcher.unfinished

    def go_on(self) -> None:
        """As ``Matcher.go_on``."""
        if self._matcher is not None:
            self._matcher.go_on()

    def complete(self) -> None:
        """As ``Matcher.complete``."""
        if self._matcher is not None:
            self._matcher.complete()

    @property
    def due(self) -> int:
        """As ``Matcher.due``: the totals of a tick come when it closes."""
        if self._open or self._waiting:
            return LONG_AGO
        return FOREVER if self._matcher is None else self._matcher.due

    def pending(self) -> int:
        """As ``Matcher.pending``, where totals may wait: 1."""
        return 1

    def advance(self, time: int) -> None:
        """Promise that no event before ``time`` will come."""
        self._promised = max(self._promised, time)
        if self._matcher is not None:
            self._matcher.advance(time)
        if self._open and self._time < time:
            self._close()

    def finish(self) -> None:
        """End of input."""
        if self._matcher is not None:
            self._matcher.finish()
        self._close()

    def take(self) -> TotalledMatches:
        """The results since the last call."""
        found = [*self._waiting, self._taken()]
        if self._matcher is not None:
            found.append(_without_totals(self._matcher.take()))
        self._waiting = []
        return found[0] if len(found) == 1 else _concatenate(found)

    def _taken(self) -> TotalledMatches:
        """What the aggregation found since the last call."""
        return self._totalled(self._aggregation.take())

    def _totalled(self, ends: Ends) -> TotalledMatches:
        number = len(ends.times)
        starts = next(q for q, one in enumerate(self._spec.quantities) if one.kind is MatchQuantity.STARTS)
        words = np.zeros((number, self.automaton.results), np.uint64)
        words[:, list(self._spec.shown)] = ends.keys
        return TotalledMatches(
            np.array(ends.totals[starts], np.int64), ends.times, ends.times, np.zeros(number + 1, np.int64),
            np.zeros(0, np.uint16), np.zeros(0, np.uint64), words, tuple(zip(ends.counts, *ends.totals, strict=True)),
        )  # fmt: skip

    def _close(self) -> None:
        self._open = False
        self._aggregation.close_tick()

    def _pass(self, batch: HistoryBatch) -> None:
        """The batch has been taken."""
        ticks = self._new_ticks(batch.times)
        if ticks[-1]:
            self._tick += int(ticks[-1])
            self._tick_position = batch.position + int(np.searchsorted(ticks, ticks[-1]))
        self._time, self._open = int(batch.times[-1]), True
        self.position += len(batch)
        self._next_event = int(batch.events[-1]) + 1
        if self._matcher is None:
            self._history.add(batch)
            self._history.forget(self._least, self.automaton.window.events)

    def _new_ticks(self, times: Numbers) -> Numbers:
        """How many ticks have begun since the last event (n)."""
        goes_on = self._open and int(times[0]) == self._time
        later = np.concatenate([[not goes_on], times[1:] != times[:-1]])
        return np.cumsum(later)

    @property
    def _least(self) -> int:
        """What the first event of a match that ends in the last tick, or later, has at least."""
        last = self._tick_position if self.automaton.window.events else self._time
        return int(earliest_starts(self.automaton.window, np.array([last], np.int64))[0])

    # ── totals ───────────────────────────────────────────────────────────────────────────────────────────
    def _total(self, batch: HistoryBatch) -> None:
        """Add the batch's events; later ones end the tick of those before them, whether they matched an atom or not."""
        ticks = self._tick + self._new_ticks(batch.times)
        measures = batch.position + np.arange(len(batch)) if self.automaton.window.events else batch.times
        events = MatchedEvents(ticks, batch.times, measures, earliest_starts(self.automaton.window, measures))
        self._aggregation.feed(events, batch.rows)
        matched = max((int(one.row_event[-1]) for one in batch.rows if one is not None), default=None)
        if (self._tick if matched is None else ticks[matched]) < ticks[-1]:
            self._aggregation.close_tick()

    def _can_total(self, batch: HistoryBatch) -> bool:
        """Whether totals tell all of the batch's events."""
        return all(self._is_plain(atom, one) for atom, one in enumerate(batch.rows) if one is not None)

    def _is_plain(self, atom: int, rows: Rows) -> bool:
        """Whether each event has one bound key, and one row if that is asked for, and exact numbers are exact."""
        spec = self._spec
        same = rows.row_event[1:] == rows.row_event[:-1]
        if spec.one_row and same.any():
            return False
        for slot in spec.keys[atom]:
            key = rows.columns[slot]
            if not key.all() or (key[1:] != key[:-1])[same].any():
                return False
        return all(are_exact(self.terms, np.ascontiguousarray(rows.columns[slot])) for slot in spec.exact[atom])

    # ── enumeration ──────────────────────────────────────────────────────────────────────────────────────
    def _enumerate(self) -> None:
        """Go on with a matcher that has seen all that the window has; it gives what is decided from now on."""
        matcher = Matcher(self.automaton, self.terms)
        matcher.bound(*self._bounds)
        self._waiting = [self._taken()]
        for number, batch in enumerate(self._history.batches):
            if number == 0:
                self._align(matcher, batch)
            matcher.feed(batch.times, batch.events, batch.rows)
            self._take_again(matcher)
        if self._promised > LONG_AGO and not self._open:
            matcher.advance(self._promised)
            self._take_again(matcher)
        self._aggregation = SemiringAggregation(self.automaton, self.terms, self._spec.keys, self._spec.quantities)
        self._history = History()
        self._matcher = matcher

    def _take_again(self, matcher: Matcher) -> None:
        """Of what the past gave, keep what is decided in a tick that is open."""
        while True:
            again = _decided_since(matcher.take(), self._time if self._open else self._time + 1)
            if len(again.first):
                self._waiting.append(_without_totals(again))
            if not matcher.unfinished:
                return
            matcher.go_on()

    def _align(self, matcher: Matcher, first: HistoryBatch) -> None:
        """Positions begin with 0: where they make windows, those of the matcher begin at a window's edge, too."""
        window = self.automaton.window
        missing = first.position % window.length if window.events else 0
        if missing:
            times = np.full(missing, first.times[0])
            matcher.feed(times, np.zeros(missing, np.uint64), [None] * len(first.rows))

    # ── who waits ────────────────────────────────────────────────────────────────────────────────────────
    def waiting(self) -> Numbers:
        """As ``Matcher.waiting``."""
        return self._aggregation.youngest() if self._matcher is None else self._matcher.waiting()

    def may_join(self, state: int, index: int, keys: Words) -> NDArray[np.bool_]:
        """As ``Matcher.may_join``; all states have the same keys."""
        return self._aggregation.has_key(keys) if self._matcher is None else self._matcher.may_join(state, index, keys)

    def oldest_event(self) -> int:
        """Numbers below this one will not be needed again."""
        if self._matcher is not None:
            return self._matcher.oldest_event()
        return int(self._history.batches[0].events[0]) if self._history.batches else self._next_event

    def groups(self) -> int:
        """As ``Matcher.groups``: totals are groups of partial matches, too."""
        return self._aggregation.groups() if self._matcher is None else self._matcher.groups()

    # ── statistics and snapshot ──────────────────────────────────────────────────────────────────────────
    def statistics(self) -> dict[str, Any]:
        """As ``Matcher.statistics``, as far as totals know."""
        if self._matcher is not None:
            return self._matcher.statistics() | {"aggregates": "enumerated"}
        counted = self._counted()
        return {
            "events": self.position,
            "results": self.count,
            "ticks": self._tick,
            "atoms": counted["atoms"].tolist(),
            "transitions": [self._transition(number, counted) for number in range(len(self.automaton.transitions))],
            "states": [self._state(number, counted) for number in range(len(self.automaton.states))],
            "nodes": 0,
            "stored_events": len(self._history),
            "aggregates": "totals",
        }

    def _transition(self, number: int, counted: dict[str, Numbers]) -> dict[str, int]:
        transition = self.automaton.transitions[number]
        offered = min(int(counted["atoms"][atom]) for atom in transition.choice.atoms)
        fired = int(counted["fired"][number])
        missed = "join_failed" if transition.step.joins else "nobody_waited"
        counters = dict.fromkeys(("nobody_waited", "join_failed", "filter_failed", "pairs", "scanned"), 0)
        return {"offered": offered, **counters, missed: max(0, offered - fired), "fired": fired}

    def _state(self, number: int, counted: dict[str, Numbers]) -> dict[str, int]:
        entered = int(counted["entered"][number])
        groups = self._aggregation.statistics()["substreams"] if entered else 0
        never = dict.fromkeys(("expired", "dropped_by_contiguity", "dropped_by_negation"), 0)
        return {"groups": groups, "entered": entered, **never}

    def _counted(self) -> dict[str, Numbers]:
        """Counters since the beginning."""
        found = self._aggregation.statistics()
        return {name: np.array(found[name], np.int64) + self._before.get(name, 0) for name in COUNTERS}

    def sweep_soon(self) -> None:
        """As ``Matcher.sweep_soon``; an aggregation sweeps at once."""
        if self._matcher is not None:
            self._matcher.sweep_soon()

    def trace(self) -> Words:
        """Every word that is held, once, in ascending order (0 apart)."""
        if self._matcher is not None:
            return self._matcher.trace()
        words: Words = distinct(self._history.words())
        held: Words = words[words != 0]
        return held

    def snapshot(self) -> bytes:
        """The state as bytes: what the window may still ask for.  Results must have been taken."""
        clock = np.array(
            [self.position, self._time, self._tick, self._open, self._promised, self._next_event, self.count], np.int64
        )
        if self._matcher is None:
            columns = {"clock": clock, **self._counted(), **self._recent()}
        else:
            columns = {"clock": clock, "matcher": np.frombuffer(self._matcher.snapshot(), np.uint8)}
        return archive.pack({"totals": (VERSION, columns)})

    def _recent(self) -> dict[str, NDArray[Any]]:
        """The events in the window as arrays."""
        if not self._history.batches:
            return {}
        batch = joined(self._history.batches)
        by_position = self.automaton.window.events
        measures = batch.position + np.arange(len(batch)) if by_position else batch.times
        batch = batch.since(int(np.searchsorted(measures, self._least)))
        arrays = {"position": np.array([batch.position]), "times": batch.times, "events": batch.events}
        for atom, rows in enumerate(batch.rows):
            if rows is not None:
                arrays |= {f"{atom} rows": rows.row_event, f"{atom} words": rows.columns}
        return arrays

    @staticmethod
    def restore(automaton: Automaton, terms: Terms, spec: TotalsSpec, data: bytes, word_map: WordMap) -> MatchTotals:
        """One that goes on where ``snapshot`` was taken; ``word_map`` renumbers words.  ValueError: damaged."""
        restored = MatchTotals(automaton, terms, spec)
        restored._load(read_store(data, "totals", VERSION), word_map)
        return restored

    def _load(self, arrays: Arrays, word_map: WordMap) -> None:
        position, time, tick, is_open, promised, next_event, count = column(arrays, "clock", np.int64, 7).tolist()
        counters = (position, tick, next_event, count)
        if min(counters) < 0 or max(counters) > MOST or is_open not in (0, 1):
            raise ValueError("the clock of the totals is none")
        if "matcher" in arrays:
            matcher = column(arrays, "matcher", np.uint8).tobytes()
            self._matcher = Matcher.restore(self.automaton, self.terms, matcher, word_map)
        elif "times" in arrays:
            self._load_recent(arrays, tick, word_map)
            if self._matcher is not None or (self.position, self._time) != (position, time):
                raise ValueError("the totals are not of the events in the window")
        self.position, self._time, self._tick, self._promised = position, time, tick, promised
        self._open, self._next_event, self.count = bool(is_open), next_event, count
        if not is_open:
            self._aggregation.close_tick()
        self._aggregation.take()  # it was taken before
        if self._matcher is None:
            counted = self._counted()
            self._before = {name: column(arrays, name, np.int64, len(now), 0) - now for name, now in counted.items()}
        elif self._matcher.next_event > next_event or self._matcher.next_time > self.next_time:
            raise ValueError("the matcher knows events that are yet to come")

    def _load_recent(self, arrays: Arrays, tick: int, word_map: WordMap) -> None:
        """Take the events in the window again."""
        batch = self._stored(arrays, word_map)
        self.position = batch.position
        self._tick = tick - int(self._new_ticks(batch.times)[-1])
        self.feed(batch.times, batch.events, batch.rows)

    def _stored(self, arrays: Arrays, word_map: WordMap) -> HistoryBatch:
        """The events in the window, at least one."""
        times = column(arrays, "times", np.int64)
        events = column(arrays, "events", np.uint64, len(times))
        position = int(column(arrays, "position", np.int64, 1, 0)[0])
        if not len(times) or not ascends(times) or not ascends(events):
            raise ValueError("the events in the window are not in order")
        rows = [self._stored_rows(arrays, atom, len(times), word_map) for atom in range(len(self.automaton.slots))]
        return HistoryBatch(position, times, events, tuple(rows))

    def _stored_rows(self, arrays: Arrays, atom: int, events: int, word_map: WordMap) -> Rows | None:
        if f"{atom} rows" not in arrays:
            return None
        numbers = column(arrays, f"{atom} rows", np.uint32)
        words = table(arrays, f"{atom} words", np.uint64, len(numbers))
        if not len(numbers):
            return None  # those that the window had are over
        if not ascends(numbers) or int(numbers[-1]) >= events or len(words) != self._slots(atom):
            raise ValueError(f"the rows of atom {atom} are not those of the events in the window")
        return RowColumns(numbers, word_map(np.ascontiguousarray(words).reshape(-1)).reshape(words.shape))

    def _slots(self, atom: int) -> int:
        return int(self.automaton.slots[atom])

    @property
    def next_event(self) -> int:
        """As ``Matcher.next_event``."""
        return self._next_event

    @property
    def next_time(self) -> int:
        """As ``Matcher.next_time``."""
        return self._time if self._open else max(self._promised, self._time)


def earliest_starts(window: WindowSpec, measures: Numbers) -> Numbers:
    """What windows measure of the earliest first event for matches whose last ones measure so much (n)."""
    length = window.length
    if not length:
        return np.full(len(measures), LONG_AGO)
    if window.sliding:
        return measures - length + window.events
    if window.events:
        return measures // length * length
    return window.origin - (window.origin - measures) // length * length - length


def _decided_since(raw: RawMatches, time: int) -> RawMatches:
    """The matches that are decided at that time or later; they come in this order."""
    first = int(np.searchsorted(raw.decided, time))
    offset = raw.pick_offsets[first]
    return RawMatches(
        raw.first[first:], raw.last[first:], raw.decided[first:], raw.pick_offsets[first:] - offset,
        raw.pick_atoms[offset:], raw.pick_events[offset:], raw.words[first:],
    )  # fmt: skip


def _without_totals(raw: RawMatches) -> TotalledMatches:
    return TotalledMatches(*raw, ())


def _concatenate(parts: Sequence[TotalledMatches]) -> TotalledMatches:
    """Results one after the other; only the first of them have totals."""
    shifts = np.cumsum([0, *(one.pick_offsets[-1] for one in parts)])
    offsets = [one.pick_offsets[:-1] + shift for one, shift in zip(parts, shifts, strict=False)]
    return TotalledMatches(
        np.concatenate([one.first for one in parts]),
        np.concatenate([one.last for one in parts]),
        np.concatenate([one.decided for one in parts]),
        np.concatenate([*offsets, shifts[-1:]]),
        np.concatenate([one.pick_atoms for one in parts]),
        np.concatenate([one.pick_events for one in parts]),
        np.concatenate([one.words for one in parts]),
        tuple(total for one in parts for total in one.totals),
    )
