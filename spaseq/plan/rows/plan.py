"""A query for row patterns, planned: positions, and what each asks of its rows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from spaseq.errors import QueryError
from spaseq.pattern.rows.query import RowPatternQuery, Skipping, ToRowOf
from spaseq.plan.rows.automaton import ACCEPT, Follower, PositionAutomaton, position_automaton
from spaseq.plan.rows.conditions import PositionConditions, position_conditions


@dataclass(frozen=True, slots=True)
class RowPatternPlan:
    """What matches are looked for with."""

    automaton: PositionAutomaton
    conditions: PositionConditions

    @property
    def reads_match(self) -> bool:
        """Whether a condition is about rows of the match, so that matches are searched for."""
        return any(self.conditions.searched)


def row_pattern_plan(query: RowPatternQuery) -> RowPatternPlan:
    """The plan of a query; QueryError: it is too large."""
    automaton = position_automaton(query.pattern)
    return RowPatternPlan(automaton, position_conditions(automaton, query.definitions))


def checked_plan(query: RowPatternQuery, about: Callable[[str], AbstractContextManager[None]]) -> RowPatternPlan:
    """The plan of a query on any table; QueryError: it is too large, or finds one match for ever.

    ``about``: within, errors are about a clause.
    """
    with about("PATTERN"):
        plan = row_pattern_plan(query)
    with about("AFTER MATCH SKIP"):
        _check_skipping(query.skipping, plan)
    return plan


def _check_skipping(skipping: Skipping, plan: RowPatternPlan) -> None:
    if isinstance(skipping, ToRowOf) and _stays(plan.automaton, skipping):
        message = f"{skipping.name} is the first row of every match, where the next one would begin again, and so on"
        raise QueryError(message, hint="write SKIP TO NEXT ROW, SKIP PAST LAST ROW, or another variable")


def _stays(automaton: PositionAutomaton, skipping: ToRowOf) -> bool:
    """Whether the next match would always begin with the first row of this one, and so on for ever."""
    wanted = [position.variable in skipping.variables for position in automaton.positions]
    if not all(wanted[number] for number in _numbers(automaton.first)):
        return False
    later = {number for position in automaton.positions for number in _numbers(position.followers)}
    return bool(automaton.positions) and (skipping.first or not any(wanted[number] for number in later))


def _numbers(followers: tuple[Follower, ...]) -> list[int]:
    return [follower.position for follower in followers if follower.position != ACCEPT]
