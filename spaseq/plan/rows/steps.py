"""A row pattern as steps that prefer some ways to others, from its end to its beginning.

Positions take a row, all other steps take none.  Repetitions are written out, but for the last part of one without
end; of parts in any order there is one copy for each set of those that came before.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import permutations

from spaseq.errors import QueryError
from spaseq.pattern.rows.query import (
    Excluded,
    OneRow,
    PartitionEdge,
    Permuted,
    Preferred,
    Repetition,
    RowPattern,
    RowSequence,
)

MOST_STEPS = 100_000


class WayKind(Enum):
    """What a step is: a row, a choice, a test of where the partition begins or ends, an iteration's ends, the end."""

    ROW = "row"
    CHOICE = "choice"
    AT_START = "at start"
    AT_END = "at end"
    ENTER = "enter"
    LEAVE = "leave"
    ACCEPT = "accept"


@dataclass(slots=True)
class WayStep:
    """A step and what follows it, in the order of preference.

    A row has its variable.  The ends of an iteration have its ``number``; behind one that took rows the first of
    ``after`` follows, behind one that took none the second.
    """

    kind: WayKind
    after: list[int]
    variable: str = ""
    excluded: bool = False
    number: int = 0


@dataclass(slots=True)
class WaySteps:
    """The steps of a pattern; ``first`` is where it begins."""

    steps: list[WayStep] = field(default_factory=list)
    first: int = 0
    iterations: int = 0

    def add(self, step: WayStep) -> int:
        """A new step's number; QueryError: there are too many."""
        if len(self.steps) >= MOST_STEPS:
            raise _too_large()
        self.steps.append(step)
        return len(self.steps) - 1


def _too_large() -> QueryError:
    hint = "write smaller numbers in {n,m}, or fewer parts in PERMUTE"
    return QueryError(f"the pattern is too large: written out it has more than {MOST_STEPS:,} steps", hint=hint)


def steps_of(pattern: RowPattern) -> WaySteps:
    """The steps of a pattern; QueryError: there are too many."""
    found = WaySteps()
    accept = found.add(WayStep(WayKind.ACCEPT, []))
    found.first = _before(found, pattern, accept, excluded=False)
    return found


def _before(steps: WaySteps, pattern: RowPattern, after: int, excluded: bool) -> int:
    """Where a pattern begins behind which ``after`` follows."""
    match pattern:
        case OneRow(variable):
            return steps.add(WayStep(WayKind.ROW, [after], variable, excluded))
        case PartitionEdge(at_start):
            return steps.add(WayStep(WayKind.AT_START if at_start else WayKind.AT_END, [after]))
        case RowSequence(parts):
            for part in reversed(parts):
                after = _before(steps, part, after, excluded)
            return after
        case Preferred(parts):
            return steps.add(WayStep(WayKind.CHOICE, [_before(steps, part, after, excluded) for part in parts]))
        case Permuted(parts):
            return _in_any_order(steps, parts, after, excluded)
        case Excluded(body):
            return _before(steps, body, after, excluded=True)
        case Repetition():
            return _repeated(steps, pattern, after, excluded)
        case _:
            return after


def _repeated(steps: WaySteps, pattern: Repetition, end: int, excluded: bool) -> int:
    body, low, high, greedy = pattern.body, pattern.low, pattern.high, pattern.greedy
    after = end
    if high is None:
        after = steps.add(WayStep(WayKind.CHOICE, []))
        iteration = _iteration(steps, body, after, end, excluded)
        steps.steps[after].after = [iteration, end] if greedy else [end, iteration]
    else:
        for _ in range(high - low):
            iteration = _iteration(steps, body, after, end, excluded)
            after = steps.add(WayStep(WayKind.CHOICE, [iteration, end] if greedy else [end, iteration]))
    has_edges = _has_edges(body)  # else an iteration without a row may end the repetition as well, and all is smaller
    for _ in range(low):
        after = _before(steps, body, after, excluded) if has_edges else _iteration(steps, body, after, end, excluded)
    return after


def _has_edges(pattern: RowPattern) -> bool:
    """Whether what a pattern takes without a row depends on where that is."""
    match pattern:
        case PartitionEdge():
            return True
        case RowSequence(parts) | Preferred(parts) | Permuted(parts):
            return any(map(_has_edges, parts))
        case Excluded(body) | Repetition(body):
            return _has_edges(body)
        case _:
            return False


def _iteration(steps: WaySteps, body: RowPattern, after: int, end: int, excluded: bool) -> int:
    """An iteration, behind which ``after`` follows, or the ``end`` of the repetition if it took no row."""
    steps.iterations += 1
    number = steps.iterations
    leave = steps.add(WayStep(WayKind.LEAVE, [after, end], number=number))
    return steps.add(WayStep(WayKind.ENTER, [_before(steps, body, leave, excluded)], number=number))


def _in_any_order(steps: WaySteps, parts: tuple[RowPattern, ...], after: int, excluded: bool) -> int:
    """For each set of parts that came before, as bits: a choice of those that are left, earlier ones first.

    All ways of one order come before those of the next.  So behind a part that has several ways, each order of the
    others is written out.
    """
    whole = (1 << len(parts)) - 1
    if whole > MOST_STEPS:
        raise _too_large()
    begins = {whole: after}
    for used in range(whole - 1, -1, -1):
        choice = []
        for number in _left(used, len(parts)):
            others = _left(used | 1 << number, len(parts))
            if len(others) < 2 or _has_one_way(parts[number]):
                choice.append(_before(steps, parts[number], begins[used | 1 << number], excluded))
            else:
                orders = ([parts[number], *(parts[each] for each in order)] for order in permutations(others))
                choice += [_before(steps, RowSequence(tuple(order)), after, excluded) for order in orders]
        begins[used] = steps.add(WayStep(WayKind.CHOICE, choice))
    return begins[0]


def _left(used: int, count: int) -> list[int]:
    return [number for number in range(count) if not used >> number & 1]


def _has_one_way(pattern: RowPattern) -> bool:
    """Whether no choice is made in a pattern."""
    match pattern:
        case RowSequence(parts):
            return all(map(_has_one_way, parts))
        case Excluded(body):
            return _has_one_way(body)
        case Repetition(body, low, high):
            return low == high and _has_one_way(body)
        case Preferred() | Permuted():
            return False
        case _:
            return True
