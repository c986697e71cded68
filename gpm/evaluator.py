"""Graph patterns on runs of events: the door of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpm.algebra import Element, Group, Optional
from gpm.background import Background
from gpm.core import Core, KnowledgeStore, Route, make_core, run_batch, run_single
from gpm.entailment import rewrite_entailed
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
    route: Route  # how the events' part of the pattern is evaluated next to the background that was there first


class Version:
    """What is made of patterns next to one version of the background."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.store = KnowledgeStore(knowledge.background)
        self._shapes: dict[Shape, tuple[Core, tuple[Step, ...]]] = {}

    def prepared(self, shape: Shape) -> tuple[Core, tuple[Step, ...]]:
        """How a shape is evaluated.  PatternError: it cannot be."""
        if shape not in self._shapes:
            self._shapes[shape] = self._prepare(shape)
        return self._shapes[shape]

    def _prepare(self, shape: Shape) -> tuple[Core, tuple[Step, ...]]:
        schema = self.knowledge.background.schema
        group = shape.group if schema is None else rewrite_entailed(shape.group, schema)
        core, tail = split(group)
        used = [frozenset(shape.variables), mentioned(core), *map(mentioned, tail)]
        steps = [
            make_step(element, frozenset().union(*used[: n + 2], *used[n + 3 :], _conditions(element)), self.knowledge)
            for n, element in enumerate(tail)
        ]
        if any(step is None for step in steps):  # too much knowledge to hold: look at it event by event
            core, tail, steps = group, (), []
        needed = frozenset(shape.variables).union(*map(mentioned, tail))
        columns = tuple(sorted(needed & in_scope(core)))
        return make_core(core, columns), tuple(step for step in steps if step is not None)


class Evaluator:
    """Evaluates graph patterns on events next to a background; one per engine, not for several threads at once.

    The background has versions, numbered from 0, each of which stays until it is forgotten.
    """

    def __init__(self, terms: Terms, background: Background | None = None) -> None:
        self.terms = terms
        self._cells = CellEncoder(terms)
        self._version = 0
        self._versions = {0: Version(Knowledge(background or Background(), terms))}

    @property
    def background(self) -> Background:
        """The newest version of the background."""
        return self._versions[self._version].knowledge.background

    @property
    def version(self) -> int:
        """The number of the newest version of the background."""
        return self._version

    def update_background(self, background: Background) -> int:
        """Make this the newest version, also for patterns compiled before; returns its number.

        What is made of it is made when a pattern needs it; of graphs that are the same as before nothing is.
        """
        knowledge = self._versions[self._version].knowledge.updated(background)
        self._version += 1
        self._versions[self._version] = Version(knowledge)
        return self._version

    def forget_versions(self, before: int) -> None:
        """Free the versions with smaller numbers, but for the newest: no event needs them any more."""
        for number in [number for number in self._versions if number < min(before, self._version)]:
            del self._versions[number]

    def compile(self, pattern: Group, variables: Sequence[str]) -> CompiledPattern:
        """Prepares a pattern; ``variables`` are the slots of its rows.  PatternError: it cannot be evaluated."""
        group, names = canonical(pattern)
        slots = tuple(names.get(name, f"no {name}") for name in variables)
        shape = Shape(group, tuple(sorted(set(slots) & in_scope(group))))
        core, _ = self._versions[self._version].prepared(shape)
        return CompiledPattern(shape, slots, core.route)

    def evaluate(
        self, events: Sequence[EventGraph], patterns: Sequence[CompiledPattern], version: int | None = None
    ) -> list[AtomRows]:
        """The rows of each pattern on a run of events, next to a version of the background.

        They are in the order of ``patterns``.  None is the newest version.  KeyError: it was forgotten.
        """
        beside = self._versions[self._version if version is None else version]
        shapes = {pattern.shape: beside.prepared(pattern.shape) for pattern in patterns}
        parts: dict[Shape, list[Table]] = {shape: [] for shape in shapes}
        for start in range(0, len(events), BATCH):
            batch = events[start : start + BATCH]
            tables = self._run([core for core, _ in shapes.values()], batch, beside.store)
            for shape, (core, steps) in shapes.items():
                table = run(steps, tables[core], Context(self.terms, batch))
                parts[shape].append(Table(shape.variables, table.events, table.select(shape.variables)).shifted(start))
        rows = {shape: _rows(Table.join(tables, shape.variables)) for shape, tables in parts.items()}
        return [_slots(rows[pattern.shape], pattern) for pattern in patterns]

    def _run(self, cores: Iterable[Core], events: Sequence[EventGraph], store: KnowledgeStore) -> dict[Core, Table]:
        """The solutions of distinct cores on one batch."""
        distinct = list(dict.fromkeys(cores))
        tables = self._run_staged([core for core in distinct if core.route is not Route.KNOWLEDGE], events)
        slow = [core for core in distinct if core.route is Route.KNOWLEDGE]
        if slow:
            tables |= zip(slow, store.run(slow, events, self._cells), strict=True)
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
