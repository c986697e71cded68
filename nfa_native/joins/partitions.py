"""A matcher for each substream, where windows count the events of a substream by themselves.

Only the matchers of keys that events bring are touched.  One in which nobody waits any more is forgotten.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Evaluating, Govern
from nfa_native.core import archive
from nfa_native.core.arrays import Arrays, column, distinct, read_store, table
from nfa_native.core.counters import numbers_of, tree_of
from nfa_native.joins.history import FOREVER, LONG_AGO, Numbers, RowColumns, Rows, Words, batch_of
from nfa_native.joins.matcher import NOBODY, Matcher, RawMatches
from nfa_native.joins.substreams import Slots, SubstreamEntries, by_key
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows

Key = bytes  # its words: nobody can make bytes that Python hashes alike
Counters = Any  # of ints, in dicts and lists
FEW_BOUNDS = 1024
MANY = 2**63  # more than there can be
VERSION = 1  # of its store in snapshots
SHARE = 16  # a part of what may be held, for each of several matchers


class SubstreamBatch(NamedTuple):
    """The events of one substream in a batch: as ``Matcher.feed`` takes them."""

    key: Key
    times: Numbers
    events: Words
    rows: list[Rows | None]


@dataclass(slots=True)
class SubstreamOutput:
    """What a matcher gives, from one call; ``rest`` came and was not taken.  ``number`` is that of the call."""

    number: int
    matcher: Matcher
    rest: RawMatches


class PartitionedMatcher:
    """Runs an automaton on each substream as a ``Matcher`` does on a whole one.

    ``slots[a]`` are the columns of atom a's rows that hold the key.
    """

    def __init__(self, automaton: Automaton, terms: Terms, slots: Slots) -> None:
        self.automaton = automaton
        self.terms = terms
        self.count = 0
        self.position = 0
        self._slots = slots
        self._opening = _opening_atoms(automaton)
        self._looks_back = _looks_back(automaton)
        self._matchers: dict[Key, Matcher] = {}
        self._open: dict[Key, int] = {}  # substreams whose tick may go on, each with its last event
        self._missed: dict[Key, int] = {}  # how far into its window each substream is that has no matcher
        self._bounds: list[tuple[int, Key]] = []  # a heap: no event below is needed by the matcher of the key
        self._found: list[SubstreamOutput] = []
        self._runs = 0
        self._waits = any(state.final and state.guards for state in automaton.states)
        self._most = MANY, MANY
        self._matched = [0] * len(automaton.slots)
        self._gone: Counters = Matcher(automaton, terms).statistics()  # counters of matchers that are forgotten
        self._next_event = 0
        self._count_only = False
        self._evaluation = Evaluating.AUTO
        self.tallies = False  # is not asked: a match of several substreams counts once

    @property
    def count_only(self) -> bool:
        """Whether results are only counted, not kept."""
        return self._count_only

    @count_only.setter
    def count_only(self, value: bool) -> None:
        self._count_only = value
        for matcher in self._matchers.values():
            matcher.count_only = value

    @property
    def evaluation(self) -> Evaluating:
        """As ``Matcher.evaluation``."""
        return self._evaluation

    @evaluation.setter
    def evaluation(self, value: Evaluating) -> None:
        self._evaluation = value
        for matcher in self._matchers.values():
            matcher.evaluation = value

    @property
    def open_tick(self) -> int | None:
        """The time of the last tick that may go on; None: there is none."""
        times = [time for key in self._open if (time := self._matchers[key].open_tick) is not None]
        return max(times, default=None)

    # ── pauses ───────────────────────────────────────────────────────────────────────────────────────────
    def bound(self, most: int, most_held: int) -> None:
        """As ``Matcher.bound``; each matcher may hold a part of it.

        What waits for its window's edge comes in no order of events: all of it is held, to be put in order.
        """
        if self._waits:
            return
        self._most = -(-most // SHARE), -(-most_held // SHARE)
        for matcher in self._matchers.values():
            matcher.bound(*self._most)

    @property
    def unfinished(self) -> bool:
        """As ``Matcher.unfinished``."""
        return any(stream.matcher.unfinished for stream in self._found)

    def go_on(self) -> None:
        """As ``Matcher.go_on``: with the matchers of which all was taken."""
        for stream in self._found:
            if stream.matcher.unfinished and not len(stream.rest.first):
                self._run(stream.matcher, stream.matcher.go_on, stream)
        self._forget_done()

    def complete(self) -> None:
        """As ``Matcher.complete``."""
        for stream in self._found:
            if stream.matcher.unfinished:
                self._run(stream.matcher, stream.matcher.complete, stream)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def feed(self, times: Numbers, events: Words, rows: Sequence[Rows | None]) -> None:
        """As ``Matcher.feed``."""
        if not len(times):
            return
        self.complete()
        for atom, one in enumerate(rows):
            self._matched[atom] += 0 if one is None else len(np.unique(one.row_event))
        for part in _parts(times, events, by_key(len(times), rows, self._slots)):
            self._feed(part)
        self._next_event = int(events[-1]) + 1

    def feed_event(self, time: int, event: int, rows: list[EventRows | None]) -> None:
        """As ``Matcher.feed_event``."""
        self.feed(*batch_of(time, event, rows))

    @property
    def due(self) -> int:
        """As ``Matcher.due``: open ticks are closed as soon as time passes them."""
        return LONG_AGO if self._open else FOREVER

    def pending(self) -> int:
        """As ``Matcher.pending``."""
        return sum(len(stream.rest.first) for stream in self._found)

    def _feed(self, part: SubstreamBatch) -> None:
        self.position += len(part.times)
        matcher = self._matchers.get(part.key)
        if matcher is None:
            if all(part.rows[atom] is None for atom in self._opening):
                self._miss(part.key, self._missed.pop(part.key, 0) + len(part.times))
                return
            matcher = self._begin(part)
        self._run(matcher, lambda: matcher.feed(part.times, part.events, part.rows))
        self._open[part.key] = int(part.events[-1])

    def _begin(self, part: SubstreamBatch) -> Matcher:
        """A matcher whose windows begin where those of the substream do."""
        matcher = self._matchers[part.key] = Matcher(self.automaton, self.terms)
        matcher.count_only = self._count_only
        matcher.evaluation = self._evaluation
        matcher.bound(*self._most)
        missed = self._missed.pop(part.key, 0)
        if missed:
            nothing: list[Rows | None] = [None] * len(part.rows)
            matcher.feed(np.full(missed, part.times[0]), np.zeros(missed, np.uint64), nothing)
        heapq.heappush(self._bounds, (int(part.events[0]), part.key))
        return matcher

    def advance(self, time: int) -> None:
        """Promise that no event before ``time`` will come."""
        self.complete()
        for key, last in list(self._open.items()):
            matcher = self._matchers[key]
            self._run(matcher, lambda: matcher.advance(time))  # noqa: B023  (it is called at once)
            if matcher.open_tick is None and not matcher.unfinished:
                del self._open[key]
                if self._is_over(matcher, last):
                    self._forget(key)

    def finish(self) -> None:
        """End of input."""
        self.complete()
        for matcher in self._matchers.values():
            self._run(matcher, matcher.finish)

    def take(self) -> RawMatches:
        """The results since the last call, in order of decision, up to where a paused matcher goes on."""
        found = [stream for stream in self._found if len(stream.rest.first)]
        if not found or any(stream.matcher.unfinished and not len(stream.rest.first) for stream in self._found):
            return Matcher(self.automaton, self.terms).take()
        paused = [stream for stream in found if stream.matcher.unfinished]
        if not paused:
            self._found = []
            return found[0].rest if len(found) == 1 else _in_order([stream.rest for stream in found])
        taken = _taken(found, min(map(_last, paused)))
        self._forget_done()
        return _in_order(taken)

    def _forget_done(self) -> None:
        """Matchers that are done, and of which all was taken, begin new streams with the next call."""
        self._found = [one for one in self._found if len(one.rest.first) or one.matcher.unfinished]

    def _run(self, matcher: Matcher, action: Callable[[], None], stream: SubstreamOutput | None = None) -> None:
        """Let a matcher act, and keep what it gives: as a stream of its own, or at the end of one."""
        before = matcher.count
        action()
        self.count += matcher.count - before
        if stream is None and (matcher.unfinished or matcher.pending()):
            self._runs += 1
            self._found.append(SubstreamOutput(self._runs, matcher, matcher.take()))
        elif stream is not None and matcher.pending():
            stream.rest = _in_order([stream.rest, matcher.take()])

    # ── forgetting ───────────────────────────────────────────────────────────────────────────────────────
    def _is_over(self, matcher: Matcher, last: int) -> bool:
        """Whether a matcher whose tick is closed, the last event being ``last``, is as good as a new one."""
        window = self.automaton.window
        if not window.sliding and matcher.position % window.length == 0:
            return True
        if self._looks_back and matcher.oldest_event() <= last:
            return False
        return bool((matcher.waiting() == NOBODY).all())

    def _forget(self, key: Key) -> None:
        matcher = self._matchers.pop(key)
        self._miss(key, matcher.position)
        self._gone = _added(self._gone, matcher.statistics())
        if len(self._bounds) > 2 * len(self._matchers) + FEW_BOUNDS:
            self._bounds = [(one.oldest_event(), other) for other, one in self._matchers.items()]
            heapq.heapify(self._bounds)

    def _miss(self, key: Key, position: int) -> None:
        """Remember where the substream is in its window; a sliding one may begin anywhere."""
        window = self.automaton.window
        if not window.sliding and position % window.length:
            self._missed[key] = position % window.length

    def groups(self) -> int:
        """As ``Matcher.groups``, of all substreams together."""
        return sum(matcher.groups() for matcher in self._matchers.values())

    def oldest_event(self) -> int:
        """Numbers below this one will not be needed again."""
        while self._bounds:
            bound, key = self._bounds[0]
            matcher = self._matchers.get(key)
            now = None if matcher is None else matcher.oldest_event()
            if now == bound:
                return bound
            if now is None:
                heapq.heappop(self._bounds)
            else:
                heapq.heapreplace(self._bounds, (now, key))
        return self._next_event

    # ── who waits ────────────────────────────────────────────────────────────────────────────────────────
    def waiting(self) -> Numbers:
        """As ``Matcher.waiting``: somebody may wait everywhere, as events that match nothing count, too."""
        return np.full(len(self.automaton.states), np.iinfo(np.int64).max)

    def may_join(self, state: int, index: int, keys: Words) -> NDArray[np.bool_]:
        """As ``Matcher.may_join``."""
        return np.ones(keys.shape[1], np.bool_)

    # ── statistics and snapshot ──────────────────────────────────────────────────────────────────────────
    def statistics(self) -> dict[str, Any]:
        """As ``Matcher.statistics``, of all substreams together; ``partitions`` that are not forgotten."""
        total = self._gone
        for matcher in self._matchers.values():
            total = _added(total, matcher.statistics())
        counts = {"events": self.position, "results": self.count, "atoms": list(self._matched)}
        found: dict[str, Any] = total | counts | {"partitions": len(self._matchers)}
        return found

    def sweep_soon(self) -> None:
        """As ``Matcher.sweep_soon``."""
        for matcher in self._matchers.values():
            matcher.sweep_soon()

    def trace(self) -> Words:
        """Every word that is held, once, in ascending order (0 apart)."""
        held = [matcher.trace() for matcher in self._matchers.values()]
        keys = (self._words(self._matchers), self._words(self._missed))
        words: Words = distinct(np.concatenate([*held, *keys], axis=None))
        bound: Words = words[words != 0]
        return bound

    def snapshot(self) -> bytes:
        """The state as bytes.  Results must have been taken."""
        parts = [matcher.snapshot() for matcher in self._matchers.values()]
        columns: Arrays = {
            "key words": self._words(self._matchers),
            "open": np.array([self._open.get(key, -1) for key in self._matchers], np.int64),
            "sizes": np.array([len(part) for part in parts], np.int64),
            "matchers": np.frombuffer(b"".join(parts), np.uint8),
            "missed words": self._words(self._missed),
            "positions": np.array(list(self._missed.values()), np.int64),
            "clock": np.array([self.count, self.position, self._next_event], np.int64),
            "matched": np.array(self._matched, np.int64),
            "gone": numbers_of(self._gone),
        }
        return archive.pack({"partitions": (VERSION, columns)})

    def _words(self, keys: dict[Key, Any]) -> Words:
        return np.frombuffer(b"".join(keys), np.uint64).reshape(len(keys), len(self._slots[0]))

    @staticmethod
    def restore(
        automaton: Automaton, terms: Terms, slots: Slots, data: bytes, word_map: Callable[[Words], Words]
    ) -> PartitionedMatcher:
        """What goes on where ``snapshot`` was taken; ``word_map`` renumbers arrays of words.  ValueError: damaged."""
        restored = PartitionedMatcher(automaton, terms, slots)
        restored._load(read_store(data, "partitions", VERSION), word_map)
        return restored

    def _load(self, arrays: Arrays, word_map: Callable[[Words], Words]) -> None:
        width = len(self._slots[0])
        self.count, self.position, self._next_event = column(arrays, "clock", np.int64, 3, 0).tolist()
        self._matched = column(arrays, "matched", np.int64, len(self._matched), 0).tolist()
        self._gone = tree_of(column(arrays, "gone", np.int64), self._gone)
        keys = _mapped(table(arrays, "key words", np.uint64, width), word_map)
        self._load_matchers(arrays, keys, word_map)
        missed = _mapped(table(arrays, "missed words", np.uint64, width), word_map)
        positions = column(arrays, "positions", np.int64, len(missed), 1)
        window = self.automaton.window
        if (
            len({*keys, *missed}) < len(keys) + len(missed)
            or (positions >= window.length).any()
            or (window.sliding and len(missed))
        ):
            raise ValueError("the substreams do not fit each other")
        self._missed = dict(zip(missed, positions.tolist(), strict=True))

    def _load_matchers(self, arrays: Arrays, keys: Sequence[Key], word_map: Callable[[Words], Words]) -> None:
        data = column(arrays, "matchers", np.uint8).tobytes()
        sizes = column(arrays, "sizes", np.int64, len(keys), 0)
        last = column(arrays, "open", np.int64, len(keys), -1)
        ends = np.cumsum(np.minimum(sizes, len(data) + 1)).tolist()
        if (ends[-1] if ends else 0) != len(data) or (last >= self._next_event).any():
            raise ValueError("the substreams do not have all of their matchers")
        for key, end, size, event in zip(keys, ends, sizes.tolist(), last.tolist(), strict=True):
            matcher = Matcher.restore(self.automaton, self.terms, data[end - size : end], word_map)
            if matcher.next_event > self._next_event:
                raise ValueError("a substream knows events that are yet to come")
            self._matchers[key] = matcher
            heapq.heappush(self._bounds, (matcher.oldest_event(), key))
            if event >= 0:
                self._open[key] = event

    @property
    def next_event(self) -> int:
        """As ``Matcher.next_event``."""
        return self._next_event

    @property
    def next_time(self) -> int:
        """As ``Matcher.next_time``."""
        return max((matcher.next_time for matcher in self._matchers.values()), default=LONG_AGO)


def _mapped(words: Words, word_map: Callable[[Words], Words]) -> list[Key]:
    """Keys ``uint64[n, width]`` under the numbers that words have now."""
    mapped = word_map(np.ascontiguousarray(words).reshape(-1))
    return [key.tobytes() for key in mapped.reshape(words.shape)]


def _opening_atoms(automaton: Automaton) -> frozenset[int]:
    """The atoms that a matcher without partial matches has to see: a match begins with them, or may not."""
    initial = {number for number, state in enumerate(automaton.states) if state.govern is Govern.FREE}
    first = (atom for one in automaton.transitions if one.source in initial for atom in one.choice.atoms)
    negated = (atom for number in initial for guard in automaton.states[number].guards for atom in guard.choice.atoms)
    return frozenset((*first, *negated))


def _looks_back(automaton: Automaton) -> bool:
    """Whether events before the first one of a match can drop it."""
    return any(state.guards for state in automaton.states if state.govern is Govern.FREE)


def _parts(times: Numbers, events: Words, entries: SubstreamEntries) -> Iterator[SubstreamBatch]:
    """The entries of a batch by key, in the order of their first ones."""
    have_key = np.flatnonzero(entries.keys.any(axis=1))
    if not len(have_key):
        return
    _, first, inverse = np.unique(entries.keys[have_key], axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    group = np.full(len(entries.of), -1)
    group[have_key] = rank[inverse.reshape(-1)]
    order = have_key[np.argsort(group[have_key], kind="stable")]
    starts = np.searchsorted(group[order], np.arange(len(first) + 1))
    place = np.zeros(len(entries.of), np.int64)
    place[order] = np.arange(len(order)) - starts[group[order]]
    rows = [_by_group(one, group, place, len(first)) for one in entries.rows]
    for number in range(len(first)):
        own = order[starts[number] : starts[number + 1]]
        some = entries.of[own]
        key = entries.keys[own[0]].tobytes()
        yield SubstreamBatch(key, times[some], events[some], [None if one is None else one[number] for one in rows])


def _by_group(rows: Rows | None, group: Numbers, place: Numbers, groups: int) -> list[Rows | None] | None:
    """An atom's rows of each group, or None; those of one entry stand together and in order."""
    if rows is None:
        return None
    groups_of = group[rows.row_event]
    order = np.argsort(groups_of, kind="stable")
    ends = np.searchsorted(groups_of[order], np.arange(groups + 1))
    places = place[rows.row_event[order]].astype(np.uint32)
    columns = rows.columns[:, order]
    return [
        RowColumns(places[start:end], np.ascontiguousarray(columns[:, start:end])) if end > start else None
        for start, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    ]


