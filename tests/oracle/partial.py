"""Solutions and partial matches, and the moves from one partial match to its next steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from .model import Event
from .plan import Chain, Choice, Negation, Occurrence, Operator, Option, Part, Plan, Repeat, Step, beginnings

Bindings = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Solution:
    """One mapping of Ω: what is bound now, and what was at the end of every completed iteration, in order."""

    bindings: Bindings
    iterations: tuple[tuple[int, Bindings], ...] = ()

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
    """Where a BOp must not match: between step `after` and the next, within these open iterations.

    within: (Kleene, index of the iteration) outermost first; completed: iterations completed before, per Kleene;
    entered: how many of them before the Kleene was entered the last time.
    """

    bop: Step
    after: int
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
    """A partial match: what is still to do (its position), the steps made, Ω, and the negations and absences passed."""

    agenda: tuple[Enter | Iterate, ...]
    solutions: frozenset[Solution]
    steps: tuple[Picked, ...] = ()
    places: tuple[Place, ...] = ()
    open: tuple[tuple[int, int], ...] = ()
    completed: tuple[tuple[int, int], ...] = ()
    entered: tuple[tuple[int, int], ...] = ()

    @property
    def events(self) -> list[Event]:
        """All events picked, in order."""
        return [event for step in self.steps for _, event in step.events]


@dataclass(frozen=True)
class Move:
    """A way on: a step of a BOp governed by an operator, or the end of the expression (bop None)."""

    operator: Operator | None
    bop: Step | None
    partial: Partial


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
    elif isinstance(task.part, Step):
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
    places = tuple(Place(bop, len(partial.steps), partial.open, partial.completed, partial.entered) for bop in bops)
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


def _one_more(completed: tuple[tuple[int, int], ...], number: int) -> tuple[tuple[int, int], ...]:
    counts: Mapping[int, int] = dict(completed)
    return tuple({**counts, number: counts.get(number, 0) + 1}.items())
