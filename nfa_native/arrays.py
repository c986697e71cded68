"""Named arrays as bytes, in NumPy's own format: the same bytes for the same arrays, and nothing in them is executed."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as bytes."""
    output = io.BytesIO()
    np.savez(output, allow_pickle=False, **dict(arrays))
    return output.getvalue()


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of ``pack``; ValueError if the data are damaged."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except MemoryError:
        raise
    except Exception as error:  # NumPy and zipfile raise a dozen kinds on damaged bytes
        raise ValueError("the arrays are damaged") from error


def distinct(numbers: NDArray[Any]) -> NDArray[Any]:
    """Each once, in order.

    ``numpy.unique`` puts integers into a hash table first: that takes longer, and forever where they were made for it.
    """
    ordered = np.sort(numbers)
    return ordered[:1] if len(ordered) < 2 else ordered[np.append(True, ordered[1:] != ordered[:-1])]
