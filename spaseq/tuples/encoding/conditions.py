"""What is asked and computed about several events, as native programs, and what they read of each event.

What concerns one event alone (``a.price * 2``, ``a.name LIKE 'x%'``) is a value of that event: computed by columns when
it comes, and remembered with it.  What is left is arithmetic and logic between events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.automata.complex_events import Computation, Condition, Instruction, Programs
from nfa_native.automata.kinds import DEEPEST, Opcode
from spaseq.pattern.formulas.predicates import (
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    In,
    IsNull,
    Like,
    Negative,
    Not,
    Or,
    Predicate,
    Value,
    attributes,
    local as local_predicate,
    local_value,
    normal,
)
from spaseq.plan.formulas.clauses import Joined
from spaseq.plan.formulas.correlation import Computed, Inquiry
from spaseq.sources.tables.types import ValueKind, kind_of_type
from spaseq.tuples.columns.numbering import KnownTexts, numbered
from spaseq.tuples.columns.predicates import few_truths, few_values, holds, numbers
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.columns.vectors import Mask, nearest

NULL, HUGE = -(2**63), -(2**63) + 1  # in columns of integers (``nfa_native/events/conditions.hpp``)
_LEAST, _GREATEST = -(2**63), 2**63 - 1
_ARITHMETIC = {
    "+": Opcode.ADD, "-": Opcode.SUBTRACT, "*": Opcode.MULTIPLY, "/": Opcode.DIVIDE,
    "%": Opcode.REMAINDER,
}  # fmt: skip
_COMPARISONS = {
    "=": Opcode.EQUAL, "!=": Opcode.DIFFERENT, "<": Opcode.LESS, "<=": Opcode.LESS_EQUAL,
}  # fmt: skip
_TURNED = {">": "<", ">=": "<="}

Integers = npt.NDArray[np.int64]
FewColumn = Callable[[FewRows], Integers]  # reads a column of a few rows
_VALUES = (Attribute, Constant, Arithmetic, Negative)


class WordForm(Enum):
    """How a remembered value is kept in 64 bits."""

    INTEGER = Opcode.LOAD_INTEGER
    REAL = Opcode.LOAD_REAL
    TRUTH = Opcode.LOAD_TRUTH
    TEXT = "the number of a text"


@dataclass(frozen=True, slots=True)
class RememberedValue:
    """A value of each event: ``of`` has no variables."""

    of: Value | Predicate
    form: WordForm

    def read(self, batch: pyarrow.RecordBatch, known: KnownTexts) -> Integers:
        """The values of a batch (n)."""
        if self.form is WordForm.TRUTH:
            assert not isinstance(self.of, Attribute | Constant | Arithmetic | Negative)
            return _whole(holds(self.of, batch), batch)
        assert isinstance(self.of, Attribute | Constant | Arithmetic | Negative)
        if self.form is WordForm.TEXT:
            values, valid = numbered(self.of, batch, known)
            return _whole(np.where(valid, values, NULL), batch)
        vector = numbers(self.of, batch)
        if self.form is WordForm.REAL:
            reals = np.where(_valid(vector.valid), vector.values.astype(np.float64, copy=False), np.nan)
            return _whole(reals.view(np.int64), batch)
        return _whole(_integers(vector.values, vector.valid), batch)

    def of_few(self, known: KnownTexts, schema: pyarrow.Schema) -> FewColumn:
        """``read`` of a few rows with the columns of ``schema``."""
        of, form = self.of, self.form
        values = few_values(of, schema) if isinstance(of, _VALUES) else few_truths(of, schema)
        return lambda rows: _few(values(rows), form, known)


def _few(found: Sequence[Any], form: WordForm, known: KnownTexts) -> Integers:
    match form:
        case WordForm.TEXT:
            return np.array([NULL if one is None else known[one] for one in found], np.int64)
        case WordForm.REAL:
            return np.array([np.nan if one is None else nearest(one) for one in found], np.float64).view(np.int64)
        case WordForm.INTEGER:
            return np.array([NULL if one is None else _with_room(int(one)) for one in found], np.int64)
    return np.array(found, np.int64)


def _with_room(number: int) -> int:
    return number if HUGE < number <= _GREATEST else HUGE


def _valid(valid: Mask | None) -> Mask | bool:
    return True if valid is None else valid


def _whole(values: npt.NDArray[np.generic], batch: pyarrow.RecordBatch) -> Integers:
    return np.ascontiguousarray(np.broadcast_to(values, batch.num_rows), np.int64)


def _integers(values: npt.NDArray[np.generic], valid: Mask | None) -> Integers:
    """Integers with what is NULL, and what has no room, in their place."""
    if values.dtype == object or (values.size and values.min() <= HUGE):
        objects = np.atleast_1d(values.astype(object))
        values = np.array([_with_room(one) for one in objects.tolist()], np.int64)
    return values.astype(np.int64, copy=False) if valid is None else np.where(valid, values, NULL)


class Conditions:
    """The native form of what an automaton asks and computes; ``remembered`` are the values that it reads, by column.

    What has no native form (texts that are compared by order) is left to who can judge it: UNDECIDED.
    """

    def __init__(self, asked: Sequence[Inquiry], computed: Sequence[Computed], schema: pyarrow.Schema) -> None:
        self._numbers: dict[RememberedValue, int] = {}
        self._schema = schema
        conditions = tuple(self._condition(inquiry) for inquiry in asked)
        computations = tuple(self._computation(each) for each in computed)
        self.remembered = tuple(self._numbers)
        self.native = Programs(conditions, computations, len(self.remembered))

    def _condition(self, inquiry: Inquiry) -> Condition:
        steps = tuple(self._truth(normal(inquiry.asked.predicate), inquiry.asked.variables))
        if _depth(steps) > DEEPEST:
            steps = _UNDECIDED
        return Condition(inquiry.held, steps)

    def _computation(self, computed: Computed) -> Computation:
        joined = computed.joined
        steps = tuple(self._number(joined.value, joined.variables))
        if _depth(steps) > DEEPEST:
            steps = (Instruction(Opcode.CONSTANT),)
        return Computation(computed.held, steps, compares_reals(joined, self._schema), not joined.is_left)

    def _load(self, remembered: RememberedValue, variable: int) -> Instruction:
        form = WordForm.INTEGER if remembered.form is WordForm.TEXT else remembered.form
        assert isinstance(form.value, Opcode)
        return Instruction(form.value, variable, self._numbers.setdefault(remembered, len(self._numbers)))

    # ── truths ───────────────────────────────────────────────────────────────────────────────────────────
    def _truth(self, predicate: Predicate, variables: tuple[str, ...]) -> Iterator[Instruction]:
        names = {attribute.variable or "" for attribute in attributes(predicate)}
        if len(names) < 2:
            variable = variables.index(names.pop()) if names else 0
            yield self._load(RememberedValue(local_predicate(predicate), WordForm.TRUTH), variable)
            return
        match predicate:
            case And(parts):
                yield from self._joined(parts, Opcode.AND, variables)
            case Or(parts):
                yield from self._joined(parts, Opcode.OR, variables)
            case Comparison(operator, left, right):
                yield from self._comparison(operator, left, right, variables)
            case IsNull(value):
                yield from self._number(value, variables)
                yield Instruction(Opcode.IS_NULL)
            case In(value, constants):
                yield from self._among(value, constants, variables)
            case Not(In(value, constants)):
                known = Not(IsNull(value))
                different = tuple(Comparison("!=", value, constant) for constant in constants)
                yield from self._joined((known, *different), Opcode.AND, variables)
            case Not(IsNull() as inner):
                yield from self._truth(inner, variables)
                yield Instruction(Opcode.NOT)
            case Like() | Not():
                yield from _UNDECIDED

    def _among(self, value: Value, constants: Sequence[Constant], variables: tuple[str, ...]) -> Iterator[Instruction]:
        equal = tuple(Comparison("=", value, constant) for constant in constants)
        yield from self._joined(equal or (Or(()),), Opcode.OR, variables)

    def _joined(
        self, parts: Sequence[Predicate], operation: Opcode, variables: tuple[str, ...]
    ) -> Iterator[Instruction]:
        for number, part in enumerate(parts):
            yield from self._truth(part, variables)
            if number:
                yield Instruction(operation)

    def _comparison(
        self, operator: str, left: Value, right: Value, variables: tuple[str, ...]
    ) -> Iterator[Instruction]:
        if operator in _TURNED:
            left, right, operator = right, left, _TURNED[operator]
        if ValueKind.TEXT in (self._kind(left), self._kind(right)) and operator in ("<", "<="):
            yield from _UNDECIDED
            return
        yield from self._number(left, variables)
        yield from self._number(right, variables)
        yield Instruction(_COMPARISONS[operator])

    # ── numbers ──────────────────────────────────────────────────────────────────────────────────────────
    def _number(self, value: Value, variables: tuple[str, ...]) -> Iterator[Instruction]:
        names = {attribute.variable or "" for attribute in attributes(value)}
        if len(names) == 1:
            yield self._load(RememberedValue(local_value(value), self._form(value)), variables.index(names.pop()))
            return
        match value:
            case Constant(constant):
                yield _constant(constant)
            case Negative(inner):
                yield _constant(0)
                yield from self._number(inner, variables)
                yield Instruction(Opcode.SUBTRACT)
            case Arithmetic(operator, left, right):
                yield from self._number(left, variables)
                yield from self._number(right, variables)
                yield Instruction(_ARITHMETIC[operator])

    def _form(self, value: Value) -> WordForm:
        if self._kind(value) is ValueKind.TEXT:
            return WordForm.TEXT
        return WordForm.REAL if is_real(local_value(value), self._schema) else WordForm.INTEGER

    def _kind(self, value: Value) -> ValueKind | None:
        return kind_of_type(self._schema.field(value.name).type) if isinstance(value, Attribute) else None


_UNDECIDED = (
    Instruction(Opcode.CONSTANT), Instruction(Opcode.CONSTANT), Instruction(Opcode.EQUAL),
)  # fmt: skip


def _constant(value: float | str | bool) -> Instruction:
    if isinstance(value, str):
        return Instruction(Opcode.CONSTANT)
    if isinstance(value, float):
        return Instruction(Opcode.CONSTANT, constant=value)
    return Instruction(Opcode.CONSTANT, constant=int(value) if _LEAST <= value <= _GREATEST else None)


def compares_reals(joined: Joined, schema: pyarrow.Schema) -> bool:
    """Whether doubles take part in a comparison."""
    return is_real(local_value(joined.value), schema) or is_real(joined.bound, schema)


def is_real(value: Value, schema: pyarrow.Schema) -> bool:
    """Whether the numbers of an event that a value stands for are doubles."""
    return numbers(value, _empty(schema)).is_float


def _empty(schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    return pyarrow.record_batch([pyarrow.array([], field.type) for field in schema], schema=schema)


def _depth(steps: Sequence[Instruction]) -> int:
    """How many numbers, and how many truths, there are at once: no more than this."""
    deepest = depth = 0
    for step in steps:
        loads = step.operation.value <= Opcode.CONSTANT.value
        depth += 1 if loads else 0 if step.operation in (Opcode.IS_NULL, Opcode.NOT) else -1
        deepest = max(deepest, depth)
    return deepest
