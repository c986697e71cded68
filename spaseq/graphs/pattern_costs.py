"""What dear patterns cost, and how many events they refuse: who is asked first of those that a conjunction needs."""

from __future__ import annotations

from dataclasses import dataclass

SAMPLE = 32  # events, of which all are asked before it is said who is first


@dataclass(slots=True)
class PatternCost:
    """Of ``asked`` events of a sample some were ``refused``, which took ``seconds`` for all."""

    asked: int = 0
    refused: int = 0
    seconds: float = 0

    @property
    def missing(self) -> int:
        """How many events the sample lacks."""
        return max(0, SAMPLE - self.asked)

    def note(self, asked: int, refused: int, seconds: float) -> None:
        """So many events more were asked."""
        self.asked += asked
        self.refused += refused
        self.seconds += seconds

    @property
    def dearness(self) -> float:
        """Seconds for each event that it refuses, one at least: the least one is asked first."""
        return self.seconds / (self.refused + 1)
