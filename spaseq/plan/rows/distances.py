"""How far behind a row those lie that a condition reads: where the pattern fixes it, they are neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from spaseq.pattern.rows.expressions import Navigation
from spaseq.plan.rows.automaton import ACCEPT, PositionAutomaton

NEVER, VARIES = -1, -2  # there is no such row; it depends on the way
Distances: TypeAlias = tuple[int, ...]  # of the first rows of some variables, or of the last ones


def distances(automaton: PositionAutomaton, at: Navigation) -> list[int]:
    """By position: how many rows before its own the row of a navigation lies, up to its own row; NEVER or VARIES.

    All ways to a position are followed until nothing changes: what differs between them varies.
    """
    positions = automaton.positions
    counts = [at.variables is None or position.variable in at.variables for position in positions]
    unseen: list[Distances | None] = [None] * len(positions)
    known, none = unseen, (NEVER,) * (at.offset + 1)
    waiting = [(follower.position, none) for follower in automaton.first if follower.position != ACCEPT]
    while waiting:
        number, before = waiting.pop()
        found = _further(before, counts[number], at.first)
        met = found if (old := known[number]) is None else _met(old, found)
        if met != old:
            known[number] = met
            waiting += [(one.position, met) for one in positions[number].followers if one.position != ACCEPT]
    return [NEVER if each is None else each[at.offset] for each in known]


def _further(before: Distances, counts: bool, first: bool) -> Distances:
    """The same a row later, which is one of those that count, or not."""
    later = [distance + 1 if distance >= 0 else distance for distance in before]
    if not counts:
        return tuple(later)
    if not first:
        return (0, *later[:-1])
    place = next((place for place, distance in enumerate(later) if distance < 0), None)
    if place is not None:
        is_next = later[place] == NEVER
        later[place:] = [0, *later[place + 1 :]] if is_next else [VARIES] * (len(later) - place)
    return tuple(later)


def _met(one: Sequence[int], other: Sequence[int]) -> Distances:
    return tuple(a if a == b else VARIES for a, b in zip(one, other, strict=True))
