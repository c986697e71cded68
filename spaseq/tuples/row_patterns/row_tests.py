"""Conditions of single rows as programs: rows that come one by one are tested without a column being made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from nfa_native.row_patterns.match_conditions import MatchConditions
from spaseq.errors import QueryError
from spaseq.pattern.rows.expressions import Field, Navigated, SqlExpression, everything
from spaseq.pattern.rows.types import SqlKind
from spaseq.plan.rows.conditions import may_fail
from spaseq.plan.rows.futures import foreseen
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.tuples.row_patterns.bits import Bits, PlacesOf
from spaseq.tuples.row_patterns.searching import Compiler, Step

_MOST_TESTS = 64  # of rows behind which so many came
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class AskedOfRows:
    """What is asked of rows behind which so many came: tests, and which of them a position asks, maybe and surely."""

    tests: dict[SqlExpression, str]  # each with the variable whose condition it is of
    possible: list[int | None]
    certain: list[int | None]


def asked_of_rows(plan: RowPatternPlan, behind: int) -> AskedOfRows:
    """What is asked of rows behind which so many came."""
    tests: dict[SqlExpression, str] = {}
    sides: list[tuple[int, int]] = []
    for test, variable in zip(plan.conditions.tests, plan.conditions.named(plan.automaton), strict=True):
        pair = foreseen(test, behind)
        for each in pair:
            tests.setdefault(each, variable)
        sides.append((list(tests).index(pair.possible), list(tests).index(pair.certain)))
    asked = plan.conditions.asked
    return AskedOfRows(
        tests,
        [None if test is None else sides[test][0] for test in asked],
        [None if test is None else sides[test][1] for test in asked],
    )


class RowTestPrograms(NamedTuple):
    """Programs by test, and by how many rows came behind one which are asked, and by which positions."""

    programs: list[list[Step]]
    asked: list[tuple[list[int], list[int], list[int]]]

    def on(self, compiler: Compiler, columns: Sequence[Bits], places: PlacesOf) -> MatchConditions:
        """As a scanner takes them; ``columns`` have no rows."""
        count = len(self.programs)
        groups = [(np.ones(count, np.uint8), first, last) for first, last in compiler.groups.values()]
        return MatchConditions(
            self.programs, compiler.constant_bits(places), groups, list(compiler.readings), [], columns,
            np.zeros(count, np.int64), False,
        )  # fmt: skip


def row_test_programs(compiler: Compiler, plan: RowPatternPlan, ahead: int) -> RowTestPrograms | None:
    """The tests of single rows as programs; None: some have none, or ask for more than values of their rows.

    ``compiler`` may be of no use then.
    """
    known = [asked_of_rows(plan, behind) for behind in range(ahead + 1)]
    if any(len(each.tests) > _MOST_TESTS for each in known):
        return None
    numbers = {test: number for number, test in enumerate(dict.fromkeys(test for each in known for test in each.tests))}
    try:
        programs = [compiler.program(test) for test in numbers]
    except QueryError:
        return None
    if not all(map(_is_of_one_row, compiler.columns)):
        return None
    return RowTestPrograms(
        programs,
        [([numbers[test] for test in each.tests], _sides(each.possible), _sides(each.certain)) for each in known],
    )


def _sides(tests: list[int | None]) -> list[int]:
    return [-1 if test is None else test for test in tests]


def _is_of_one_row(value: SqlExpression) -> bool:
    """Whether a row has it by itself, and surely."""
    is_long = value.type.kind is SqlKind.DECIMAL and value.type.precision > _MOST_DIGITS
    return not (is_long or may_fail(value) or any(isinstance(each, Navigated) for each in everything(value)))


def plain_columns(columns: Sequence[SqlExpression]) -> list[str] | None:
    """The columns of rows that values are, as they are; None: some are more."""
    found = [value.column for value in columns if isinstance(value, Field)]
    return found if len(found) == len(columns) else None
