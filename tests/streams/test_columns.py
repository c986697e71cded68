"""Merging, reordering, admitting and cutting columns of events: as plain Python does it, one event after the other."""

from __future__ import annotations

import heapq
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given, settings, strategies as st
from pyoxigraph import Literal, NamedNode, Triple

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.names import FEW, EventNames
from spaseq.runtime.reorder import Released, ReorderBuffer, by_tick, by_time
from spaseq.sources.merge import merge
from spaseq.sources.rdf.events import Event, EventIris, Events
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST

EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "150"))
QUICK = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
FIRST, LAST = LEAST + 1, GREATEST - 1  # the times that events can have

edges = st.sampled_from([FIRST, FIRST + 1, -1, 0, 1, LAST - 1, LAST])
times = st.one_of(st.integers(0, 4), st.integers(-3, 3), edges)
time_lists = st.lists(times, max_size=12)
streams = st.sampled_from(["urn:s", "urn:t", "urn:u"])


TRIPLE = Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal("o"))


def make(stream: str, some: Sequence[int], first: int, encoder: Encoder) -> Events:
    """Events whose names and triples tell where they came from."""
    made = []
    for number, time in enumerate(some, first):
        name = f"{stream}/é{number}" if number % 3 else ""
        triples = [Triple(NamedNode(stream), NamedNode("urn:n"), Literal(number + k)) for k in range(number % 4)]
        made.append(Event(stream, time, name, triples))
    return Events.of(stream, made, encoder)


def facts(events: Events) -> list[tuple[object, ...]]:
    """All that can be seen of events, their words too."""
    graphs, found = events.graphs, []
    assert len(events) == len(events.names) == len(graphs.offsets) - 1
    for number, event in enumerate(events):
        start, stop = graphs.offsets[number : number + 2].tolist()
        words = graphs.triples[:, start:stop].T.tolist()
        found.append((event.stream, event.timestamp, event.name, list(map(str, event.triples)), words))
    return found


def encoder() -> Encoder:
    """One that keeps all triples."""
    made = Encoder(Terms())
    made.want([(0, 0, 0)])
    return made


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────
@QUICK
@given(st.lists(time_lists, min_size=1, max_size=4), st.data())
def test_cutting_and_joining(parts: list[list[int]], data: st.DataObject) -> None:
    shared = encoder()
    columns, first = [], 0
    for some in parts:
        columns.append(make("urn:s", some, first, shared))
        first += len(some)
    listed = [facts(events) for events in columns]
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(columns) - 1))
        events, known = columns[at], listed[at]
        match data.draw(st.sampled_from(["part", "take", "join"])):
            case "part":
                start = data.draw(st.integers(0, len(events)))
                stop = data.draw(st.integers(start, len(events)))
                columns.append(events.part(start, stop))
                listed.append(known[start:stop])
            case "take":
                chosen = data.draw(st.lists(st.integers(0, len(events) - 1), max_size=8)) if len(events) else []
                columns.append(events.take(np.array(chosen, np.int64)))
                listed.append([known[number] for number in chosen])
            case "join":
                other = data.draw(st.integers(0, len(columns) - 1))
                columns.append(Events.join([events, columns[other], events]))
                listed.append(known + listed[other] + known)
        assert facts(columns[-1]) == listed[-1]
    missing = [number for number, fact in enumerate(listed[-1]) if not fact[2]]
    assert columns[-1].names.missing().tolist() == missing
    assert [event.name or "none" for event in columns[-1]] == list(columns[-1].named(lambda _: "none").names)


@QUICK
@given(st.lists(st.tuples(st.lists(st.text("aé", max_size=3), max_size=5), st.booleans(), st.integers(0, 30))))
def test_names_of_events(steps: list[tuple[list[str], bool, int]]) -> None:
    names, listed = EventNames(7), [""] * 7
    for some, reverse, oldest in steps:
        order = np.arange(len(some))[::-1].copy() if reverse else None
        names.add(EventIris.of(some), order)
        listed += some[::-1] if reverse else some
        names.forget(min(oldest, names.next))
        assert names.next == len(listed)
        assert names.from_number(names.base) == listed[names.base :]
        assert all(names(number) == listed[number] for number in range(names.base, names.next))


def test_names_by_number() -> None:
    """They are those of texts, whatever is taken of them, and made when somebody looks."""
    made: list[int] = []

    def name(number: int) -> str:
        made.append(number)
        return f"urn:{number}"

    columns = Events.of("urn:s", [Event("urn:s", time, "", [TRIPLE]) for time in range(6)], Encoder(Terms()))
    events = columns.numbered(name, 10)
    taken = events.take(np.array([5, 0, 3])).compact()
    joined = Events.join([events.part(1, 3), taken, events.part(0, 0)])
    assert (len(joined.names), joined.names.missing().tolist(), made) == (5, [], [])
    assert list(joined.names) == ["urn:11", "urn:12", "urn:15", "urn:10", "urn:13"]
    assert joined.names.text == b"urn:11urn:12urn:15urn:10urn:13"
    mixed = Events.join(
        [events.part(4, 6), Events.of("urn:s", [Event("urn:s", 1, "urn:x", [TRIPLE])], Encoder(Terms()))]
    )
    assert list(mixed.names) == ["urn:14", "urn:15", "urn:x"]
    assert list(mixed.numbered(name, 0).names) == list(mixed.names)


