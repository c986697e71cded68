"""Named arrays as bytes, for the parts of a snapshot that remember results."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from nfa_native.arrays import pack
from nfa_native.arrays import unpack as unpack_arrays
from spaseq.errors import SnapshotError

__all__ = ["pack", "unpack"]


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of ``pack``; SnapshotError if the data are damaged."""
    try:
        return unpack_arrays(data)
    except ValueError as error:
        raise SnapshotError("the results in the snapshot are damaged") from error
