"""Things that go on side by side, as one stream of events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from spaseq.datasets.event import Event


def by_time(groups: Iterable[tuple[int, list[Event]]]) -> Iterator[Event]:
    """The events of all groups by time; those of one moment in the order in which they are given.

    A group comes with the time at which it begins: no event of it, or of a later group, is before that.
    """
    waiting: list[tuple[int, int, Event]] = []  # a heap by time
    number = 0
    for begin, events in groups:
        while waiting and waiting[0][0] < begin:
            yield heappop(waiting)[2]
        for event in events:
            heappush(waiting, (event.time, number, event))
            number += 1
    while waiting:
        yield heappop(waiting)[2]
