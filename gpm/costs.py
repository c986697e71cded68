"""What patterns cost that pyoxigraph evaluates: seconds for each event, lately."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

HALF = 10_000  # events after which what was measured counts half as much
FEW_EVENTS = 1  # tell nothing less
T = TypeVar("T")


@dataclass(slots=True)
class RecentCost:
    """Events that were asked and the seconds that it took, older ones counting less and less."""

    events: float = 0.0
    seconds: float = 0.0

    def note(self, events: int, seconds: float) -> None:
        """So many events more took so long."""
        fading = 0.5 ** (events / HALF)
        self.events = fading * self.events + events
        self.seconds = fading * self.seconds + seconds


class PatternCosts:
    """Of all patterns that were asked for, by what they are known by."""

    def __init__(self) -> None:
        self._costs: dict[Hashable, RecentCost] = {}

    def measured(self, pattern: Hashable, events: int, evaluate: Callable[[], T], before: float = 0.0) -> T:
        """What ``evaluate`` gives for so many events; it is noted how long that takes, and what came ``before``."""
        started = perf_counter()
        found = evaluate()
        self._costs.setdefault(pattern, RecentCost()).note(events, before + perf_counter() - started)
        return found

    def each(self, pattern: Hashable) -> float | None:
        """Seconds for an event; None: it was not asked for."""
        cost = self._costs.get(pattern)
        return None if cost is None or cost.events < FEW_EVENTS else cost.seconds / cost.events

    def keep(self, patterns: Set[Hashable]) -> None:
        """Forget all others."""
        self._costs = {one: cost for one, cost in self._costs.items() if one in patterns}
