"""What a query keeps of a stream: which variables may hold rows for ever, and why keys are never forgotten."""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.plan.rows.automaton import ACCEPT, PositionAutomaton
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.plan.rows.reach import row_reach, why_remembered


@dataclass(frozen=True, slots=True)
class HeldRows:
    """``loops``: the variables of which any number of rows may wait to be decided (none where matches have a bound).

    ``endless``: those of them that take any row.  ``before``: rows that stay before the oldest undecided start.
    ``keys``: why those of which nothing is undecided stay; "": they do not.
    """

    loops: tuple[str, ...]
    endless: tuple[str, ...]
    before: int
    keys: str


def held_rows(query: RowPatternQuery, plan: RowPatternPlan) -> HeldRows:
    """What a query keeps of rows that come bit by bit."""
    reach = row_reach(query, plan)
    again = () if query.within is not None else _again(plan.automaton)
    conditions = zip(plan.conditions.asked, plan.conditions.searched, strict=True)
    takes_any = [asked is None and searched is None for asked, searched in conditions]
    names = [position.variable for position in plan.automaton.positions]
    return HeldRows(
        tuple(dict.fromkeys(names[one] for one in again)),
        tuple(dict.fromkeys(names[one] for one in again if takes_any[one])),
        max(reach.before, reach.back),
        why_remembered(query, plan, reach),
    )


def _again(automaton: PositionAutomaton) -> list[int]:
    """The positions behind which they may come again."""
    followers = [
        {follower.position for follower in position.followers if follower.position != ACCEPT}
        for position in automaton.positions
    ]
    return [number for number in range(len(followers)) if number in _reached(followers, number)]


def _reached(followers: list[set[int]], number: int) -> set[int]:
    found, waiting = set[int](), [number]
    while waiting:
        new = followers[waiting.pop()] - found
        found |= new
        waiting += new
    return found
