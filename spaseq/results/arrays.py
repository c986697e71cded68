"""Named arrays as bytes, for the parts of a snapshot that remember results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.core import archive
from nfa_native.core.arrays import read_store
from spaseq.errors import SnapshotError

VERSION = 1  # of the store of what results remember


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as bytes."""
    return archive.pack({"results": (VERSION, arrays)})


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of ``pack``; SnapshotError if the data are damaged."""
    try:
        return read_store(data, "results", VERSION)
    except ValueError as error:
        raise SnapshotError("the results in the snapshot are damaged") from error


def check(arrays: Mapping[str, NDArray[Any]], widths: Mapping[str, int | None]) -> None:
    """SnapshotError unless there are these arrays, and all have as many rows.

    One of a width is ``uint64[n, width]``, the others are ``int64[n]``.
    """
    if arrays.keys() != widths.keys() or len({len(array) if array.ndim else -1 for array in arrays.values()}) > 1:
        raise SnapshotError("the results in the snapshot do not fit each other")
    for name, width in widths.items():
        shape, dtype = ((), np.int64) if width is None else ((width,), np.uint64)
        if arrays[name].dtype != dtype or arrays[name].shape[1:] != shape:
            raise SnapshotError(f"the results in the snapshot have other {name} than they should")
