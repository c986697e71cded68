"""Arrays: distinct numbers, ranges, and what is read of a store compared with what it should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.core import archive

Arrays = Mapping[str, NDArray[Any]]
MOST = 10**18  # what a counter or a position may have come to: they can go on for long


def read_store(data: bytes, name: str, newest: int) -> dict[str, NDArray[Any]]:
    """The columns of a store, of a version up to ``newest``; ValueError: there is none, or it is damaged."""
    version, columns = archive.unpack(data).get(name, (0, {}))
    if not 1 <= version <= newest:
        raise ValueError(f"store {name} is missing, or has a version that this program does not read")
    return columns


def column(
    arrays: Arrays, name: str, kind: type[np.generic], length: int | None = None, least: int | None = None
) -> NDArray[Any]:
    """A column (n) of this type, of a length, with numbers from ``least`` to MOST; ValueError: it is something else."""
    found = arrays.get(name)
    if (
        found is None
        or found.ndim != 1
        or found.dtype != kind
        or len(found) != (len(found) if length is None else length)
    ):
        raise ValueError(f"column {name} is not what it should be")
    if least is not None and len(found) and not least <= int(found.min()) <= int(found.max()) <= MOST:
        raise ValueError(f"column {name} has numbers that cannot be")
    return found


def table(arrays: Arrays, name: str, kind: type[np.generic], width: int) -> NDArray[Any]:
    """A table (n, width) of this type; ValueError: it is something else."""
    found = arrays.get(name)
    if found is None or found.ndim != 2 or found.dtype != kind or found.shape[1] != width:
        raise ValueError(f"table {name} is not what it should be")
    return found


def ascends(numbers: NDArray[Any]) -> bool:
    """Whether none is less than the one before it."""
    return bool((numbers[1:] >= numbers[:-1]).all())


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each once, in order.

    ``numpy.unique`` puts integers into a hash table first: that takes longer, and forever where they were made for it.
    """
    ordered = np.sort(numbers)
    return ordered[:1] if len(ordered) < 2 else ordered[np.append(True, ordered[1:] != ordered[:-1])]


def ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """``starts[i]`` … ``starts[i] + lengths[i] - 1``, one range after the other."""
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))


def take_ranges(offsets: NDArray[np.int64], indices: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For ranges ``offsets[i]`` to ``offsets[i + 1]``: the offsets of those chosen, and the positions they cover."""
    lengths = np.diff(offsets)[indices]
    return np.append(0, np.cumsum(lengths)), ranges(offsets[:-1][indices], lengths)


def counted(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values, ascending, and how often each comes; without sorting them where they lie close together."""
    if not len(values):
        return values[:0], values[:0]
    least = int(values.min())
    if int(values.max()) - least > 4 * len(values) + 1024:
        return np.unique(values, return_counts=True)
    counts = np.bincount(values - least)
    found = np.flatnonzero(counts)
    return found + least, counts[found]
