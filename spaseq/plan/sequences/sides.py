"""The sides of ``X && Y`` in an automaton: what ties a way of one side to those of the others, and who keeps what.

A way has *marks* besides its columns: the *anchor* of each ``&&`` that it lies in, which says which partial match it
goes on from, and whether it has passed the steps whose filters wait until sides meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from gpm.algebra import Expression, Operation, Variable
from spaseq.errors import QueryError
from spaseq.pattern.sequences import (
    AnyOrder,
    AtomDefinition,
    Query,
    Sequence,
    SequenceExpression,
    operands,
)
from spaseq.plan.sequences.any_order import filters_across, without_looking_back
from spaseq.plan.sequences.environment import (
    ONE,
    Environment,
    Hidden,
    cell,
    columns_read,
    first_iteration,
    is_bound,
    previous,
    substitute,
    variables_of,
)
from spaseq.plan.sequences.filters import ReferenceScope, alternatives
from spaseq.plan.sequences.graph import START, EpsilonGraph, Fork, Path, StepPlace
from spaseq.plan.sequences.states import Exit, Way

ANCHOR = Variable("!anchor")  # the partial match that a step goes on from


@dataclass(frozen=True, slots=True)
class Across:
    """A filter that waits until the sides of ``junction`` meet; it is of the atom ``name`` at ``place``.

    ``repeated``: the step may be made several times in its side, and every time counts.
    """

    filter: Expression
    junction: int
    place: int
    name: str
    repeated: bool

    @property
    def passed(self) -> str:
        """The mark of a way that has made the step."""
        return f"!passed {self.place} {self.name}"


class Analysed(Protocol):
    """What is asked of the analysis of a query."""

    query: Query
    by_name: dict[str, AtomDefinition]
    private: frozenset[str]

    @property
    def graph(self) -> EpsilonGraph:
        """The ε-graph of the sequence."""

    @property
    def exits(self) -> tuple[Exit, ...]:
        """All states."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """All ways between states."""

    @property
    def innermost(self) -> Mapping[str, int]:
        """The innermost Kleene that owns each group variable."""

    @property
    def hidden(self) -> Hidden:
        """What Kleenes keep besides their variables."""

    def row_columns(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Columns of the joined rows of a choice."""

    def at(self, node: int) -> Environment:
        """What the columns of a match hold right after the step to ``node``."""


