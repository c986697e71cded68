"""Which part of all results was found, as a sample tells it: with an interval, for it is no more than an estimate.

A sample is of ticks drawn by chance.  Of each of them it is known how many results begin in it, and how many of these
were found.  The ratio of both sums is about that of all (a ratio estimator), and how far it may be off follows from how
much ticks differ from it.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import Any, TypeAlias

FEWEST = 30  # ticks in which results begin: of fewer nothing is told
CHANCE = 0.9  # that the interval has the truth


Sums: TypeAlias = tuple[int, float, float, float, float, float]
"""Of the ticks of a sample, as ``recall_of`` takes them."""
NO_TICKS: Sums = (0, 0.0, 0.0, 0.0, 0.0, 0.0)


def added(one: Sums, more: Sums) -> Sums:
    """The sums of two samples."""
    ticks, *rest = (a + b for a, b in zip(one, more, strict=True))
    all, found, squares_of_all, squares_of_found, products = rest
    return int(ticks), all, found, squares_of_all, squares_of_found, products


@dataclass(frozen=True, slots=True)
class Recall:
    """About ``estimate`` of all results were found, with a chance of 90 % from ``low`` to ``high``.

    ``ticks`` of the sample had results.
    """

    estimate: float
    low: float
    high: float
    ticks: int

    @property
    def text(self) -> str:
        """All of it for people."""
        low, high = floor(1000 * self.low) / 10, ceil(1000 * self.high) / 10
        return f"about {100 * self.estimate:.1f} % were found ({low:g} to {high:g} % with a chance of 90 %)"

    def statistics(self) -> dict[str, Any]:
        """All of it, fit for JSON."""
        return dict(zip(("estimate", "low", "high", "ticks"), astuple(self), strict=True))


CERTAIN = Recall(1.0, 1.0, 1.0, 0)  # nothing was left out


def recall_of(
    ticks: int, all: float, found: float, squares_of_all: float, squares_of_found: float, products: float
) -> Recall | None:
    """What these sums tell, over those ``ticks`` of a sample in which results begin; None: too few."""
    if ticks < FEWEST or not 0 <= found <= all or not all:
        return None
    estimate = found / all
    squares = squares_of_found - 2 * estimate * products + estimate**2 * squares_of_all  # of what is off in each tick
    low, high = _interval(min(found, all - found), max(squares, 0.0) * ticks / (ticks - 1), squares_of_all / all)
    if 2 * found >= all:
        low, high = all - high, all - low
    return Recall(estimate, max(low / all, 0.0), min(high / all, 1.0), ticks)


def _interval(total: float, variance: float, weight: float) -> tuple[float, float]:
    """Of a sum over a few ticks, where most have nothing of it: the gamma interval of Fay and Feuer (1997).

    At its upper end it is as if one tick more had all of a ``weight``, as many as the tick of a usual result has: few
    ticks may have most of what is missing, and those with most results at that.
    """
    low = variance / (2 * total) * _chi_square(2 * total**2 / variance, -1) if total and variance else total
    more, spread = total + weight, variance + weight**2
    return low, spread / (2 * more) * _chi_square(2 * more**2 / spread, 1)


def _chi_square(freedom: float, side: int) -> float:
    """A quantile of it, below or above the middle (Wilson and Hilferty, 1931)."""
    z = side * NormalDist().inv_cdf((1 + CHANCE) / 2)
    part = 2 / (9 * freedom)
    return freedom * max(0.0, 1 - part + z * sqrt(part)) ** 3
