"""Rows found by the words in some of their columns: an open-addressing hash index that is built once."""

import numpy
from numpy.typing import NDArray

from nfa_native.terms.rows import EventRows

class HashIndex:
    """The rows of ``columns`` uint64[k, r] by all of their words, fewer than 2³² of them.

    The index holds a reference to ``columns``, which must not change.  With k = 0 every row has the same key, and
    ``count`` is r.
    """

    def __init__(self, columns: NDArray[numpy.uint64], count: int = -1) -> None: ...
    def __len__(self) -> int:
        """Number of rows."""

    def memory(self) -> int:
        """Bytes reserved, columns apart."""

    def longest_run(self) -> int:
        """The most slots in a row that are taken; few, where keys do not collide."""

    def probe(
        self, columns: NDArray[numpy.uint64] | EventRows, count: int = -1
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """(int64[m], int64[m]): all pairs of a row of ``columns`` uint64[k, n] and an indexed row with the same words.

        In the order of the rows of ``columns``, then of the indexed rows.  ``count`` is n where k = 0.
        """
