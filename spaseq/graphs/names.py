"""Names of events: the matcher knows events by number, results show their IRIs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.rows import TextColumn
from nfa_native.core.arrays import distinct
from spaseq.sources.rdf.events import EventIris

FEW = 1024  # names that are kept without a thought
FEW_KEPT = 32  # names that are decoded at once
DENSE = 8  # as many numbers for each that is known: they are looked up by themselves


class EventNames:
    """The IRIs of the events ``base`` … ``next - 1`` of a merged input, as long as a partial match may need them."""

    def __init__(self, base: int = 0, names: Iterable[str] = ()) -> None:
        self._starts = [base]  # number of the first event of each part, and the next number
        self._parts: list[tuple[Sequence[str], NDArray[np.int64] | None]] = []
        self._singles: list[str] = []  # the last part, if its names came one by one
        self.add(EventIris.of(names))

    @property
    def base(self) -> int:
        """The number of the oldest event that is known."""
        return self._starts[0]

    @property
    def next(self) -> int:
        """The number of the event that is added next."""
        return self._starts[-1]

    def add(self, names: EventIris, order: NDArray[np.int64] | None = None) -> None:
        """Number some more events: the i-th has the name ``names[order[i]]``, or ``names[i]``."""
        if len(names):
            self._parts.append((names.compact(), order))
            self._starts.append(self._starts[-1] + len(names))
            self._singles = []

    def append(self, name: str) -> int:
        """Number one more event, and give its number."""
        if not self._singles or len(self._singles) == FEW:
            self._singles = []
            self._parts.append((self._singles, None))
            self._starts.append(self._starts[-1])
        self._singles.append(name)
        self._starts[-1] += 1
        return self._starts[-1] - 1

    def __call__(self, number: int) -> str:
        """The IRI of an event by its number, which must be known."""
        part = bisect_right(self._starts, number) - 1
        names, order = self._parts[part]
        place = number - self._starts[part]
        return names[place if order is None else int(order[place])]

    def from_number(self, oldest: int) -> list[str]:
        """The names of ``oldest`` and all after it."""
        return [self(number) for number in range(max(oldest, self.base), self.next)]

    def forget(self, oldest: int) -> None:
        """Names below ``oldest`` are not needed any more; parts go as a whole, and not for a few names."""
        useless = bisect_right(self._starts, oldest) - 1
        if useless > 0 and self._starts[useless] - self.base > FEW:
            del self._starts[:useless], self._parts[:useless]

    def kept(self, numbers: NDArray[np.uint64]) -> Callable[[int], str]:
        """A function like this object for some numbers alone, which outlives ``forget``."""
        if len(numbers) > FEW_KEPT:
            found = distinct(numbers.astype(np.int64))
            first, last = (bisect_right(self._starts, number) for number in (int(found[0]), int(found[-1])))
            if last - first <= len(found):  # else most parts have none of them
                return KeptNames(found, self._taken(found, range(first - 1, last)))
        return {number: self(number) for number in set(numbers.tolist())}.__getitem__

    def _taken(self, numbers: NDArray[np.int64], parts: range) -> EventIris:
        """The names of these numbers, which rise and lie in these parts."""
        starts = self._starts[parts.start : parts.stop + 1]
        places = np.split(numbers, np.searchsorted(numbers, starts[1:-1]))
        return EventIris.join([
            _names(*self._parts[part], some - start) for part, start, some in zip(parts, starts, places, strict=False)
        ])  # fmt: skip


class KeptNames:
    """Names by number, as a column; they are decoded when somebody asks for one of them."""

    def __init__(self, numbers: NDArray[np.int64], names: EventIris) -> None:
        self._numbers = numbers  # they rise
        self._names = names

    def texts(self, numbers: NDArray[np.uint64]) -> TextColumn:
        """The names of these numbers; they must be known."""
        names = self._names.take(self._places(numbers).astype(np.int64))
        return names.ends, names.text

    def coded(self, numbers: NDArray[np.uint64]) -> tuple[TextColumn, NDArray[np.int32]]:
        """All of these names, and which of them each of these numbers has; it must be known."""
        return (self._names.ends, self._names.text), self._places(numbers)

    def _places(self, numbers: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Where the names of these numbers stand."""
        known, given = self._numbers, numbers.view(np.int64)
        span = int(known[-1] - known[0]) + 1
        if span > DENSE * len(known):
            return np.searchsorted(known, given).astype(np.int32)
        places = np.zeros(span, np.int32)
        places[known - known[0]] = np.arange(len(known), dtype=np.int32)
        found: NDArray[np.int32] = places[given - known[0]]
        return found

    def __call__(self, number: int) -> str:
        """The IRI of an event by its number, which must be known."""
        return self._decoded[number]

    @cached_property
    def _decoded(self) -> dict[int, str]:
        return dict(zip(self._numbers.tolist(), self._names, strict=True))


def _names(names: Sequence[str], order: NDArray[np.int64] | None, places: NDArray[np.int64]) -> EventIris:
    """The names of a part at these places."""
    if isinstance(names, EventIris):
        return names.take(places if order is None else order[places])
    return EventIris.of(names[place] for place in places.tolist())
