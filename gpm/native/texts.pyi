"""Columns of texts: text i of n is ``text[offsets[i]:offsets[i + 1]]``, offsets int64[n + 1], text in UTF-8.

ValueError: a column is not as long as it should be, or its offsets reach out of its text.
"""

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from gpm.rows import TextColumn

def taken(column: TextColumn, chosen: NDArray[numpy.int64]) -> TextColumn:
    """The texts with these numbers, in their order.  ValueError: there is no such text."""

def pieced(
    blocks: tuple[object, ...],
    block: NDArray[numpy.int64],
    starts: NDArray[numpy.int64],
    stops: NDArray[numpy.int64],
) -> bytes:
    """Bytes ``starts[i]:stops[i]`` of ``blocks[block[i]]`` for each i, one after the other.  A block is bytes or a view."""

def times(microseconds: NDArray[numpy.int64]) -> TextColumn:
    """Times since 1970 (UTC) in ISO 8601, with six digits after the second, none if they are zero."""

def woven(count: int, pieces: Sequence[bytes | TextColumn]) -> bytes:
    """``count`` lines, one after the other: each has all pieces, its own text of a column."""
