"""What a batch of events is to whoever puts it in order, whatever the events are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]


class Batch(Protocol):
    """Events of one stream as columns, in some order."""

    @property
    def stream(self) -> str:
        """The name of the stream."""

    @property
    def times(self) -> Numbers:
        """When each of the n events happened, in microseconds."""

    def __len__(self) -> int: ...

    def part(self, start: int, stop: int) -> Self:
        """Events ``start`` … ``stop − 1``, without copying."""

    def take(self, chosen: Numbers) -> Self:
        """The events with these indices, in their order."""

    def compact(self) -> Self:
        """The same events for a long time: they hold on to at most twice the memory that they need."""

    def joined(self, others: Sequence[Self]) -> Self:
        """These events, then those of other batches of the stream."""


def in_order_of_time(batch: Batch) -> bool:
    """Whether no event is before the one that stands in front of it."""
    times = batch.times
    return len(times) < 2 or bool((times[1:] >= times[:-1]).all())
