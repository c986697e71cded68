"""The search for all matches, step by step, and the check of negations and absences on what it finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, product

from .across import filters_across
from .expressions import Expression, First, Prev, plain_variables, walk
from .formulas import Environment, holds
from .graphs import mappings
from .model import Event
from .partial import Across, Bindings, Move, Partial, Picked, Place, Solution, compatible, moves, start
from .plan import Occurrence, Operator, Plan, Step, Unordered, is_stateful
from .unions import Counts, union

History = Callable[[Solution, Occurrence | None, Collection[str]], Sequence[Bindings]]
Chosen = tuple[tuple[Occurrence, Event], ...]
Found = tuple[Chosen, frozenset[Solution]]


@dataclass(frozen=True)
class Sight:
    """What stateful filters see: the history, and how many iterations were completed when Kleenes were entered.

    at_step: whether it is the step of a partial match, where filters across wait.
    """

    history: History
    entered: Counts
    at_step: bool


@dataclass(frozen=True)
class World:
    """A plan and the events of its streamset, in Σ's order; of a substream, also what its key binds in every atom."""

    plan: Plan
    events: tuple[Event, ...]
    key: Bindings = frozenset()

    @cached_property
    def across(self) -> dict[int, tuple[tuple[Expression, int], ...]]:
        """The filters across of the plan."""
        return filters_across(self.plan)

    def times(self) -> list[int]:
        """The timestamps of Σ."""
        return sorted({event.time for event in self.events})

    def search(self) -> Iterator[Partial]:
        """All matches, before windows, negations and absences are looked at."""
        return (match for match in self.completions(start(self.plan)) if match.steps)

    def completions(self, begun: Partial) -> Iterator[Partial]:
        """All that a partial match can come to with nothing left to do."""
        waiting = [begun]
        while waiting:
            by_operator: dict[Operator | None, list[Move]] = {}
            for move in moves(self.plan, waiting.pop()):
                if move.element:
                    by_operator.setdefault(move.operator, []).append(move)
                else:
                    yield move.partial
            for choices in by_operator.values():
                waiting += self.governed(choices)

    def governed(self, choices: list[Move]) -> Iterator[Partial]:
        """What one operator lets one partial match take: under `;` only what begins the earliest."""
        if choices[0].sign == ";":
            begun = [(time, move) for move in choices if (time := self.first(move)) is not None]
            earliest = min((time for time, _ in begun), default=None)
            choices = [move for time, move in begun if time == earliest]
        for move in choices:
            yield from self.unions(move) if isinstance(move.element, Unordered) else self.steps(move)

    def first(self, move: Move) -> int | None:
        """The time of an element's first event, of an `&&` the earlier of its sides' events, each looked for alone."""
        if isinstance(move.element, Unordered):
            alone = (one for side in move.element.sides for one in moves(self.plan, move.alone(side)))
            return min((time for one in alone if (time := self.first(one)) is not None), default=None)
        return next((step.steps[-1].time for step in self.steps(move)), None)

    def unions(self, move: Move) -> Iterator[Partial]:
        """What an `&&` takes a partial match to: the unions of one way for each side."""
        assert isinstance(move.element, Unordered)
        sides = [list(self.completions(move.alone(side))) for side in move.element.sides]
        for ways in product(*sides):
            found = self.judged(union(move.partial, ways), move)
            if found.solutions:
                yield found

    def judged(self, found: Partial, move: Move) -> Partial:
        """A union whose rows satisfy the filters across that have waited for it."""
        assert isinstance(move.element, Unordered)
        due = [one for one in found.across if one.unordered == move.element.number]
        inside = len(move.partial.open)
        passing = (one for one in found.solutions if all(self.satisfies(one, filter_, inside) for filter_ in due))
        later = tuple(one for one in found.across if one not in due)
        return replace(found, solutions=frozenset(passing), across=later)

    def satisfies(self, solution: Solution, across: Across, inside: int) -> bool:
        """Whether a row of a union satisfies a filter, as of the iterations in the `&&`: those from `inside` on."""
        kleenes = across.occurrence.kleenes
        then = self.as_of(solution, across.within[inside:])
        seen = self.environment(then, across.occurrence, self.at(across.completed), across.entered)
        looking_back = {part.name for part in walk(across.filter) if isinstance(part, Prev | First)}
        unseen = frozenset(name for name in looking_back if self.plan.innermost(name) not in kleenes)
        return holds(across.filter, replace(seen, unseen=unseen))

    def steps(self, move: Move) -> Iterator[Partial]:
        """The steps of a BOp that its operator allows, not minding other BOps."""
        last = move.partial.last
        later = [time for time in self.times() if last is None or last < time]
        for time in later[:1] if move.sign == "," else later:
            made = list(self.step(move, time))
            yield from made
            if made and move.sign == ";":
                return

    def step(self, move: Move, time: int) -> Iterator[Partial]:
        """The ways to make a step at a timestamp."""
        assert isinstance(move.element, Step)
        partial = move.partial
        now = [event for event in self.events if event.time == time]
        sight = Sight(self.so_far, partial.entered, at_step=True)
        for events, solutions in self.matches(move.element, now, partial.solutions, sight):
            yield replace(
                partial,
                solutions=solutions,
                steps=(*partial.steps, Picked(time, events)),
                places=partial.closed(time),
                across=(*partial.across, *self.waiting(partial, events)),
            )

    def waiting(self, partial: Partial, chosen: Chosen) -> Iterator[Across]:
        """The filters across of a step."""
        for occurrence, _ in chosen:
            for filter_, number in self.across[occurrence.number]:
                yield Across(filter_, number, occurrence, partial.open, partial.completed, partial.entered)

    def matches(
        self, bop: Step, events: Iterable[Event], solutions: frozenset[Solution], sight: Sight
    ) -> Iterator[Found]:
        """The matches of a BOp among simultaneous events: the events picked and the joined solutions."""
        for way in bop.ways:
            candidates = [[(o, e) for e in events if self.mappings(o, e)] for o in way]
            for chosen in product(*candidates):
                joined = self.join(solutions, chosen, sight)
                if joined:
                    yield chosen, joined

    def mappings(self, occurrence: Occurrence, event: Event) -> frozenset[Bindings]:
        """The solutions of an atom on an event that are compatible with the key, joined with it."""
        found = mappings(self.plan.query, occurrence.gpm, event)
        return frozenset(bindings | self.key for bindings in found if compatible(bindings, self.key))

    def join(self, solutions: frozenset[Solution], chosen: Chosen, sight: Sight) -> frozenset[Solution]:
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
            one for one in solutions if all(self.passes(one, occurrence, sight) for occurrence, _ in chosen)
        )

    def passes(self, solution: Solution, occurrence: Occurrence, sight: Sight) -> bool:
        """Whether a joined solution satisfies the stateful filters of one atom."""
        environment = self.environment(solution, occurrence, sight.history, sight.entered)
        wait = [filter_ for filter_, _ in self.across[occurrence.number]] if sight.at_step else []
        stateful = (filter_ for filter_ in occurrence.gpm.filters if is_stateful(filter_, occurrence.gpm))
        return all(holds(filter_, environment) for filter_ in stateful if filter_ not in wait)

    def environment(
        self, solution: Solution, occurrence: Occurrence | None, history: History, entered: Counts = ()
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
        after, before = place.after, place.before
        between = [
            event
            for event in inside
            if (after is None or after < event.time) and (before is None or event.time < before)
        ]
        final = frozenset(self.as_of(solution, place.within) for solution in match.solutions)
        sight = Sight(self.at(place.completed), place.entered, at_step=False)
        return any(
            any(self.matches(place.bop, list(now), final, sight))
            for _, now in groupby(between, key=lambda event: event.time)
        )

    def as_of(self, solution: Solution, within: Counts) -> Solution:
        """A solution with the group variables of these iterations, outermost first."""
        for kleene, index in within:
            kept = solution.without(self.plan.owned[kleene])
            owned = frozenset(pair for pair in solution.of(kleene)[index] if pair[0] in self.plan.owned[kleene])
            solution = replace(kept, bindings=kept.bindings | owned)
        return solution

    def at(self, counts: Counts) -> History:
        """History in the body of a Kleene when so many iterations were completed; outside everything."""
        completed = dict(counts)

        def history(solution: Solution, occurrence: Occurrence | None, names: Collection[str]) -> list[Bindings]:
            values, kleene = self.so_far(solution, occurrence, names), self.kleene(names)
            inside = occurrence is not None and kleene in occurrence.kleenes
            return values[: completed.get(kleene or 0, 0)] if inside else values

        return history
