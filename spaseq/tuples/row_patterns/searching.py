"""Conditions that read the match, as programs of the evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeAlias

import numpy as np
import pyarrow

from nfa_native.row_patterns.match_conditions import Adds, MatchConditions, MatchOp
from spaseq.errors import QueryError
from spaseq.pattern.rows.expressions import (
    Aggregated,
    Applied,
    Label,
    MatchNumber,
    Navigated,
    SqlConstant,
    SqlExpression,
    Variables,
    everything,
    has_label,
)
from spaseq.pattern.rows.types import BOOLEAN, SqlKind, SqlType
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.plan.rows.conditions import HERE, labelled, reads_match
from spaseq.tuples.row_patterns.arrow_types import repeated
from spaseq.tuples.row_patterns.bits import Bits, PlacesOf, SortedTexts, bits_of

ValuesOf = Callable[[SqlExpression], pyarrow.Array]  # of a value of single rows, for all rows
Step: TypeAlias = tuple[MatchOp, int]
_OF_NULL = {"AND", "OR", "IS NULL", "IS DISTINCT FROM", "CASE", "COALESCE", "NULLIF", "IN", "TRY_CAST"}
_DAY = timedelta(days=1)
LABEL, ROWS = -1, -2  # in the place of a column: the names of variables; nothing, for rows are counted


class UnsearchedError(Exception):
    """The condition of a variable has what a search has no steps for."""

    def __init__(self, variable: str, error: QueryError) -> None:
        super().__init__(error.message)
        self.variable = variable
        self.error = error


def match_conditions(
    automaton: PositionAutomaton, searched: Sequence[SqlExpression | None], values_of: ValuesOf
) -> MatchConditions | None:
    """What the evaluator asks of matches; None: nothing.

    UnsearchedError: a condition has what stands only in those of single rows.  ValueFault: a value is too large.
    """
    found = compiled_conditions(automaton, searched)
    if found is None:
        return None
    columns = [values_of(value) for value in found.columns]
    words = SortedTexts([*found.texts, *_texts(columns, found.types)])
    bits = [bits_of(column, type_, words.places) for column, type_ in zip(columns, found.types, strict=True)]
    return found.on(bits, words.places)


def compiled_conditions(
    automaton: PositionAutomaton, searched: Sequence[SqlExpression | None]
) -> CompiledConditions | None:
    """What the evaluator asks of matches, whatever the rows are; None: nothing.  UnsearchedError."""
    if not any(searched):
        return None
    compiler = Compiler(automaton)
    return CompiledConditions(compiler, list(_programs(compiler, searched)))


def check_searched(automaton: PositionAutomaton, searched: Sequence[SqlExpression | None]) -> None:
    """UnsearchedError, as of ``match_conditions``, whatever the rows are."""
    for _ in _programs(Compiler(automaton), searched):
        pass


def _programs(compiler: Compiler, searched: Sequence[SqlExpression | None]) -> Iterator[list[Step]]:
    for position, condition in zip(compiler.automaton.positions, searched, strict=True):
        try:
            yield [] if condition is None else compiler.program(condition)
        except QueryError as error:
            raise UnsearchedError(position.variable, error) from None


# ── expressions ──────────────────────────────────────────────────────────────────────────────────────────
_OPERATORS: Mapping[str, tuple[MatchOp, MatchOp]] = {
    "=": (MatchOp.EQUAL, MatchOp.REAL_EQUAL),
    "<": (MatchOp.LESS, MatchOp.REAL_LESS),
    "<=": (MatchOp.LESS_EQUAL, MatchOp.REAL_LESS_EQUAL),
    "IS DISTINCT FROM": (MatchOp.SAME, MatchOp.REAL_SAME),
    "+": (MatchOp.ADD, MatchOp.REAL_ADD),
    "-": (MatchOp.SUBTRACT, MatchOp.REAL_SUBTRACT),
    "*": (MatchOp.MULTIPLY, MatchOp.REAL_MULTIPLY),
    "/": (MatchOp.DIVIDE, MatchOp.REAL_DIVIDE),
    "%": (MatchOp.REMAINDER, MatchOp.REAL_REMAINDER),
    "MOD": (MatchOp.REMAINDER, MatchOp.REAL_REMAINDER),
    "NEGATE": (MatchOp.NEGATE, MatchOp.REAL_NEGATE),
    "ABS": (MatchOp.ABSOLUTE, MatchOp.REAL_ABSOLUTE),
    "LEAST": (MatchOp.LEAST, MatchOp.REAL_LEAST),
    "GREATEST": (MatchOp.GREATEST, MatchOp.REAL_GREATEST),
}
_TURNED = {">": "<", ">=": "<="}
_ADDS: Mapping[str, tuple[Adds, Adds]] = {
    "SUM": (Adds.SUM, Adds.REAL_SUM), "AVG": (Adds.AVERAGE, Adds.REAL_AVERAGE),
    "MIN": (Adds.LEAST, Adds.REAL_LEAST), "MAX": (Adds.GREATEST, Adds.REAL_GREATEST),
}  # fmt: skip


@dataclass(slots=True)
class Compiler:
    """Programs and what they read, each once."""

    automaton: PositionAutomaton
    constants: list[SqlConstant] = field(default_factory=list)
    groups: dict[Variables | None, list[int]] = field(default_factory=dict)
    readings: dict[tuple[int, bool, int, int, int], int] = field(default_factory=dict)
    addings: dict[tuple[Adds, int, tuple[int, ...]], int] = field(default_factory=dict)
    columns: dict[SqlExpression, int] = field(default_factory=dict)
    reads_number: bool = False

    def program(self, condition: SqlExpression) -> list[Step]:
        """The steps of a condition."""
        steps: list[Step] = []
        self._put(condition, steps)
        return steps

    def constant_bits(self, places: PlacesOf) -> list[tuple[int, bool]]:
        """The bits of each constant, and whether it is known."""
        made = (bits_of(repeated(constant, 1), constant.type, places) for constant in self.constants)
        return [(int(bits[0]), bool(known[0])) for bits, known in made]

    @property
    def texts(self) -> list[pyarrow.Array]:
        """The constants that are texts."""
        return [repeated(constant, 1) for constant in self.constants if constant.type.kind is SqlKind.TEXT]

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────
    def _put(self, expression: SqlExpression, steps: list[Step]) -> None:
        match expression:
            case SqlConstant():
                self.constants.append(expression)
                steps.append((MatchOp.CONSTANT, len(self.constants) - 1))
            case Navigated():
                steps.append((MatchOp.READ, self._reading(expression)))
            case Aggregated():
                steps.append((MatchOp.AGGREGATE, self._adding(expression)))
            case MatchNumber():
                self.reads_number = True
                steps.append((MatchOp.NUMBER, 0))
            case Applied():
                self._apply(expression, steps)
            case _:
                raise AssertionError(expression)

    def _apply(self, expression: Applied, steps: list[Step]) -> None:
        function, operands = expression.function, expression.operands
        if function in ("AND", "OR"):
            self._both(function, operands, steps)
        elif function == "CASE":
            self._case(operands, steps)
        elif function == "COALESCE":
            self._coalesced(operands, steps)
        elif function == "NULLIF":
            one, other = operands
            equal = Applied("=", (one, other), BOOLEAN)
            self._case((equal, SqlConstant(None, expression.type), one), steps)
        elif function == "IN":
            first, *items = operands
            self._both("OR", [Applied("=", (first, item), BOOLEAN) for item in items], steps)
        elif function in ("CAST", "TRY_CAST"):
            self._cast(expression, steps)
        elif function in ("NOT", "IS NULL"):
            self._put(operands[0], steps)
            steps.append((MatchOp.NOT if function == "NOT" else MatchOp.IS_NULL, 0))
        elif function == "<>":
            self._put(Applied("=", operands, BOOLEAN), steps)
            steps.append((MatchOp.NOT, 0))
        elif function in _TURNED:
            self._put(Applied(_TURNED[function], operands[::-1], BOOLEAN), steps)
        elif function in _OPERATORS:
            self._operator(expression, steps)
        else:
            self._of_one_row(expression, function, steps)

    def _of_one_row(self, expression: Applied, what: str, steps: list[Step]) -> None:
        """What there are no steps for, of a single row: a column of its own.  QueryError: it is of several rows."""
        read = _at_one_row(expression)
        if read is None:
            message = f"{what} is not supported here, in a condition that reads the match"
            raise QueryError(message, hint="it may stand in a condition of one row and its neighbours")
        steps.append((MatchOp.READ, self._reading(read)))

    def _operator(self, expression: Applied, steps: list[Step]) -> None:
        function, operands = expression.function, expression.operands
        kinds = {operand.type.kind for operand in operands}
        integral, real = _OPERATORS[function]
        if SqlKind.DATE in kinds and function in ("+", "-") and not all(map(_is_whole, operands)):
            self._of_one_row(expression, "a date and an interval that is not written", steps)
            return
        scales = [operand.type.scale for operand in operands]
        is_level = function in ("+", "-", "%", "MOD")
        for number, operand in enumerate(operands):
            self._put(operand, steps)
            if is_level and scales[number] < max(scales):
                steps.append((MatchOp.SCALE, _power(max(scales) - scales[number])))
            if number and len(operands) != 2:
                steps.append((real if SqlKind.DOUBLE in kinds else integral, 0))
        if function == "/" and expression.type.kind is SqlKind.DECIMAL:
            steps.append((MatchOp.DIVIDE_ROUNDED, _power(expression.type.scale - scales[0] + scales[1])))
        elif len(operands) <= 2 and not (len(operands) == 1 and function in ("LEAST", "GREATEST")):
            steps.append((real if SqlKind.DOUBLE in kinds else integral, 0))
        if function == "IS DISTINCT FROM":
            steps.append((MatchOp.NOT, 0))

    def _both(self, function: str, operands: Sequence[SqlExpression], steps: list[Step]) -> None:
        jump, join = (MatchOp.UNLESS_FALSE, MatchOp.AND) if function == "AND" else (MatchOp.UNLESS_TRUE, MatchOp.OR)
        waiting = []
        for number, operand in enumerate(operands):
            if number:
                waiting.append(len(steps))
                steps.append((jump, 0))
            self._put(operand, steps)
            if number:
                steps.append((join, 0))
        for place in waiting:
            steps[place] = (jump, len(steps))

    def _case(self, operands: Sequence[SqlExpression], steps: list[Step]) -> None:
        *paired, otherwise = operands
        ends = []
        for condition, value in zip(paired[::2], paired[1::2], strict=True):
            self._put(condition, steps)
            unless = len(steps)
            steps.append((MatchOp.WHEN, 0))
            self._put(value, steps)
            ends.append(len(steps))
            steps.append((MatchOp.JUMP, 0))
            steps[unless] = (MatchOp.WHEN, len(steps))
        self._put(otherwise, steps)
        for place in ends:
            steps[place] = (MatchOp.JUMP, len(steps))

    def _coalesced(self, operands: Sequence[SqlExpression], steps: list[Step]) -> None:
        waiting = []
        for number, operand in enumerate(operands):
            if number:
                waiting.append(len(steps))
                steps += [(MatchOp.UNLESS_KNOWN, 0), (MatchOp.DROP, 0)]
            self._put(operand, steps)
        for place in waiting:
            steps[place] = (MatchOp.UNLESS_KNOWN, len(steps))

    def _cast(self, expression: Applied, steps: list[Step]) -> None:
        operand, target = expression.operands[0], expression.type
        kind, wanted, more = operand.type.kind, target.kind, target.scale - operand.type.scale
        is_exact = kind in (SqlKind.INTEGER, SqlKind.DECIMAL)
        is_same = kind is wanted or (kind, wanted) == (SqlKind.DATE, SqlKind.TIMESTAMP)
        is_wider = is_exact and (wanted is SqlKind.DOUBLE or (wanted is SqlKind.DECIMAL and more >= 0))
        if kind is SqlKind.ANY:  # it is NULL, or its type is not known yet
            return self._put(operand, steps)
        if len(expression.operands) > 1 or not (is_wider or (is_same and wanted is not SqlKind.DECIMAL)):
            return self._of_one_row(expression, f"{expression.function} of {operand.type} to {target}", steps)
        self._put(operand, steps)
        if is_exact and wanted is SqlKind.DOUBLE:
            steps.append((MatchOp.TO_REAL, _power(operand.type.scale)))
        elif is_exact and wanted is SqlKind.DECIMAL and more:
            steps.append((MatchOp.SCALE, _power(more)))
        return None

    # ── what is read ─────────────────────────────────────────────────────────────────────────────────────
    def _group(self, variables: Variables | None) -> int:
        """The number of a group; how many of its first and of its last rows are read is told by readings."""
        self.groups.setdefault(variables, [0, 0])
        return list(self.groups).index(variables)

    def _reading(self, read: Navigated) -> int:
        at = read.at
        number = self._group(at.variables)
        ends = self.groups[at.variables]
        ends[not at.first] = max(ends[not at.first], at.offset + 1)
        key = (number, at.first, at.offset, at.shift, self._column(read.value))
        return self.readings.setdefault(key, len(self.readings))

    def _adding(self, read: Aggregated) -> int:
        value = read.value
        adds = Adds.COUNT
        if read.function != "COUNT":
            assert value is not None
            adds = _ADDS[read.function][value.type.kind is SqlKind.DOUBLE]
            if read.function == "AVG" and value.type.kind is SqlKind.DECIMAL:
                adds = Adds.DECIMAL_AVERAGE
        variables = [position.variable for position in self.automaton.positions]
        if value is None or not has_label(value) or isinstance(value, Label):
            columns = [ROWS if value is None else self._column(value)] * len(variables)
        else:
            columns = [self._column(labelled(value, variable)) for variable in variables]
        key = (adds, self._group(read.variables), tuple(columns))
        return self.addings.setdefault(key, len(self.addings))

    def _column(self, value: SqlExpression) -> int:
        if isinstance(value, Label):
            return LABEL
        if has_label(value):
            message = "CLASSIFIER stands by itself in FIRST and LAST of a condition that reads the match"
            raise QueryError(message, hint="as in LAST(CLASSIFIER())")
        return self.columns.setdefault(value, len(self.columns))


class CompiledConditions:
    """Programs by position, and what they read."""

    def __init__(self, compiler: Compiler, programs: Sequence[Sequence[Step]]) -> None:
        self.compiler = compiler
        self._programs = programs
        positions = compiler.automaton.positions
        self._names = pyarrow.array([position.variable for position in positions], pyarrow.string())

    @property
    def columns(self) -> tuple[SqlExpression, ...]:
        """The values that are read of rows."""
        return tuple(self.compiler.columns)

    @property
    def types(self) -> tuple[SqlType, ...]:
        """Their types."""
        return tuple(value.type for value in self.columns)

    @property
    def furthest(self) -> int:
        """How many rows behind one of the match its conditions read."""
        return max((shift for _, _, _, shift, _ in self.compiler.readings), default=0)

    @property
    def texts(self) -> list[pyarrow.Array]:
        """Those that are compared with values of rows."""
        return [self._names, *self.compiler.texts]

    def on(self, columns: Sequence[Bits], places: PlacesOf) -> MatchConditions:
        """The same with the bits of columns, or none where rows come later; texts have these ``places``."""
        compiler = self.compiler
        groups = [
            (np.array([variables is None or each.variable in variables for each in compiler.automaton.positions],
                      np.uint8), first, last)
            for variables, (first, last) in compiler.groups.items()
        ]  # fmt: skip
        return MatchConditions(
            self._programs, compiler.constant_bits(places), groups,
            list(compiler.readings), list(compiler.addings), columns, places(self._names), compiler.reads_number,
        )  # fmt: skip


def _texts(columns: Sequence[pyarrow.Array], types: Sequence[SqlType]) -> list[pyarrow.Array]:
    return [column for column, type_ in zip(columns, types, strict=True) if type_.kind is SqlKind.TEXT]


def _is_whole(operand: SqlExpression) -> bool:
    """Whether an operand is no interval, or one of whole days."""
    if operand.type.kind is not SqlKind.INTERVAL:
        return True
    return isinstance(operand, SqlConstant) and isinstance(operand.value, timedelta) and not operand.value % _DAY


def _at_one_row(expression: Applied) -> Navigated | None:
    """An expression about single rows as a value of one; None: it is about several.

    Functions of NULL are NULL, but for some, so that of a row that is not there they are, too.
    """
    if not reads_match(expression):
        return Navigated(expression, HERE, expression.type)
    reads = [each for each in everything(expression) if isinstance(each, Navigated | Aggregated | MatchNumber)]
    at, *others = {each.at if isinstance(each, Navigated) else None for each in reads}
    functions = {each.function for each in everything(expression) if isinstance(each, Applied)}
    if at is None or others or functions & _OF_NULL or has_label(expression):
        return None
    return Navigated(_unread(expression), at, expression.type)


def _unread(expression: SqlExpression) -> SqlExpression:
    """A value of a row from which all is read."""
    match expression:
        case Navigated(value):
            return value
        case Applied(function, operands, type_):
            return Applied(function, tuple(map(_unread, operands)), type_)
        case _:
            return expression


def _power(exponent: int) -> int:
    if exponent > 18:
        raise QueryError("a condition that reads the match takes decimals of 18 digits")
    return int(10**exponent)
