"""Columns of texts: what native code writes as a whole (see ``gpm.native.texts``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeGuard

import numpy as np
from numpy.typing import NDArray

from gpm.rows import TextColumn
from nfa_native.core.coding import coded


class NameColumns(Protocol):
    """Names of events by number that can be had as a column."""

    def texts(self, numbers: NDArray[np.uint64]) -> TextColumn:
        """The names of these numbers, in their order."""

    def coded(self, numbers: NDArray[np.uint64]) -> tuple[TextColumn, NDArray[np.int32]]:
        """Names, at least those of these numbers, and which of them each number has."""


def texts_of(texts: Iterable[str]) -> TextColumn:
    """A column of these texts."""
    encoded = [text.encode() for text in texts]
    return np.cumsum([0, *map(len, encoded)], dtype=np.int64), b"".join(encoded)


def coded_names(event_name: Callable[[int], str], numbers: NDArray[np.uint64]) -> tuple[TextColumn, NDArray[np.int32]]:
    """Names, at least those of these events, and which of them each event has."""
    if _has_columns(event_name):
        return event_name.coded(numbers)
    used, codes = coded(numbers)
    return texts_of(map(event_name, used.tolist())), codes


def names_of(event_name: Callable[[int], str], numbers: NDArray[np.uint64]) -> TextColumn:
    """The names of these events as a column."""
    if _has_columns(event_name):
        return event_name.texts(numbers)
    return texts_of(map(event_name, numbers.tolist()))


def _has_columns(event_name: object) -> TypeGuard[NameColumns]:
    return hasattr(event_name, "texts")