def _in_order(found: Sequence[RawMatches]) -> RawMatches:
    """Results of several matchers by the time of decision, then by the last event picked."""
    first, last, decided, atoms, events, words = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("first", "last", "decided", "pick_atoms", "pick_events", "words")
    )
    counts = np.concatenate([np.diff(one.pick_offsets) for one in found])
    starts = np.cumsum(counts) - counts
    order = np.lexsort((np.maximum.reduceat(events, starts), decided)) if len(events) else np.arange(len(first))
    offsets = np.concatenate([[0], np.cumsum(counts[order])])
    picks = np.repeat(starts[order] - offsets[:-1], counts[order]) + np.arange(offsets[-1])
    return RawMatches(first[order], last[order], decided[order], offsets, atoms[picks], events[picks], words[order])


def _keys(stream: SubstreamOutput) -> tuple[Numbers, Numbers]:
    """Of what is not taken the times of decision, and the last events picked."""
    raw = stream.rest
    return raw.decided, np.maximum.reduceat(raw.pick_events, raw.pick_offsets[:-1]).astype(np.int64)


def _last(stream: SubstreamOutput) -> tuple[int, int, int]:
    """Where the last of what is not taken stands in the order of all."""
    decided, events = _keys(stream)
    return int(decided[-1]), int(events[-1]), stream.number


