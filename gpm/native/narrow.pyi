"""Columns of texts with offsets of 32 bits, as Arrow has them, made of texts that come again and again.

ValueError: there is no such text, or lists do not fit.  OverflowError: a column would have 2 GiB.
"""

from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from gpm.rows import TextColumn

NarrowColumn: TypeAlias = tuple[NDArray[numpy.int32], bytes]  # as TextColumn, with offsets int32[n + 1]

def taken_columns(column: TextColumn, chosen: NDArray[numpy.int32]) -> list[NarrowColumn]:
    """The texts with the numbers in each column of ``chosen``, ``int32[n, k]``."""

def listed(
    column: TextColumn,
    chosen: NDArray[numpy.int32],
    kinds: NDArray[numpy.uint16],
    offsets: NDArray[numpy.int64],
    count: int,
) -> list[tuple[NDArray[numpy.int32], NDArray[numpy.int32], bytes]]:
    """For each of ``count`` kinds: where each of its lists begins and ends, ``int32[m + 1]``, and its texts.

    List j has the texts ``chosen[i]`` for i from ``offsets[j]`` to ``offsets[j + 1]`` with ``kinds[i]`` as their kind.
    The lists have all texts, and each is of a kind.
    """
