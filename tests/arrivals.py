"""Events that come while others are worked on, on a clock that a test makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class ArrivalClock(Protocol):
    """A clock that goes on by what ``events`` and their work take, and while nothing comes (``idle``)."""

    idle: float
    events: int

    def __call__(self) -> float:
        """Seconds."""


def latencies(clock: ArrivalClock, push: Callable[[int, int], object], count: int, apart: float) -> NDArray[np.float64]:
    """Of so many that come some seconds apart, pushed together as soon as those before are done."""
    found, start, at = list[float](), clock(), 0
    while at < count:
        last = min(int((clock() - start) / apart) + 1, count)
        if last <= at:
            clock.idle += max(at * apart - (clock() - start), 1e-9)
            continue
        clock.events += last - at
        push(at, last)
        found += [clock() - start - number * apart for number in range(at, last)]
        at = last
    return np.array(found)
