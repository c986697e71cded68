"""Graph patterns on batches of events: the door of this room."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from weakref import WeakValueDictionary

import numpy as np

from gpm.algebra import Group
from gpm.background import BackgroundGraphs
from gpm.core import Core, KnowledgeStore, Route, make_core, run_batch, run_single
from gpm.costs import PatternCosts
from gpm.encoder import encode_graphs, forget_terms, renewed, single_batch
from gpm.errors import PatternError
from gpm.knowledge import Knowledge
from gpm.native.assembly import Encoder
from gpm.native.single import SingleEvent
from gpm.native.solver import PatternSet
from gpm.native_steps import NativePattern, Reason
from gpm.rewrite import canonical
from gpm.rows import AtomRows, EventBatch, EventGraph, Words
from gpm.scope import in_scope
from gpm.shapes import Mode, PatternShape, PreparedShape, Version
from gpm.single_events import SinglePatterns
from gpm.staging import stage
from gpm.steps import Context, run
from gpm.tables import CellEncoder, Table
from nfa_native.terms.dictionary import Terms

__all__ = ["CompiledPattern", "Evaluator", "Mode"]

FEW_GONE = 64  # patterns that are worth no thought
MOST_SETS = 256  # of patterns that are asked together
BATCH = 1000  # events in one Store; more do not make it faster

Plans = dict[PatternShape, PreparedShape]
Rows = dict[PatternShape, AtomRows]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledPattern:
    """A pattern ready to be evaluated; ``slots`` are the columns of its rows, by canonical name.

    ``prepared`` is how it was evaluated next to the newest background when it was compiled; ``names`` are the variables
    by canonical name.
    """

    shape: PatternShape
    slots: tuple[str, ...]
    prepared: PreparedShape
    names: Mapping[str, str]

    @property
    def is_native(self) -> bool:
        """Whether pyoxigraph is asked at most for single events."""
        return not isinstance(self.prepared.native, Reason)

    @property
    def required_slots(self) -> tuple[int, ...]:
        """The slots that are known from the triples that every solution requires (``Evaluator.required``)."""
        known = () if self.prepared.required is None else self.prepared.required.columns
        return tuple(number for number, slot in enumerate(self.slots) if slot in known)

    @property
    def route(self) -> str:
        """How the events' part of the pattern is evaluated, and why, for people."""
        return re.sub(r"\?(\w+)", lambda found: "?" + self.names.get(found[1], found[1]), self.prepared.route)


