"""The query as the compiler sees it: its atoms, group variables, columns, and the states with the ways between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from gpm.algebra import Aggregate, Expression, Operation, Previous, Variable, subexpressions
from gpm.scope import mentioned
from spaseq.errors import QueryError
from spaseq.pattern.sequences import (
    AtomDefinition,
    Construction,
    Query,
    SequenceExpression,
    Strategy,
    group_variables,
    occurrences,
)
from spaseq.plan.sequences.any_order import contracted
from spaseq.plan.sequences.branches import Branches
from spaseq.plan.sequences.environment import (
    RULE_SET,
    RULES,
    UNBOUND,
    Accumulator,
    Environment,
    Hidden,
    accumulators,
    cell,
    first_iteration,
    previous,
    row,
    variables_of,
)
from spaseq.plan.sequences.filters import (
    SUFFIX,
    as_before,
    hoist_exists,
    join_iterations,
    split_conjunctions,
)
from spaseq.plan.sequences.graph import START, EpsilonGraph, Item, build_graph
from spaseq.plan.sequences.partitioning import has_strict_steps, key_atoms, partitioned
from spaseq.plan.sequences.sides import Sides
from spaseq.plan.sequences.states import Exit, Routes, Way, exits_in, may_repeat, routes_of, ways_in

MOST_KLEENES = 64


class Analysis:
    """Everything about a query that does not depend on words or registers."""

    def __init__(self, query: Query, has_rules: bool = False) -> None:
        """``has_rules``: its parameters are those of rules (``rules.of_rules``)."""
        self.has_rules = has_rules
        self.query = partitioned(query)
        self.occurrences = occurrences(query.expression)
        used = {one.name for one in self.occurrences}
        atoms = tuple(one for one in self.query.atoms if one.name in used)
        if self.needs_every_event:
            atoms += key_atoms(query)
        atoms = tuple(self._prepared(one) for one in atoms)
        hoisted = tuple(map(hoist_exists, atoms))
        self.in_scope = {one.name: one.variables for one in atoms}
        self.private = frozenset(v for one in hoisted for v in one.variables if v not in self.in_scope[one.name])
        needed = self._needed()
        self.atoms = tuple(
            replace(one, variables=tuple(v for v in one.variables if v in needed or v in self.private))
            for one in hoisted
        )
        self.by_name = {one.name: one for one in self.atoms}

    def _prepared(self, atom: AtomDefinition) -> AtomDefinition:
        """The atom with what the event alone decides in its pattern; within one Kleene, iterations may join on it."""
        split = split_conjunctions(atom)
        kleenes = self._kleenes.get(atom.name, [])
        one_each = kleenes and all(len(one) == 1 for one in kleenes)
        return join_iterations(split) if one_each and self._is_plain else split

    @cached_property
    def _is_plain(self) -> bool:
        """Whether no variable has a name that looks as if it were hidden."""
        return not any(name.endswith(SUFFIX) for name in mentioned(self.query.atoms))

    @cached_property
    def _kleenes(self) -> dict[str, list[tuple[int, ...]]]:
        """For each atom the Kleenes around its occurrences."""
        found: dict[str, list[tuple[int, ...]]] = {}
        for one in self.occurrences:
            found.setdefault(one.name, []).append(one.kleenes)
        return found

    @cached_property
    def as_before(self) -> frozenset[str]:
        """Hidden variables on which an iteration joins with the one before."""
        return frozenset(name for one in self.atoms for name in as_before(one))

    def _needed(self) -> frozenset[str]:
        """Variables that somebody reads: a join, a filter, or the result.  The others never leave the graph pattern."""
        counts = Counter(v for one in self.occurrences for v in self.in_scope[one.name])
        read = {v for one in self.query.atoms for filter_ in one.stateful for v in variables_of(filter_)}
        read |= {v for one in result_expressions(self.query) for v in variables_of(one)}
        if any(isinstance(part, Aggregate) for one in result_expressions(self.query) for part in subexpressions(one)):
            return frozenset(counts)  # aggregates range over whole solutions
        read |= {*self.query.keys, *(v for v in counts if v.endswith(SUFFIX))}
        return frozenset(v for v, count in counts.items() if count > 1 or v in read)

    @property
    def by_partition(self) -> bool:
        """Whether each substream has a matcher of its own: EVENTS windows count its positions."""
        window = self.query.window
        return self.query.partition is not None and window is not None and window.events

    @property
    def key_slots(self) -> tuple[tuple[int, ...], ...]:
        """Which variables of each atom are the keys of its event."""
        return tuple(tuple(map(one.variables.index, self.query.keys)) for one in self.atoms)

    @property
    def needs_every_event(self) -> bool:
        """Whether events that match no GPM count in their substream: for EVENTS windows, and strict contiguity."""
        return self.query.partition is not None and (self.by_partition or has_strict_steps(self.query.expression))

    @cached_property
    def owned(self) -> tuple[frozenset[str], ...]:
        """Group variables of each Kleene, by its number (an outer one before those in its body)."""
        owned = group_variables(self.query.expression, self.in_scope, self.query.keys)
        if len(owned) > MOST_KLEENES:
            raise QueryError(f"more than {MOST_KLEENES} Kleene operators in one query are not supported")
        return owned

    @cached_property
    def innermost(self) -> dict[str, int]:
        """The innermost Kleene that owns each group variable: of nested ones it has the greatest number."""
        return {name: number for number, names in enumerate(self.owned) for name in names}

    # ── hidden columns ───────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def filters(self) -> tuple[Expression, ...]:
        """Stateful filters of all atoms, in their order."""
        return tuple(filter_ for one in self.atoms for filter_ in one.stateful)

    @cached_property
    def group_aggregates(self) -> tuple[Aggregate, ...]:
        """Aggregates over group variables, in filters and results."""
        found = (part for one in (*self.filters, *result_expressions(self.query)) for part in subexpressions(one))
        return tuple(dict.fromkeys(one for one in found if isinstance(one, Aggregate) and self.is_grouped(one)))

    def is_grouped(self, aggregate: Aggregate) -> bool:
        """Whether an aggregate ranges over iterations, not over matches."""
        return self.kleene_of(aggregate) is not None

    def kleene_of(self, one: Aggregate | Accumulator) -> int | None:
        """The Kleene whose iterations an aggregate ranges over: the innermost that owns a variable of it."""
        names = () if one.argument is None else variables_of(one.argument)
        return max((self.innermost[name] for name in names if name in self.innermost), default=None)

    @cached_property
    def running(self) -> tuple[Accumulator, ...]:
        """What is kept of running aggregates, one for each column."""
        found = (one for aggregate in self.group_aggregates for one in accumulators(aggregate))
        return tuple({one.column: one for one in found}.values())

    @cached_property
    def hidden(self) -> Hidden:
        """What Kleenes keep besides their variables: values of the iteration before, of the first, aggregates."""
        parts = [part for one in self.filters for part in subexpressions(one)]
        kept = {one.variable.name for one in parts if isinstance(one, Previous)} | self.as_before
        first = {
            one.argument.name
            for one in parts
            if isinstance(one, Aggregate) and one.function == "FIRST" and isinstance(one.argument, Variable)
        }
        return Hidden(
            {number: tuple(sorted(names)) for number, names in enumerate(self.owned)},
            self._by_owner(kept),
            self._by_owner(first),
            {k: tuple(one for one in self.running if self.kleene_of(one) == k) for k in range(len(self.owned))},
        )

    def _by_owner(self, names: Iterable[str]) -> dict[int, tuple[str, ...]]:
        return {k: tuple(sorted(one for one in names if self.innermost.get(one) == k)) for k in range(len(self.owned))}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns of a whole match: the variables of non-negated atoms, then the hidden ones; never none."""
        atoms = [one.name for one in self.occurrences if not one.negated]
        plain = dict.fromkeys(v for name in atoms for v in self.by_name[name].variables if v not in self.private)
        hidden = [previous(v) for names in self.hidden.previous.values() for v in names]
        hidden += [first_iteration(v) for names in self.hidden.first.values() for v in names]
        found = (*plain, *hidden, *(one.column for one in self.running)) or ("!none",)
        return (*found, RULES) if self.has_rules else found

    @cached_property
    def sides(self) -> Sides:
        """What is known of &&."""
        return Sides(self)

    @cached_property
    def forking(self) -> frozenset[Exit]:
        """The states in which sides of && begin."""
        return frozenset(way.source for way in self.ways if way.forks)

    @cached_property
    def branches(self) -> Branches:
        """What begins in them, and what excludes what."""
        return Branches(self)

    @cached_property
    def kept_names(self) -> tuple[str, ...]:
        """What a partial match may keep: columns of a whole match, and marks."""
        return (*self.columns, *self.sides.marks) if self.graph.junctions else self.columns

    # ── states and ways ──────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def graph(self) -> EpsilonGraph:
        """The ε-graph of the sequence."""
        return build_graph(
            self.query.expression,
            frozenset(number for number, names in self.hidden.first.items() if names),
        )

    @cached_property
    def routes(self) -> Routes:
        """The routes out of every node that a match can be at, each with its state."""
        return routes_of(self.graph)

    @cached_property
    def exits(self) -> tuple[Exit, ...]:
        """All states: the initial ones first, the final ones last."""
        return exits_in(self.routes)

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """All ways between states, each once."""
        return ways_in(self.graph, self.routes)

    @cached_property
    def is_ambiguous(self) -> bool:
        """Whether two accepting paths may show the same picks."""
        if not self.graph.junctions:
            return may_repeat(self.routes, self.ways)
        parts = contracted(self.query.expression)
        return parts is None or any(map(_may_repeat, parts))

    @cached_property
    def ways_from(self) -> dict[Exit, list[Way]]:
        """The ways out of each state that has some."""
        found: dict[Exit, list[Way]] = {}
        for way in self.ways:
            found.setdefault(way.source, []).append(way)
        return found

    @cached_property
    def ways_to(self) -> dict[Exit, list[Way]]:
        """The ways into each state that has some."""
        found: dict[Exit, list[Way]] = {}
        for way in self.ways:
            for state in self.exits_of(way.node):
                found.setdefault(state, []).append(way)
        return found

    def exits_of(self, node: int) -> tuple[Exit, ...]:
        """The states that a step to ``node`` enters."""
        return tuple(dict.fromkeys(state for state, _ in self.routes[node]))

    def on_arrival(self, node: int, state: Exit) -> tuple[Item, ...]:
        """The items between ``node`` and the end of the side that is complete in the state."""
        return next(route.items for one, route in self.routes[node] if one == state)

    def passes(self, state: Exit) -> bool:
        """Whether every event of their substream ends the stay of partial matches in the state, not that of others."""
        return bool(self.query.keys) and not self.by_partition and state.strategy is Strategy.STRICT

    @cached_property
    def competitors(self) -> dict[Exit, tuple[Exit, ...]]:
        """The other states whose steps compete: same node, same occurrence of ``;``, but different items on the way.

        A partial match stands in all of them alike; a step from one takes it out of the others.
        """
        groups: dict[tuple[int, Item], list[Exit]] = {}
        for state in self.exits:
            if state.strategy is Strategy.NEXT:
                groups.setdefault((state.node, state.items[-1]), []).append(state)
        found = {state: tuple(one for one in group if one != state) for group in groups.values() for state in group}
        if any(way.forks and found.get(way.source) for way in self.ways):
            raise QueryError("several ways past optional parts to one && behind “;” are not supported")
        return found

    # ── what is bound where ──────────────────────────────────────────────────────────────────────────────
    @cached_property
    def bound(self) -> dict[int, frozenset[str]]:
        """For each node the columns that may be bound there, by forward data flow."""
        bound: dict[int, frozenset[str]] = {node: frozenset() for node in self.routes}
        changed = True
        while changed:
            changed = False
            for way in self.ways:
                after = self.after(way, self.environment(way.source, bound))
                more = bound[way.node] | _bound_in(after)
                changed = changed or more != bound[way.node]
                bound[way.node] = more
            for number in range(len(self.graph.junctions)):
                changed = self._meet(number, bound) or changed
        return bound

    def _meet(self, junction: int, bound: dict[int, frozenset[str]]) -> bool:
        """What is bound where sides are complete, and where they have met; whether that is more."""
        node = self.graph.junctions[junction].node
        before = sum(map(len, bound.values()))
        for source, state in self.arriving:
            if state.arrives is not None and state.arrives.junction == junction:
                after = self.hidden.apply(self.on_arrival(source, state), self.at(source, bound))
                bound[state.node] |= _bound_in(after)
                bound[node] |= bound[state.node]
        return sum(map(len, bound.values())) > before

    @cached_property
    def arriving(self) -> tuple[tuple[int, Exit], ...]:
        """The nodes from which sides of && may be complete, with the states where they are."""
        return tuple((node, one) for node, ways in self.routes.items() for one, _ in ways if one.arrives is not None)

    def at(self, node: int, bound: dict[int, frozenset[str]] | None = None) -> Environment:
        """What the columns of a match hold right after the step to ``node``."""
        if node == START:
            start = {one.column: one.start for one in self.running}
            return {name: start.get(name, UNBOUND) for name in self.kept_names}
        known = (bound or self.bound)[node]
        if self.graph.junctions:
            known &= {*self.columns, *self.sides.marks_at(node)}
        return {name: self.cells[name] if name in known else UNBOUND for name in self.kept_names}

    @cached_property
    def cells(self) -> Environment:
        """Each column under its own name."""
        return {name: cell(name) for name in self.kept_names}

    def environment(self, state: Exit, bound: dict[int, frozenset[str]] | None = None) -> Environment:
        """What they hold in a state, over the columns after the last step."""
        return self.hidden.apply(state.items, self.at(state.node, bound))

    def after(self, way: Way, environment: Environment, items: tuple[Item, ...] | None = None) -> dict[str, Expression]:
        """What they hold after a step, given what they hold in its state, ``items`` (those of the way) before it."""
        after = self.hidden.apply(way.items if items is None else items, environment)
        for name in self.row_columns(way.names):
            if name in self.private:
                continue
            held = after.get(name, UNBOUND)
            after[name] = row(name) if held == UNBOUND else either(held, row(name))
        if self.graph.junctions:
            after |= self.sides.marked(way)
        return after | {RULES: RULE_SET} if self.has_rules else after

    def row_columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Columns of the joined rows of a choice."""
        return tuple(dict.fromkeys(v for name in names for v in self.by_name[name].variables))

    @cached_property
    def bindable(self) -> dict[int, frozenset[str]]:
        """For each node the variables that some later step may bind, or one of another side of &&."""
        after: dict[int, frozenset[str]] = {node: frozenset() for node in self.routes}
        beside = [frozenset(self.sides.changed[number]) for number in range(len(self.graph.junctions))]
        changed = True
        while changed:
            changed = False
            for source, state in self.arriving:
                assert state.arrives is not None
                number = state.arrives.junction
                more = after[source] | after[self.graph.junctions[number].node] | beside[number]
                changed = changed or more != after[source]
                after[source] = after[state.node] = more
            for way in reversed(self.ways):  # from the end: most of what comes later is known then
                more = after[way.source.node] | after[way.node] | set(self.row_columns(way.names))
                changed = changed or more != after[way.source.node]
                after[way.source.node] = more
        return after

    def definition(self, name: str) -> AtomDefinition:
        """The GPM of that name."""
        return self.by_name[name]


def result_expressions(query: Query) -> tuple[Expression, ...]:
    """What SELECT or CONSTRUCT reads, as expressions."""
    form = query.form
    if isinstance(form, Construction):
        terms = (part for triple in form.template for part in (triple.subject, triple.predicate, triple.object))
        return tuple(one for one in terms if isinstance(one, Variable))
    return (*(one.expression for one in form.projections), *(Variable(name) for name in form.group_by), *form.having)


def _bound_in(environment: Environment) -> frozenset[str]:
    return frozenset(name for name, value in environment.items() if value is not UNBOUND and value != UNBOUND)


def either(held: Expression, other: Expression) -> Expression:
    """The value of a joined variable: whichever side binds it."""
    return Operation("COALESCE", (held, other))


def _may_repeat(expression: SequenceExpression) -> bool:
    graph = build_graph(expression, frozenset())
    found = routes_of(graph)
    return may_repeat(found, ways_in(graph, found))
