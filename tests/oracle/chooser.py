"""The source of choices behind the generators: a seeded random one here, hypothesis in strategies.py."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """Makes choices; the first option and the least integer are the simplest, and chance() is simplest when false."""

    def integer(self, least: int, most: int) -> int:
        """An integer, both ends included."""
        ...

    def pick(self, options: Sequence[T]) -> T:
        """One of the options; repeat one to make it likelier."""
        ...

    def chance(self, percent: int) -> bool:
        """True in about percent of cases."""
        ...


class Seeded:
    """Choices of a seeded pseudo-random generator."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def integer(self, least: int, most: int) -> int:
        """An integer, both ends included."""
        return self.random.randint(least, most)

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return self.random.choice(options)

    def chance(self, percent: int) -> bool:
        """True in about percent of cases."""
        return self.random.randrange(100) < percent
