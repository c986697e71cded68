"""Lazy evaluation: graph patterns that are dear are evaluated last, and only on events where a query can use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpm.errors import PatternError
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.rows import AtomRows, EventBatch, Numbers
from gpm.shapes import PatternShape
from nfa_native.automata.automaton import Automaton, Target, Transition
from nfa_native.automata.kinds import ColumnSource, Govern
from nfa_native.joins.matcher import NOBODY
from spaseq.errors import SpaseqError
from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.matchers import AnyMatcher, Words
from spaseq.plan.sequences.cells import LazyAtom, LazyUse, is_initial
from spaseq.runtime.reorder import Released
from spaseq.sources.rdf.events import Events

Mask = NDArray[np.bool_]
Key = tuple[tuple[int, int], ...]  # pairs (column of a state's cells, slot of the atom)


class Ticks:
    """The n events of a batch by timestamp, in t ticks.

    ``of`` (n) is the tick of each event, ``first`` (t) the first event of each tick.  ``complete``: no event with the
    last timestamp will come any more.
    """

    def __init__(self, times: Numbers, complete: bool) -> None:
        later = times[1:] != times[:-1]
        self.times = times
        self.complete = complete
        self.of = np.concatenate([[0], np.cumsum(later)])
        self.first = np.concatenate([[0], np.flatnonzero(later) + 1])

    def __len__(self) -> int:
        return len(self.first)

    def with_some(self, events: NDArray[np.integer]) -> Mask:
        """The ticks of these events."""
        found = np.zeros(len(self), np.bool_)
        found[self.of[events]] = True
        return found


class Demand:
    """What one query, as it stands before a batch, can do with the batch's events.

    ``came`` (a mask of ticks for each atom) are those that may have rows, before more is known: ``tell``.
    """

    def __init__(self, matcher: AnyMatcher, ticks: Ticks, came: Mapping[int, Mask]) -> None:
        self.ticks = ticks
        self.automaton: Automaton = matcher.automaton
        self._matcher = matcher
        self._came = dict(came)
        self._rows: dict[int, AtomRows] = {}
        self._began = matcher.waiting()
        self._continued = matcher.open_tick == ticks.times[0]
        self._undecided = np.zeros(len(ticks), np.bool_)
        self._undecided[0] = self._continued
        self._undecided[-1] |= not ticks.complete
        self._firing: dict[int, Mask] = {}
        self._entered: dict[int, int] | None = None

    def tell(self, atom: int, rows: AtomRows) -> None:
        """The rows of an atom are known now."""
        self._rows[atom] = rows
        self._came[atom] = self.ticks.with_some(rows.row_event)
        self._firing.clear()
        self._entered = None

    # ── when ─────────────────────────────────────────────────────────────────────────────────────────────
    def when(self, use: LazyUse) -> Mask:
        """The ticks in which a partial match may wait and the rest of the conjunction may be there."""
        found = self._reachable(self.automaton.transitions[use.transition].source)
        for partner in use.partners:
            found = found & (self._came[partner] | self._undecided)
        return found

    def _reachable(self, state: int) -> Mask:
        """The ticks before which a partial match may have come to the state and not have left the window."""
        if is_initial(self.automaton, state):
            return np.ones(len(self.ticks), np.bool_)
        since = self._since.get(state)
        if since is None:
            return np.zeros(len(self.ticks), np.bool_)
        found = self._in_window.copy()
        found[:since] = False
        return found & self._just_entered(state) if self.automaton.states[state].govern is Govern.STRICT else found

    @property
    def _since(self) -> dict[int, int]:
        """The first tick before which each state may hold a partial match; states that cannot are left out."""
        if self._entered is None:
            since = dict.fromkeys(np.flatnonzero(self._began > NOBODY).tolist(), 0)
            while any(self._spread(number, since) for number in range(len(self.automaton.transitions))):
                pass
            self._entered = since
        return self._entered

    def _spread(self, number: int, since: dict[int, int]) -> bool:
        """Enter the targets of a transition as soon as it can fire; whether that is news."""
        first = self._first_firing(number, since)
        late = [
            target.state
            for target in self.automaton.transitions[number].targets
            if first is not None and since.get(target.state, len(self.ticks)) > first + 1
        ]
        since |= dict.fromkeys(late, (first or 0) + 1)
        return bool(late)

    def _first_firing(self, number: int, since: Mapping[int, int]) -> int | None:
        """The first tick in which a transition can fire."""
        source = self.automaton.transitions[number].source
        start = 0 if is_initial(self.automaton, source) else since.get(source)
        if start is None:
            return None
        ticks = np.flatnonzero(self._fires(number)[start:])
        return start + int(ticks[0]) if len(ticks) else None

    def _fires(self, number: int) -> Mask:
        """The ticks in which this batch may have the last event that a transition needs."""
        if number not in self._firing:
            came = [self._came[atom] for atom in set(self.automaton.transitions[number].choice.atoms)]
            some, every = came[0], came[0] | self._undecided
            for one in came[1:]:
                some, every = some | one, every & (one | self._undecided)
            self._firing[number] = some & every
        return self._firing[number]

    def _just_entered(self, state: int) -> Mask:
        """The ticks right after those that enter a state; with what was there before the batch, the first two."""
        found = np.zeros(len(self.ticks) + 1, np.bool_)
        found[:2] = self._began[state] > NOBODY
        for number, _ in self._into(state):
            found[1:] |= self._fires(number)
        return found[:-1]

    def _into(self, state: int) -> Iterator[tuple[int, Target]]:
        """The transitions into a state, by number."""
        for number, transition in enumerate(self.automaton.transitions):
            for target in transition.targets:
                if target.state == state:
                    yield number, target

    @property
    def _in_window(self) -> Mask:
        """The ticks that lie in a window of a match that may have begun."""
        window = self.automaton.window
        if not window.length:
            return np.ones(len(self.ticks), np.bool_)
        here, last = self._measures
        length = window.length - window.events
        youngest = int(self._began.max())
        found = here - youngest <= length if youngest > NOBODY else np.zeros(len(self.ticks), np.bool_)
        starts = np.flatnonzero(self._starts())
        if len(starts):
            before = np.searchsorted(starts, np.arange(len(self.ticks))) - 1
            found |= (before >= 0) & (here - last[starts[before]] <= length)
        return found

    def _starts(self) -> Mask:
        """The ticks in which a match may begin."""
        found = np.zeros(len(self.ticks), np.bool_)
        for number, transition in enumerate(self.automaton.transitions):
            if is_initial(self.automaton, transition.source):
                found |= self._fires(number)
        return found

    @cached_property
    def _measures(self) -> tuple[Numbers, Numbers]:
        """What windows measure of the first and of the last event of each tick."""
        times, first = self.ticks.times, self.ticks.first
        if not self.automaton.window.events:
            return times[first], times[first]
        return self._matcher.position + first, self._matcher.position + np.append(first[1:], len(times)) - 1

    # ── what it must join ────────────────────────────────────────────────────────────────────────────────
    def may_join(self, use: LazyUse, columns: Words) -> Mask:
        """Which rows of the atom (columns by slot, 0: not known) may join a partial match that waits, or will."""
        found = np.zeros(columns.shape[1], np.bool_)
        waiting = [(self.automaton.transitions[use.transition].source, use.key)]
        seen = set(waiting)
        while waiting:
            state, key = waiting.pop()
            if not key or is_initial(self.automaton, state):
                return np.ones_like(found)
            if self._began[state] > NOBODY:
                found |= self._held(state, key, columns)
            for number, target in self._into(state):
                if self._first_firing(number, self._since) is None:
                    continue
                carried = self._brought(self.automaton.transitions[number], target, key, columns, found)
                if carried is not None and (carried not in seen):
                    seen.add(carried)
                    waiting.append(carried)
        for slot in {slot for _, slot in use.key}:
            found |= columns[slot] == 0
        return found

    def _held(self, state: int, key: Key, columns: Words) -> Mask:
        """Which rows may join what was in the state before the batch, by the best index that the key serves."""
        slots = dict(key)
        indexes = self.automaton.states[state].indexes
        usable = [number for number, index in enumerate(indexes) if index and set(index) <= set(slots)]
        if not usable:
            return np.ones(columns.shape[1], np.bool_)
        best = max(usable, key=lambda number: len(indexes[number]))
        keys = np.ascontiguousarray(columns[[slots[column] for column in indexes[best]]])
        return self._matcher.may_join(state, best, keys)

    def _brought(
        self, transition: Transition, target: Target, key: Key, columns: Words, found: Mask
    ) -> tuple[int, Key] | None:
        """Add to ``found`` the rows that may join what a transition brings to its target.

        If all of the key comes from its source's cells: that state, and the key there.
        """
        values = [(target.values[column], slot) for column, slot in key]
        brought = [(value.row, slot) for value, slot in values if value.kind is ColumnSource.ROW]
        if brought:
            allowed = np.ones_like(found)
            for row, slot in brought:
                allowed &= self._among(transition, row, columns[slot])
            found |= allowed
            return None
        # A value of either side is that of the cell, unless that is unbound: then it is found where the cell got it.
        if all(value.kind in (ColumnSource.CELL, ColumnSource.EITHER) for value, _ in values):
            return transition.source, tuple(sorted({value.cell: slot for value, slot in values}.items()))
        found |= True
        return None

    def _among(self, transition: Transition, row: int, words: Words) -> Mask:
        """Which words occur in a column of the rows that a transition may take in this batch."""
        choice = transition.choice
        for atom, slots in zip(choice.atoms, choice.slots, strict=True):
            # Of a conjunction that began before the batch not all rows are here.
            if row in slots and atom in self._rows and not (self._continued and len(choice.atoms) > 1):
                known = self._rows[atom].columns[slots.index(row)]
                if known.all():
                    return np.isin(words, known)
        return np.ones(len(words), np.bool_)


Job = tuple[int, PatternShape]  # what can be evaluated at once: a shape, on events of one stream of the merged input
TRIAL, REST = 1_000, 10_000  # events: of a trial, and until the next one
Rows = dict[tuple[int, CompiledPattern], AtomRows]


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """An atom that a query lets wait."""

    query: GraphQuery
    atom: LazyAtom

    @property
    def pattern(self) -> CompiledPattern:
        """What the atom needs to be evaluated."""
        return self.query.needs[self.atom.number].pattern


@dataclass(slots=True)
class Trial:
    """Whether it is worth while that a job waits: it is not if most events are chosen all the same.

    Of ``events`` events ``chosen`` were chosen; for the next ``rest`` events it does not wait.
    """

    events: int = 0
    chosen: int = 0
    rest: int = 0

    def note(self, events: int, chosen: int) -> None:
        """So many of a batch's events were chosen."""
        self.events += events
        self.chosen += chosen
        if self.events >= TRIAL:
            self.rest = REST if 2 * self.chosen > self.events else 0
            self.events = self.chosen = 0


