"""Hypothesis strategies over the same space as the seeded generator; they shrink towards few operators and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from .generate import Pair, Size, make_pair

T = TypeVar("T")


class Drawn:
    """Choices drawn from hypothesis."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw

    def integer(self, least: int, most: int) -> int:
        """An integer, both ends included."""
        return self.draw(st.integers(least, most))

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.draw(st.integers(0, len(options) - 1))]

    def chance(self, percent: int) -> bool:
        """True in about percent of cases; shrinks to false."""
        return self.draw(st.integers(0, 99)) >= 100 - percent


@st.composite
def pairs(draw: st.DrawFn, size: Size | None = None) -> Pair:
    """Queries with streams and their labels."""
    return make_pair(Drawn(draw), size or Size())
