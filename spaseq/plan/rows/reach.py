"""How far from a row, and from a match, conditions and measures look: which rows of a stream must stay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spaseq.pattern.rows.expressions import Applied, MatchNumber, Navigated, Navigation, SqlExpression, everything
from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.plan.rows.automaton import ACCEPT, PositionAutomaton
from spaseq.plan.rows.conditions import may_fail
from spaseq.plan.rows.plan import RowPatternPlan


@dataclass(frozen=True, slots=True)
class RowReach:
    """Numbers of rows of a partition: ``back`` and ``ahead`` of a row, which its condition reads; ``before`` the first
    row of a match, which conditions and measures read; ``behind`` its last one, which measures read.
    """

    back: int
    ahead: int
    before: int
    behind: int


def row_reach(query: RowPatternQuery, plan: RowPatternPlan) -> RowReach:
    """How far a query looks."""
    depths = least_depths(plan.automaton)
    tests = [list(_shifts(test)) for test in plan.conditions.tests]
    searched = [each for value in plan.conditions.searched if value is not None for each in _navigated(value)]
    asked = zip(depths, plan.conditions.asked, strict=True)
    before = [-shift - depth for depth, test in asked if test is not None for shift in tests[test]]
    measured = [each.at for value in query.measures.values() for each in _navigated(value)]
    looked = [*measured, *(each.at for each in searched)]
    before += [-at.shift - _depth(at, plan.automaton, depths) for at in looked]
    every = [shift for test in tests for shift in test] + [each.at.shift for each in searched]
    return RowReach(
        back=max([0, *(-shift for shift in every)]),
        ahead=max([0, *every]),
        before=max([0, *before]),
        behind=max([0, *(at.shift for at in measured)]),
    )


def why_remembered(query: RowPatternQuery, plan: RowPatternPlan, reach: RowReach) -> str:
    """Why it matters later that there were rows of a partition, though all of it is decided; "": it does not."""
    if any(follower.at_start for follower in plan.automaton.first):
        return "^"
    if _counts_matches(query, plan):
        return "MATCH_NUMBER"
    is_read = reach.before > 0 or any(map(_is_guarded_by_rows_before, plan.conditions.tests))
    return "rows before a match are read" if is_read else ""


def _is_guarded_by_rows_before(condition: SqlExpression) -> bool:
    """Whether it depends on rows before if something is asked for that a row may not have."""
    for each in everything(condition):
        if isinstance(each, Applied) and each.function in ("AND", "OR", "CASE", "COALESCE"):
            guards = [any(shift < 0 for shift in _shifts(operand)) for operand in each.operands]
            later = each.operands[guards.index(True) :] if any(guards) else ()
            later = later[1:] if each.function in ("AND", "OR") else later
            if any(map(may_fail, later)):
                return True
    return False


def _counts_matches(query: RowPatternQuery, plan: RowPatternPlan) -> bool:
    values = [*query.measures.values(), *(each for each in plan.conditions.searched if each is not None)]
    return any(isinstance(each, MatchNumber) for value in values for each in everything(value))


def least_depths(automaton: PositionAutomaton) -> list[int]:
    """By position: how many rows of a match come before its own at least."""
    depths: dict[int, int] = {}
    waiting = [follower.position for follower in automaton.first]
    depth = 0
    while waiting:
        new = {position for position in waiting if position != ACCEPT and position not in depths}
        depths |= dict.fromkeys(new, depth)
        waiting = [follower.position for position in new for follower in automaton.positions[position].followers]
        depth += 1
    return [depths.get(number, 0) for number in range(len(automaton.positions))]


def _depth(at: Navigation, automaton: PositionAutomaton, depths: list[int]) -> int:
    """How many rows of a match come at least before the one that a navigation looks from."""
    its = zip(automaton.positions, depths, strict=True)
    found = [depth for each, depth in its if at.variables is None or each.variable in at.variables]
    return min(found, default=0)


def _shifts(value: SqlExpression) -> Iterator[int]:
    return (each.at.shift for each in _navigated(value))


def _navigated(value: SqlExpression) -> Iterator[Navigated]:
    return (each for each in everything(value) if isinstance(each, Navigated))
