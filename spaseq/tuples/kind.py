"""Tables as a kind of data: what an engine of CEQL queries has beside what all engines have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow

from nfa_native.automata.kinds import Evaluating
from spaseq.errors import OptionError, QueryError
from spaseq.pattern.formulas.parameters import ConstantRow, row_key
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.plan.formulas.rule_conditions import rule_conditions
from spaseq.runtime.bounded import Bound
from spaseq.runtime.core import EngineCore
from spaseq.runtime.guards import Soundness
from spaseq.runtime.statistics import Statistics
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.text import did_you_mean
from spaseq.tuples.aggregates.aggregation import AggregatingQuery
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.columns.schema import STREAM, ColumnTypes
from spaseq.tuples.encoding.batches import check_text_column
from spaseq.tuples.encoding.encoder import QueryReading, check_reading
from spaseq.tuples.encoding.symbol_groups import Naming, Setting
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.families import TupleFamilies
from spaseq.tuples.paced_tuple_input import PacedTupleInput
from spaseq.tuples.parametric_tuple_query import (
    AnyFormulaQuery,
    AnyTupleQuery,
    ParametricTupleQuery,
    formula_query,
)
from spaseq.tuples.queries import AnyPrepared, Prepared, atoms_of
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern
from spaseq.tuples.rule_query import RuleQuery
from spaseq.tuples.selection.selection import Sampling, SelectionQuery
from spaseq.tuples.tuple_bounds import checked
from spaseq.tuples.tuple_family import TupleFamily
from spaseq.tuples.tuple_input import TableBatch, TupleInput
from spaseq.tuples.tuple_query import Evaluation, TupleQuery
from spaseq.tuples.tuple_statistics import StreamCounters, query_statistics


class TableKind:
    """Streams of rows, for the ``core`` of one engine; ``columns`` are those that came so far.

    ``promised`` is what any stream promises, also one that is not known yet; ``events`` are all that came.
    """

    results_wait = "results wait: take all of an iterator of results"

    def __init__(
        self,
        setting: Setting,
        columns: ColumnTypes,
        soundness: Soundness,
        lateness: int = 0,
        promised: int = LEAST,
        sharing: bool = True,
        evaluation: Evaluating = Evaluating.AUTO,
        bound: Bound | None = None,
        max_steps: int = 0,
        in_order: bool = True,
    ) -> None:
        self.max_steps = max_steps
        self.in_order = in_order  # rows come as row patterns want them, or tables are sorted by these
        self.bound = checked(bound)
        if bound is not None and evaluation is Evaluating.LAZY:
            raise OptionError("where work has a bound no step waits (evaluation is lazy)")
        self.setting = setting
        self.columns = columns
        self.promised = promised
        # rows of parameters, and queries like each other, run together where they can
        self.sharing = sharing and bound is None
        self.evaluation = evaluation if bound is None else Evaluating.EAGER
        self.events = 0
        self.names: dict[str, Sequence[str]] = {}  # of all columns, by stream, where queries may ask for any
        self.wants_names = False  # some query that may has not begun
        self.core: EngineCore[TableBatch, AnyTupleQuery] = EngineCore(self, soundness, lateness)
        self.families = TupleFamilies(self.core)
        self._late: Times | None = None  # where rows are that came last, and late
        self._needed: tuple[str, ...] | None = None

    @property
    def has_names(self) -> bool:
        """Whether streams have names, so that others may come."""
        return self.setting.has_names

    @property
    def inputs(self) -> Iterator[TupleInput]:
        """Those of the core."""
        return (merged for merged in self.core.inputs if isinstance(merged, TupleInput))

    # ── as of any kind of data ───────────────────────────────────────────────────────────────────────────
    def stream(self, called: str) -> str:
        """See ``Kind``: streams have one name."""
        return called

    def opened(self, clock: StreamClock) -> None:
        """See ``Kind``: a stream that is new is no earlier than what has had its turn."""
        inputs = [merged for merged in self.inputs if merged.takes_all]
        reached = [merged.time for merged in inputs if merged.time is not None and self.has_names]
        clock.promise(max([self.promised, *reached]))
        for merged in inputs:
            merged.join(clock)

    def arrived(self, batch: TableBatch, first: int) -> TableBatch:
        """See ``Kind``."""
        return batch

    def in_time(self, batch: TableBatch) -> TableBatch:
        """See ``Kind``: rows with all columns that are known.  StreamError: a number has no equal of its type."""
        self.events += len(batch.times)
        named = batch.named() if self.setting.has_names else batch
        return named.aligned(f"<stream {batch.stream}>" if batch.stream else "<stream>")

    def late(self, batch: TableBatch, places: Times, clock: StreamClock) -> None:
        """See ``Kind``: whoever pushes says so."""
        self._late = places

    def derive(self, query: AnyTupleQuery) -> Iterable[TableBatch]:
        """See ``Kind``: no query in CEQL derives a stream; one that does would give its events here."""
        return ()

    def apart(self, tables: Iterator[Any]) -> Iterator[Any]:
        """See ``Kind``: each is of one query."""
        return tables

    def rest(self) -> None:
        """See ``Kind``: inputs see to what they keep."""

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    def take(self, stream: str, times: Times | None, rows: Rows) -> None:
        """Rows of a stream came, which are not late; None: they have no times."""
        times = np.empty(rows.num_rows, np.int64) if times is None else times
        if len(times):
            self.core.add(self.in_time(TableBatch(stream, times, rows, self.columns)))

    def push(self, stream: str, numbers: Times, times: Times | None, rows: Rows) -> Times:
        """Rows of a stream came, which have these numbers; those of rows that are late."""
        clock = self.core.clock(stream)
        if times is None:
            clock.events += rows.num_rows
            if clock.watermark == GREATEST:
                clock.late += rows.num_rows
                return numbers
            self.take(stream, None, rows)
            return numbers[:0]
        self._late = None
        self.core.accept(TableBatch(stream, times, rows, self.columns), self.core.lateness)
        return numbers[:0] if self._late is None else numbers[self._late]

    def promise(self, stream: str | None, time: int) -> None:
        """No row before ``time`` will come on a stream, or on all that there are and will be; GREATEST: none at all."""
        if stream is None:
            self.promised = max(self.promised, time)
        for name in [stream] if stream is not None else list(self.core.clocks):
            clock = self.core.clock(name)
            if time == GREATEST:
                clock.close()
            clock.promise(time)

    def reopen(self, stream: str, latest: int) -> int:
        """After a restore: more may come of a stream that had ended, whose last event had the time ``latest``.

        Gives the time that nothing of it may be before.
        """
        clock = self.core.clock(stream)
        if clock.closed:
            reached = (merged.time for merged in self.inputs if merged.time is not None)
            clock.closed, clock.watermark = False, max([latest, *reached])
        return max(latest, clock.watermark)

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def query(
        self, name: str, prepared: AnyPrepared, remembers: bool = False, extra: tuple[str, ...] = ()
    ) -> AnyTupleQuery:
        """A query for this engine."""
        if isinstance(prepared, PreparedRowPattern):
            return RunningRowPattern(name, prepared, self.core.errors, max_steps=self.max_steps, in_order=self.in_order)
        if prepared.query.given is not None:
            return ParametricTupleQuery(
                name, prepared, self.core.errors, remembers, extra, self.sharing, self.bound is not None
            )
        return TupleQuery(name, prepared, self.core.errors, remembers, extra, is_bounded=self.bound is not None)

    def add(self, name: str, prepared: AnyPrepared, remembers: bool = False) -> None:
        """Run a query on the events that come from now on, maybe with others like it; QueryError as of ``register``."""
        self.check_streams(prepared)
        merged = self._input_for(prepared)
        may_share = self.sharing and not remembers
        if not (may_share and isinstance(prepared, Prepared) and self.families.takes(name, prepared, merged)):
            self.core.start(self.query(name, prepared, remembers), merged)
        self._needed, self.wants_names = None, self.wants_names or not isinstance(prepared, Prepared)

    def register(self, query: AnyTupleQuery) -> None:
        """Run a query by itself from now on; QueryError: its streams are none of the events."""
        self.check_streams(query.prepared)
        self.core.start(query, self._input_for(query.prepared))
        self._needed = None

    def _input_for(self, prepared: AnyPrepared) -> TupleInput:
        """An input for a new query: one that waits for nothing can be shared."""
        streams = self._streams(prepared)
        alike = [merged for merged in self.inputs if merged.asked == streams]
        joinable = next((merged for merged in alike if merged.may_be_joined), None)
        position = self._position(streams, alike)
        for stream in prepared.query.streams if self.setting.has_names else ():
            self.core.clock(stream)
        return joinable or self.new_input(streams, position)

    def unregister(self, name: str) -> None:
        """Forget a query."""
        self.core.remove(name)
        self.families.forget(name)
        self._needed = None

    def change_rows(self, name: str, rows: Iterable[ConstantRow]) -> None:
        """Let a query with parameters run these rows, and no others; those that are new begin with the next event."""
        query = self.core.running[name]
        assert isinstance(query, ParametricTupleQuery)
        merged = self.input_of(query)
        wanted = {row_key(row): row for row in rows}
        for key in [key for key in query.constants if key not in wanted]:
            member = query.forget_row(key)
            if member is not None:
                merged.leave_member(member)
                merged.apportion()
        for key, row in wanted.items():
            if key not in query.rows:
                query.run(row)
                merged.attach_row()

    def begin(self, query: AnyTupleQuery, merged: TupleInput) -> None:
        """Begin with what runs a query, as the columns of the events are known.

        QueryError: it does not make sense for them; the rest has begun.
        """
        errors = list(self._begin_each(query, merged))
        merged.apportion()
        raise_first(errors)

    def _part(self, query: AnyFormulaQuery, rows: Iterable[ConstantRow], merged: TupleInput) -> Iterator[QueryError]:
        """Let some rows, or queries of a family, run by themselves; those of the family begin, too."""
        if isinstance(query, ParametricTupleQuery):
            query.part(rows)
        elif isinstance(query, TupleFamily):
            for one in query.part({row_key(row) for row in rows}):
                alone = formula_query(self.query(one.name, one.prepared))
                self.core.start(alone, merged)
                for member in alone.members:
                    yield from self._begin_member(alone, member, merged)
            if not query.queries:
                self.core.stop(query)

    def count_apart(self) -> None:
        """Let queries be counted by themselves, by totals, whose matches are too many; they have begun, and no more."""
        for query in self.core.at_work:
            merged = self.input_of(query)
            if isinstance(query, RunningRowPattern):
                continue
            for member in [one for one in query.members if isinstance(one, RuleQuery) and one.repeats]:
                merged.leave_member(member)
                raise_first(list(self._part(query, list(member.rows.values()), merged)))
                self.begin(query, merged)

    def _begin_member(self, query: AnyFormulaQuery, member: TupleQuery, merged: TupleInput) -> Iterator[QueryError]:
        wanted = (*member.prepared.columns, *self.named_columns, *member.extra)
        self._needed = None
        try:
            with about_query(member.called or member.name):
                schema = self.columns.fixed(self.columns.names if member.remembers else wanted, wanted)
                if isinstance(member, RuleQuery):
                    yield from self._part(query, member.misfits(schema, member.rows.values()), merged)
                if not isinstance(member, RuleQuery) or member.rows:
                    self.begin_with(member, merged, schema, merged.position)
        except QueryError as error:
            member.end(error)
            yield error

    def _begin_each(self, query: AnyTupleQuery, merged: TupleInput) -> Iterator[QueryError]:
        if isinstance(query, RunningRowPattern):
            if not (query.has_begun or query.is_over):
                yield from self._begin_row_pattern(query, merged)
            return
        for member in unbegun(query):
            yield from self._begin_member(query, member, merged)

    def _begin_row_pattern(self, query: RunningRowPattern, merged: TupleInput) -> Iterator[QueryError]:
        self._needed = None
        try:
            with about_query(query.name):
                self.columns.fixed(self.named_columns, self.named_columns)
                query.begin(self.names_of(query.prepared), self.columns, merged.position)
        except QueryError as error:
            query.end(error)
            yield error
        others = (one for one in self.core.at_work if isinstance(one, RunningRowPattern))
        self.wants_names = not all(one.has_begun or one.is_over for one in others)

    def begin_with(self, query: TupleQuery, merged: TupleInput, schema: pyarrow.Schema, first: int) -> None:
        """Begin with a query on events with these columns, the first one at a position; QueryError as of ``begin``."""
        prepared, plan = query.prepared, query.prepared.plan_for(schema)
        evaluation, asked = self._evaluation(query, plan, schema, first)
        reading = QueryReading(prepared.query, plan, atoms_of(asked, self._own(prepared)), evaluation)
        query.begin(plan, evaluation, reading, schema, first)
        merged.read_by(query)

    def _evaluation(
        self, query: TupleQuery, plan: RecognitionPlan, schema: pyarrow.Schema, first: int
    ) -> tuple[Evaluation, RecognitionPlan]:
        """What evaluates a query, and the plan with what it asks of events before that."""
        asked, integers = query.prepared.query, self.setting.integers
        remembered = schema.names if query.remembers else query.extra
        if isinstance(query, RuleQuery):
            conditions = rule_conditions(plan)
            split = replace(plan, atoms=conditions.atoms)
            check_reading(asked, split, schema)
            return query.selection(split, conditions, schema, first, remembered, integers), split
        check_reading(asked, plan, schema)
        if asked.aggregates:
            return AggregatingQuery(asked, plan, schema, first, integers), plan
        part = 0.0 if self.bound is None else self.bound.sample
        sampling = Sampling(part, int(query.prepared.fingerprint[:16], 16)) if part else None
        return SelectionQuery(asked, plan, schema, first, remembered, integers, self.evaluation, sampling), plan

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that the queries read, and those that say what the events are."""
        if self._needed is None:
            going = [query.prepared for query in self.core.at_work if not query.error]
            found = [name for prepared in going for name in self._columns_of(prepared)]
            self._needed = tuple(dict.fromkeys([*self.named_columns, *found]))
        return self._needed

    def _columns_of(self, prepared: AnyPrepared) -> Sequence[str]:
        """What a query reads; one in SQL of the columns that are known, if it makes sense of these."""
        if isinstance(prepared, Prepared):
            return prepared.columns
        try:
            return prepared.asked(self.names_of(prepared))
        except QueryError:  # it will tell when it begins
            return ()

    def names_of(self, prepared: PreparedRowPattern) -> Sequence[str]:
        """The columns of the rows of a query in SQL that are known."""
        return self.names.get(prepared.query.table if self.setting.has_names else "", ())

    def hear_of(self, stream: str, names: Iterable[str]) -> None:
        """Rows of a stream have these columns."""
        known = self.names.get(stream, ())
        if not all(name in known for name in names):
            self.names[stream] = tuple(dict.fromkeys([*known, *names]))
            self._needed = None

    @property
    def complete(self) -> bool:
        """Whether nothing was left out so far, to keep work within its bound."""
        return all(query.shed.is_nothing for query in self.core.running.values())

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that have types, streams and times."""
        naming = self.setting.naming
        stream = STREAM if self.setting.has_names else naming.stream_column
        return tuple(name for name in (naming.type_column, stream, self.setting.time) if name is not None)

    def check_streams(self, prepared: AnyPrepared) -> None:
        """QueryError for events of a stream that has no name, or is none."""
        asked, setting = prepared.query, self.setting
        has_column = setting.naming.stream_column is not None
        if len(asked.streams) > 1 and not (setting.has_names or has_column):
            hint = "give each of them a source, or say which column has the streams of the events (stream)"
            several = ", ".join(asked.streams)
            raise QueryError(f"FROM names several streams ({several}), but there is one source", hint=hint)
        own = self._own(prepared)
        known = asked.streams or (setting.known or () if setting.has_names else (own,) if own else ())
        for stream, type_ in prepared.of_streams:
            is_open = not known and (has_column or setting.has_names)
            if stream in known or is_open:
                continue
            message = f"{stream}>{type_} asks for a stream"
            if known:
                raise QueryError(f"{message} that is none; {did_you_mean(stream, known)}")
            hint = f"FROM {stream} gives them that name"
            raise QueryError(f"{message}, but that of the events has no name", hint=hint)

    def check_named_columns(self) -> None:
        """QueryError: types or streams are in a column that has no texts."""
        naming = self._naming
        for name, role in ((naming.type_column, "types"), (naming.stream_column, "streams")):
            if name is not None and name != STREAM:
                check_text_column(name, role, self.columns.schema)

    def input_of(self, query: AnyTupleQuery) -> TupleInput:
        """The input that a query reads, or read."""
        return next(merged for merged in self.inputs if query in merged.all_queries)

    # ── what it tells ────────────────────────────────────────────────────────────────────────────────────
    def statistics(self, counters: Mapping[str, StreamCounters]) -> Statistics:
        """``streams`` and ``queries`` by name, fit for JSON; times are ISO 8601, the stream without a name is "".

        A stream has ``events`` (all rows that came with a time, late ones too), ``late``, ``skipped``,
        ``newest_event``, ``watermark`` and ``closed``.  A query has ``results``, ``events`` (those it has seen),
        ``waiting_events`` (in the buffer), ``held_back_by`` (the stream that these wait for), the counters of its
        kernel, ``error`` if it could not go on, and ``why`` if there was no result.
        """
        clocks, none = self.core.clocks, StreamCounters()
        return {
            "streams": {name: counters.get(name, none).statistics(clock) for name, clock in clocks.items()},
            "queries": {
                name: query_statistics(self.input_of(query), query, name) for name, query in self.core.running.items()
            },
        }

    # ── inputs ───────────────────────────────────────────────────────────────────────────────────────────
    def reads(self, stream: str) -> bool:
        """Whether a query reads a stream, or one that would be new."""
        return any(merged.is_open or stream in merged.numbers for merged in self.inputs)

    def new_input(self, streams: tuple[str, ...], position: int) -> TupleInput:
        """One of these streams (none: of all) without queries, whose next event is at a position."""
        named = streams and not self._of_column
        clocks = [self.core.clock(name) for name in streams] if named else self.core.clocks.values()
        has_times = self.setting.time is not None
        if self.bound is not None and self.bound.latency is not None:
            return PacedTupleInput(
                streams, clocks, self._naming, self._of_column, has_times, position, self, self.bound
            )
        return TupleInput(streams, clocks, self._naming, self._of_column, has_times, position, self, self.bound)

    def _streams(self, prepared: AnyPrepared) -> tuple[str, ...]:
        return prepared.query.streams if self._of_column or self.setting.has_names else ()

    def _position(self, streams: tuple[str, ...], alike: list[TupleInput]) -> int:
        """Where a new input begins to count: behind all events of its streams that came before."""
        if alike:
            return max(merged.position + merged.ahead for merged in alike)
        clocks = self.core.clocks
        names = streams if streams and self.setting.has_names else clocks
        return sum(clocks[name].events - clocks[name].late for name in names if name in clocks)

    @property
    def _of_column(self) -> bool:
        """Whether a column has the streams of the events."""
        return self.setting.naming.stream_column is not None and not self.setting.has_names

    @property
    def _naming(self) -> Naming:
        naming = self.setting.naming
        return Naming(naming.type_column, naming.relation, STREAM) if self.setting.has_names else naming

    def _own(self, prepared: AnyPrepared) -> str | None:
        """What a query calls the one stream that there is."""
        if self.setting.has_names or self.setting.naming.stream_column is not None:
            return None
        return prepared.query.streams[0] if prepared.query.streams else self.setting.own


def raise_first(errors: list[QueryError]) -> None:
    """The first of some errors, if there is one; queries that have ended tell the others."""
    for error in errors[:1]:
        raise error


def unbegun(query: AnyFormulaQuery) -> Iterator[TupleQuery]:
    """What runs a query and has not begun, as long as there is something."""
    while some := [one for one in query.members if not (one.has_begun or one.is_over or one.is_empty)]:
        yield from some


@contextmanager
def about_query(name: str) -> Iterator[None]:
    """Within, errors of queries without a place are about the one of that name."""
    try:
        yield
    except QueryError as error:
        error.location = replace(error.location, path=error.location.path or name)
        raise