class Evaluator:
    """Evaluates graph patterns on events next to a background; one per engine, not for several threads at once.

    The background has versions, numbered from 0, each of which stays until it is forgotten.
    """

    def __init__(self, terms: Terms, background: BackgroundGraphs | None = None, mode: Mode = Mode.AUTO) -> None:
        self.terms = terms
        self.encoder = Encoder(terms)
        self.mode = mode
        self._cells = CellEncoder(terms)
        self._version = 0
        self._updates = 0  # versions with another background
        self._versions = {0: Version(Knowledge(background or BackgroundGraphs(), terms), self.encoder, mode)}
        self._shapes: WeakValueDictionary[tuple[Group, tuple[str, ...]], PatternShape] = WeakValueDictionary()
        self.costs = PatternCosts()  # of those that pyoxigraph evaluates
        self._compiled = 0  # shapes, since what was only of those that have gone was forgotten
        # By the ids of the patterns, which stay alive beside their set.
        self._sets: dict[tuple[int, ...], tuple[tuple[NativePattern, ...], PatternSet]] = {}

    def on(self, terms: Terms) -> Evaluator:
        """An evaluator for a table of terms that lies on this one's: patterns compiled here serve there too."""
        other = Evaluator(terms, self.background, self.mode)
        other._versions = {0: self._versions[self._version].on(other.encoder)}
        other._shapes = self._shapes.copy()
        return other

    # ── the background ───────────────────────────────────────────────────────────────────────────────────
    @property
    def background(self) -> BackgroundGraphs:
        """The newest version of the background."""
        return self._versions[self._version].knowledge.background

    @property
    def version(self) -> int:
        """The number of the newest version of the background."""
        return self._version

    @property
    def versions(self) -> int:
        """How many versions of the background there are."""
        return len(self._versions)

    def update_background(self, background: BackgroundGraphs) -> int:
        """Make this the newest version, also for patterns compiled before; returns its number.

        What is made of it is made when a pattern needs it; of graphs that are the same as before nothing is.
        """
        knowledge = self._versions[self._version].knowledge.updated(background)
        self._version += 1
        self._updates += 1
        self.encoder.want_texts(None)  # what patterns look at next to other knowledge is not known yet
        self._versions[self._version] = Version(knowledge, self.encoder, self.mode)
        return self._version

    def renew_version(self) -> int:
        """Make a newest version with the same background: what comes now is told from what came before it."""
        self._version += 1
        self._versions[self._version] = self._versions[self._version - 1]
        return self._version

    def forget_versions(self, before: int) -> None:
        """Free the versions with smaller numbers, but for the newest: no event needs them any more."""
        for number in [number for number in self._versions if number < min(before, self._version)]:
            del self._versions[number]

    # ── patterns ─────────────────────────────────────────────────────────────────────────────────────────
    def compile(self, pattern: Group, variables: Sequence[str]) -> CompiledPattern:
        """Prepares a pattern; ``variables`` are the slots of its rows.  PatternError: it cannot be evaluated."""
        group, names = canonical(pattern)
        slots = tuple(names.get(name, f"no {name}") for name in variables)
        variables = tuple(sorted(set(slots) & in_scope(group)))
        shape = self._shape(group, variables)
        known_as = {canonical_name: name for name, canonical_name in names.items()}
        return CompiledPattern(shape, slots, self._versions[self._version].prepared(shape), known_as)

    def _shape(self, group: Group, variables: tuple[str, ...]) -> PatternShape:
        shape = self._shapes.get((group, variables))
        if shape is None:
            self._forget_gone()
            self._compiled += 1
            shape = self._shapes[group, variables] = PatternShape(group, variables)
        return shape

    def _forget_gone(self) -> None:
        """Let the triples be read no more that only patterns wanted which have gone, if those are many."""
        if self._compiled <= FEW_GONE + 2 * len(self._shapes):
            return
        self._compiled = len(self._shapes)
        self._sets.clear()
        prepared = [one for version in self._versions.values() for one in version.all_prepared()]
        self.costs.keep({one.core for one in prepared})
        texts = [one.texts for one in prepared] + [None] * (self._updates > 0)
        self.encoder.want_only((want for one in prepared for want in one.wants), texts)

    def evaluate(self, batch: EventBatch, patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
        """The rows of each pattern on a batch of events, in the order of ``patterns``.

        Each event sees the version of the background that it knows.  KeyError: that was forgotten.
        """
        if not len(batch) or (batch.knowledge == batch.knowledge[0]).all():
            return self._beside(int(batch.knowledge[0]) if len(batch) else self._version, batch, patterns)
        found = []
        for version in np.unique(batch.knowledge).tolist():
            chosen = np.flatnonzero(batch.knowledge == version)
            some = self._beside(version, batch.take(chosen), patterns)
            found.append([AtomRows(chosen[rows.row_event].astype(np.uint32), rows.columns) for rows in some])
        return [AtomRows.join(parts) for parts in zip(*found, strict=True)]

    def required(self, batch: EventBatch, pattern: CompiledPattern) -> AtomRows | None:
        """What is known natively of the rows of a pattern outside the native subset: 0 in the other slots.

        For each of its rows there is one here on the same event that is equal where it is not 0.  None: nothing is
        known.
        """
        versions = np.unique(batch.knowledge)
        prepared = self._versions[int(versions[0])].prepared(pattern.shape) if len(versions) == 1 else None
        if prepared is None or prepared.required is None:
            return None
        batch = renewed(self.encoder, batch)
        solved = self._pattern_set([prepared.required]).solve(batch.offsets, batch.triples, batch.times)[0]
        table = Table(prepared.required.columns, solved.row_event, solved.columns)
        rows = AtomRows(solved.row_event, table.select(pattern.slots))
        unknown = np.zeros((len(pattern.slots), len(solved.undecided)), np.uint64)
        return AtomRows.join([rows, AtomRows(solved.undecided, unknown)]) if len(solved.undecided) else rows

    def one_by_one(self, patterns: Sequence[CompiledPattern], version: int) -> SinglePatterns | None:
        """What evaluates these patterns on events that come one by one and see this version of the background.

        It is good until the encoder wants more triples.  None: this mode needs batches.
        """
        if self.mode not in (Mode.AUTO, Mode.NATIVE):
            return None
        beside = self._versions[version]

        def evaluate(event: SingleEvent, shape: PatternShape) -> AtomRows:
            batch = single_batch(self.encoder, event)
            return self._natively({shape: beside.prepared(shape)}, batch, beside.store)[shape]

        prepared = [(one.shape, beside.prepared(one.shape), one.slots) for one in patterns]
        return SinglePatterns(prepared, self.terms, evaluate)

    def evaluate_graphs(
        self, graphs: Iterable[EventGraph], patterns: Sequence[CompiledPattern], version: int | None = None
    ) -> list[AtomRows]:
        """``evaluate`` on events given one by one, next to one version of the background (None: the newest)."""
        batch = encode_graphs(self.encoder, graphs)
        return self._beside(self._version if version is None else version, batch, patterns)

    def forget_terms(self, held: Iterable[Words]) -> None:
        """Free the terms of past events: all but those of ``held``, of events under way, of patterns and knowledge."""
        self._forget_gone()
        forget_terms(self.encoder, held)

    def cost(self, pattern: CompiledPattern) -> float | None:
        """Seconds that pyoxigraph takes for an event, lately; None: it was not asked."""
        return self.costs.each(self._versions[self._version].prepared(pattern.shape).core)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────
    def _beside(self, version: int, batch: EventBatch, patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
        """The rows of each pattern, all events next to one version of the background."""
        beside = self._versions[version]
        shapes = {pattern.shape: beside.prepared(pattern.shape) for pattern in patterns}
        batch = renewed(self.encoder, batch)  # next to other knowledge a pattern may need other triples
        if self.mode is Mode.PYOXIGRAPH:
            rows = self._by_pyoxigraph(shapes, batch, beside.store)
        else:
            rows = self._natively(shapes, batch, beside.store)
        if self.mode is Mode.VERIFY:
            native = {shape: one for shape, one in shapes.items() if not isinstance(one.native, Reason)}
            _compare(rows, self._by_pyoxigraph(native, batch, beside.store), batch)
        return [_slots(rows[pattern.shape], pattern) for pattern in patterns]

    def _natively(self, shapes: Plans, batch: EventBatch, store: KnowledgeStore) -> Rows:
        """The rows of each shape, natively where that is possible."""
        native = {shape: one.native for shape, one in shapes.items() if not isinstance(one.native, Reason)}
        others = {shape: one for shape, one in shapes.items() if shape not in native}
        rows = self._where_required(others, batch, store)
        if not native:
            return rows
        solved = self._pattern_set(native.values()).solve(batch.offsets, batch.triples, batch.times)
        for shape, solutions in zip(native, solved, strict=True):
            prepared = shapes[shape]
            table = Table(prepared.columns, solutions.row_event, solutions.columns)
            if prepared.steps:
                rows[shape] = _rows(run(prepared.steps, table, Context(self.terms, batch.times)), shape)
            else:
                rows[shape] = AtomRows(table.events, table.select(shape.variables))
            if len(solutions.undecided):  # an operand beyond the native subset: those events once more
                undecided = batch.take(solutions.undecided.astype(np.int64))
                again = self._by_pyoxigraph({shape: prepared}, undecided, store)[shape]
                rows[shape] = rows[shape].with_events(again, solutions.undecided)
        return rows

    def _where_required(self, shapes: Plans, batch: EventBatch, store: KnowledgeStore) -> Rows:
        """The rows of shapes outside the native subset, which is asked for the events that can have some."""
        required = {shape: one.required for shape, one in shapes.items() if one.required is not None}
        rows = self._by_pyoxigraph({shape: one for shape, one in shapes.items() if shape not in required}, batch, store)
        if required:
            solved = self._pattern_set(required.values()).solve(batch.offsets, batch.triples, batch.times)
            found = np.concatenate([events for one in solved for events in (one.row_event, one.undecided)])
            chosen = np.unique(found)
            some = self._by_pyoxigraph(
                {shape: shapes[shape] for shape in required}, batch.take(chosen.astype(np.int64)), store
            )
            rows |= {shape: AtomRows(chosen[one.row_event], one.columns) for shape, one in some.items()}
        return rows

    def _pattern_set(self, patterns: Iterable[NativePattern]) -> PatternSet:
        some = tuple(patterns)
        key = tuple(map(id, some))
        if key not in self._sets:
            if len(self._sets) >= MOST_SETS:
                self._sets.clear()
            self._sets[key] = some, PatternSet(some, self.terms)
        return self._sets[key][1]

    def _by_pyoxigraph(self, shapes: Plans, batch: EventBatch, store: KnowledgeStore) -> Rows:
        """The rows of each shape, by queries on Stores of some events each."""
        if not shapes:
            return {}
        parts: dict[PatternShape, list[Table]] = {shape: [] for shape in shapes}
        for start in range(0, len(batch), BATCH):
            some = batch.part(start, min(start + BATCH, len(batch)))
            tables = self._run([prepared.core for prepared in shapes.values()], some.graphs(), store)
            for shape, prepared in shapes.items():
                table = run(prepared.steps, tables[prepared.core], Context(self.terms, some.times))
                parts[shape].append(Table(shape.variables, table.events, table.select(shape.variables)).shifted(start))
        return {shape: _rows(Table.join(tables, shape.variables), shape) for shape, tables in parts.items()}

    def _run(self, cores: Iterable[Core], events: Sequence[EventGraph], store: KnowledgeStore) -> dict[Core, Table]:
        """The solutions of distinct cores on one batch."""
        distinct = list(dict.fromkeys(cores))
        tables = self._run_staged([core for core in distinct if core.route is not Route.KNOWLEDGE], events)
        slow = [core for core in distinct if core.route is Route.KNOWLEDGE]
        if slow:
            tables |= zip(slow, store.run(slow, events, self._cells, self.costs), strict=True)
        return tables

    def _run_staged(self, cores: list[Core], events: Sequence[EventGraph]) -> dict[Core, Table]:
        if not cores:
            return {}
        seen = [core.predicates for core in cores]
        all_of_them = None if None in seen else frozenset().union(*(names for names in seen if names is not None))
        started = perf_counter()
        store = stage(events, all_of_them)
        each = (perf_counter() - started) / len(cores)

        def solutions(core: Core) -> Table:
            if core.route is Route.BATCH:
                return run_batch(core, store, self._cells)
            return run_single(core, store, events, self._cells)

        return {core: self.costs.measured(core, len(events), partial(solutions, core), each) for core in cores}


def _rows(table: Table, shape: PatternShape) -> AtomRows:
    return AtomRows.of(table.events, table.select(shape.variables))


def _slots(rows: AtomRows, pattern: CompiledPattern) -> AtomRows:
    """The rows with one column per slot of this pattern."""
    if pattern.slots == pattern.shape.variables:
        return rows
    return AtomRows(rows.row_event, Table(pattern.shape.variables, rows.row_event, rows.columns).select(pattern.slots))


def _compare(natively: Rows, otherwise: Rows, batch: EventBatch) -> None:
    """PatternError if the native rows differ from pyoxigraph's."""
    for shape, other in otherwise.items():
        rows = natively[shape]
        if np.array_equal(rows.row_event, other.row_event) and np.array_equal(rows.columns, other.columns):
            continue
        event = next(n for n in range(len(batch)) if rows.of_event(n) != other.of_event(n))
        raise PatternError(
            "the native evaluation of a graph pattern differs from pyoxigraph's: this is a bug of ours, please report "
            f"it with the pattern and the event\npattern: {make_core(shape.group, shape.variables).text}\n"
            "event:\n" + "".join(f"  {triple}\n" for triple in batch.texts[event])
        )
