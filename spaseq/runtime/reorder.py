"""The reorder buffer: events wait in it until the watermarks say that none can come before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from spaseq.streams.batch import Batch, Numbers, in_order_of_time
from spaseq.streams.timestamps import LEAST


class Single(Protocol):
    """One event that is no batch, as long as it need not be."""

    @property
    def time(self) -> int:
        """When it happened, in microseconds."""


B = TypeVar("B", bound=Batch)
S = TypeVar("S", bound=Single)
Waiting: TypeAlias = tuple[int, int, int, S]  # time, stream by number in the input, number of its arrival, the event


# ── orders: by the least of the watermarks of streams, and all, up to which time events of each have their turn ──
Order: TypeAlias = Callable[[int, Sequence[int]], Sequence[int]]


def by_time(least: int, watermarks: Sequence[int]) -> Sequence[int]:
    """Events up to the least watermark; at that time itself others may come."""
    return (least,) * len(watermarks)


def by_tick(least: int, watermarks: Sequence[int]) -> Sequence[int]:
    """Events before the least watermark: all of a time together, whose order is complete (EVENTS windows need it)."""
    return (least - 1,) * len(watermarks)


def by_time_and_stream(least: int, watermarks: Sequence[int]) -> Sequence[int]:
    """Events before which none can come: at equal times those of a stream come before those of later ones."""
    if len(watermarks) < 2:
        return watermarks
    first = watermarks.index(least)
    return [least if number <= first else max(least - 1, LEAST) for number in range(len(watermarks))]


# ── the buffer ───────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True, eq=False)
class Released(Generic[B]):
    """Events in the order of their input: time, stream, arrival (semantics.md 1).

    ``parts`` has the events of each stream that has some, by its number in the input, with their places among all n;
    ``times`` (n) are ordered.
    """

    times: Numbers
    parts: tuple[tuple[int, B, Numbers], ...]

    def __len__(self) -> int:
        return len(self.times)

    @staticmethod
    def of(found: Sequence[tuple[int, B]]) -> Released[B]:
        """Events of streams by number, each in order."""
        if len(found) == 1:
            ((number, events),) = found
            return Released(events.times, ((number, events, np.arange(len(events))),))
        times = np.concatenate([events.times for _, events in found])
        order = np.argsort(times, kind="stable")
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        split = np.split(places, np.cumsum([len(events) for _, events in found])[:-1])
        parts = tuple((number, events, its) for (number, events), its in zip(found, split, strict=True))
        return Released(times[order], parts)

    def cut(self, first: int, size: int) -> Iterator[Released[B]]:
        """Its events in parts of that size, ``first`` of them in the first one."""
        edges = [0, *range(first, len(self), size), len(self)]
        if len(edges) == 2:
            yield self
            return
        for start, end in pairwise(edges):
            yield self._between(start, end)

    def mapped(self, change: Callable[[int, B], B]) -> Released[B]:
        """With other events in the places of those of each stream."""
        return Released(self.times, tuple((number, change(number, events), at) for number, events, at in self.parts))

    def _between(self, start: int, end: int) -> Released[B]:
        parts = []
        for number, events, places in self.parts:
            at = np.flatnonzero((places >= start) & (places < end))
            if len(at):
                parts.append((number, events.take(at), places[at] - start))
        return Released(self.times[start:end], tuple(parts))


class ReorderBuffer(Generic[B, S]):
    """Gives events back in an order, for which they wait as batches or, as long as they are few, singly: never both."""

    def __init__(self, streams: int) -> None:
        self._singles: list[Waiting[S]] = []  # a heap
        self._arrivals = count()
        self._queues: list[_Queue[B]] = [_Queue() for _ in range(streams)]
        self._has_batches = False  # some queue has events

    def __len__(self) -> int:
        return len(self._singles) + sum(map(len, self._queues))

    def __bool__(self) -> bool:
        return self._has_batches or bool(self._singles)

    def add_stream(self) -> None:
        """There is one more stream."""
        self._queues.append(_Queue())

    def waiting_of(self, stream: int) -> int:
        """How many events of a stream wait."""
        return len(self._queues[stream]) + sum(number == stream for _, number, _, _ in self._singles)

    def add(self, stream: int, events: B) -> None:
        """Take events of the stream number ``stream`` in the order of their arrival; no single one waits."""
        assert not self._singles
        self._queues[stream].add(events)
        self._has_batches |= len(events) > 0

    def add_run(self, stream: int, events: B) -> None:
        """Take events in order, as ``runs`` gave them."""
        self._queues[stream].runs.append(_Run(events))
        self._has_batches = True

    @property
    def takes_singles(self) -> bool:
        """Whether an event may wait by itself."""
        return not self._has_batches

    def add_single(self, stream: int, event: S) -> None:
        """Take one event by itself, if the buffer ``takes_singles``."""
        heappush(self._singles, (event.time, stream, next(self._arrivals), event))

    def singles(self) -> list[Waiting[S]]:
        """All events that wait by themselves, in order."""
        return sorted(self._singles)

    def take_singles(self) -> list[Waiting[S]]:
        """As ``singles``; none is left."""
        singles, self._singles = self.singles(), []
        return singles

    def release_singles(self, bounds: Sequence[int]) -> list[Waiting[S]]:
        """As ``release``, those that wait by themselves."""
        waiting, released = self._singles, []
        while waiting and waiting[0][0] <= bounds[waiting[0][1]]:
            released.append(heappop(waiting))
        return released

    def release(self, bounds: Sequence[int]) -> Released[B] | None:
        """The events of each stream up to a time; None: there are none."""
        if not self._has_batches:
            return None
        found = [(n, queue.release(bound)) for n, (queue, bound) in enumerate(zip(self._queues, bounds, strict=True))]
        self._has_batches = any(queue.runs for queue in self._queues)
        some = [(number, events) for number, events in found if events is not None]
        return Released.of(some) if some else None

    def first_times(self) -> dict[int, int]:
        """The time of the first event that waits of each stream that has some, by its number."""
        first = {
            n: min(int(run.events.times[0]) for run in queue.runs) for n, queue in enumerate(self._queues) if queue.runs
        }
        for time, number, _, _ in self._singles:
            first[number] = min(time, first.get(number, time))
        return first

    def waiting(self) -> Iterator[tuple[int, B]]:
        """All that waits as batches: the number of a stream, and its events in order."""
        return ((number, queue.all()) for number, queue in enumerate(self._queues) if len(queue))

    def runs(self) -> Iterator[tuple[int, B]]:
        """All that waits as batches, as it lies: the number of a stream, and some of its events in order."""
        return ((number, run.events) for number, queue in enumerate(self._queues) for run in queue.runs)


@dataclass(frozen=True, slots=True, eq=False)
class _Run(Generic[B]):
    """Events ordered by time.  ``compact``: how many there were when they were last made compact, 0 if never."""

    events: B
    compact: int = 0

    def __len__(self) -> int:
        return len(self.events)

    def until(self, bound: int) -> int:
        """How many are not after time ``bound``."""
        return int(np.searchsorted(self.events.times, bound, side="right"))

    def behind(self, released: int) -> _Run[B]:
        """What goes on waiting: made compact when half has left, so that an event is copied seldom."""
        events = self.events.part(released, len(self))
        if 2 * len(events) > self.compact > 0:
            return _Run(events, self.compact)
        return _Run(events.compact(), len(events))


class _Queue(Generic[B]):
    """The waiting events of one stream in runs, earlier arrivals in earlier ones.

    A run is more than twice as long as the next one, so that there are few and an event is moved seldom.
    """

    def __init__(self) -> None:
        self.runs: list[_Run[B]] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def add(self, events: B) -> None:
        if not len(events):
            return
        self.runs.append(_Run(_ordered(events)))
        while len(self.runs) > 1 and self._may_merge(*self.runs[-2:]):
            self._merge_last()

    def release(self, bound: int) -> B | None:
        """The events up to time ``bound``, in order; None if there are none."""
        heads, rests = [], []
        for run in self.runs:
            released = run.until(bound)
            if released:
                heads.append(run.events.part(0, released))
            if released < len(run):
                rests.append(run.behind(released))
        self.runs = rests
        return _ordered(heads[0].joined(heads[1:])) if heads else None

    def first_time(self) -> int:
        return min(int(run.events.times[0]) for run in self.runs)

    def all(self) -> B:
        """All of them, in order."""
        first, *others = (run.events for run in self.runs)
        return _ordered(first.joined(others))

    @staticmethod
    def _may_merge(older: _Run[B], younger: _Run[B]) -> bool:
        return len(older) <= 2 * len(younger) and older.events.is_like(younger.events)

    def _merge_last(self) -> None:
        last = self.runs.pop()
        self.runs[-1] = _Run(_ordered(self.runs[-1].events.joined([last.events])))


def _ordered(events: B) -> B:
    """Ordered by time, simultaneous ones as they are."""
    return events if in_order_of_time(events) else events.take(np.argsort(events.times, kind="stable"))
