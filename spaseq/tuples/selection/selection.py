"""A query that selects events, batch by batch: the results that end in each, as record batches.

Their columns share the recognizer's memory where they can.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow

from nfa_native.automata.kinds import Evaluating
from nfa_native.events.recognizer import ComplexEvents, Recognizer
from spaseq.pattern.formulas.query import EventWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.formulas.automaton import RecognitionPlan, rises
from spaseq.plan.formulas.bounded import length_of_window
from spaseq.runtime.bounded import SHARED_EVERY
from spaseq.runtime.shed import SHED, Shed
from spaseq.runtime.snapshot.validation import COUNT, TIME, Maybe, Shape
from spaseq.sources.tables.types import Integers
from spaseq.tuples.columns.serialisation import met_of, require
from spaseq.tuples.encoding.batches import ALWAYS, EncodedBatch, edges, latest_start
from spaseq.tuples.encoding.correlation import ConditionMemory, RegisterColumns
from spaseq.tuples.encoding.history import PAST, EventHistory
from spaseq.tuples.encoding.partitions import Numbers
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.selection.picks import ResultColumn, called, columns_of, free, in_order
from spaseq.tuples.selection.recall_sample import SAMPLE, FedEvents, RecallSample
from spaseq.tuples.totals.totals import TotalsCounter, counter

_Numbers = npt.NDArray[np.int64]
TOGETHER = 1 << 14  # lists for which offsets are made in advance


def record_batch(
    found: ComplexEvents, variables: Sequence[str], shown: Sequence[frozenset[str]], schema: pyarrow.Schema
) -> pyarrow.RecordBatch:
    """A row for each result: its start, its end, all its positions, and those that each of the variables holds.

    ``shown`` are the variables that hold what is picked in a state, for each state.
    """
    if found.columns is not None:
        columns = _of_chain(found, found.columns, _held_states(tuple(variables), tuple(shown)))
    else:
        whole = pyarrow.ListArray.from_arrays(_offsets(found.offsets), found.positions)
        columns = [found.starts, found.ends, whole, *(_held(found, name, shown) for name in variables)]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


@lru_cache(maxsize=64)
def _held_states(variables: tuple[str, ...], shown: tuple[frozenset[str], ...]) -> tuple[tuple[int, ...], ...]:
    """For each of the variables the states whose picks it holds."""
    return tuple(tuple(number for number, names in enumerate(shown) if name in names) for name in variables)


def _of_chain(found: ComplexEvents, columns: _Numbers, held: Sequence[tuple[int, ...]]) -> list[pyarrow.Array]:
    """The columns of results that have one pick of each state, in this order."""
    states, apart = columns.shape
    count = len(found.starts)
    everything = _integers(columns.reshape(-1))
    single = _lists(1, states * apart, everything)  # parts of one array cost less than arrays
    variables = (
        single.slice(some[0] * apart, count)
        if len(some) == 1
        else _lists(len(some), count, _integers(columns[list(some), :count].T.ravel()))
        for some in held
    )
    starts, ends = everything.slice(0, count), everything.slice((states - 1) * apart, count)
    return [starts, ends, _lists(states, count, _integers(found.positions)), *variables]


def _lists(each: int, count: int, values: pyarrow.Array) -> pyarrow.ListArray:
    """So many lists with so many values each."""
    return pyarrow.ListArray.from_arrays(_even_offsets(each, count), values)


def _held(found: ComplexEvents, variable: str, shown: Sequence[frozenset[str]]) -> pyarrow.ListArray:
    """The positions of each result that a variable holds."""
    holds = np.array([variable in names for names in shown], np.bool_)[found.states]
    before = np.concatenate([[0], np.cumsum(holds)])
    return pyarrow.ListArray.from_arrays(_offsets(before[found.offsets]), found.positions[holds])


def _integers(values: _Numbers) -> pyarrow.Array:
    """An array of the same memory; ``pyarrow.array`` would take its time to look at the values' kind."""
    return pyarrow.Array.from_buffers(pyarrow.int64(), values.size, [None, pyarrow.py_buffer(values)])


def _offsets(values: _Numbers) -> pyarrow.Array:
    return pyarrow.array(values.astype(np.int32))


@lru_cache(maxsize=64)
def _even_offsets(each: int, count: int) -> pyarrow.Array:
    """Offsets of so many lists with so many values each."""
    return _many_offsets(each, max(TOGETHER, 1 << count.bit_length()))[: count + 1]


