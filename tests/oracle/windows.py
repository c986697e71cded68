"""Windows: whether a match lies in one, and that window's edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from .model import Event, Window

MICROSECONDS = {"MILLISECOND": 10**3, "SECOND": 10**6, "MINUTE": 60 * 10**6, "HOUR": 3600 * 10**6, "DAY": 86400 * 10**6}


@dataclass(frozen=True)
class Edges:
    """The events of Σ between a match's window edges, edges included, and the time when the upper edge is reached."""

    inside: tuple[Event, ...]
    closes: float


def edges(window: Window | None, picked: Sequence[Event], sigma: Sequence[Event]) -> Edges | None:
    """The edges of the window that a match lies in; None if it lies in none."""
    if window is None:
        return Edges(tuple(sigma), inf)
    if window.unit.startswith("EVENT"):
        return _position_edges(window, picked, sigma)
    span = _span(window, min(event.time for event in picked), max(event.time for event in picked))
    if span is None:
        return None
    lower, upper = span
    return Edges(tuple(event for event in sigma if lower <= event.time <= upper), upper)


def _span(window: Window, first: int, last: int) -> tuple[int, int] | None:
    length = window.length * MICROSECONDS[window.unit.removesuffix("S")]
    if window.sliding:
        return (last - length, first + length) if last - first <= length else None
    origin = window.origin or 0
    lower = origin + (first - origin) // length * length
    return (lower, lower + length) if last <= lower + length else None


def _position_edges(window: Window, picked: Sequence[Event], sigma: Sequence[Event]) -> Edges | None:
    positions = [sigma.index(event) for event in picked]
    least, greatest, length = min(positions), max(positions), window.length
    if window.sliding:
        lower, upper = greatest - length + 1, least + length - 1
    else:
        lower = least // length * length
        upper = lower + length - 1
    if greatest > upper:
        return None
    closes = sigma[upper].time if upper < len(sigma) else inf
    return Edges(tuple(sigma[max(lower, 0) : upper + 1]), closes)
