"""Graph patterns on runs of events: the door of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpm.algebra import Element, Group, Optional
from gpm.background import Background
from gpm.core import Core, KnowledgeStore, Route, make_core, run_batch, run_single
from gpm.knowledge import Knowledge
from gpm.rewrite import canonical
from gpm.rows import AtomRows, EventGraph
from gpm.scope import NONE, Names, in_scope, mentioned
from gpm.splitting import optional_parts, split
from gpm.staging import stage
from gpm.steps import Context, Step, make_step, run
from gpm.tables import CellEncoder, Table
from nfa_native.words import Terms

BATCH = 1000  # events in one Store; more do not make it faster


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern with canonical names and the variables asked for: equal shapes are evaluated once."""

    group: Group
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPattern:
    """A pattern ready to be evaluated; ``slots`` are the columns of its rows, by canonical name."""

    shape: Shape
    slots: tuple[str, ...]
    core: Core
    steps: tuple[Step, ...]

    @property
    def route(self) -> Route:
        """How the events' part of the pattern is evaluated."""
        return self.core.route


class Evaluator:
    """Evaluates graph patterns on events next to a background; one per engine, not for several threads at once."""

    def __init__(self, terms: Terms, background: Background | None = None) -> None:
        self.terms = terms
        self.background = background or Background()
        self._cells = CellEncoder(terms)
        self._knowledge = Knowledge(self.background, terms)
        self._store = KnowledgeStore(self.background)
        self._shapes: dict[Shape, tuple[Core, tuple[Step, ...]]] = {}

    def compile(self, pattern: Group, variables: Sequence[str]) -> CompiledPattern:
        """Prepares a pattern; ``variables`` are the slots of its rows.  PatternError: it cannot be evaluated."""
        group, names = canonical(pattern)
        slots = tuple(names.get(name, f"no {name}") for name in variables)
        shape = Shape(group, tuple(sorted(set(slots) & in_scope(group))))
        if shape not in self._shapes:
            self._shapes[shape] = self._prepare(shape)
        return CompiledPattern(shape, slots, *self._shapes[shape])

    def evaluate(self, events: Sequence[EventGraph], patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
        """The rows of each pattern on a run of events, in the order of ``patterns``."""
        shapes = {pattern.shape: pattern for pattern in patterns}
        parts: dict[Shape, list[Table]] = {shape: [] for shape in shapes}
        for start in range(0, len(events), BATCH):
            batch = events[start : start + BATCH]
            tables = self._run([pattern.core for pattern in shapes.values()], batch)
            for shape, pattern in shapes.items():
                table = run(pattern.steps, tables[pattern.core], Context(self.terms, batch))
                parts[shape].append(Table(shape.variables, table.events, table.select(shape.variables)).shifted(start))
        rows = {shape: _rows(Table.join(tables, shape.variables)) for shape, tables in parts.items()}
        return [_slots(rows[pattern.shape], pattern) for pattern in patterns]

    def _prepare(self, shape: Shape) -> tuple[Core, tuple[Step, ...]]:
        core, tail = split(shape.group)
        used = [frozenset(shape.variables), mentioned(core), *map(mentioned, tail)]
        steps = [
            make_step(element, frozenset().union(*used[: n + 2], *used[n + 3 :], _conditions(element)), self._knowledge)
            for n, element in enumerate(tail)
        ]
        if any(step is None for step in steps):  # too much knowledge to hold: look at it event by event
            core, tail, steps = shape.group, (), []
        needed = frozenset(shape.variables).union(*map(mentioned, tail))
        columns = tuple(sorted(needed & in_scope(core)))
        return make_core(core, columns), tuple(step for step in steps if step is not None)

    def _run(self, cores: Iterable[Core], events: Sequence[EventGraph]) -> dict[Core, Table]:
        """The solutions of distinct cores on one batch."""
        distinct = list(dict.fromkeys(cores))
        tables = self._run_staged([core for core in distinct if core.route is not Route.KNOWLEDGE], events)
        slow = [core for core in distinct if core.route is Route.KNOWLEDGE]
        if slow:
            tables |= zip(slow, self._store.run(slow, events, self._cells), strict=True)
        return tables

    def _run_staged(self, cores: list[Core], events: Sequence[EventGraph]) -> dict[Core, Table]:
        if not cores:
            return {}
        seen = [core.predicates for core in cores]
        all_of_them = None if None in seen else frozenset().union(*(names for names in seen if names is not None))
        store = stage(events, all_of_them)
        return {
            core: run_batch(core, store, self._cells)
            if core.route is Route.BATCH
            else run_single(core, store, events, self._cells)
            for core in cores
        }


def _conditions(element: Element) -> Names:
    """The variables that an element's own filters see in its table."""
    return mentioned(optional_parts(element)[1]) if isinstance(element, Optional) else NONE


def _rows(table: Table) -> AtomRows:
    return AtomRows.of(table.events, table.columns)


def _slots(rows: AtomRows, pattern: CompiledPattern) -> AtomRows:
    """The rows with one column per slot of this pattern."""
    if pattern.slots == pattern.shape.variables:
        return rows
    return AtomRows(rows.row_event, Table(pattern.shape.variables, rows.row_event, rows.columns).select(pattern.slots))
