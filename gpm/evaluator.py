"""Graph patterns on batches of events: the door of this room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from gpm.algebra import Element, Group, Optional
from gpm.background import Background
from gpm.core import Core, KnowledgeStore, Route, make_core, run_batch, run_single
from gpm.encoder import encode_graphs
from gpm.errors import PatternError
from gpm.knowledge import Knowledge
from gpm.native.assembly import Encoder
from gpm.native.solver import NativePattern, PatternSet
from gpm.native_plan import Reason, compile_native, summary
from gpm.rewrite import canonical
from gpm.rows import AtomRows, EventBatch, EventGraph, Words
from gpm.scope import NONE, Names, in_scope, mentioned
from gpm.splitting import optional_parts, required_part, split
from gpm.staging import stage
from gpm.steps import Context, Step, make_step, run
from gpm.tables import CellEncoder, Table
from nfa_native.words import Terms

BATCH = 1000  # events in one Store; more do not make it faster


class Mode(Enum):
    """How graph patterns are evaluated; the values are those of the command line.

    AUTO: natively where the native subset suffices, else by pyoxigraph.  NATIVE: a pattern outside the native subset is
    an error.  PYOXIGRAPH: nothing natively.  VERIFY: both, and an error where they differ.
    """

    AUTO = "auto"
    NATIVE = "native"
    PYOXIGRAPH = "pyoxigraph"
    VERIFY = "verify"


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern with canonical names and the variables asked for: equal shapes are evaluated once."""

    group: Group
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What is done for a shape: its ``core`` on the events' graphs, then ``steps`` on tables.

    ``native`` is the core for the native solver, or the reason why that does not know it; then only events on which
    ``required`` has a solution can have rows (None: all can).
    """

    core: Core
    native: NativePattern | Reason
    required: NativePattern | None
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPattern:
    """A pattern ready to be evaluated; ``slots`` are the columns of its rows, by canonical name."""

    shape: Shape
    slots: tuple[str, ...]
    prepared: Prepared
    mode: Mode

    @property
    def route(self) -> str:
        """How the events' part of the pattern is evaluated, and why, for people."""
        native, core = self.prepared.native, self.prepared.core
        if isinstance(native, Reason):
            first = "" if self.prepared.required is None else ", where the triples that it requires are found natively"
            return f"pyoxigraph, {core.route.value}{first}: {native.text}"
        return "native" if self.mode is not Mode.VERIFY else "native, compared with pyoxigraph"


