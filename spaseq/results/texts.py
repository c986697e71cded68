"""Columns of texts: what native code writes as a whole (see ``gpm.native.texts``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from gpm.rows import TextColumn


@runtime_checkable
class NameColumns(Protocol):
    """Names of events by number that can be had as a column."""

    def texts(self, numbers: NDArray[np.uint64]) -> TextColumn:
        """The names of these numbers, in their order."""


def texts_of(texts: Iterable[str]) -> TextColumn:
    """A column of these texts."""
    encoded = [text.encode() for text in texts]
    return np.cumsum([0, *map(len, encoded)], dtype=np.int64), b"".join(encoded)


def names_of(event_name: Callable[[int], str], numbers: NDArray[np.uint64]) -> TextColumn:
    """The names of these events as a column."""
    if isinstance(event_name, NameColumns):
        return event_name.texts(numbers)
    return texts_of(map(event_name, numbers.tolist()))
