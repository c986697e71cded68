"""Expression programs: SPARQL expressions in postfix form, run on registers of words without Python."""

import enum
from collections.abc import Iterable

import numpy
from numpy.typing import NDArray

from nfa_native.terms.words import Terms

class Op(enum.IntEnum):
    """Operation codes; each takes its operands from the stack and leaves its result there.

    The argument of LOAD and BOUND is a register, of CONSTANT an index into the constants, of AND, OR, COALESCE and CONCAT the
    number of operands, of IN and NOT_IN the length of the list; others ignore it.
    """

    LOAD = 0
    CONSTANT = 1
    BOUND = 2
    NOW = 3
    EQUAL = 4
    NOT_EQUAL = 5
    LESS = 6
    LESS_EQUAL = 7
    GREATER = 8
    GREATER_EQUAL = 9
    SAME_TERM = 10
    NOT = 11
    AND = 12
    OR = 13
    IN = 14
    NOT_IN = 15
    COALESCE = 16
    IF = 17
    IS_IRI = 18
    IS_BLANK = 19
    IS_LITERAL = 20
    IS_NUMERIC = 21
    ADD = 22
    SUBTRACT = 23
    MULTIPLY = 24
    DIVIDE = 25
    NEGATE = 26
    PLUS = 27
    ABS = 28
    CEIL = 29
    FLOOR = 30
    ROUND = 31
    YEAR = 32
    MONTH = 33
    DAY = 34
    HOURS = 35
    MINUTES = 36
    SECONDS = 37
    TZ = 38
    STR = 39
    LANG = 40
    DATATYPE = 41
    STRLEN = 42
    CONTAINS = 43
    STRSTARTS = 44
    STRENDS = 45
    LCASE = 46
    UCASE = 47
    CONCAT = 48

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