def test_many_names_are_forgotten() -> None:
    names = EventNames()
    for number in range(3 * FEW):
        names.add(EventIris.of([f"urn:{number}"]))
    names.forget(2 * FEW)
    assert FEW < names.base <= 2 * FEW
    assert names.from_number(2 * FEW) == [f"urn:{number}" for number in range(2 * FEW, 3 * FEW)]
    kept = names.kept(np.array([2 * FEW], np.uint64))
    names.forget(names.next)
    assert kept(2 * FEW) == f"urn:{2 * FEW}"


# ── the clock ────────────────────────────────────────────────────────────────────────────────────────────
class SlowClock:
    """Events are admitted one by one, in Python's integers."""

    def __init__(self) -> None:
        self.watermark = self.newest = LEAST
        self.events = self.late = 0

    def admit(self, time: int, lateness: int) -> bool:
        self.events += 1
        if time < self.watermark:
            self.late += 1
            return False
        self.newest = max(self.newest, time)
        if lateness < GREATEST:
            self.watermark = max(self.watermark, time - lateness)
        return True


latenesses = st.sampled_from([0, 1, 3, 2**62, 2**63 - 2, 2**63 - 1, 2**63, 2**70])


@QUICK
@given(st.lists(st.one_of(time_lists, times)), latenesses)
@example([[LAST, FIRST], [0]], 2**63 - 2)
def test_admission(steps: list[list[int] | int], lateness: int) -> None:
    clock, slow = StreamClock("urn:s"), SlowClock()
    for step in steps:
        if isinstance(step, int):
            clock.promise(step)
            slow.watermark = max(slow.watermark, step)
        else:
            admitted = clock.admit(np.array(step, np.int64), lateness)
            assert admitted.tolist() == [slow.admit(time, lateness) for time in step]
        assert (clock.watermark, clock.newest) == (slow.watermark, slow.newest)
        assert (clock.events, clock.late) == (slow.events, slow.late)


# ── the reorder buffer ───────────────────────────────────────────────────────────────────────────────────
@QUICK
@given(
    st.lists(st.one_of(st.tuples(st.integers(0, 2), time_lists), st.one_of(times, st.sampled_from([LEAST, GREATEST])))),
    st.booleans(),
)
@example([(0, [0]), LEAST], True)
def test_reordering(steps: list[tuple[int, list[int]] | int], strict: bool) -> None:
    shared, first = encoder(), 0
    buffer: ReorderBuffer[Events, Any] = ReorderBuffer(3)
    heap = []
    for step in [*steps, GREATEST]:
        if isinstance(step, tuple):
            events = make(f"urn:{step[0]}", step[1], first, shared)
            buffer.add(step[0], events)
            for number, fact in enumerate(facts(events), first):
                heapq.heappush(heap, (fact[1], step[0], number, fact))
            first += len(events)
        else:
            expected = []
            while heap and heap[0][0] <= (step - 1 if strict else step):
                expected.append(heapq.heappop(heap))
            bounds = (by_tick if strict else by_time)(step, [step] * 3)
            released = buffer.release(bounds) or Released(np.empty(0, np.int64), ())
            found: list[object] = [None] * len(released)
            for stream, events, places in released.parts:
                for place, fact in zip(places.tolist(), facts(events), strict=True):
                    assert found[place] is None
                    found[place] = (stream, fact)
            assert found == [(stream, fact) for _, stream, _, fact in expected]
            assert released.times.tolist() == [time for time, *_ in expected]
        assert len(buffer) == len(heap)
        waiting = {stream: facts(events) for stream, events in buffer.waiting()}
        ordered = sorted(heap, key=lambda item: item[:3])
        streams_waiting = {stream for _, stream, _, _ in heap}
        assert waiting == {s: [fact for _, of, _, fact in ordered if of == s] for s in streams_waiting}


# ── merging ──────────────────────────────────────────────────────────────────────────────────────────────
def slow_merge(sources: list[list[list[tuple[object, ...]]]]) -> Iterator[tuple[int, tuple[object, ...]]]:
    """One event after the other: that of the source whose latest time so far, the next one's included, is the least."""
    queues = [[fact for part in source for fact in part] for source in sources]
    latest = [LEAST] * len(queues)
    while any(queues):
        keys = [
            (max(known, int(queue[0][1])), number)  # type: ignore[call-overload]
            for number, (known, queue) in enumerate(zip(latest, queues, strict=True))
            if queue
        ]
        key, number = min(keys)
        latest[number] = key
        yield key, queues[number].pop(0)


@QUICK
@given(
    st.lists(st.tuples(streams, st.lists(time_lists, max_size=4)), min_size=1, max_size=4),
    st.integers(1, 6),
    st.booleans(),
)
def test_merging(sources: list[tuple[str, list[list[int]]]], limit: int, eager: bool) -> None:
    shared, first, parts = encoder(), 0, []
    for stream, lists in sources:
        parts.append([])
        for some in lists:
            parts[-1].append(make(stream, some, first, shared))
            first += len(some)
    merged = list(slow_merge([[facts(events) for events in source] for source in parts]))
    expected = [fact for _, fact in merged]
    batches = list(merge([iter(source) for source in parts], limit, eager))
    assert all(sum(map(len, batch)) for batch in batches)
    for stream in {stream for stream, _ in sources}:
        found = [fact for batch in batches for events in batch if events.stream == stream for fact in facts(events)]
        assert found == [fact for fact in expected if fact[0] == stream]
    keys = {stream: [key for key, fact in merged if fact[0] == stream] for stream in dict(sources)}
    latest = LEAST
    for batch in batches:  # so that no source is behind what the batches before it promise
        came = [keys[events.stream].pop(0) for events in batch for _ in events]
        assert min(came) >= latest
        latest = max(came)
    assert not any(keys.values())