def _taken(streams: Sequence[SubstreamOutput], bound: tuple[int, int, int]) -> list[RawMatches]:
    """Take from each stream what stands up to there."""
    taken = []
    time, event, number = bound
    for stream in streams:
        decided, events = _keys(stream)
        before = (events < event) | ((events == event) & (stream.number <= number))
        count = int(((decided < time) | ((decided == time) & before)).sum())
        taken.append(_some(stream.rest, 0, count))
        stream.rest = _some(stream.rest, count, len(decided))
    return [one for one in taken if len(one.first)]


def _some(raw: RawMatches, start: int, end: int) -> RawMatches:
    """The results from ``start`` to ``end``."""
    first, last = raw.pick_offsets[start], raw.pick_offsets[end]
    return RawMatches(
        raw.first[start:end], raw.last[start:end], raw.decided[start:end], raw.pick_offsets[start : end + 1] - first,
        raw.pick_atoms[first:last], raw.pick_events[first:last], raw.words[start:end],
    )  # fmt: skip


def _added(one: Counters, other: Counters) -> Counters:
    """Two trees of counters, added."""
    if isinstance(one, dict):
        return {name: _added(value, other[name]) for name, value in one.items()}
    if isinstance(one, list):
        return [_added(a, b) for a, b in zip(one, other, strict=True)]
    return one + other
