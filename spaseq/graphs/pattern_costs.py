"""What dear patterns cost and refuse: whether it pays that one waits, and who of a conjunction is asked first."""

from __future__ import annotations

from dataclasses import dataclass

TRIAL, REST = 1_000, 10_000  # events: of a trial, and until the next one
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


@dataclass(slots=True)
class Trial:
    """Whether it is worth while that a job waits: it is not if most events are chosen all the same.

    Of ``events`` events ``chosen`` were chosen; for the next ``rest`` events it does not wait.
    """

    events: int = 0
    chosen: int = 0
    rest: int = 0

    def note(self, events: int, chosen: int) -> None:
        """So many of a batch's events were chosen."""
        self.events += events
        self.chosen += chosen
        if self.events >= TRIAL:
            self.rest = REST if 2 * self.chosen > self.events else 0
            self.events = self.chosen = 0