class Sides:
    """What the planner knows of all && of a query."""

    def __init__(self, analysis: Analysed) -> None:
        self.analysis = analysis
        self.graph = analysis.graph

    # ── filters across ───────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def across(self) -> dict[tuple[int, str], tuple[Across, ...]]:
        """The filters across of each atom, by its place and name."""
        if not self.graph.junctions:
            return {}
        query, atoms = self.analysis.query, self.analysis.by_name
        variables = {name: one.variables for name, one in atoms.items()}
        filters = {name: one.stateful for name, one in atoms.items()}
        known = filters_across(query.expression, variables, filters, query.keys)
        found: dict[tuple[int, str], tuple[Across, ...]] = {}
        for number, place in enumerate(self.graph.places):
            for name in dict.fromkeys(name for names in alternatives(place.body) for name in names):
                for filter_, path in known.get((place.path, name), {}).items():
                    one = self._across(filter_, path, number, name)
                    found[number, name] = (*found.get((number, name), ()), one)
        return found

    def _across(self, filter_: Expression, path: Path, number: int, name: str) -> Across:
        place = self.graph.places[number]
        junction = next(one.junction for one in place.sides if self.graph.junctions[one.junction].path == path)
        if any(variable in self.analysis.private for variable in variables_of(filter_)):
            raise QueryError(f"GPM {name}: a filter with EXISTS cannot read a variable of another side of &&")
        return Across(filter_, junction, number, name, bool(self.inside(place, junction)))

    def inside(self, place: StepPlace, junction: int) -> tuple[int, ...]:
        """The Kleenes around a place in a side of an &&, innermost first."""
        around = self.graph.junctions[junction].enclosing
        return tuple(kleene for kleene in place.enclosing if kleene not in around)

    def judged(self, junction: int) -> Iterator[Across]:
        """The filters that are judged where the sides of an && meet."""
        return (one for some in self.across.values() for one in some if one.junction == junction)

    def resolved(self, one: Across) -> Expression:
        """The filter over plain and hidden columns."""
        place, innermost = self.graph.places[one.place], self.analysis.innermost
        seen = frozenset(name for name, kleene in innermost.items() if kleene in place.enclosing)
        return ReferenceScope(innermost, place.enclosing, place.first).resolve(without_looking_back(one.filter, seen))

    def asked(self, junction: int) -> tuple[Expression, ...]:
        """What a union of ways is asked where the sides meet, over its columns; filters of repeated steps cannot be."""
        return self._asked[junction]

    @cached_property
    def _asked(self) -> tuple[tuple[Expression, ...], ...]:
        return tuple(map(self._asked_of, range(len(self.graph.junctions))))

    def _asked_of(self, junction: int) -> tuple[Expression, ...]:
        found = []
        for one in self.judged(junction):
            if not one.repeated:
                filter_ = substitute(self.resolved(one), self.held(junction))
                passed = Operation("!", (is_bound(cell(one.passed)),))
                found.append(filter_ if self.is_certain(one) else Operation("||", (passed, filter_)))
        return tuple(dict.fromkeys(found))

    def is_certain(self, one: Across) -> bool:
        """Whether each way of the side makes the step."""
        place = self.graph.places[one.place]
        if any(one.name not in names for names in alternatives(place.body)):
            return False
        return _is_certain(self.analysis.query.expression, place.path, len(self.graph.junctions[one.junction].path))

    # ── marks ────────────────────────────────────────────────────────────────────────────────────────────
    @cached_property
    def anchored(self) -> frozenset[int]:
        """Each && before which there may be something."""
        return frozenset(fork.junction for way in self.analysis.ways if way.source.node != START for fork in way.forks)

    @cached_property
    def of_junction(self) -> dict[int, tuple[str, ...]]:
        """The marks of the ways of an &&."""
        found = {
            number: [anchor(number)] if number in self.anchored else [] for number in range(len(self.graph.junctions))
        }
        for some in self.across.values():
            for one in some:
                if not one.repeated and not self.is_certain(one):
                    found[one.junction].append(one.passed)
        return {number: tuple(dict.fromkeys(marks)) for number, marks in found.items()}

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """All marks."""
        return tuple(mark for marks in self.of_junction.values() for mark in marks)

    def marks_at(self, node: int) -> frozenset[str]:
        """The marks that a partial match may have at a node."""
        return frozenset(mark for side in self.graph.sides.get(node, ()) for mark in self.of_junction[side.junction])

    def marked(self, way: Way) -> dict[str, Expression]:
        """The marks that a step gives."""
        found: dict[str, Expression] = {
            anchor(fork.junction): ANCHOR for fork in way.forks if fork.junction in self.anchored
        }
        for name in way.names:
            found.update(
                {one.passed: ONE for one in self.across.get((way.place, name), ()) if one.passed in self.marks}
            )
        return found

    # ── where sides meet ─────────────────────────────────────────────────────────────────────────────────
    def arrivals(self, junction: int) -> tuple[Exit, ...]:
        """The states of an && where its sides are complete."""
        return self._arrivals[junction]

    @cached_property
    def _arrivals(self) -> tuple[tuple[Exit, ...], ...]:
        found = {state.arrives: state for state in self.analysis.exits if state.arrives is not None}
        return tuple(
            tuple(found[Fork(number, side)] for side in range(len(one.ends)))
            for number, one in enumerate(self.graph.junctions)
        )

    @cached_property
    def changed(self) -> dict[int, dict[str, frozenset[int]]]:
        """For each && the columns and marks that its ways may change, each with the sides that may."""
        found: dict[int, dict[str, set[int]]] = {number: {} for number in range(len(self.graph.junctions))}
        for number, place in enumerate(self.graph.places):
            for side in place.sides:
                for name in self._changed_by(number, place, self.inside(place, side.junction)):
                    found[side.junction].setdefault(name, set()).add(side.side)
        return {number: {name: frozenset(sides) for name, sides in some.items()} for number, some in found.items()}

    def _changed_by(self, number: int, place: StepPlace, inside: tuple[int, ...]) -> Iterator[str]:
        """What a step changes, and the iterations in the side that it lies in."""
        for names in alternatives(place.body):
            yield from self.analysis.row_columns(names)
            yield from (one.passed for name in names for one in self.across.get((number, name), ()))
        hidden = self.analysis.hidden
        for kleene in inside:
            yield from hidden.owned.get(kleene, ())
            yield from map(previous, hidden.previous.get(kleene, ()))
            yield from map(first_iteration, hidden.first.get(kleene, ()))
            yield from (one.column for one in hidden.accumulators.get(kleene, ()))

    def keepers(self, junction: int, name: str) -> frozenset[int]:
        """The sides from which an && takes a column or mark: what none changes, all have as it was before."""
        if name == anchor(junction):
            return frozenset(range(len(self.graph.junctions[junction].ends)))
        return self.changed[junction].get(name, frozenset((0,)))

    def wanted(self, junction: int, read: set[str]) -> Iterator[tuple[Exit, str]]:
        """What arrivals must keep, where what comes after reads these columns: also what sides share."""
        shared = (name for name, sides in self.changed[junction].items() if len(sides) > 1)
        asked = (name for filter_ in self.asked(junction) for name in columns_read(filter_))
        arrivals = self.arrivals(junction)
        for name in {*read, *asked, *shared, anchor(junction)}:
            for side in self.keepers(junction, name):
                yield arrivals[side], name

    def held(self, junction: int) -> Environment:
        """What a union of ways has, each column under its own name, where the sides have met."""
        return self.analysis.at(self.graph.junctions[junction].node)


def anchor(junction: int) -> str:
    """The mark that says which partial match a way goes on from."""
    return f"!anchor {junction}"


def _is_certain(node: SequenceExpression, path: Path, start: int) -> bool:
    """Whether whatever is taken at the first ``start`` steps of a path is taken with what lies at its end."""
    for depth, child in enumerate(path):
        if depth >= start and not isinstance(node, Sequence | AnyOrder):
            return False
        node = operands(node)[child]
    return True


def part_at(node: SequenceExpression, path: Path) -> SequenceExpression:
    """The part of an expression that lies at a path."""
    for child in path:
        node = operands(node)[child]
    return node
