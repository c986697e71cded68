"""Merging sources by time without loading them."""

from __future__ import annotations

import heapq
import time as clock
from collections.abc import Iterable, Iterator, Sequence

from spaseq.errors import StreamError
from spaseq.streams.event import Event

BATCH = 1024


def merge(sources: Sequence[Iterator[list[Event]]], limit: int = BATCH, eager: bool = False) -> Iterator[list[Event]]:
    """Give the events of all ``sources`` in lists of at most ``limit``, the earliest head of a source first.

    Each source keeps its own order.  If every source is ordered up to some lateness, so is the whole.  A list is handed
    on before more is asked of a source, so that events never wait for one that is silent; with ``eager`` sources, which
    never are (files), lists are filled first.
    """
    if len(sources) == 1:
        for events in sources[0]:
            for start in range(0, len(events), limit):
                yield events[start : start + limit]
        return
    yield from _merge_by_heads(sources, limit, eager)


def _merge_by_heads(sources: Sequence[Iterator[list[Event]]], limit: int, eager: bool) -> Iterator[list[Event]]:
    heads: list[tuple[int, int, int, list[Event]]] = []  # time of the head, source, its place in the list, the list
    for number, source in enumerate(sources):
        if events := _next_list(source):
            heads.append((events[0].timestamp, number, 0, events))
    heapq.heapify(heads)
    batch: list[Event] = []
    while heads:
        _, number, place, events = heads[0]
        batch.append(events[place])
        place += 1
        if len(batch) == limit or (place == len(events) and not eager):
            yield batch
            batch = []
        if place == len(events):
            try:
                events, place = _next_list(sources[number]), 0
            except (StreamError, KeyboardInterrupt):
                if batch:  # what came before counts
                    yield batch
                raise
        if events:
            heapq.heapreplace(heads, (events[place].timestamp, number, place, events))
        else:
            heapq.heappop(heads)
    if batch:
        yield batch


def _next_list(source: Iterator[list[Event]]) -> list[Event]:
    """The next list that is not empty; empty at the end."""
    return next((events for events in source if events), [])


def in_lists(events: Iterable[Event], limit: int = BATCH, seconds: float = 0.1) -> Iterator[list[Event]]:
    """Group single events into lists: small at first, then of ``limit``, or of what came within ``seconds``."""
    size, batch, deadline = 1, [], clock.monotonic() + seconds
    for event in events:
        batch.append(event)
        if len(batch) >= size or clock.monotonic() > deadline:
            yield batch
            size, batch, deadline = min(2 * size, limit), [], clock.monotonic() + seconds
    if batch:
        yield batch
