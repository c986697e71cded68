"""Expression programs: SPARQL expressions in postfix form, run on registers of words without Python."""

from collections.abc import Iterable

import numpy
from numpy.typing import NDArray

from nfa_native.terms.operations import Op
from nfa_native.terms.dictionary import Terms

class Program:
    """An expression in postfix form.

    ``instructions`` are pairs (Op, argument), ``constants`` words of ``terms``.  ValueError if they do not leave exactly one
    value, mention a constant that is not there, or need a deeper stack than 64 values.
    """

    terms: Terms
    def __init__(self, instructions: Iterable[tuple[int, int]], constants: Iterable[int], terms: Terms) -> None: ...
    @property
    def registers(self) -> int:
        """Number of registers that the program may read: one more than the largest it names."""

    @property
    def instructions(self) -> list[tuple[Op, int]]:
        """The instructions as pairs (Op, argument)."""

    @property
    def constants(self) -> list[int]:
        """The words of the constants."""

    def test_rows(self, columns: NDArray[numpy.uint64], now: NDArray[numpy.int64]) -> NDArray[numpy.int8]:
        """int8[n]: 1 true, 0 false, −1 error, 2 unknown for each of n rows.

        ``columns`` is uint64[registers or more, n], ``now`` int64[n] microseconds since 1970 (UTC).
        """

    def compute_rows(
        self, columns: NDArray[numpy.uint64], now: NDArray[numpy.int64]
    ) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int8]]:
        """(uint64[n], int8[n]): words, UNBOUND where there is none, and 0 value, −1 error, 2 unknown; as `test_rows`."""
