"""Expressions over rows of words: natively where the native program knows them, by pyoxigraph elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gpm.algebra import Expression, Iri, Literal, Operation, Variable
from gpm.external import ExternalEvaluator, Status, Times
from gpm.interning import Interner, TransientTerms
from gpm.rows import Words
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.operations import Op
from nfa_native.terms.program import Program

_UNKNOWN = 2

# Operations with a fixed number of operands: their name and number.
_FIXED = {
    ("=", 2): Op.EQUAL, ("!=", 2): Op.NOT_EQUAL, ("<", 2): Op.LESS, ("<=", 2): Op.LESS_EQUAL, (">", 2): Op.GREATER,
    (">=", 2): Op.GREATER_EQUAL, ("SAMETERM", 2): Op.SAME_TERM, ("!", 1): Op.NOT, ("IF", 3): Op.IF,
    ("ISIRI", 1): Op.IS_IRI, ("ISURI", 1): Op.IS_IRI, ("ISBLANK", 1): Op.IS_BLANK, ("ISLITERAL", 1): Op.IS_LITERAL,
    ("ISNUMERIC", 1): Op.IS_NUMERIC, ("-", 1): Op.NEGATE, ("+", 1): Op.PLUS, ("ABS", 1): Op.ABS, ("CEIL", 1): Op.CEIL,
    ("FLOOR", 1): Op.FLOOR, ("ROUND", 1): Op.ROUND, ("YEAR", 1): Op.YEAR, ("MONTH", 1): Op.MONTH, ("DAY", 1): Op.DAY,
    ("HOURS", 1): Op.HOURS, ("MINUTES", 1): Op.MINUTES, ("SECONDS", 1): Op.SECONDS, ("TZ", 1): Op.TZ,
    ("STR", 1): Op.STR, ("LANG", 1): Op.LANG, ("DATATYPE", 1): Op.DATATYPE, ("STRLEN", 1): Op.STRLEN,
    ("CONTAINS", 2): Op.CONTAINS, ("STRSTARTS", 2): Op.STRSTARTS, ("STRENDS", 2): Op.STRENDS, ("LCASE", 1): Op.LCASE,
    ("UCASE", 1): Op.UCASE, ("NOW", 0): Op.NOW,
}  # fmt: skip
_FOLDED = {"+": Op.ADD, "-": Op.SUBTRACT, "*": Op.MULTIPLY, "/": Op.DIVIDE}
_COUNTED = {"&&": Op.AND, "||": Op.OR, "COALESCE": Op.COALESCE, "CONCAT": Op.CONCAT}
_LISTS = {"IN": Op.IN, "NOT IN": Op.NOT_IN}


def compile_expression(
    expression: Expression, registers: Mapping[str, int], terms: Terms, kept: Interner | None = None
) -> Program | None:
    """The native program of an expression; None if the native program lacks an operation in it.

    ``registers`` maps names of variables, any strings, to registers; other variables are unbound.  Constants
    are interned in ``terms``, or in ``kept``, which has to live as long as the program.
    """
    compiler = _Compiler(registers, terms, terms if kept is None else kept)
    try:
        compiler.add(expression)
        return Program(compiler.instructions, compiler.constants, terms)
    except (_NotNativeError, ValueError):  # ValueError: too deep for the native stack
        return None


def truth_columns(expression: Expression, names: Sequence[str], columns: Words, now: Times, terms: Terms) -> Status:
    """The effective boolean value (n) of an expression on each row: 1 true, 0 false, −1 error.

    ``names`` are the variables of ``columns`` (k, n), ``now`` (n) the event times.  PatternError: as ExternalEvaluator.
    """
    program = _program(expression, names, terms)
    if program is None:
        return ExternalEvaluator(terms).test(expression, names, columns, now)
    status: Status = program.test_rows(columns, now)
    rows = np.flatnonzero(status == _UNKNOWN)
    if len(rows):
        status[rows] = ExternalEvaluator(terms).test(expression, names, columns[:, rows], now[rows])
    return status


def evaluate_columns(expression: Expression, names: Sequence[str], columns: Words, now: Times, terms: Terms) -> Words:
    """The value (n) of an expression on each row, 0 where it is an error; arguments as of ``truth_columns``."""
    program = _program(expression, names, terms)
    if program is None:
        return ExternalEvaluator(terms).compute(expression, names, columns, now)
    words: Words
    words, status = program.compute_rows(columns, now)
    rows = np.flatnonzero(status == _UNKNOWN)
    if len(rows):
        words[rows] = ExternalEvaluator(terms).compute(expression, names, columns[:, rows], now[rows])
    return words


def _program(expression: Expression, names: Sequence[str], terms: Terms) -> Program | None:
    registers = {name: n for n, name in enumerate(names)}
    return compile_expression(expression, registers, terms, TransientTerms(terms))  # nothing is collected meanwhile


class _NotNativeError(Exception):
    """The native program does not know an operation."""


class _Compiler:
    """Writes expressions in postfix form."""

    def __init__(self, registers: Mapping[str, int], terms: Terms, kept: Interner) -> None:
        self.registers = registers
        self.terms = terms
        self.kept = kept
        self.instructions: list[tuple[Op, int]] = []
        self.constants: list[int] = []

    def add(self, expression: Expression) -> None:
        """The instructions that leave the value of an expression on the stack."""
        match expression:
            case Variable(name) if name in self.registers:
                self.instructions.append((Op.LOAD, self.registers[name]))
            case Variable():
                self._constant(0)
            case Iri() | Literal():
                self._constant(encode(self.kept, expression))
            case Operation("BOUND", (Variable(name),)):
                self._bound(name)
            case Operation(name, arguments):
                self._operation(name, arguments)
            case _:
                raise _NotNativeError

    def _constant(self, word: int) -> None:
        self.instructions.append((Op.CONSTANT, len(self.constants)))
        self.constants.append(word)

    def _bound(self, name: str) -> None:
        if name in self.registers:
            self.instructions.append((Op.BOUND, self.registers[name]))
        else:
            self._constant(self.terms.boolean(False))

    def _operation(self, name: str, arguments: tuple[Expression, ...]) -> None:
        count = len(arguments)
        if (name, count) in _FIXED:
            self._postfix(arguments, _FIXED[name, count], 0)
        elif name in _FOLDED and count > 1:
            self._fold(_FOLDED[name], arguments)
        elif name in _COUNTED:
            self._postfix(arguments, _COUNTED[name], count)
        elif name in _LISTS:
            self._postfix(arguments, _LISTS[name], count - 1)
        else:
            raise _NotNativeError

    def _postfix(self, arguments: tuple[Expression, ...], op: Op, argument: int) -> None:
        for part in arguments:
            self.add(part)
        self.instructions.append((op, argument))

    def _fold(self, op: Op, arguments: tuple[Expression, ...]) -> None:
        self.add(arguments[0])
        for part in arguments[1:]:
            self.add(part)
            self.instructions.append((op, 0))
