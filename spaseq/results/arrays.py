"""Named arrays as bytes, for the parts of a snapshot (NumPy's own format, nothing in it is executed)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import SnapshotError


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as bytes."""
    output = io.BytesIO()
    np.savez(output, allow_pickle=False, **dict(arrays))
    return output.getvalue()


def unpack(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of ``pack``; SnapshotError if the data are damaged."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (ValueError, OSError, EOFError, KeyError, BadZipFile) as error:
        raise SnapshotError("the results in the snapshot are damaged") from error