class Postponed:
    """What the queries of a merged input let wait, in the order in which it is evaluated."""

    def __init__(self) -> None:
        self._queries: tuple[GraphQuery, ...] = ()
        self._jobs: dict[Job, list[Wish]] = {}
        self._trials: dict[Job, Trial] = {}

    def of(self, queries: Sequence[GraphQuery], released: Released[Events]) -> dict[Job, list[Wish]]:
        """The jobs that wait until the rows of the others on these events are known."""
        if self._queries != tuple(queries):
            self._know(queries)
        if not self._jobs:
            return {}
        sizes = {stream: len(events) for stream, events, _ in released.parts}
        return {job: wishes for job, wishes in self._jobs.items() if self._waits(job, sizes.get(job[0], 0))}

    def forget(self, gone: Set[GraphQuery]) -> None:
        """Some queries go."""
        if not gone.isdisjoint(self._queries):
            self._know([one for one in self._queries if one not in gone])

    def _know(self, queries: Sequence[GraphQuery]) -> None:
        """These are the queries; a job may wait from now on because one went that needed it at once."""
        self._queries, self._jobs = tuple(queries), _jobs(queries)
        self._trials = {job: self._trials.get(job, Trial()) for job in self._jobs}

    def evaluate(
        self,
        evaluator: Evaluator,
        released: Released[Events],
        complete: bool,
        jobs: Mapping[Job, list[Wish]],
        rows: Rows,
    ) -> None:
        """Add to ``rows``, which has those of all other patterns, the rows of jobs; see ``Ticks`` for ``complete``."""
        evaluation = LazyEvaluation(evaluator, released, complete, jobs, rows)
        evaluation.run()
        sizes = {stream: len(events) for stream, events, _ in released.parts}
        for job, chosen in evaluation.chosen.items():
            self._trials[job].note(sizes[job[0]], chosen)

    def _waits(self, job: Job, events: int) -> bool:
        trial = self._trials[job]
        if not events or trial.rest <= 0:
            return bool(events)
        trial.rest -= events
        for wish in self._jobs[job]:
            wish.query.evaluated[wish.atom.number] += events
        return False


