"""The reorder buffer: events wait in it until the watermark says that none can come before them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import numpy as np

from gpm.native.single import SingleEvent
from gpm.rows import Numbers
from spaseq.sources.rdf.events import Events

Single = tuple[int, int, int, SingleEvent]  # time, stream by number in the streamset, number of its arrival, the event


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """Events in the order of their streamset: time, stream, arrival (SEMANTICS 1).

    ``parts`` has the events of each stream that has some, by its number in the streamset, with their places among all
    n; ``times`` (n) are ordered.
    """

    times: Numbers
    parts: tuple[tuple[int, Events, Numbers], ...]

    def __len__(self) -> int:
        return len(self.times)


NOTHING = Released(np.empty(0, np.int64), ())


class ReorderBuffer:
    """Gives events back in the order of their streamset of ``streams`` streams.

    ``strict`` holds back the events at the watermark itself, whose order is not yet complete (EVENTS windows need it).
    Events wait as columns or, as long as they are few, one by one: never both.
    """

    def __init__(self, streams: int, strict: bool) -> None:
        self.strict = strict
        self._singles: list[Single] = []  # a heap
        self._arrivals = count()
        self._knowledge: Counter[int] = Counter()  # how many single events see each version of the background
        self._queues = [_Queue() for _ in range(streams)]
        self._has_columns = False  # some queue has events

    def __len__(self) -> int:
        return len(self._singles) + sum(map(len, self._queues))

    def waiting_of(self, stream: int) -> int:
        """How many events of a stream wait."""
        return len(self._queues[stream]) + sum(number == stream for _, number, _, _ in self._singles)

    def add(self, stream: int, events: Events) -> None:
        """Take events of the stream number ``stream`` in the order of their arrival; no single one waits."""
        assert not self._singles
        self._queues[stream].add(events)
        self._has_columns |= len(events) > 0

    @property
    def takes_singles(self) -> bool:
        """Whether an event may wait by itself."""
        return not self._has_columns

    def add_single(self, stream: int, event: SingleEvent) -> None:
        """Take one event by itself, if the buffer ``takes_singles``."""
        heappush(self._singles, (event.time, stream, next(self._arrivals), event))
        self._knowledge[event.knowledge] += 1

    def singles(self) -> list[Single]:
        """All events that wait by themselves, in order."""
        return sorted(self._singles)

    def take_singles(self) -> list[Single]:
        """As ``singles``; none is left."""
        singles, self._singles = self.singles(), []
        self._knowledge.clear()
        return singles

    def release_singles(self, watermark: int) -> list[Single]:
        """As ``release``, those that wait by themselves."""
        bound = watermark - 1 if self.strict else watermark
        waiting, released = self._singles, []
        while waiting and waiting[0][0] <= bound:
            released.append(heappop(waiting))
            self._knowledge[released[-1][-1].knowledge] -= 1
        return released

    def oldest_knowledge(self) -> int | None:
        """The oldest version of the background that an event which waits sees; None: nothing waits."""
        self._knowledge = +self._knowledge
        runs = (run for queue in self._queues for run in queue.runs)
        return min([*self._knowledge, *(int(run.events.graphs.knowledge.min()) for run in runs)], default=None)

    @property
    def due(self) -> int | None:
        """The least watermark that releases an event; None: nothing waits."""
        times = [time for time, _, _, _ in self._singles[:1]]
        times += [int(run.events.times[0]) for queue in self._queues for run in queue.runs]
        return min(times) + self.strict if times else None

    def release(self, watermark: int) -> Released:
        """The events that the watermark releases, in order."""
        if not self._has_columns:
            return NOTHING
        bound = watermark - 1 if self.strict else watermark
        found = [(number, queue.release(bound)) for number, queue in enumerate(self._queues)]
        self._has_columns = any(queue.runs for queue in self._queues)
        return _in_order([(number, events) for number, events in found if events is not None])

    def waiting(self) -> Iterator[tuple[int, Events]]:
        """All that waits as columns: the number of a stream, and its events in order."""
        return ((number, queue.all()) for number, queue in enumerate(self._queues) if len(queue))


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """Events ordered by time.  ``compact``: how many there were when they were last made compact, 0 if never."""

    events: Events
    compact: int = 0

    def __len__(self) -> int:
        return len(self.events)

    def until(self, bound: int) -> int:
        """How many are not after time ``bound``."""
        return int(np.searchsorted(self.events.times, bound, side="right"))

    def behind(self, released: int) -> _Run:
        """What goes on waiting: made compact when half has left, so that an event is copied seldom."""
        events = self.events.part(released, len(self))
        if 2 * len(events) > self.compact > 0:
            return _Run(events, self.compact)
        return _Run(events.compact(), len(events))


class _Queue:
    """The waiting events of one stream in runs, earlier arrivals in earlier ones.

    A run is at least twice as long as the next one, so that there are few and an event is moved seldom.
    """

    def __init__(self) -> None:
        self.runs: list[_Run] = []

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def add(self, events: Events) -> None:
        if not len(events):
            return
        self.runs.append(_Run(_ordered(events)))
        while len(self.runs) > 1 and len(self.runs[-2]) < 2 * len(self.runs[-1]):
            self._merge_last()

    def release(self, bound: int) -> Events | None:
        """The events up to time ``bound``, in order; None if there are none."""
        heads, rests = [], []
        for run in self.runs:
            released = run.until(bound)
            if released:
                heads.append(run.events.part(0, released))
            if released < len(run):
                rests.append(run.behind(released))
        self.runs = rests
        return _ordered(Events.join(heads)) if heads else None

    def all(self) -> Events:
        """All of them, in order."""
        return _ordered(Events.join([run.events for run in self.runs]))

    def _merge_last(self) -> None:
        last = self.runs.pop()
        self.runs[-1] = _Run(_ordered(Events.join([self.runs[-1].events, last.events])))


def _ordered(events: Events) -> Events:
    """Ordered by time, simultaneous ones as they are."""
    times = events.times
    if (times[1:] >= times[:-1]).all():
        return events
    return events.take(np.argsort(times, kind="stable"))


def _in_order(found: Sequence[tuple[int, Events]]) -> Released:
    if not found:
        return NOTHING
    if len(found) == 1:
        ((number, events),) = found
        return Released(events.times, ((number, events, np.arange(len(events))),))
    times = np.concatenate([events.times for _, events in found])
    order = np.argsort(times, kind="stable")
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    ends = np.cumsum([len(events) for _, events in found])[:-1]
    split = np.split(places, ends)
    parts = tuple((number, events, its) for (number, events), its in zip(found, split, strict=True))
    return Released(times[order], parts)
