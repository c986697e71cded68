"""Columns of texts: text i of n is ``text[offsets[i]:offsets[i + 1]]``, offsets int64[n + 1], text in UTF-8.

ValueError: a column is not as long as it should be, or its offsets reach out of its text.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from gpm.rows import TextColumn

NarrowColumn: TypeAlias = tuple[NDArray[numpy.int32], bytes]  # with offsets int32[n + 1]

def taken(column: TextColumn, chosen: NDArray[numpy.int64]) -> TextColumn:
    """The texts with these numbers, in their order.  ValueError: there is no such text."""

def taken_columns(column: TextColumn, chosen: NDArray[numpy.int32]) -> list[NarrowColumn]:
    """The texts with the numbers in each column of ``chosen``, ``int32[n, k]``.  OverflowError: they have 2 GiB."""

def listed(
    column: TextColumn,
    chosen: NDArray[numpy.int32],
    kinds: NDArray[numpy.uint16],
    offsets: NDArray[numpy.int64],
    count: int,
) -> list[tuple[NDArray[numpy.int32], NDArray[numpy.int32], bytes]]:
    """For each of ``count`` kinds: where each of its lists begins and ends, ``int32[m + 1]``, and its texts.

    List j has the texts ``chosen[i]`` for i from ``offsets[j]`` to ``offsets[j + 1]`` with ``kinds[i]`` as their kind.
    The lists have all texts, and each is of a kind.  OverflowError: the texts of a kind have 2 GiB.
    """

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
