"""Which members were given, so that none is given twice: those of pages that may come again, and the last of others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

REMEMBERED = 1 << 16  # members of pages that do not come again


class DeliveredMembers:
    """Members that were given, by name; each with its number, by which it is known whether it was given by then."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self._standing: Counter[bytes] = Counter()  # on how many open pages a member stands
        self._recent: dict[bytes, None] = {}  # those that stand on none, the oldest first

    def __contains__(self, name: bytes) -> bool:
        return name in self._numbers

    def give(self, name: bytes, number: int) -> None:
        """A member is given."""
        self._numbers[name] = number
        if name not in self._standing:
            self.remember([name])

    def stand(self, before: Iterable[bytes], now: Iterable[bytes]) -> None:
        """A page that had some members has others now, or is closed."""
        before, now = set(before), set(now)
        self._standing.update(now - before)
        gone = before - now
        self._standing.subtract(gone)
        left = [name for name in gone if not self._standing[name]]
        for name in left:
            del self._standing[name]
        self.remember(name for name in left if name in self._numbers)

    def remember(self, names: Iterable[bytes]) -> None:
        """Members that were given stand on no page; the oldest of many are forgotten."""
        for name in names:
            self._numbers.setdefault(name, 0)
            self._recent[name] = None
        while len(self._recent) > REMEMBERED:
            oldest = next(iter(self._recent))
            del self._recent[oldest]
            if oldest not in self._standing:
                del self._numbers[oldest]

    def given_of(self, names: Iterable[bytes], number: int) -> list[bytes]:
        """Those of some members that were given up to a number."""
        return [name for name in names if self._numbers.get(name, math.inf) <= number]

    def has_given(self, names: Iterable[bytes], number: int) -> bool:
        """Whether all of them were given up to a number."""
        return all(self._numbers.get(name, math.inf) <= number for name in names)

    def recent(self, number: int) -> list[bytes]:
        """Those that stand on no page and were given up to a number."""
        return self.given_of(self._recent, number)
