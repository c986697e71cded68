"""Live columns: which values of a partial match a state must keep, by backward data flow.

SELECT, CONSTRUCT and DISTINCT keep nothing alive: rows of finished matches are rebuilt from the events picked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from gpm.algebra import Expression, Variable
from spaseq.plan.sequences.analysis import Analysis, either
from spaseq.plan.sequences.environment import (
    RULES,
    UNBOUND,
    Environment,
    columns_read,
    previous,
    row,
    substitute,
    variables_of,
)
from spaseq.plan.sequences.filters import (
    ReferenceScope,
    alternatives,
    is_kept,
    kept_parts,
    name_of,
    plain,
    plain_columns,
    use_kept,
)
from spaseq.plan.sequences.graph import START, Item
from spaseq.plan.sequences.states import Exit, Way, begun, guards_in


@dataclass(frozen=True, slots=True)
class SymbolicStep:
    """A join and its filters: pairs (partial-match column, row column), and expressions over ``c:`` and ``r:``."""

    joins: tuple[tuple[str, str], ...]
    filters: tuple[Expression, ...]
    after: Environment

    def reads(self) -> set[str]:
        """Partial-match columns that the step needs."""
        return {held for held, _ in self.joins} | {c for one in self.filters for c in columns_read(one)}


@dataclass(frozen=True, slots=True)
class SymbolicGuard:
    """One choice of a guard at a state.

    ``early`` is the step on the state's own columns, or None if only the finished match can judge; ``later`` those of
    the columns it reads that a later step may still bind.  ``whole`` is the step over the finished match's columns;
    ``sights`` says where each of them comes from: the iteration of a Kleene (a number), or an expression at the
    guard's place.
    """

    names: tuple[str, ...]
    early: SymbolicStep | None
    later: tuple[str, ...]
    whole: SymbolicStep
    sights: tuple[tuple[str, int | Expression], ...]
    begun: frozenset[int]


class Liveness:
    """Symbolic steps of every transition and guard, and the columns that each state keeps."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    # ── steps ────────────────────────────────────────────────────────────────────────────────────────────
    def on_entry(self, state: Exit) -> tuple[Item, ...]:
        """The items that are applied when a state is entered.

        Twins keep the columns as they were at their node, so that each can find a partial match in the others.
        """
        return () if self.analysis.competitors.get(state) else state.items

    def on_target(self, way: Way, state: Exit) -> tuple[Item, ...]:
        """The same of a state that a transition enters: it may complete a side of && from several nodes."""
        return self.on_entry(state) if state.arrives is None else self.analysis.on_arrival(way.node, state)

    def on_step(self, way: Way) -> tuple[Item, ...]:
        """The items that are applied when a transition is taken."""
        return way.source.items[len(self.on_entry(way.source)) :] + way.items

    def held(self, state: Exit) -> Environment:
        """A state's columns, each under its own name; what is known to be constant stays so."""
        cells = self.analysis.cells
        entered = self.analysis.hidden.apply(self.on_entry(state), self.analysis.at(state.node))
        return {
            name: value if value is UNBOUND or value == UNBOUND or not variables_of_any(value) else cells[name]
            for name, value in entered.items()
        }

    def step(self, way: Way, environment: Environment, items: tuple[Item, ...]) -> SymbolicStep:
        """The step of a transition, given what columns hold before ``items``."""
        analysis = self.analysis
        place = analysis.graph.places[way.place]
        before = analysis.hidden.apply(items, environment)
        after = analysis.after(way, environment, items)
        columns = analysis.row_columns(way.names)
        joins = [(before.get(c, UNBOUND), c) for c in columns if c not in analysis.private]
        joins += [(before.get(previous(c), UNBOUND), c) for c in columns if c in analysis.as_before]
        scope = ReferenceScope(analysis.innermost, place.enclosing, place.first)
        seen = {**after, **{c: row(c) for c in columns if c in analysis.private}}
        filters = (substitute(scope.resolve(one), seen) for name in way.names for one in self._asked(way.place, name))
        return SymbolicStep(
            tuple((held.name[2:], c) for held, c in joins if held != UNBOUND and isinstance(held, Variable)),
            tuple(dict.fromkeys(filters)),
            after,
        )

    def _filters(self, name: str) -> tuple[Expression, ...]:
        return self.analysis.by_name[name].stateful

    def _asked(self, place: int, name: str) -> tuple[Expression, ...]:
        """The filters of an atom that its step is asked: all but those that wait until sides of && meet."""
        waiting = {one.filter for one in self.analysis.sides.across.get((place, name), ())}
        return tuple(one for one in self._filters(name) if one not in waiting)

    @cached_property
    def live_steps(self) -> dict[Way, SymbolicStep]:
        """Each way as a step on what its source keeps."""
        return {way: self.step(way, self.held(way.source), self.on_step(way)) for way in self.analysis.ways}

    @cached_property
    def whole_steps(self) -> dict[Way, SymbolicStep]:
        """Each way as a step on all columns, before any is left out."""
        return {way: self.step(way, self.analysis.environment(way.source), way.items) for way in self.analysis.ways}

    def target(self, way: Way, state: Exit) -> Environment:
        """What a state's columns hold when a transition enters it, over the source state's columns and the row."""
        return self.analysis.hidden.apply(self.on_target(way, state), self.live_steps[way].after)

    # ── guards ───────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def guards(self) -> dict[Exit, tuple[SymbolicGuard, ...]]:
        """What is to be looked at in each state, as far as the columns that it keeps tell."""
        return {
            state: tuple(
                self._guard(state, number, before, names)
                for number, before in guards_in(state.items)
                for names in alternatives(self.analysis.graph.guards[number].body)
            )
            for state in self.analysis.exits
        }

    def _guard(self, state: Exit, number: int, before: tuple[Item, ...], names: tuple[str, ...]) -> SymbolicGuard:
        analysis = self.analysis
        place = analysis.graph.guards[number]
        point = analysis.hidden.apply(before, analysis.at(state.node))
        whole = self._guard_step(names, number, analysis.cells)
        bindable = frozenset() if state.ends else analysis.bindable[state.node]
        early, later = self._early(state, number, names, point, bindable)
        sights = tuple(
            (name, sight)
            for name in sorted(whole.reads())
            if (sight := self._sight(name, place.enclosing, point)) is not None
        )
        return SymbolicGuard(names, early, later, whole, sights, begun(before))

    def _guard_step(self, names: tuple[str, ...], number: int, environment: Environment) -> SymbolicStep:
        """A guard's join and filters over an environment."""
        analysis = self.analysis
        place = analysis.graph.guards[number]
        columns = analysis.row_columns(names)
        seen = dict(environment)
        for name in columns:
            held = environment.get(name, UNBOUND)
            joined = held == UNBOUND or name in analysis.private
            seen[name] = row(name) if joined else either(held, row(name))
        joins = [(environment.get(c, UNBOUND), c) for c in columns if c not in analysis.private]
        filters = (
            substitute(self._guard_filter(one, place.enclosing, place.first), seen)
            for name in names
            for one in self._filters(name)
        )
        return SymbolicStep(
            tuple((held.name[2:], c) for held, c in joins if held != UNBOUND and isinstance(held, Variable)),
            tuple(dict.fromkeys(filters)),
            seen,
        )

    def _guard_filter(self, filter_: Expression, enclosing: tuple[int, ...], first: frozenset[int]) -> Expression:
        """An absent Kleene has no earlier iteration: PREV is unbound, FIRST the negated event's own value."""
        innermost = self.analysis.innermost
        outside = frozenset(k for k in innermost.values() if k not in enclosing)
        resolved = ReferenceScope(innermost, (*enclosing, *outside), first | outside).resolve(filter_)
        gone = {f"PREV({name})": UNBOUND for name, k in innermost.items() if k not in enclosing}
        return _replace(resolved, gone)

    def _early(
        self, state: Exit, number: int, names: tuple[str, ...], point: Environment, bindable: frozenset[str]
    ) -> tuple[SymbolicStep | None, tuple[str, ...]]:
        """The guard on the state's own columns, if what it reads there is what it must read in the end."""
        analysis = self.analysis
        if state.node == START or analysis.competitors.get(state) or state in analysis.forking:
            return None, ()
        held, now = self.held(state), analysis.environment(state)
        needed = set(self._guard_step(names, number, analysis.cells).reads())
        for name in needed:
            changed = point.get(name) != now.get(name)
            unknown = held.get(name, UNBOUND) == UNBOUND and name in bindable
            if changed or unknown or (self._is_running(name) and self._grows(name, number, bindable)):
                return None, ()
        step = self._guard_step(names, number, held)
        later = tuple(sorted(name for name in step.reads() if name in bindable))
        return step, later

    def _is_running(self, name: str) -> bool:
        return any(one.column == name for one in self.analysis.running)

    def _grows(self, column: str, number: int, bindable: frozenset[str]) -> bool:
        """A running aggregate may still change before the value that the guard must see is complete."""
        names = self._followed(column)
        enclosing = self.analysis.graph.guards[number].enclosing
        inside = any(names & self.analysis.owned[k] for k in enclosing)
        return not inside and bool(names & bindable)

    def _followed(self, column: str) -> frozenset[str]:
        """The group variables that a running aggregate is of."""
        argument = next(one.argument for one in self.analysis.running if one.column == column)
        return frozenset(name for name in variables_of(argument) if name in self.analysis.innermost)

    def _sight(self, name: str, enclosing: tuple[int, ...], point: Environment) -> int | Expression | None:
        """Where a guard takes a column from: an iteration, its own place, or (None) the finished match."""
        if name.startswith(("PREV(", "FIRST@")):
            return point.get(name, UNBOUND)
        is_running = self._is_running(name)
        names = self._followed(name) if is_running else frozenset((name,))
        around = next((k for k in enclosing if names & self.analysis.owned[k]), None)
        if around is None or not is_running:
            return around
        return point.get(name, UNBOUND)

    def sight(self, name: str, enclosing: tuple[int, ...]) -> int | Expression | None:
        """Where a filter of a step in these Kleenes takes a column from once the step is made: as ``_sight``."""
        return self._sight(name, enclosing, self.analysis.cells)

    # ── liveness ─────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def kept(self) -> dict[Exit, tuple[Expression, ...]]:
        """What every state keeps, in a fixed order: columns, and what filters compute from columns alone."""
        need: dict[Exit, set[Expression]] = {state: self._guard_reads(state) for state in self.analysis.exits}
        changed = True
        while changed:
            changed = False
            for way in reversed(self.analysis.ways):  # from the end: most of what comes later is known then
                reads = self._reads(way, need)
                for state in (way.source, *self.analysis.competitors.get(way.source, ())):
                    changed = changed or not reads <= need[state]
                    need[state] |= reads
            for number in range(len(self.analysis.graph.junctions)):
                for state, name in self._wanted(number, need):
                    changed = changed or Variable(name) not in need[state]
                    need[state].add(Variable(name))
        order = {name: i for i, name in enumerate(self.analysis.columns)}
        last = len(order)
        return {
            state: tuple(sorted(parts, key=lambda part: (order.get(name_of(part), last), name_of(part))))
            for state, parts in need.items()
        }

    @cached_property
    def columns(self) -> dict[Exit, tuple[str, ...]]:
        """The names of what every state keeps."""
        return {state: tuple(map(name_of, parts)) for state, parts in self.kept.items()}

    @cached_property
    def kept_steps(self) -> dict[Way, SymbolicStep]:
        """The steps of all transitions over what their source states keep."""
        return {
            way: replace(step, filters=tuple(use_kept(one, self.kept[way.source]) for one in step.filters))
            for way, step in self.live_steps.items()
        }

    def entered(self, way: Way, state: Exit) -> list[Expression]:
        """What a state keeps when a transition enters it, over what the source state keeps and the row."""
        environment = self.target(way, state)
        return [use_kept(substitute(part, environment), self.kept[way.source]) for part in self.kept[state]]

    def meets(self, junction: int, state: Exit) -> list[Expression]:
        """What a state keeps when sides of && meet and enter it, over what the union of their ways has."""
        return [substitute(part, self._met(junction, state)) for part in self.kept[state]]

    def _met(self, junction: int, state: Exit) -> Environment:
        return self.analysis.hidden.apply(self.on_entry(state), self.analysis.sides.held(junction))

    def _wanted(self, junction: int, need: dict[Exit, set[Expression]]) -> Iterator[tuple[Exit, str]]:
        """What the complete sides of an && must keep for what comes after it, and for each other."""
        read: set[str] = set()
        for state in self.analysis.exits_of(self.analysis.graph.junctions[junction].node):
            for part in need[state]:
                read.update(columns_read(substitute(part, self._met(junction, state))))
        for state, name in self.analysis.sides.wanted(junction, read):
            if self.held(state).get(name, UNBOUND) != UNBOUND:
                yield state, name

    def _guard_reads(self, state: Exit) -> set[Expression]:
        """What guards read; and what every partial match has, where there are rules."""
        names = {name for guard in self.guards[state] if guard.early for name in guard.early.reads()}
        if self.analysis.has_rules and state.node != START:
            names.add(RULES)
        return set(map(Variable, names))

    def _reads(self, way: Way, need: dict[Exit, set[Expression]]) -> set[Expression]:
        """What a transition reads of its source state, for itself or for the states that it enters."""
        step = self.live_steps[way]
        reads: set[Expression] = {Variable(held) for held, _ in step.joins}
        reads.update(part for one in step.filters for part in kept_parts(one))
        for state in self.analysis.exits_of(way.node):
            environment = self.target(way, state)
            for part in need[state]:
                value = substitute(part, environment)
                unchanged = is_kept(value) and plain(value) == part
                reads.update((part,) if unchanged else plain_columns(value))
        return reads


def variables_of_any(value: Expression) -> bool:
    """Whether an expression reads anything."""
    return isinstance(value, Variable) or any(True for _ in variables_of(value))


def _replace(expression: Expression, values: Environment) -> Expression:
    """The expression with some variables replaced and the others kept."""
    kept = {name: values.get(name, Variable(name)) for name in variables_of(expression)}
    return substitute(expression, kept)
