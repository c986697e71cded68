"""Names of events: the matcher knows events by number, results show their IRIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray


class EventNames:
    """The IRIs of the events ``base`` … ``next - 1`` of a streamset, as long as a partial match may need them."""

    def __init__(self, base: int = 0, names: Iterable[str] = ()) -> None:
        self.base = base
        self._names = list(names)

    @property
    def next(self) -> int:
        """The number of the event that is added next."""
        return self.base + len(self._names)

    def add(self, names: Iterable[str]) -> None:
        """Number some more events."""
        self._names.extend(names)

    def __call__(self, number: int) -> str:
        return self._names[number - self.base]

    def from_number(self, oldest: int) -> list[str]:
        """The names of ``oldest`` and all after it."""
        return self._names[max(0, oldest - self.base) :]

    def forget(self, oldest: int) -> None:
        """Names below ``oldest`` are not needed any more; they go when they are the larger part."""
        useless = oldest - self.base
        if useless > len(self._names) // 2 and useless > 1024:
            del self._names[:useless]
            self.base = oldest

    def kept(self, numbers: NDArray[np.uint64]) -> Callable[[int], str]:
        """A function like this object for some numbers alone, which outlives ``forget``."""
        return {number: self(number) for number in np.unique(numbers).tolist()}.__getitem__
