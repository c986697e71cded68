"""How much work may be done so that results come in time: learned from how long work has taken lately.

A batch of n events that takes w units is held to take ``n·event + w·unit`` seconds; both costs are fitted by least
squares to the batches of late, older ones counting less and less.  Nothing here looks at a clock: it is told.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

PART = 0.4  # of the latency: so long a batch may take, for its events have waited for the one before it
LEAST_PART = 0.1  # of that: so much is left for work, however long all else takes
FADING = 0.9  # of a batch, from one to the next
LEAST_TRUST, GROWING = 0.1, 1.02  # in what costs are held to be, and how fast it grows again
USUAL_UNIT, USUAL_EVENT = 50e-9, 10e-6  # seconds, as long as nothing else is known
LEAST_UNIT, MOST_UNIT = 5e-9, 2e-6
DOUBT = 1e4, 50.0  # units and events of a batch of such usual costs, which does not fade
LATENCIES = [1e-6 * 2 ** (step / 8) for step in range(8 * 30)]  # seconds: from a microsecond to 18 minutes


@dataclass(slots=True)
class Costs:
    """Of an event and of a unit of work, in seconds, fitted to batches."""

    events: float = 0.0  # sums of squares and products, of batches of late
    both: float = 0.0
    units: float = 0.0
    seconds_of_events: float = 0.0
    seconds_of_units: float = 0.0

    def note(self, events: int, units: float, seconds: float) -> None:
        """A batch has taken so long."""
        self.events = FADING * self.events + events * events
        self.both = FADING * self.both + events * units
        self.units = FADING * self.units + units * units
        self.seconds_of_events = FADING * self.seconds_of_events + events * seconds
        self.seconds_of_units = FADING * self.seconds_of_units + units * seconds

    def fitted(self) -> tuple[float, float]:
        """Seconds of an event, and of a unit."""
        units, events = self.units + DOUBT[0] ** 2, self.events + DOUBT[1] ** 2
        of_units = self.seconds_of_units + USUAL_UNIT * DOUBT[0] ** 2
        of_events = self.seconds_of_events + USUAL_EVENT * DOUBT[1] ** 2
        determinant = units * events - self.both**2  # not 0, for there is some doubt
        unit = (of_units * events - of_events * self.both) / determinant
        unit = min(max(unit, LEAST_UNIT), MOST_UNIT)
        return max((of_events - unit * self.both) / events, 0.0), unit


class LatencyControl:
    """Of one input: ``latency`` is the time, in seconds, within which results are to come."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.over = 0  # batches that took longer
        self._costs = Costs()
        self._trust = 1.0
        self._events, self._work, self._seconds = 0, 0.0, 0.0  # of the batch that is open
        self._taken = [0] * (len(LATENCIES) + 1)  # how many batches took how long
        self._longest = 0.0

    def begin(self, events: int, work: float) -> float:
        """A batch of so many events comes, after ``work`` units in all: how many units it may take."""
        self._close(work)
        self._events, self._work = events, work
        event, unit = self._costs.fitted()
        left = PART * self.latency - events * event
        return self._trust * max(left, LEAST_PART * PART * self.latency) / unit

    def took(self, seconds: float) -> None:
        """So long something took for the batch that is open."""
        self._seconds += seconds

    def _close(self, work: float) -> None:
        if self._events:
            self._costs.note(self._events, max(0.0, work - self._work), self._seconds)  # queries may have gone
            self._note_trust(PART * self.latency / max(self._seconds, 1e-9))
            self._taken[bisect_right(LATENCIES, self._seconds)] += 1
            self._longest = max(self._longest, self._seconds)
            self.over += self._seconds > self.latency
        self._events, self._seconds = 0, 0.0

    def _note_trust(self, ratio: float) -> None:
        """A batch had so many times the time that it took: where that was too little, less is allowed for a while."""
        self._trust = min(1.0, max(LEAST_TRUST, self._trust * min(GROWING, ratio)))

    def statistics(self) -> dict[str, Any]:
        """How long batches took, from push to results, in seconds; None: there was none."""
        return {
            "p50": self._quantile(0.5), "p99": self._quantile(0.99), "max": round(self._longest, 6) or None,
            "batches": sum(self._taken), "batches_over": self.over,
        }  # fmt: skip

    def _quantile(self, part: float) -> float | None:
        """At most an eighth of an octave more than that quantile."""
        sums = list(accumulate(self._taken))
        if not sums[-1]:
            return None
        place = next(place for place, count in enumerate(sums) if count >= part * sums[-1])
        return round(min(LATENCIES[min(place, len(LATENCIES) - 1)], self._longest), 6)