def _jobs(queries: Iterable[GraphQuery]) -> dict[Job, list[Wish]]:
    """What no query needs at once."""
    jobs: dict[Job, list[Wish]] = {}
    at_once: set[Job] = set()
    for query in queries:
        lazy = {atom.number: atom for atom in query.lazy}
        for number, need in enumerate(query.needs):
            job = need.stream, need.pattern.shape
            if number in lazy:
                jobs.setdefault(job, []).append(Wish(query, lazy[number]))
            else:
                at_once.add(job)
    waiting = {job: wishes for job, wishes in jobs.items() if job not in at_once}
    return dict(sorted(waiting.items(), key=lambda item: _depth(item[1])))


def _depth(wishes: Iterable[Wish]) -> int:
    return max(wish.atom.depth for wish in wishes)


def evaluate(evaluator: Evaluator, events: EventBatch, patterns: Sequence[CompiledPattern]) -> list[AtomRows]:
    """The rows of each pattern.  SpaseqError: it cannot be evaluated."""
    try:
        return evaluator.evaluate(events, patterns)
    except PatternError as error:
        raise SpaseqError(str(error)) from None


class LazyEvaluation:
    """The evaluation of what was postponed, on one batch: ``chosen`` says on how many events each job was evaluated."""

    def __init__(
        self,
        evaluator: Evaluator,
        released: Released[Events],
        complete: bool,
        jobs: Mapping[Job, list[Wish]],
        rows: Rows,
    ) -> None:
        self.chosen: dict[Job, int] = {}  # on how many events each was evaluated
        self._evaluator = evaluator
        self._parts = {stream: (events.graphs, places) for stream, events, places in released.parts}
        self._jobs = jobs
        self._rows = rows
        self._ticks = Ticks(released.times, complete)
        queries = {wish.query: None for wishes in self._jobs.values() for wish in wishes}
        self._demands = {query: self._demand(query) for query in queries}

    def run(self) -> None:
        """Evaluate all of them, those that are nearer to the beginning of a match first."""
        for depth in sorted({_depth(wishes) for wishes in self._jobs.values()}):
            jobs = [job for job, wishes in self._jobs.items() if _depth(wishes) == depth]
            for some, chosen in self._alike(jobs):
                self._evaluate(some, np.flatnonzero(chosen))

    def _demand(self, query: GraphQuery) -> Demand:
        came = [self._ticks.with_some(self._parts[need.stream][1]) if need.stream in self._parts
                else np.zeros(len(self._ticks), np.bool_) for need in query.needs]  # fmt: skip
        demand = Demand(query.matcher, self._ticks, dict(enumerate(came)))
        for number, need in enumerate(query.needs):
            if (need.stream, need.pattern) in self._rows:
                demand.tell(number, self._rows[need.stream, need.pattern])
        return demand

    def _alike(self, jobs: Iterable[Job]) -> Iterator[tuple[list[Job], Mask]]:
        """Jobs on the same events, which are evaluated together."""
        groups: dict[tuple[int, bytes], tuple[list[Job], Mask]] = {}
        for job in jobs:
            chosen = self._chosen(job)
            groups.setdefault((job[0], chosen.tobytes()), ([], chosen))[0].append(job)
        yield from groups.values()

    def _chosen(self, job: Job) -> Mask:
        """The events of the stream on which somebody may need the rows."""
        graphs, places = self._parts[job[0]]
        ticks = self._ticks.of[places]
        found = np.zeros(len(places), np.bool_)
        joining = []
        for wish in self._jobs[job]:
            for use in wish.atom.uses:
                mask = self._demands[wish.query].when(use)[ticks]
                if use.key:
                    joining.append((wish, use, mask))
                else:
                    found |= mask
        for wish, use, mask in joining:
            some = np.flatnonzero(mask & ~found)
            known = self._evaluator.required(graphs.take(some), wish.pattern) if len(some) else None
            if known is not None:
                some = some[known.row_event[self._demands[wish.query].may_join(use, known.columns)]]
            found[some] = True
        return found

    def _evaluate(self, jobs: Sequence[Job], chosen: Numbers) -> None:
        """Evaluate jobs of one stream on some of its events, and tell all that wait for it."""
        wishes = [wish for job in jobs for wish in self._jobs[job]]
        graphs, places = self._parts[jobs[0][0]]
        self.chosen |= dict.fromkeys(jobs, len(chosen))
        for wish in wishes:
            wish.query.evaluated[wish.atom.number] += len(chosen)
        patterns = [wish.pattern for wish in wishes]
        if len(chosen):
            graphs = graphs if len(chosen) == len(graphs) else graphs.take(chosen)
            found = [placed(rows, places[chosen]) for rows in evaluate(self._evaluator, graphs, patterns)]
        else:
            found = [AtomRows(np.empty(0, np.uint32), np.empty((len(one.slots), 0), np.uint64)) for one in patterns]
        for wish, rows in zip(wishes, found, strict=True):
            self._rows[wish.query.needs[wish.atom.number].stream, wish.pattern] = rows
            self._demands[wish.query].tell(wish.atom.number, rows)


def placed(rows: AtomRows, places: Numbers) -> AtomRows:
    """Rows of the events of one stream as rows of the whole batch, laid out as the matcher reads them."""
    columns = np.ascontiguousarray(rows.columns)
    if len(places) == int(places[-1]) + 1:  # the first events of the batch, so nothing moves
        return AtomRows(np.ascontiguousarray(rows.row_event), columns)
    return AtomRows(places[rows.row_event].astype(np.uint32), columns)
