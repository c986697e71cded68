"""Merging sources by time without loading them."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar

import numpy as np

from spaseq.errors import StreamError
from spaseq.streams.batch import Batch, Numbers
from spaseq.streams.timestamps import LEAST

BATCH = 4096
T = TypeVar("T")
B = TypeVar("B", bound=Batch)


def merge(sources: Sequence[Iterator[B]], limit: int = BATCH, eager: bool = False) -> Iterator[list[B]]:
    """Give the events of all ``sources`` in batches of about ``limit``, the earliest head of a source first.

    A batch has some events of each stream, those of one stream in order; each source keeps its own order.  If every
    source is ordered up to some lateness, so is the whole.  A batch is handed on before more is asked of a source, so
    that events never wait for one that is silent; with ``eager`` sources, which never are (files), it is filled first.
    """
    heads = [_Head(source) for source in sources]
    batch: list[B] = []
    try:
        while heads := [head for head in heads if head.fill()]:
            batch += _earliest(heads, limit)
            if not eager or len(heads) == 1 or sum(map(len, batch)) >= limit:
                yield batch
                batch = []
    except (StreamError, KeyboardInterrupt):
        if batch:  # what came before counts
            yield batch
        raise
    if batch:
        yield batch


class _Head(Generic[B]):
    """What has been read of a source and not been given on; ``keys`` are the latest times up to each event."""

    def __init__(self, source: Iterator[B]) -> None:
        self.source = source
        self.events: B | None = None
        self.keys: Numbers = np.empty(0, np.int64)
        self.latest = LEAST

    def fill(self) -> bool:
        """Read on if nothing is left; False at the end of the source."""
        if len(self.keys):
            return True
        self.events = next((events for events in self.source if len(events)), None)
        if self.events is None:
            return False
        self.keys = np.maximum.accumulate(self.events.times)
        self.keys = np.maximum(self.keys, self.latest)
        self.latest = int(self.keys[-1])
        return True

    def pop(self, count: int) -> tuple[B, Numbers]:
        """The first events with their keys."""
        assert self.events is not None
        start = len(self.events) - len(self.keys)
        taken, self.keys = self.keys[:count], self.keys[count:]
        return self.events.part(start, start + count), taken


def _earliest(heads: Sequence[_Head[B]], limit: int) -> list[B]:
    """About ``limit`` events that come before all others, those of each stream merged."""
    bound = min(int(head.keys[-1]) for head in heads)
    first = next(number for number, head in enumerate(heads) if head.keys[-1] == bound)
    if len(heads) == 1:
        return [heads[0].pop(min(limit, len(heads[0].keys)))[0]]
    known = np.concatenate([head.keys[head.keys <= bound] for head in heads])
    if len(known) > limit and (nearer := int(np.partition(known, limit)[limit])) < bound:
        bound, first = nearer, len(heads)
    popped = []
    for number, head in enumerate(heads):
        # At the bound itself the first source may go on, and its events come before those of later ones.
        count = int(np.searchsorted(head.keys, bound, side="right" if number <= first else "left"))
        if count:
            popped.append(head.pop(count))
    return _by_stream(popped)


def _by_stream(popped: Sequence[tuple[B, Numbers]]) -> list[B]:
    """One column of events for each stream, in the order of their keys."""
    merged = []
    for stream in dict.fromkeys(events.stream for events, _ in popped):
        parts = [(events, keys) for events, keys in popped if events.stream == stream]
        first, *others = (events for events, _ in parts)
        events = first.joined(others)
        if len(parts) > 1:
            events = events.take(np.argsort(np.concatenate([keys for _, keys in parts]), kind="stable"))
        merged.append(events)
    return merged


def in_lists(items: Iterable[T], limit: int = BATCH, seconds: float = 0.1, first: int = 1) -> Iterator[list[T]]:
    """Group single items into lists: of ``first``, growing to ``limit``, or of what came within ``seconds``.

    What came before an error is given before it.
    """
    size, some, deadline = first, list[T](), clock.monotonic() + seconds
    try:
        for item in items:
            some.append(item)
            if len(some) >= size or clock.monotonic() > deadline:
                yield some
                size, some, deadline = min(2 * size, limit), [], clock.monotonic() + seconds
    except BaseException as error:
        if some and not isinstance(error, GeneratorExit):
            yield some
        raise
    if some:
        yield some
