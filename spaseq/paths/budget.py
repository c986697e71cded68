"""How far a search may go."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from spaseq.errors import OptionError

MOST_SECONDS = 1e9  # a longer limit is none
LEAST_LOOK = 1 << 16  # edges that are looked at for one result more than a limit: a moment


@dataclass(frozen=True, slots=True)
class Budget:
    """At most so many paths, seconds and edges that are looked at; None: as many as there are."""

    paths: int | None = None
    seconds: float | None = None
    edges: int | None = None

    @staticmethod
    def of(limit: int | None, time_limit: timedelta | float | None, most_edges: int | None) -> Budget:
        """A budget as users give it; no time is no budget.  OptionError: something of it is no such number."""
        if limit is None and time_limit is None and most_edges is None:
            return UNLIMITED
        for name, number in (("limit", limit), ("most_edges", most_edges)):
            if number is not None and (type(number) is not int or number < 0):
                raise OptionError(f"{name} is a number from 0 on, not {number!r:.80}")
        return Budget(limit, None if time_limit is None else _seconds(time_limit), most_edges)


UNLIMITED = Budget()


def _seconds(time_limit: timedelta | float) -> float:
    seconds = time_limit.total_seconds() if isinstance(time_limit, timedelta) else time_limit
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:  # NaN is not, either
        raise OptionError(
            f"time_limit is a timedelta or a number of seconds, more than 0, not {time_limit!r:.80}; None: no limit"
        )
    return float(min(seconds, MOST_SECONDS))


class BudgetClock:
    """A budget that is being used from now on."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._deadline = None if budget.seconds is None else time.monotonic() + budget.seconds

    def allows_more(self, edges: int) -> bool:
        """Whether a search may go on that has looked at so many edges: at first it may, however slow the machine."""
        if self._budget.edges is not None and edges >= self._budget.edges:
            return False
        is_first = edges == 0 and bool(self._budget.seconds)
        return self._deadline is None or time.monotonic() < self._deadline or is_first

    def next_edges(self, most: int, edges: int) -> int:
        """How many edges such a search may look at next, ``most`` at most."""
        return most if self._budget.edges is None else min(most, self._budget.edges - edges)
