"""A row pattern as an automaton of positions, each of which takes a row and knows which it prefers behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from spaseq.errors import QueryError
from spaseq.pattern.rows.query import RowPattern
from spaseq.plan.rows.steps import WayKind, WayStep, WaySteps, steps_of

ACCEPT = -1
MOST_POSITIONS = 10_000
MOST_FOLLOWERS = 2_000_000


class Follower(NamedTuple):
    """What may come next: a position, or ACCEPT, which ends the match.

    Some only come with the first row of a partition, some only behind its last one.
    """

    position: int
    at_start: bool = False
    at_end: bool = False


@dataclass(frozen=True, slots=True)
class Position:
    """A place of the pattern that takes a row of ``variable``; ``followers`` come in the order of preference."""

    variable: str
    excluded: bool
    followers: tuple[Follower, ...]


@dataclass(frozen=True, slots=True)
class PositionAutomaton:
    """Positions by number, and which may come first, in the order of preference."""

    positions: tuple[Position, ...]
    first: tuple[Follower, ...]


def position_automaton(pattern: RowPattern) -> PositionAutomaton:
    """The automaton of a pattern; QueryError: it is too large.

    An iteration that takes no row ends its repetition.  A way that cannot be taken, as there is a better one of the
    same next row, is not there: behind an end without condition nothing follows.
    """
    steps = steps_of(pattern)
    rows = [number for number, step in enumerate(steps.steps) if step.kind is WayKind.ROW]
    rows.reverse()  # steps are made from the end of the pattern
    if len(rows) > MOST_POSITIONS:
        hint = "write smaller numbers in {n,m}, or fewer parts in PERMUTE"
        raise QueryError(f"the pattern is too large: written out it has more than {MOST_POSITIONS:,} rows", hint=hint)
    places = {number: place for place, number in enumerate(rows)}
    first = tuple(_followers(steps, steps.first, places, begins=True))
    positions, total = [], len(first)
    for number in rows:
        step = steps.steps[number]
        followers = tuple(_followers(steps, step.after[0], places, begins=False))
        total += len(followers)
        if total > MOST_FOLLOWERS:
            raise QueryError(f"the pattern is too large: its rows have more than {MOST_FOLLOWERS:,} followers")
        positions.append(Position(step.variable, step.excluded, followers))
    return PositionAutomaton(tuple(positions), first)


class _Way(NamedTuple):
    """A step that is reached without a row, and the iterations that were entered on the way and not left."""

    step: int
    entered: tuple[int, ...] = ()
    at_start: bool = False
    at_end: bool = False


def _followers(steps: WaySteps, begin: int, places: dict[int, int], begins: bool) -> Iterator[Follower]:
    """What may come behind a step, depth first, so that better ways come first."""
    waiting, seen, found = [_Way(begin)], set[_Way](), set[Follower]()
    while waiting:
        way = waiting.pop()
        step = steps.steps[way.step]
        if step.kind in (WayKind.ROW, WayKind.ACCEPT):
            follower = _follower(way, step, places, begins)
            if follower is not None and not _is_known(follower, found):
                found.add(follower)
                yield follower
                if follower == (ACCEPT, False, False):
                    return
        elif way not in seen:
            seen.add(way)
            waiting.extend(reversed(list(_onwards(way, step, begins))))


def _follower(way: _Way, step: WayStep, places: dict[int, int], begins: bool) -> Follower | None:
    """What a way comes to; None: behind the last row there is no other, and before the first one there is one."""
    if step.kind is WayKind.ROW:
        return None if way.at_end else Follower(places[way.step], way.at_start)
    return None if begins and way.at_end else Follower(ACCEPT, way.at_start, way.at_end)


def _is_known(follower: Follower, found: set[Follower]) -> bool:
    """Whether the same came before under no other condition."""
    position, at_start, at_end = follower
    return any((position, start, end) in found for start in {False, at_start} for end in {False, at_end})


def _onwards(way: _Way, step: WayStep, begins: bool) -> Iterator[_Way]:
    """The ways from a step without a row."""
    match step.kind:
        case WayKind.AT_START if not begins:
            return
        case WayKind.AT_START:
            yield way._replace(step=step.after[0], at_start=True)
        case WayKind.AT_END:
            yield way._replace(step=step.after[0], at_end=True)
        case WayKind.ENTER:
            yield way._replace(step=step.after[0], entered=(*way.entered, step.number))
        case WayKind.LEAVE:
            is_empty = way.entered[-1:] == (step.number,)
            yield way._replace(step=step.after[is_empty], entered=way.entered[: len(way.entered) - is_empty])
        case _:
            yield from (way._replace(step=after) for after in step.after)
