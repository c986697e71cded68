"""Lazy evaluation: graph patterns that are dear are evaluated last, and only on events where a query can use them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from gpm.errors import PatternError
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.rows import AtomRows, EventBatch, Numbers
from gpm.shapes import PatternShape
from spaseq.errors import SpaseqError
from spaseq.graphs.demand import Demand, Mask, Ticks
from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.pattern_costs import PatternCost, Trial
from spaseq.plan.sequences.cells import LazyAtom
from spaseq.runtime.reorder import Released
from spaseq.sources.rdf.events import Events

Job = tuple[int, PatternShape]  # what can be evaluated at once: a shape, on events of one stream of the merged input
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


class Postponed:
    """What the queries of a merged input let wait, in the order in which it is evaluated."""

    def __init__(self) -> None:
        self._queries: tuple[GraphQuery, ...] = ()
        self._jobs: dict[Job, list[Wish]] = {}
        self._trials: dict[Job, Trial] = {}
        self._costs: dict[Job, PatternCost] = {}

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
        self._costs = {job: self._costs.get(job, PatternCost()) for job in self._jobs}

    def evaluate(
        self,
        evaluator: Evaluator,
        released: Released[Events],
        complete: bool,
        jobs: Mapping[Job, list[Wish]],
        rows: Rows,
    ) -> None:
        """Add to ``rows``, which has those of all other patterns, the rows of jobs; see ``Ticks`` for ``complete``."""
        evaluation = LazyEvaluation(evaluator, released, complete, jobs, rows, self._costs)
        evaluation.run()
        sizes = {stream: len(events) for stream, events, _ in released.parts}
        for job, chosen in evaluation.chosen.items():
            self._trials[job].note(sizes[job[0]], chosen)
        if any(self._trials[job].rest for job in evaluation.in_turn):  # then it is asked again who is first
            self._costs |= {job: PatternCost() for job in evaluation.in_turn}

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
        costs: Mapping[Job, PatternCost],
    ) -> None:
        self.chosen: Counter[Job] = Counter()  # on how many events each was evaluated
        self.in_turn: set[Job] = set()  # those that were asked one after the other
        self._evaluator = evaluator
        self._parts = {stream: (events.graphs, places) for stream, events, places in released.parts}
        self._jobs = jobs
        self._rows = rows
        self._costs = costs
        self._ticks = Ticks(released.times, complete)
        queries = {wish.query: None for wishes in self._jobs.values() for wish in wishes}
        self._demands = {query: self._demand(query) for query in queries}

    def run(self) -> None:
        """Evaluate all of them, those that are nearer to the beginning of a match first."""
        for depth in sorted({_depth(wishes) for wishes in self._jobs.values()}):
            jobs = [job for job, wishes in self._jobs.items() if _depth(wishes) == depth]
            together = self._conjoined(jobs)
            self._ask_alike(job for job in jobs if job not in together)
            if together:
                self._ask_in_turn(together)

    def _ask_alike(self, jobs: Iterable[Job]) -> None:
        """Ask jobs at once that are to be asked of the same events."""
        for some, chosen in self._alike(jobs):
            self._tell(some, self._ask(some, np.flatnonzero(chosen)))

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

    def _conjoined(self, jobs: Sequence[Job]) -> list[Job]:
        """Those of the jobs that a conjunction needs together with others of them."""
        of = {(wish.query, wish.atom.number): job for job in jobs for wish in self._jobs[job]}
        return [job for job in jobs if any(of.get(one, job) != job for one in self._partners(job))]

    def _partners(self, job: Job) -> Iterator[tuple[GraphQuery, int]]:
        """The atoms that conjunctions need together with the job."""
        for wish in self._jobs[job]:
            for use in wish.atom.uses:
                yield from ((wish.query, partner) for partner in use.partners)

    def _ask_in_turn(self, jobs: Sequence[Job]) -> None:
        """Ask the job first that refuses most events for what it costs, the others of those it leaves.

        What is not known yet of this is found out on a sample, of which all are asked.
        """
        self.in_turn |= set(jobs)
        samples = {job: self._sample(job) for job in jobs}
        known = {job: self._measure(job, events) for job, events in samples.items()}
        for job in sorted(jobs, key=lambda job: self._costs[job].dearness):
            chosen = self._chosen(job)
            chosen[samples[job]] = False
            others = self._ask([job], np.flatnonzero(chosen))
            self._tell([job], [in_order(parts) for parts in zip(known[job], others, strict=True)])

    def _sample(self, job: Job) -> Numbers:
        """The events that the job's sample lacks, as far as they are here."""
        missing = self._costs[job].missing
        return np.flatnonzero(self._chosen(job))[:missing] if missing else np.empty(0, np.int64)

    def _measure(self, job: Job, chosen: Numbers) -> list[AtomRows]:
        """As ``_ask``, of events of the sample."""
        started = perf_counter()
        found = self._ask([job], chosen)
        taken = perf_counter() - started
        self._costs[job].note(len(chosen), len(chosen) - len(np.unique(found[0].row_event)), taken)
        return found

    def _ask(self, jobs: Sequence[Job], chosen: Numbers) -> list[AtomRows]:
        """The rows of jobs of one stream on some of its events, for each of the wishes."""
        wishes = self._wishes(jobs)
        self.chosen.update(dict.fromkeys(jobs, len(chosen)))
        for wish in wishes:
            wish.query.evaluated[wish.atom.number] += len(chosen)
        if not len(chosen):
            return [
                AtomRows(np.empty(0, np.uint32), np.empty((len(one.pattern.slots), 0), np.uint64)) for one in wishes
            ]
        graphs = self._parts[jobs[0][0]][0]
        graphs = graphs if len(chosen) == len(graphs) else graphs.take(chosen)
        found = evaluate(self._evaluator, graphs, [wish.pattern for wish in wishes])
        return [AtomRows(chosen[rows.row_event].astype(np.uint32), rows.columns) for rows in found]

    def _wishes(self, jobs: Iterable[Job]) -> list[Wish]:
        return [wish for job in jobs for wish in self._jobs[job]]

    def _tell(self, jobs: Sequence[Job], found: Iterable[AtomRows]) -> None:
        """Tell all that wait for jobs of one stream of their rows, those of all of its events."""
        places = self._parts[jobs[0][0]][1]
        for wish, rows in zip(self._wishes(jobs), found, strict=True):
            rows = placed(rows, places)
            self._rows[wish.query.needs[wish.atom.number].stream, wish.pattern] = rows
            self._demands[wish.query].tell(wish.atom.number, rows)


def in_order(parts: Sequence[AtomRows]) -> AtomRows:
    """The rows of different events, in the order of these."""
    rows = AtomRows.join(parts)
    order = np.argsort(rows.row_event, kind="stable")
    return AtomRows(rows.row_event[order], rows.columns[:, order])


def placed(rows: AtomRows, places: Numbers) -> AtomRows:
    """Rows of the events of one stream as rows of the whole batch, laid out as the matcher reads them."""
    columns = np.ascontiguousarray(rows.columns)
    if len(places) == int(places[-1]) + 1:  # the first events of the batch, so nothing moves
        return AtomRows(np.ascontiguousarray(rows.row_event), columns)
    return AtomRows(places[rows.row_event].astype(np.uint32), columns)
