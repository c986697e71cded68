"""What positions ask of their rows: of a row and its neighbours, and of the match before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from spaseq.pattern.rows.expressions import (
    Aggregated,
    Applied,
    Label,
    MatchNumber,
    Navigated,
    Navigation,
    SqlConstant,
    SqlExpression,
    conjunction,
    everything,
    has_label,
)
from spaseq.pattern.rows.types import BOOLEAN, TEXT
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.plan.rows.distances import NEVER, VARIES, distances

HERE = Navigation()
# What may go wrong with some values of their operands.
_FALLIBLE = frozenset({"+", "-", "*", "/", "%", "MOD", "NEGATE", "ABS", "CAST", "ROUND", "CEIL", "FLOOR"})


@dataclass(frozen=True, slots=True)
class PositionConditions:
    """Tests of single rows, and which each position asks (None: it takes any row).

    In a test all that is navigated to is so many rows from the row itself.  ``searched`` are conditions that read the
    match, asked where the test holds; None: there is none.
    """

    tests: tuple[SqlExpression, ...]
    asked: tuple[int | None, ...]
    searched: tuple[SqlExpression | None, ...]

    def named(self, automaton: PositionAutomaton) -> list[str]:
        """By test: the variable whose condition it is, or the first one of several."""
        return [automaton.positions[self.asked.index(test)].variable for test in range(len(self.tests))]


def position_conditions(automaton: PositionAutomaton, definitions: Mapping[str, SqlExpression]) -> PositionConditions:
    """The conditions of each position, from those of the variables."""
    tests: dict[SqlExpression, int] = {}
    asked, searched = [], []
    resolved = _Resolver(automaton)
    for number, position in enumerate(automaton.positions):
        definition = definitions.get(position.variable)
        condition = None if definition is None else resolved.condition(definition, number)
        of_row, of_match = _parted([] if condition is None else conjuncts(condition))
        asked.append(tests.setdefault(conjunction(of_row), len(tests)) if of_row else None)
        searched.append(conjunction(of_match) if of_match else None)
    return PositionConditions(tuple(tests), tuple(asked), tuple(searched))


def conjuncts(condition: SqlExpression) -> list[SqlExpression]:
    """The conditions that AND joins, but those that always hold."""
    if isinstance(condition, Applied) and condition.function == "AND":
        return [each for operand in condition.operands for each in conjuncts(operand)]
    return [] if condition == SqlConstant(True, BOOLEAN) else [condition]


def _parted(conditions: Iterable[SqlExpression]) -> tuple[tuple[SqlExpression, ...], tuple[SqlExpression, ...]]:
    """Those of a row, and those of the match; what may fail stays behind what guards it."""
    of_row: list[SqlExpression] = []
    of_match: list[SqlExpression] = []
    for condition in conditions:
        is_guarded = bool(of_match) and may_fail(condition)
        (of_match if is_guarded or reads_match(condition) else of_row).append(condition)
    return tuple(of_row), tuple(of_match)


def reads_match(expression: SqlExpression) -> bool:
    """Whether a value depends on more than a row and its neighbours."""
    for each in everything(expression):
        if isinstance(each, Aggregated | MatchNumber):
            return True
        if isinstance(each, Navigated) and (replace(each.at, shift=0) != HERE or has_label(each.value)):
            return True
    return False


def may_fail(expression: SqlExpression) -> bool:
    """Whether some rows may have no such value."""
    return any(isinstance(each, Applied) and each.function in _FALLIBLE for each in everything(expression))


class _Resolver:
    """Turns what positions read into neighbours, where their distances are fixed."""

    def __init__(self, automaton: PositionAutomaton) -> None:
        self._automaton = automaton
        self._distances = lru_cache(maxsize=None)(lambda at: distances(automaton, at))

    def condition(self, expression: SqlExpression, number: int) -> SqlExpression:
        """A condition as it is at a position."""
        match expression:
            case Navigated(value, at, type_):
                distance = self._distances(replace(at, shift=0))[number]
                if distance == NEVER:
                    return SqlConstant(None, type_)
                if distance == VARIES:
                    return expression
                shift = at.shift - distance
                if shift == 0:
                    value = labelled(value, self._automaton.positions[number].variable)
                return Navigated(value, Navigation(shift=shift), type_)
            case Applied(function, operands, type_):
                return Applied(function, tuple(self.condition(operand, number) for operand in operands), type_)
            case _:
                return expression


def labelled(value: SqlExpression, variable: str) -> SqlExpression:
    """A value of a row of that variable."""
    match value:
        case Label():
            return SqlConstant(variable, TEXT)
        case Applied(function, operands, type_):
            return Applied(function, tuple(labelled(operand, variable) for operand in operands), type_)
        case _:
            return value
