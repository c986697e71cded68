"""The reorder buffer: events wait in it until the watermark says that none can come before them."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from spaseq.streams.event import Event


class Waiting(NamedTuple):
    """An event with its place in the order of its streamset: time, stream, arrival (SEMANTICS 1)."""

    timestamp: int
    stream: int
    arrival: int
    event: Event


class ReorderBuffer:
    """Gives events back in the order of their streamset.

    ``strict`` holds back the events at the watermark itself, whose order is not yet complete (EVENTS windows need it).
    """

    def __init__(self, strict: bool) -> None:
        self.strict = strict
        self._heap: list[Waiting] = []

    def __len__(self) -> int:
        return len(self._heap)

    def add(self, stream: int, arrival: int, event: Event) -> None:
        """Take an event of the streamset's stream number ``stream``; ``arrival`` numbers grow."""
        heapq.heappush(self._heap, Waiting(event.timestamp, stream, arrival, event))

    def release(self, watermark: int) -> list[Waiting]:
        """The events that the watermark releases, in order."""
        heap, released = self._heap, []
        bound = watermark - 1 if self.strict else watermark
        while heap and heap[0][0] <= bound:
            released.append(heapq.heappop(heap))
        return released

    def waiting(self) -> list[Waiting]:
        """All that waits, in order."""
        return sorted(self._heap)

    def restore(self, waiting: list[Waiting]) -> None:
        """Hold ``waiting`` (in order) instead of what is held now."""
        self._heap = list(waiting)
