"""The search for all matches, step by step, and the check of negations and absences on what it finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product

from .expressions import Expression, plain_variables
from .formulas import Environment, holds
from .graphs import mappings
from .model import Event
from .partial import Bindings, Move, Partial, Picked, Place, Solution, moves, start
from .plan import Occurrence, Operator, Plan, Step, is_stateful

History = Callable[[Solution, Occurrence | None, Collection[str]], Sequence[Bindings]]
Entered = tuple[tuple[int, int], ...]
Found = tuple[tuple[tuple[Occurrence, Event], ...], frozenset[Solution]]


@dataclass(frozen=True)
class World:
    """A plan and the events of its streamset, in Σ's order; of a substream, also what its key binds in every atom."""

    plan: Plan
    events: tuple[Event, ...]
    key: Bindings = frozenset()

    def times(self) -> list[int]:
        """The timestamps of Σ."""
        return sorted({event.time for event in self.events})

    def search(self) -> Iterator[Partial]:
        """All matches, before windows, negations and absences are looked at."""
        waiting = [start(self.plan)]
        while waiting:
            partial = waiting.pop()
            by_operator: dict[Operator | None, list[Move]] = {}
            for move in moves(self.plan, partial):
                if move.bop:
                    by_operator.setdefault(move.operator, []).append(move)
                elif partial.steps:
                    yield move.partial
            for choices in by_operator.values():
                waiting += self.governed(choices)

    def governed(self, choices: list[Move]) -> Iterator[Partial]:
        """The steps that one operator allows from one partial match."""
        made = choices[0].partial.steps
        later = [time for time in self.times() if not made or time > made[-1].time]
        sign = choices[0].operator.sign if made and choices[0].operator else ":"
        if sign == ",":
            later = later[:1]
        for time in later:
            steps = [partial for move in choices for partial in self.step(move, time)]
            yield from steps
            if steps and sign == ";":
                return

    def step(self, move: Move, time: int) -> Iterator[Partial]:
        """The ways to make a step at a timestamp."""
        assert move.bop
        now = [event for event in self.events if event.time == time]
        for events, solutions in self.matches(move.bop, now, move.partial.solutions, self.so_far, move.partial.entered):
            yield replace(move.partial, solutions=solutions, steps=(*move.partial.steps, Picked(time, events)))

    def matches(
        self, bop: Step, events: Iterable[Event], solutions: frozenset[Solution], history: History, entered: Entered
    ) -> Iterator[Found]:
        """The matches of a BOp among simultaneous events: the events picked and the joined solutions."""
        for way in bop.ways:
            candidates = [[(o, e) for e in events if self.mappings(o, e)] for o in way]
            for chosen in product(*candidates):
                joined = self.join(solutions, chosen, history, entered)
                if joined:
                    yield chosen, joined

    def mappings(self, occurrence: Occurrence, event: Event) -> frozenset[Bindings]:
        """The solutions of an atom on an event that are compatible with the key, joined with it."""
        found = mappings(self.plan.query, occurrence.gpm, event)
        return frozenset(bindings | self.key for bindings in found if compatible(bindings, self.key))

    def join(
        self,
        solutions: frozenset[Solution],
        chosen: tuple[tuple[Occurrence, Event], ...],
        history: History,
        entered: Entered,
    ) -> frozenset[Solution]:
        """The compatible unions that satisfy the stateful filters of all chosen atoms."""
        for occurrence, event in chosen:
            found = self.mappings(occurrence, event)
            solutions = frozenset(
                replace(solution, bindings=solution.bindings | bindings)
                for solution in solutions
                for bindings in found
                if compatible(solution.bindings, bindings)
            )
        return frozenset(
            solution
            for solution in solutions
            if all(self.passes(solution, occurrence, history, entered) for occurrence, _ in chosen)
        )

    def passes(self, solution: Solution, occurrence: Occurrence, history: History, entered: Entered) -> bool:
        """Whether a joined solution satisfies the stateful filters of one atom."""
        environment = self.environment(solution, occurrence, history, entered)
        gpm = occurrence.gpm
        return all(holds(filter_, environment) for filter_ in gpm.filters if is_stateful(filter_, gpm))

    def environment(
        self, solution: Solution, occurrence: Occurrence | None, history: History, entered: Entered = ()
    ) -> Environment:
        """What an expression sees at an occurrence, or at the end of a match."""

        def solutions(expression: Expression) -> list[Mapping[str, str]]:
            return [dict(bindings) for bindings in history(solution, occurrence, plain_variables(expression))]

        return Environment(
            dict(solution.bindings),
            lambda name: [dict(bindings).get(name) for bindings in history(solution, occurrence, {name})],
            since=lambda name: dict(entered).get(self.plan.innermost(name), 0),
            solutions=solutions,
        )

    def so_far(self, solution: Solution, _: Occurrence | None, names: Collection[str]) -> list[Bindings]:
        """What was bound at the end of each iteration completed so far, of the innermost Kleene that owns a name."""
        kleene = self.kleene(names)
        return [] if kleene is None else solution.of(kleene)

    def kleene(self, names: Collection[str]) -> int | None:
        """The innermost Kleene that owns one of the names."""
        return max((kleene for name in names if (kleene := self.plan.innermost(name)) is not None), default=None)

    def violated(self, match: Partial, place: Place, inside: Iterable[Event]) -> bool:
        """Whether the BOp of a place matches between the picked events around it and joins the final Ω there."""
        before = match.steps[place.after - 1].time if place.after else None
        after = match.steps[place.after].time if place.after < len(match.steps) else None
        between = [
            event
            for event in inside
            if (before is None or before < event.time) and (after is None or event.time < after)
        ]
        final = frozenset(self.as_of(solution, place) for solution in match.solutions)
        return any(
            any(self.matches(place.bop, list(now), final, self.at(place), place.entered))
            for _, now in groupby(between, key=lambda event: event.time)
        )

    def as_of(self, solution: Solution, place: Place) -> Solution:
        """A final solution with the group variables of the iterations a place lies in."""
        for kleene, index in place.within:
            kept = solution.without(self.plan.owned[kleene])
            owned = frozenset(pair for pair in solution.of(kleene)[index] if pair[0] in self.plan.owned[kleene])
            solution = replace(kept, bindings=kept.bindings | owned)
        return solution

    def at(self, place: Place) -> History:
        """History as a place sees it: in the body of a Kleene what was completed before it, outside everything."""
        completed = dict(place.completed)

        def history(solution: Solution, occurrence: Occurrence | None, names: Collection[str]) -> list[Bindings]:
            values, kleene = self.so_far(solution, occurrence, names), self.kleene(names)
            inside = occurrence is not None and kleene in occurrence.kleenes
            return values[: completed.get(kleene or 0, 0)] if inside else values

        return history


def compatible(left: Bindings, right: Bindings) -> bool:
    """Whether two mappings agree on the variables both bind."""
    bound = dict(left)
    return all(bound.get(name, term) == term for name, term in right)
