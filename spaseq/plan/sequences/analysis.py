"""The query as the compiler sees it: its atoms, group variables, columns, and the states with the ways between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from gpm.algebra import Aggregate, Expression, Operation, Previous, Variable, subexpressions
from gpm.scope import mentioned
from spaseq.errors import QueryError
from spaseq.pattern.sequences import AtomDefinition, Construction, Query, Strategy, group_variables, occurrences
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
    alternatives,
    as_before,
    hoist_exists,
    join_iterations,
    split_conjunctions,
)
from spaseq.plan.sequences.graph import (
    START,
    Absent,
    Begin,
    End,
    EpsilonGraph,
    EpsilonPath,
    Item,
    Move,
    Operator,
    build_graph,
    is_ambiguous,
    routes,
)
from spaseq.plan.sequences.partitioning import has_strict_steps, key_atoms, partitioned

MOST_KLEENES = 64
MOST_GUARDS = 20_000


class _Hashed:
    """What is a key again and again: its hash, which takes as long as its items are many, is found once."""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(vars(self).values()))


@dataclass(frozen=True)
class Exit(_Hashed):
    """A state: a node of the graph, and the items from there up to and including the governing operator.

    A state with no ``strategy`` is initial (at the start node) or final (``ends``).
    """

    node: int
    items: tuple[Item, ...]
    strategy: Strategy | None
    ends: bool

    __hash__ = _Hashed.__hash__


@dataclass(frozen=True)
class Way(_Hashed):
    """A transition: from a state past ``items`` through ``names`` (one choice of the BOp at ``place``) to a node."""

    source: Exit
    items: tuple[Item, ...]
    place: int
    names: tuple[str, ...]
    node: int

    __hash__ = _Hashed.__hash__


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

    # ── states and ways ──────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def graph(self) -> EpsilonGraph:
        """The ε-graph of the sequence."""
        return build_graph(
            self.query.expression,
            frozenset(number for number, names in self.hidden.first.items() if names),
        )

    @cached_property
    def routes(self) -> dict[int, list[tuple[Exit, EpsilonPath]]]:
        """The routes out of every node that a match can be at, each with its state."""
        found: dict[int, list[tuple[Exit, EpsilonPath]]] = {}
        waiting, guards = [START], 0
        while waiting:
            node = waiting.pop(0)
            if node in found:
                continue
            ways = [route for route in routes(self.graph, node) if not (node == START and route.place is None)]
            guards += sum(isinstance(item, Absent) for route in ways for item in route.items)
            if guards > MOST_GUARDS:
                raise QueryError(f"optional and negated parts meet in more than {MOST_GUARDS} places of the automaton")
            found[node] = [(_exit(node, route), route) for route in ways]
            waiting += [route.node for route in ways if route.place is not None]
        return found

    @cached_property
    def exits(self) -> tuple[Exit, ...]:
        """All states: the initial ones first, the final ones last."""
        found = dict.fromkeys(one for ways in self.routes.values() for one, _ in ways)
        return tuple(sorted(found, key=lambda state: state.ends))

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """All ways between states, each once."""
        found: dict[Way, None] = {}
        for ways in self.routes.values():
            for state, route in ways:
                if route.place is not None:
                    rest = route.items[len(state.items) :]
                    for names in alternatives(self.graph.places[route.place].body):
                        found[Way(state, rest, route.place, names, route.node)] = None
        return tuple(found)

    @cached_property
    def is_ambiguous(self) -> bool:
        """Whether two accepting paths may show the same picks (``spaseq.plan.sequences.graph``)."""
        starts = (number for number, state in enumerate(self.exits) if state.node == START)
        ends = (number for number, state in enumerate(self.exits) if state.ends)
        return is_ambiguous(self._moves(), starts, ends)

    def _moves(self) -> list[list[Move]]:
        """The ways out of each state, by number."""
        numbers = {state: number for number, state in enumerate(self.exits)}
        moves: list[list[Move]] = [[] for _ in numbers]
        for way in self.ways:
            entered = tuple(numbers[state] for state in self.exits_of(way.node))
            moves[numbers[way.source]].append((tuple(sorted(way.names)), entered))
        return moves

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
        return {state: tuple(one for one in group if one != state) for group in groups.values() for state in group}

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
                more = bound[way.node] | {
                    name for name, value in after.items() if value is not UNBOUND and value != UNBOUND
                }
                changed = changed or more != bound[way.node]
                bound[way.node] = more
        return bound

    def at(self, node: int, bound: dict[int, frozenset[str]] | None = None) -> Environment:
        """What the columns of a match hold right after the step to ``node``."""
        if node == START:
            start = {one.column: one.start for one in self.running}
            return {name: start.get(name, UNBOUND) for name in self.columns}
        known = (bound or self.bound)[node]
        return {name: self.cells[name] if name in known else UNBOUND for name in self.columns}

    @cached_property
    def cells(self) -> Environment:
        """Each column under its own name."""
        return {name: cell(name) for name in self.columns}

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
        return after | {RULES: RULE_SET} if self.has_rules else after

    def row_columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Columns of the joined rows of a choice."""
        return tuple(dict.fromkeys(v for name in names for v in self.by_name[name].variables))

    @cached_property
    def bindable(self) -> dict[int, frozenset[str]]:
        """For each node the variables that some later step may bind."""
        after: dict[int, frozenset[str]] = {node: frozenset() for node in self.routes}
        changed = True
        while changed:
            changed = False
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


def either(held: Expression, other: Expression) -> Expression:
    """The value of a joined variable: whichever side binds it."""
    return Operation("COALESCE", (held, other))


def _exit(node: int, route: EpsilonPath) -> Exit:
    """The state in which a route waits: all items at the end, else those up to the last operator."""
    if route.place is None:
        return Exit(node, route.items, None, True)
    last = max((i for i, item in enumerate(route.items) if isinstance(item, Operator)), default=-1)
    operator = route.items[last] if last >= 0 else None
    strategy = operator.strategy if isinstance(operator, Operator) and node != START else None
    return Exit(node, route.items[: last + 1], strategy, False)


def guards_in(items: tuple[Item, ...]) -> list[tuple[int, tuple[Item, ...]]]:
    """The guards on a path, each with the items before it."""
    return [(item.guard, items[:i]) for i, item in enumerate(items) if isinstance(item, Absent)]


def begun(items: tuple[Item, ...]) -> frozenset[int]:
    """The Kleenes that an ε-path begins."""
    return frozenset(item.kleene for item in items if isinstance(item, Begin))


def ended(items: tuple[Item, ...]) -> frozenset[int]:
    """The Kleenes that an ε-path ends."""
    return frozenset(item.kleene for item in items if isinstance(item, End))