class Evaluator:
    """Evaluates graph patterns on events next to a background; one per engine, not for several threads at once."""

    def __init__(self, terms: Terms, background: Background | None = None, mode: Mode = Mode.AUTO) -> None:
        self.terms = terms
        self.encoder = Encoder(terms)
        self.background = background or Background()
        self.mode = mode
        self._cells = CellEncoder(terms)
        self._knowledge = Knowledge(self.background, CellEncoder(terms, pinned=True))
        self._store = KnowledgeStore(self.background)
        self._shapes: dict[Shape, Prepared] = {}
        self._sets: dict[tuple[Shape, ...], PatternSet] = {}

    def compile(self, pattern: Group, variables: Sequence[str]) -> CompiledPattern:
        """Prepares a pattern; ``variables`` are the slots of its rows.  PatternError: it cannot be evaluated."""
        group, names = canonical(pattern)
        slots = tuple(names.get(name, f"no {name}") for name in variables)
        shape = Shape(group, tuple(sorted(set(slots) & in_scope(group))))
        if shape not in self._shapes:
            self._shapes[shape] = self._prepare(shape)
        return CompiledPattern(shape, slots, self._shapes[shape], self.mode)

    def evaluate(self, batch: EventBatch, patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
        """The rows of each pattern on a batch of events, in the order of ``patterns``."""
        shapes = {pattern.shape: pattern.prepared for pattern in patterns}
        if self.mode is Mode.PYOXIGRAPH:
            rows = self._by_pyoxigraph(shapes, batch)
        else:
            rows = self._natively(shapes, batch)
        if self.mode is Mode.VERIFY:
            _compare(rows, self._by_pyoxigraph(shapes, batch), batch)
        return [_slots(rows[pattern.shape], pattern) for pattern in patterns]

    def evaluate_graphs(self, graphs: Iterable[EventGraph], patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
        """``evaluate`` on events given one by one."""
        return self.evaluate(encode_graphs(self.encoder, graphs), patterns)

    def forget_terms(self, held: Iterable[Words]) -> None:
        """Free the terms of past events: all but those of ``held``, of events under way, of patterns and knowledge."""
        assemblers = list(self.encoder.assemblers)
        for assembler in assemblers:
            assembler.forget_words()
        batches = [batch.triples for batch in self.encoder.batches]
        self.terms.collect([*held, *batches, *(assembler.pending() for assembler in assemblers)])

    # ── preparing ────────────────────────────────────────────────────────────────────────────────────────
    def _prepare(self, shape: Shape) -> Prepared:
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
        native = self._native(core, columns)
        required = self._required(core) if isinstance(native, Reason) else None
        kept = tuple(step for step in steps if step is not None)
        return Prepared(make_core(core, columns), native, required, kept)

    def _native(self, core: Group, columns: tuple[str, ...]) -> NativePattern | Reason:
        """The core for the solver, whose triples are read from now on."""
        if self.mode is Mode.PYOXIGRAPH:
            return Reason("so it was asked")
        native = compile_native(core, columns, self.terms)
        if not isinstance(native, Reason):
            self.encoder.want(summary(core, self.terms))
        elif self.mode is Mode.NATIVE:
            raise PatternError(f"the graph pattern cannot be evaluated natively: {native.text}")
        return native

    def _required(self, core: Group) -> NativePattern | None:
        """What of a core outside the native subset can be asked natively first."""
        part = required_part(core)
        native = self._native(part, ()) if part.elements and self.mode is Mode.AUTO else None
        return None if isinstance(native, Reason) else native

    # ── evaluating ───────────────────────────────────────────────────────────────────────────────────────
    def _natively(self, shapes: dict[Shape, Prepared], batch: EventBatch) -> dict[Shape, AtomRows]:
        """The rows of each shape, natively where that is possible."""
        native = {shape: one for shape, one in shapes.items() if not isinstance(one.native, Reason)}
        rows = self._where_required({shape: one for shape, one in shapes.items() if shape not in native}, batch)
        if not native:
            return rows
        solved = self._pattern_set(native).solve(batch.offsets, batch.triples, batch.times)
        for (shape, prepared), solutions in zip(native.items(), solved, strict=True):
            table = Table(prepared.core.columns, solutions.row_event, solutions.columns)
            if prepared.steps:
                rows[shape] = _rows(run(prepared.steps, table, Context(self.terms, batch.times)), shape)
            else:
                rows[shape] = AtomRows(table.events, table.select(shape.variables))
            if len(solutions.undecided):  # an operand beyond the native subset: those events once more
                again = self._by_pyoxigraph({shape: prepared}, batch.take(solutions.undecided.astype(np.int64)))[shape]
                rows[shape] = rows[shape].with_events(again, solutions.undecided)
        return rows

    def _where_required(self, shapes: dict[Shape, Prepared], batch: EventBatch) -> dict[Shape, AtomRows]:
        """The rows of shapes outside the native subset, which is asked for the events that can have some."""
        required = {shape: one for shape, one in shapes.items() if one.required is not None}
        rows = self._by_pyoxigraph({shape: one for shape, one in shapes.items() if shape not in required}, batch)
        if required:
            solved = self._pattern_set(required).solve(batch.offsets, batch.triples, batch.times)
            found = np.concatenate([events for one in solved for events in (one.row_event, one.undecided)])
            chosen = np.unique(found)
            for shape, some in self._by_pyoxigraph(required, batch.take(chosen.astype(np.int64))).items():
                rows[shape] = AtomRows(chosen[some.row_event], some.columns)
        return rows

    def _pattern_set(self, shapes: dict[Shape, Prepared]) -> PatternSet:
        key = tuple(shapes)
        if key not in self._sets:
            natives = [one.required if isinstance(one.native, Reason) else one.native for one in shapes.values()]
            self._sets[key] = PatternSet([native for native in natives if native is not None])
        return self._sets[key]

    def _by_pyoxigraph(self, shapes: dict[Shape, Prepared], batch: EventBatch) -> dict[Shape, AtomRows]:
        """The rows of each shape, by queries on Stores of some events each."""
        if not shapes:
            return {}
        parts: dict[Shape, list[Table]] = {shape: [] for shape in shapes}
        for start in range(0, len(batch), BATCH):
            some = batch.part(start, min(start + BATCH, len(batch)))
            tables = self._run([prepared.core for prepared in shapes.values()], some.graphs())
            for shape, prepared in shapes.items():
                table = run(prepared.steps, tables[prepared.core], Context(self.terms, some.times))
                parts[shape].append(Table(shape.variables, table.events, table.select(shape.variables)).shifted(start))
        return {shape: _rows(Table.join(tables, shape.variables), shape) for shape, tables in parts.items()}

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


def _rows(table: Table, shape: Shape) -> AtomRows:
    return AtomRows.of(table.events, table.select(shape.variables))


def _slots(rows: AtomRows, pattern: CompiledPattern) -> AtomRows:
    """The rows with one column per slot of this pattern."""
    if pattern.slots == pattern.shape.variables:
        return rows
    return AtomRows(rows.row_event, Table(pattern.shape.variables, rows.row_event, rows.columns).select(pattern.slots))


def _compare(natively: dict[Shape, AtomRows], otherwise: dict[Shape, AtomRows], batch: EventBatch) -> None:
    """PatternError if the native rows differ from pyoxigraph's."""
    for shape, rows in natively.items():
        other = otherwise[shape]
        if np.array_equal(rows.row_event, other.row_event) and np.array_equal(rows.columns, other.columns):
            continue
        event = next(n for n in range(len(batch)) if rows.of_event(n) != other.of_event(n))
        raise PatternError(
            "the native evaluation of a graph pattern differs from pyoxigraph's: this is a bug of ours, please report "
            f"it with the pattern and the event\npattern: {make_core(shape.group, shape.variables).text}\n"
            "event:\n" + "".join(f"  {triple}\n" for triple in batch.texts[event])
        )
