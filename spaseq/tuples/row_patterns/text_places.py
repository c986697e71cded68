"""Texts that come one after the other, at places with room between them for others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

_STEP = 1 << 20  # between a text and one that comes right behind it
_END = 1 << 62
_LONG = 8  # a run of texts that seem to come in their order


class NoRoomError(Exception):
    """A text fits nowhere between two that have their places: all are to get others."""


class TextPlaces:
    """Places of texts, by code point, which stay what they are."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts = sorted(set(texts))
        self._last = 0  # the place that was given last,
        self._run = 0  # and how many came right behind the one before, or if less than 0, right before it
        room = _END // (len(self._texts) + 1)
        self._places = {text: (number + 1) * room - _END // 2 for number, text in enumerate(self._texts)}

    def __len__(self) -> int:
        return len(self._texts)

    def of(self, column: pyarrow.Array) -> NDArray[np.int64]:
        """The places of texts; those that are new get theirs.  NoRoomError: one does not."""
        if pyarrow.types.is_null(column.type):
            return np.zeros(len(column), np.int64)
        codes = column.dictionary_encode()
        places = [self.place(text) for text in codes.dictionary.to_pylist()]
        found: NDArray[np.int64] = np.array([*places, 0], np.int64)[pc.fill_null(codes.indices, len(places))]
        return found

    def place(self, text: str) -> int:
        """The place of a text, which it gets if it is new.  NoRoomError."""
        known = self._places.get(text)
        if known is not None:
            return known
        at = bisect_left(self._texts, text)
        low = self._places[self._texts[at - 1]] if at else -_END
        high = self._places[self._texts[at]] if at < len(self._texts) else _END
        if high - low < 2:
            raise NoRoomError
        self._texts.insert(at, text)
        self._last = self._places[text] = self._between(low, high)
        return self._last

    def _between(self, low: int, high: int) -> int:
        """In the middle; of texts that come in rising or in falling order, so that there is room for the next one."""
        half = (high - low) // 2
        self._run = max(self._run, 0) + 1 if self._last == low else min(self._run, 0) - 1 if self._last == high else 0
        if abs(self._run) < _LONG:
            return low + half
        return low + min(half, _STEP) if self._run > 0 else high - min(half, _STEP)