@lru_cache(maxsize=64)
def _many_offsets(each: int, count: int) -> pyarrow.Array:
    return _offsets(np.arange(count + 1) * each)


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
MOST = 1 << 14  # results that are handed over together
SELECTION: Shape = {
    "recognizer": bytes, "past": PAST, "remembered": PAST, "texts": bytes, "least": TIME, "found": COUNT, "met": str,
    "shed": Maybe(SHED), "sample": Maybe(SAMPLE),
}  # fmt: skip


class Sampling(NamedTuple):
    """Which events a sample is of: that part of them, drawn by chance, and other ones with another ``salt``."""

    part: float
    salt: int


class SelectionQuery:
    """The results of a query on events that come in encoded batches, the first of them at position ``first``.

    ``schema`` is that of the batches of results: start, end, positions, and ``columns``.  ``found`` counts results.
    The columns ``remembered`` are kept as long as a match may pick their rows.  ``integers`` says how many results an
    end may have when they are only counted, ``evaluating`` when steps are made that may wait, ``sampling`` by which
    events recall is estimated where work has a bound.  QueryError: what the query compares does not compare in events
    of ``schema``.
    """

    def __init__(
        self,
        query: FormulaQuery,
        plan: RecognitionPlan,
        schema: pyarrow.Schema,
        first: int = 0,
        remembered: Sequence[str] = (),
        integers: Integers = Integers.INT64,
        evaluating: Evaluating = Evaluating.EAGER,
        sampling: Sampling | None = None,
    ) -> None:
        self._query = query
        self._plan = plan
        self._integers = integers
        self._shown = _shown(query, plan)
        self.held = query.variables or in_order(self._shown)
        self.columns = columns_of(query, plan, self.held)
        self.variables = tuple(column.name for column in self.columns if column.attribute is None)
        self.schema = _schema(self.columns, schema)
        self._positions = _schema([ResultColumn(name, name) for name in self.held], schema)
        shown = [column.attribute for column in self.columns if column.attribute]
        self.past = EventHistory([*remembered, *shown], schema, query.forgets)
        self._memory = ConditionMemory(plan.asked, plan.computed, schema, query.forgets)
        self._columns = RegisterColumns(plan.measured, schema, self._memory.conditions)
        self._options = _options(query, plan, self._memory)
        self._recognizer = self._made_recognizer(**self._options, first_position=first)
        self._sampling = sampling if _tells_recall(query) else None
        self._first = first
        self._sample = self._new_sample(first)
        self._allowed = 0.0, 0.0  # units of work that an event may take on an average, and one alone
        self._recognizer.evaluation = evaluating
        self._is_bounded = False
        self._counter: TotalsCounter | None = None  # what counts results that nobody asks for
        self._shed = Shed()  # by a recognizer whose work has no bound any more
        self._has_begun = False
        self._least = int(ALWAYS)
        self.found = 0
        self.met = 0

    def _made_recognizer(self, **options: Any) -> Recognizer:
        return Recognizer(self._plan.automaton, **options)

    def _new_sample(self, first: int) -> RecallSample | None:
        if self._sampling is None:
            return None
        return RecallSample(self._sampled_recognizer, self._sampling.part, self._sampling.salt, first)

    def _sampled_recognizer(self, drawn: tuple[float, int], first: int) -> Recognizer:
        return self._made_recognizer(**self._options, first_position=first, drawn=drawn)

    def batches(self, batch: EncodedBatch) -> Iterator[pyarrow.RecordBatch]:
        """The results that end in a batch; StreamError for a number that cannot be compared exactly."""
        return map(self.shown, self.recognized(batch))

    def counts(self, batch: EncodedBatch) -> Iterator[int]:
        """How many these are, part by part, without making them where that goes; then they are all only counted."""
        if not self._has_begun and not self._is_bounded:
            self._counter = counter(self._query, self._plan, self._integers)
        if self._counter is not None:
            self._has_begun = True
            return self._counted(self._counter, batch)
        if self._recognizer.can_count and self._sample is None:
            return self._counted_alone(batch)
        return (len(found.starts) for found in self.recognized(batch))

    def _counted_alone(self, batch: EncodedBatch) -> Iterator[int]:
        """The number of results, which the recognizer counts without writing them."""
        self._recognizer.counts = True
        try:
            deque(self.recognized(batch), maxlen=0)
        finally:
            self._recognizer.counts = False
        number = self._recognizer.take_count()
        self.found += number
        yield number

    def _counted(self, counter: TotalsCounter, batch: EncodedBatch) -> Iterator[int]:
        for number in counter.counts(batch):
            self.found += number
            yield number
        self.met = counter.met()

    def recognized(self, batch: EncodedBatch) -> Iterator[ComplexEvents]:
        """The same as the recognizer gives them: those of one end may come in several parts."""
        assert self._counter is None
        self._has_begun = True
        self._know(batch.masks)
        self._forget_rows()
        starts, least = edges(self._query.window, batch)
        if self._query.forgets:
            self._columns.forget(int(least[0]), int(starts[-1]))
        columns = self._columns.read(batch.batch)
        self._memory.keep(batch, starts, least)
        self.past.keep(batch, starts, least)
        fed = FedEvents(batch.symbols, starts, least, batch.partitions, columns)
        yield from self._recognized(fed) if self._sample is None else self._sampled(self._sample, fed, batch)
        self._least = int(least[-1])

    def _recognized(self, fed: FedEvents) -> Iterator[ComplexEvents]:
        at = 0
        while at < len(fed.symbols):
            at = self._feed(fed, at)
            if self._recognizer.found:
                found = self._recognizer.take()
                self.found += len(found.starts)
                yield found

    def _sampled(self, sample: RecallSample, fed: FedEvents, batch: EncodedBatch) -> Iterator[ComplexEvents]:
        """The same, as a sample sees it, too, which is measured wherever so many events have passed."""
        at, position = 0, batch.first_position
        while at < len(batch):
            end = min(len(batch), at + SHARED_EVERY - (position + at) % SHARED_EVERY)
            part = fed.part(at, end)
            sample.know(batch.masks)
            sample.feed(part, position + at)
            for found in self._recognized(part):
                sample.found(found.starts)
                yield found
            sample.pass_to(int(part.least[-1]))
            at = end
            if (position + at) % SHARED_EVERY == 0:
                sample.measure(position + at)
                self._bound_recognizer()

    def _feed(self, fed: FedEvents, at: int) -> int:
        return self._recognizer.feed(fed.symbols, fed.starts, fed.least, fed.partitions, at, MOST, fed.columns)

    def shown(self, found: ComplexEvents) -> pyarrow.RecordBatch:
        """Results as a batch of ``schema``."""
        positions = self.positions_of(found)
        if not self._query.columns:
            return positions
        held = dict(zip(self.held, positions.columns[3:], strict=True))
        shown = [column.read(held[column.variable], self.past) for column in self.columns]
        return pyarrow.RecordBatch.from_arrays([*positions.columns[:3], *shown], schema=self.schema)

    def positions_of(self, found: ComplexEvents) -> pyarrow.RecordBatch:
        """Results with the positions of all variables."""
        return record_batch(found, self.held, self._shown, self._positions)

    def statistics(self) -> dict[str, int]:
        """What the recognizer did so far: events, nodes and their room, partitions, groups scanned."""
        return self._recognizer.statistics() if self._counter is None else self._counter.statistics()

    # ── a bound on work ──────────────────────────────────────────────────────────────────────────────────
    def bound_work(self, rate: float, at_once: float = 0) -> None:
        """From the next event on its work has this bound, or with 0 none (``Recognizer.bound_work``)."""
        self._is_bounded = bool(rate)
        if not rate:
            self._shed = self.shed
        self._allowed = rate, at_once
        if self._sample is not None and rate:
            self._sample.bound(rate, length_of_window(self._query))
        if rate or self._recognizer.work_bound:
            self._bound_recognizer()

    def _bound_recognizer(self) -> None:
        rate, at_once = self._allowed
        needed = 0.0 if self._sample is None else self._sample.needed
        self._recognizer.bound_work(max(rate - needed, 0.0), length_of_window(self._query), at_once)

    @property
    def shed(self) -> Shed:
        """What was left out, to keep work within a bound."""
        own, sample = _shed_by(self._recognizer), self._sample
        if sample is not None and self._recognizer.work_bound:
            since = sample.since if sample.since > self._first else 0
            own = replace(own, work=own.work + int(sample.work), sample=sample.sums, position=since)
        return self._shed + own

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """What the future depends on, as SELECTION."""
        return {
            "recognizer": self._recognizer.snapshot(self._least),
            "past": self.past.state(),
            "remembered": self._memory.past.state(),
            "texts": self._columns.state(),
            "least": self._least,
            "found": self.found,
            "met": hex(self.met),
            **({} if self._shed == Shed() else {"shed": self._shed.state()}),
            **({} if self._sample is None else {"sample": self._sample.state(self._least)}),
        }

    def restore(self, state: dict[str, Any], position: int, time: int | None, oldest: int = 0) -> None:
        """Go on where ``state`` was taken, with the event at ``position``; the one before it had this ``time``.

        What came before ``oldest`` is in no match any more.  SnapshotError, ValueError: it cannot be.
        """
        for past, kept in ((self.past, state["past"]), (self._memory.past, state["remembered"])):
            past.restore(kept, position)
        oldest = max(oldest, self.past.oldest, self._memory.past.oldest)
        latest = latest_start(self._query.window, position, time)
        self._recognizer.restore(state["recognizer"], latest, oldest)
        require(self._recognizer.position == position, "a query is at another position")
        self._columns.restore(state["texts"], latest)
        if not self._query.forgets:
            held = self.held_positions()
            require(self.past.has(held) and self._memory.past.has(held), "rows that were kept are missing")
        self._least, self.found = state["least"], state["found"]
        self.met = met_of(state["met"], len(self._plan.atoms))
        self._shed = Shed.of_state(state["shed"]) if "shed" in state else Shed()
        self._sample = self._new_sample(position)
        if self._sample is not None and "sample" in state:
            self._sample.restore(state["sample"], latest, oldest, position)
        self._has_begun = True

    @property
    def known_partitions(self) -> int:
        """How many partitions it knows."""
        return self._recognizer.statistics()["partitions"]

    # ── partitions of which nothing is left ──────────────────────────────────────────────────────────────
    @property
    def ends_with_time(self) -> bool:
        """Whether time alone ends what is in them."""
        return self._query.forgets

    def living(self) -> Numbers:
        """The partitions that have something which a later event can go on with."""
        own = self._recognizer.living(self._bound)
        return own if self._sample is None else np.union1d(own, self._sample.living(self._bound))

    def keep(self, kept: Numbers) -> None:
        """Forget all but these (rising), which get the numbers from 0 on."""
        known = np.uint32(self.known_partitions)
        self._recognizer.keep(kept[kept < known])
        if self._sample is not None:
            self._sample.keep(kept)

    @property
    def _bound(self) -> int:
        """No window begins before it."""
        return self._least if self._query.forgets else int(ALWAYS)

    # ── rows of which nothing is left ────────────────────────────────────────────────────────────────────
    def held_positions(self) -> Times:
        """The positions of events that later matches may have, rising."""
        return self._recognizer.held(self._bound)

    def _forget_rows(self) -> None:
        """Where windows do not say it, ask which rows are needed, when half of them may not be."""
        if self.past.has_many or self._memory.past.has_many:
            held = self.held_positions()
            for past in (self.past, self._memory.past):
                if past.has_many:
                    past.keep_only(held)

    def _know(self, masks: Sequence[int]) -> None:
        if len(masks) > self._recognizer.symbols:
            new = masks[self._recognizer.symbols :]
            self._recognizer.know_symbols(new)
            self.met = reduce(or_, new, self.met)


