"""The reorder buffer: events wait in it until the watermark says that none can come before them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpm.rows import Numbers
from spaseq.streams.event import Events


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


class ReorderBuffer:
    """Gives events back in the order of their streamset of ``streams`` streams.

    ``strict`` holds back the events at the watermark itself, whose order is not yet complete (EVENTS windows need it).
    """

    def __init__(self, streams: int, strict: bool) -> None:
        self.strict = strict
        self._queues = [_Queue() for _ in range(streams)]

    def __len__(self) -> int:
        return sum(map(len, self._queues))

    def waiting_of(self, stream: int) -> int:
        """How many events of a stream wait."""
        return len(self._queues[stream])

    def add(self, stream: int, events: Events) -> None:
        """Take events of the streamset's stream number ``stream`` in the order of their arrival."""
        self._queues[stream].add(events)

    def release(self, watermark: int) -> Released:
        """The events that the watermark releases, in order."""
        bound = watermark - 1 if self.strict else watermark
        found = [(number, queue.release(bound)) for number, queue in enumerate(self._queues)]
        return _in_order([(number, events) for number, events in found if events is not None])

    def waiting(self) -> Iterator[tuple[int, Events]]:
        """All that waits: the number of a stream, and its events in order."""
        return ((number, queue.all()) for number, queue in enumerate(self._queues) if len(queue))


class _Queue:
    """The waiting events of one stream, in runs ordered by time, earlier arrivals in earlier runs.

    A run is at least twice as long as the next one, so that there are few and an event is moved seldom.
    """

    def __init__(self) -> None:
        self._runs: list[Events] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def add(self, events: Events) -> None:
        if not len(events):
            return
        self._runs.append(_ordered(events))
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            self._merge_last()

    def release(self, bound: int) -> Events | None:
        """The events up to time ``bound``, in order; None if there are none."""
        heads, rests = [], []
        for run in self._runs:
            count = int(np.searchsorted(run.times, bound, side="right"))
            if count:
                heads.append(run.part(0, count))
            if count < len(run):
                rests.append(run.part(count, len(run)))
        self._runs = rests
        return _ordered(Events.join(heads)) if heads else None

    def all(self) -> Events:
        """All of them, in order."""
        return _ordered(Events.join(self._runs))

    def _merge_last(self) -> None:
        last = self._runs.pop()
        self._runs[-1] = _ordered(Events.join([self._runs[-1], last]))


def _ordered(events: Events) -> Events:
    """Ordered by time, simultaneous ones as they are."""
    times = events.times
    if (times[1:] >= times[:-1]).all():
        return events
    return events.take(np.argsort(times, kind="stable"))


def _in_order(found: Sequence[tuple[int, Events]]) -> Released:
    if not found:
        return Released(np.empty(0, np.int64), ())
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
