"""What dear patterns cost, and how many events they refuse: who is asked first of those that a conjunction needs.

Both are measured on a sample of the events, of which all are asked, so that a pattern which is asked of few others
stays known; what is long ago counts ever less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FIRST = 32  # the first events are all in the sample,
EVERY = 64  # and then one of so many
REMEMBERED = 10_000 // EVERY  # events of a sample that count in full


@dataclass(slots=True)
class PatternCost:
    """Of ``asked`` events some were ``refused``, which took ``seconds`` for all; numbers that fade."""

    asked: float = 0
    refused: float = 0
    seconds: float = 0

    def note(self, asked: int, refused: int, seconds: float) -> None:
        """So many events of a sample were asked."""
        self.asked += asked
        self.refused += refused
        self.seconds += seconds
        if self.asked > 2 * REMEMBERED:
            fading = REMEMBERED / self.asked
            self.asked, self.refused, self.seconds = REMEMBERED, self.refused * fading, self.seconds * fading

    @property
    def seconds_each(self) -> float:
        """What one event takes."""
        return self.seconds / max(1, self.asked)

    @property
    def refused_share(self) -> float:
        """How many of its events it refuses: a half, as long as nothing is known."""
        return (self.refused + 1) / (self.asked + 2)

    @property
    def dearness(self) -> float:
        """Seconds for each event that it refuses: the least one is asked first."""
        return self.seconds_each / self.refused_share


class Sample:
    """Which events of each stream are in the sample."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def take(self, stream: int, count: int) -> NDArray[np.bool_]:
        """Those of the next events of a stream, as a mask."""
        first = self._seen.get(stream, 0)
        self._seen[stream] = first + count
        numbers = np.arange(first, first + count)
        return (numbers < FIRST) | (numbers % EVERY == 0)
