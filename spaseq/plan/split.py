"""Where a query may be cut: what parts of its streams know nothing of each other, so that each has its own engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Split:
    """By what the events of a query go apart, and why.

    ``keys`` are variables (attributes, in CEQL) in which all events are equal that can have to do with each other;
    none: the query stays whole.  ``why`` says so in words.  ``shown``: every row has the keys, and each key is looked
    at on its own, so an event with several may go with each of them; else such an event must not be cut from any.
    """

    keys: tuple[str, ...]
    why: str
    shown: bool = False


def whole(why: str) -> Split:
    """No cut."""
    return Split((), why)
