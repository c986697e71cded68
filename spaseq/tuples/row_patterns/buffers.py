"""Columns of other buffers: made of parts that lie behind each other already, or of fewer values, without a copy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import types


def only_at(column: pyarrow.Array, there: NDArray[np.bool_]) -> pyarrow.Array:
    """A column with NULL where nothing is ``there``."""
    if column.offset or not _is_plain(column.type):
        return pc.if_else(pyarrow.array(there), column, pyarrow.scalar(None, column.type))
    if column.null_count:
        there = there & column.is_valid().to_numpy(zero_copy_only=False)
    bits = np.packbits(there, bitorder="little")
    return pyarrow.Array.from_buffers(column.type, len(column), [pyarrow.py_buffer(bits), *column.buffers()[1:]])


def joined(parts: Sequence[pyarrow.Array], type_: pyarrow.DataType) -> pyarrow.Array:
    """Columns of one type behind each other; where they are slices of one, that one again."""
    if not parts:
        return pyarrow.array([], type_)
    if len(parts) == 1 or not _is_plain(type_) or not _are_slices(parts):
        return pyarrow.chunked_array(parts, type_).combine_chunks()
    first = parts[0]
    return pyarrow.Array.from_buffers(type_, sum(map(len, parts)), first.buffers(), offset=first.offset)


def _are_slices(parts: Sequence[pyarrow.Array]) -> bool:
    """Whether each goes on where the one before ends, in the same memory."""
    addresses = [None if buffer is None else buffer.address for buffer in parts[0].buffers()]
    end = parts[0].offset
    for part in parts:
        its = [None if buffer is None else buffer.address for buffer in part.buffers()]
        if part.offset != end or its != addresses:
            return False
        end += len(part)
    return True


def _is_plain(type_: pyarrow.DataType) -> bool:
    """Whether values are in buffers alone, with neither children nor a dictionary."""
    return not (types.is_nested(type_) or types.is_dictionary(type_) or types.is_null(type_))