def _shown(query: FormulaQuery, plan: RecognitionPlan) -> tuple[frozenset[str], ...]:
    """For each state the variables under which results show its picks."""
    if query.variables is not None:
        return tuple(names & frozenset(query.variables) for names in plan.variables)
    return called(query, plan)


def _schema(columns: Sequence[ResultColumn], events: pyarrow.Schema) -> pyarrow.Schema:
    """The schema of the batches."""
    start, end, positions = (free(name, [column.name for column in columns]) for name in ("start", "end", "positions"))
    own = [(start, pyarrow.int64()), (end, pyarrow.int64()), (positions, pyarrow.list_(pyarrow.int64()))]
    return pyarrow.schema([*own, *((column.name, column.type(events)) for column in columns)])


def _shed_by(recognizer: Recognizer) -> Shed:
    """What a recognizer has left out so far."""
    if not recognizer.work_bound:
        return Shed()
    states, over, work, curtailed = recognizer.shed()
    return Shed(tuple((little, cut, 0) for little, cut in states.tolist()), over, int(work), curtailed)


def _tells_recall(query: FormulaQuery) -> bool:
    """Whether of a result it can be said that it was found: where some are chosen others may be instead of it."""
    return query.strategy is SelectionStrategy.ALL and query.limit is None


def _options(query: FormulaQuery, plan: RecognitionPlan, memory: ConditionMemory) -> dict[str, Any]:
    """Those of the query's recognizer."""
    window = query.window
    return {
        "strategy": query.strategy.value,
        "consume": query.consumption.value,
        "limit": query.limit,
        "partitioned": bool(plan.partition),
        "forgets": rises(query),
        "events": window.positions if isinstance(window, EventWindow) and query.partition else None,
        "answer": memory.answer,
        "programs": memory.conditions.native,
    }
