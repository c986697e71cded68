"""Solutions and partial matches, and the moves from one partial match to its next steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .expressions import Expression
from .model import Event
from .plan import (
    Chain,
    Choice,
    Negation,
    Occurrence,
    Operator,
    Option,
    Part,
    Plan,
    Repeat,
    Step,
    Unordered,
    beginnings,
)

Bindings = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Solution:
    """One mapping of Ω: what is bound now, and what was at the end of every completed iteration, in order.

    source: within a side of `&&` the mapping that it comes from, which was there before the `&&`.
    """

    bindings: Bindings
    iterations: tuple[tuple[int, Bindings], ...] = ()
    source: Solution | None = None

    def of(self, kleene: int) -> list[Bindings]:
        """What was bound when the completed iterations of a Kleene ended."""
        return [values for number, values in self.iterations if number == kleene]

    def without(self, names: frozenset[str]) -> Solution:
        """The same with these variables unset."""
        return replace(self, bindings=frozenset(pair for pair in self.bindings if pair[0] not in names))

    def completing(self, kleene: int) -> Solution:
        """The same with one more completed iteration."""
        return replace(self, iterations=(*self.iterations, (kleene, self.bindings)))


@dataclass(frozen=True)
class Enter:
    """Still to do: a part, entered by an operator (None at the beginning of the expression)."""

    part: Part
    operator: Operator | None


@dataclass(frozen=True)
class Iterate:
    """Still to do: the end of iteration `count` of a Kleene, which began after `begun` steps."""

    repeat: Repeat
    count: int
    begun: int


@dataclass(frozen=True)
class Place:
    """Where a BOp must not match: between these times of picks, within these open iterations.

    after: None at the beginning of a match; before: None until there is a pick. within: (Kleene, index of the
    iteration) outermost first; completed: iterations completed before, per Kleene; entered: how many of them before the
    Kleene was entered the last time.
    """

    bop: Step
    after: int | None
    within: tuple[tuple[int, int], ...]
    completed: tuple[tuple[int, int], ...]
    entered: tuple[tuple[int, int], ...]
    before: int | None = None

    def closed(self, time: int) -> Place:
        """The same when a next pick is made, if there was none."""
        return replace(self, before=time) if self.before is None else self


@dataclass(frozen=True)
class Across:
    """A filter of an atom that was taken, which waits for the union of `&&` number `unordered`; else as in Place."""

    filter: Expression
    unordered: int
    occurrence: Occurrence
    within: tuple[tuple[int, int], ...]
    completed: tuple[tuple[int, int], ...]
    entered: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Picked:
    """One step made: its timestamp and the event picked for each GPM occurrence."""

    time: int
    events: tuple[tuple[Occurrence, Event], ...]


@dataclass(frozen=True)
class Partial:
    """A partial match.

    agenda: what is still to do, its position. solutions: Ω. steps: those made, in order of time. places: the negations
    and absences passed. across: the filters that wait for a union.
    """

    agenda: tuple[Enter | Iterate, ...]
    solutions: frozenset[Solution]
    steps: tuple[Picked, ...] = ()
    places: tuple[Place, ...] = ()
    across: tuple[Across, ...] = ()
    open: tuple[tuple[int, int], ...] = ()
    completed: tuple[tuple[int, int], ...] = ()
    entered: tuple[tuple[int, int], ...] = ()

    @property
    def events(self) -> list[Event]:
        """All events picked, in order."""
        return [event for step in self.steps for _, event in step.events]

    @property
    def last(self) -> int | None:
        """The time of the last pick; None before the first."""
        return self.steps[-1].time if self.steps else None

    def closed(self, time: int) -> tuple[Place, ...]:
        """The places when a next pick is made."""
        return tuple(place.closed(time) for place in self.places)


@dataclass(frozen=True)
class Move:
    """A way on: a BOp or an `&&` governed by an operator, or the end of the expression (element None)."""

    operator: Operator | None
    element: Step | Unordered | None
    partial: Partial

    @property
    def sign(self) -> str:
        """What the operator asks for; the first step of a match is free."""
        return self.operator.sign if self.operator and self.partial.steps else ":"

    def alone(self, side: Part) -> Partial:
        """The partial match before an `&&`, with nothing to do but one of its sides."""
        traced = frozenset(replace(solution, source=solution) for solution in self.partial.solutions)
        return replace(self.partial, agenda=(Enter(side, self.operator),), solutions=traced)


def start(plan: Plan) -> Partial:
    """The empty partial match."""
    return Partial((Enter(plan.root, None),), frozenset({Solution(frozenset())}))


def moves(plan: Plan, partial: Partial) -> Iterator[Move]:
    """Every way on; its partial match has passed all that lies before the step, and stands after it."""
    if not partial.agenda:
        yield Move(None, None, partial)
        return
    task, rest = partial.agenda[0], replace(partial, agenda=partial.agenda[1:])
    if isinstance(task, Iterate):
        yield from _end_iteration(plan, task, rest)
    elif isinstance(task.part, Step | Unordered):
        yield Move(task.operator, task.part, rest)
    else:
        for following in _unfold(plan, task.part, task.operator, rest):
            yield from moves(plan, following)


def _unfold(plan: Plan, part: Part, operator: Operator | None, rest: Partial) -> Iterator[Partial]:
    """The partial matches that stand at the parts of a part."""
    match part:
        case Chain(left, between, right):
            yield _todo(rest, Enter(left, operator), Enter(right, between))
        case Choice(branches):
            for branch in branches:
                yield _todo(rest, Enter(branch, operator))
        case Option(body):
            yield _todo(rest, Enter(body, operator))
            yield _forbid(rest, *beginnings(body))
        case Negation(bop):
            yield _forbid(rest, bop)
        case Repeat():
            yield _begin_iteration(plan, part, 1, operator, rest)


def _todo(partial: Partial, *tasks: Enter | Iterate) -> Partial:
    return replace(partial, agenda=tasks + partial.agenda)


def _forbid(partial: Partial, *bops: Step) -> Partial:
    places = tuple(Place(bop, partial.last, partial.open, partial.completed, partial.entered) for bop in bops)
    return replace(partial, places=partial.places + places)


def _begin_iteration(plan: Plan, repeat: Repeat, nth: int, operator: Operator | None, rest: Partial) -> Partial:
    """Unset the group variables and enter the body."""
    number = repeat.number
    index = dict(rest.completed).get(number, 0)
    begun = replace(
        rest,
        solutions=frozenset(solution.without(plan.owned[number]) for solution in rest.solutions),
        open=(*rest.open, (number, index)),
        entered=tuple({**dict(rest.entered), number: index}.items()) if nth == 1 else rest.entered,
    )
    return _todo(begun, Enter(repeat.body, operator), Iterate(repeat, nth, len(rest.steps)))


def _end_iteration(plan: Plan, task: Iterate, rest: Partial) -> Iterator[Move]:
    """End an iteration that picked an event: leave if there were enough, go round again if there may be more."""
    if len(rest.steps) == task.begun:
        return
    repeat = task.repeat
    ended = replace(
        rest,
        solutions=frozenset(solution.completing(repeat.number) for solution in rest.solutions),
        open=rest.open[:-1],
        completed=_one_more(rest.completed, repeat.number),
    )
    if task.count >= repeat.least:
        yield from moves(plan, ended)
    if repeat.most is None or task.count < repeat.most:
        yield from moves(plan, _begin_iteration(plan, repeat, task.count + 1, repeat.operator, ended))


def compatible(left: Bindings, right: Bindings) -> bool:
    """Whether two mappings agree on the variables both bind."""
    bound = dict(left)
    return all(bound.get(name, term) == term for name, term in right)


def _one_more(completed: tuple[tuple[int, int], ...], number: int) -> tuple[tuple[int, int], ...]:
    counts: Mapping[int, int] = dict(completed)
    return tuple({**counts, number: counts.get(number, 0) + 1}.items())
