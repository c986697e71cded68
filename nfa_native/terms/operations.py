"""The operations of expression programs: the only place that says which number is which, for Python and C++.

``setup.py`` writes a header and Cython declarations of it.
"""

from __future__ import annotations

from enum import IntEnum


class Op(IntEnum):
    """Operation codes; each takes its operands from the stack and leaves its result there.

    The argument of LOAD and BOUND is a register, of CONSTANT an index into the constants, of AND, OR, COALESCE and
    CONCAT the number of operands, of IN and NOT_IN the length of the list; others ignore it.
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
