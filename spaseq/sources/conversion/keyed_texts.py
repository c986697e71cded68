"""Texts that are sorted: each has a key, and a number that decides between those of one key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from gpm.native.texts import taken
from gpm.rows import Numbers, TextColumn

Rank: TypeAlias = tuple[int, int]  # a key and a number: what texts are sorted by


@dataclass(frozen=True, slots=True, eq=False)
class KeyedTexts:
    """n texts, the ``lines`` of an event or a statement each: ``keys`` (n) are what they are sorted by.

    Those of one key are in order of their ``numbers`` (n); without these, in the order in which they came.
    """

    keys: Numbers
    lines: TextColumn
    numbers: Numbers | None = None

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return int(self.lines[0][-1] - self.lines[0][0])

    @property
    def text(self) -> memoryview:
        """All lines."""
        ends, text = self.lines
        return memoryview(text)[ends[0] : ends[-1]]

    @property
    def in_order(self) -> bool:
        """Whether none is before the one in front of it."""
        before, behind = self.keys[:-1], self.keys[1:]
        if self.numbers is None or (before < behind).all():
            return bool((before <= behind).all())
        rise = self.numbers[:-1] <= self.numbers[1:]
        return bool(((before < behind) | ((before == behind) & rise)).all())

    @property
    def first(self) -> Rank:
        """The rank of the first one; there are numbers."""
        return self._rank(0)

    @property
    def last(self) -> Rank:
        """The rank of the last one; there are numbers."""
        return self._rank(len(self) - 1)

    def _rank(self, one: int) -> Rank:
        assert self.numbers is not None
        return int(self.keys[one]), int(self.numbers[one])

    def until(self, rank: Rank) -> int:
        """How many there are up to this rank and at it, of texts in order that have numbers."""
        assert self.numbers is not None
        key, number = rank
        start, stop = np.searchsorted(self.keys, key, "left"), np.searchsorted(self.keys, key, "right")
        return int(start + np.searchsorted(self.numbers[start:stop], number, "right"))

    def numbered(self, first: int) -> KeyedTexts:
        """The same with numbers, which go on from ``first``, if they have none."""
        if self.numbers is not None:
            return self
        return replace(self, numbers=np.arange(first, first + len(self)))

    def part(self, start: int, stop: int) -> KeyedTexts:
        """Texts ``start`` … ``stop − 1``, without copying."""
        numbers = None if self.numbers is None else self.numbers[start:stop]
        return KeyedTexts(self.keys[start:stop], (self.lines[0][start : stop + 1], self.lines[1]), numbers)

    def sorted(self) -> KeyedTexts:
        """The same in order, those that are equal as they stand here."""
        if self.in_order:
            return self
        by = (self.keys,) if self.numbers is None else (self.numbers, self.keys)
        order = np.lexsort(by)
        numbers = None if self.numbers is None else self.numbers[order]
        return KeyedTexts(self.keys[order], taken(self.lines, order), numbers)

    def joined(self, others: Sequence[KeyedTexts]) -> KeyedTexts:
        """These texts, then those of others; all have numbers, or none."""
        if not others:
            return self
        every = [self, *others]
        lengths = np.concatenate([np.diff(one.lines[0]) for one in every])
        text = b"".join(one.text for one in every)
        numbers = [one.numbers for one in every if one.numbers is not None]
        keys = np.concatenate([one.keys for one in every])
        return KeyedTexts(keys, (ends_of(lengths), text), np.concatenate(numbers) if numbers else None)


def ends_of(lengths: Numbers) -> Numbers:
    """Where texts of these lengths begin and end that follow each other."""
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends
