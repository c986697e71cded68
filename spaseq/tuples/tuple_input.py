"""The merged input of queries on tables: each batch is encoded once, for all of them, with positions in the whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyarrow
import pyarrow.compute

from spaseq.errors import QueryError
from spaseq.runtime.bounded import Bound
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.reorder import Released, by_time_and_stream
from spaseq.runtime.snapshot.validation import COUNT, TIME, AnyNames, Shape
from spaseq.sources.tables.types import CODED_TEXT, read_type
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Loss
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.rows import FewRows, Rows, behind_each_other
from spaseq.tuples.columns.schema import STREAM, ColumnTypes
from spaseq.tuples.columns.serialisation import distinct, integers_read, numbers_stored, require, rows_read, rows_stored
from spaseq.tuples.encoding.encoder import ENCODER, BatchEncoder, Encoded
from spaseq.tuples.encoding.symbol_groups import Naming
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.table_query import Allowed
from spaseq.tuples.tuple_bounds import part_of
from spaseq.tuples.tuple_query import TupleQuery

FEW = 64  # texts of a dictionary that are kept without a thought


@dataclass(slots=True, eq=False)  # not frozen, as one is made for each row that is pushed
class TableBatch:
    """Rows of a ``stream`` with their ``times`` (µs; whatever, where events have none).

    ``types`` are those of all columns that are known.
    """

    stream: str
    times: Times
    rows: Rows
    types: ColumnTypes

    def __len__(self) -> int:
        return len(self.times)

    def _with(self, times: Times, rows: Rows) -> TableBatch:
        return TableBatch(self.stream, times, rows, self.types)

    def part(self, start: int, stop: int) -> TableBatch:
        """See ``Batch``."""
        return self._with(self.times[start:stop], self.rows.slice(start, stop - start))

    def take(self, chosen: Times) -> TableBatch:
        """See ``Batch``."""
        return self._with(self.times[chosen], self.rows.take(pyarrow.array(chosen)))

    def compact(self) -> TableBatch:
        """See ``Batch``; of Arrow's columns, dictionaries have what is there."""
        return self if isinstance(self.rows, FewRows) else self._with(self.times, without_unused(self.rows))

    def is_like(self, other: TableBatch) -> bool:
        """See ``Batch``."""
        one, another = self.rows.schema, other.rows.schema
        return one is another or bool(one.equals(another))

    def joined(self, others: Sequence[TableBatch]) -> TableBatch:
        """See ``Batch``.  StreamError: a number of one of them has no equal of its column's type by now."""
        if not others:
            return self
        every = [self, *others]
        alike = all(map(self.is_like, others))
        rows = [each.rows if alike else self.types.aligned(each.rows) for each in every]
        return self._with(np.concatenate([each.times for each in every]), concatenated(rows))

    def aligned(self, where: str = "<streams>") -> TableBatch:
        """The same with all columns that are known.  StreamError as of ``ColumnTypes.aligned``."""
        rows = self.types.aligned(self.rows, where)
        return self if rows is self.rows else self._with(self.times, rows)

    def named(self) -> TableBatch:
        """The same with the name of the stream as a column."""
        if isinstance(self.rows, FewRows):
            return self._with(self.times, self.rows.with_column(pyarrow.field(STREAM, CODED_TEXT), self.stream))
        codes = np.zeros(self.rows.num_rows, np.int32)
        names = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array([self.stream]))
        columns, heads = [*self.rows.columns, names], [*self.rows.schema.names, STREAM]
        return self._with(self.times, pyarrow.record_batch(columns, names=heads))


def _is_fed(member: TupleQuery | RunningRowPattern) -> bool:
    return member.is_fed if isinstance(member, RunningRowPattern) else member.reading is not None


def of_arrow(rows: Rows) -> pyarrow.RecordBatch:
    """Rows as a batch of Arrow."""
    return rows.batch() if isinstance(rows, FewRows) else rows


def concatenated(rows: Sequence[Rows]) -> Rows:
    """Rows of the same columns, one behind the other; dictionaries are made one."""
    few = [each for each in rows if isinstance(each, FewRows)]
    if len(few) == len(rows):
        return behind_each_other(few)
    batches = [without_unused(of_arrow(each)) for each in rows]
    table = pyarrow.Table.from_batches(batches).unify_dictionaries().combine_chunks()
    (batch,) = table.to_batches() or [batches[0].slice(0, 0)]
    return batch


def without_unused(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The same with dictionaries of what is there, if they have much else, which nothing would ever let go of."""
    for place, column in enumerate(batch.columns):
        if isinstance(column, pyarrow.DictionaryArray) and len(column.dictionary) > 2 * len(column) + FEW:
            encoded = column.dictionary_decode().dictionary_encode().cast(column.type)
            batch = batch.set_column(place, batch.schema.field(place), encoded)
    return batch


WAITING: Shape = [{"times": bytes, "rows": bytes}]
INPUT_STATE: Shape = {
    "streams": [str], "position": COUNT, "time": [TIME], "events": COUNT, "entries": [str],
    "waiting": AnyNames(WAITING), "encoder": ENCODER,
}  # fmt: skip


class Beginner(Protocol):
    """What knows the columns of events, and which streams there may be."""

    promised: int

    @property
    def has_names(self) -> bool:
        """Whether streams have names, so that others may come."""

    def begin(self, query: AnyTupleQuery, merged: TupleInput) -> None:
        """Begin with a query.  QueryError: it does not make sense for the columns that events have."""


class TupleInput(MergedInput[TableBatch, Any, AnyTupleQuery]):
    """Rows of streams (none are ``asked``: of all) in the order of time, then of streams, then of arrival.

    ``chosen``: the column of ``naming`` has the streams, and rows of others than those asked for are left out.
    ``position`` is that of the next event, ``time`` that of the last one in microseconds (None: they have none).
    """

    passes = True

    def __init__(
        self, asked: tuple[str, ...], clocks: Iterable[StreamClock], naming: Naming, chosen: bool, has_times: bool,
        position: int, kind: Beginner, bound: Bound | None = None,
    ) -> None:  # fmt: skip
        super().__init__(clocks, by_time_and_stream)
        self.asked = asked
        self.position = position
        self.time: int | None = None
        self.events = 0
        self.encoder = BatchEncoder(naming)
        self._naming = naming
        self._chosen = chosen
        self._has_times = has_times
        self._kind = kind
        self._bound = bound
        self.work = 0.0 if bound is None else bound.units  # that an event may take on an average, for all queries,
        self.at_once = 0.0  # and a single one; 0: as much as is the rule
        self._new = False  # a query has not begun
        self._hears_of_time = False  # some query decides by time, or at the end

    @property
    def takes_all(self) -> bool:
        """Whether it has all streams that there are, be it that a column has others."""
        return self._chosen or not self.asked

    @property
    def is_open(self) -> bool:
        """Whether a stream that is not known yet would belong to it."""
        return not (self._chosen or self.asked)

    @property
    def may_be_joined(self) -> bool:
        """See ``MergedInput``."""
        return super().may_be_joined and not self._rest

    def join(self, clock: StreamClock) -> None:
        """A stream that was not known belongs to it, too."""
        self.numbers[clock.iri] = len(self.clocks)
        self.clocks.append(clock)
        self.buffer.add_stream()

    def attach(self, query: AnyTupleQuery) -> None:
        """See ``MergedInput``: it begins with the next event."""
        self._new = True
        self._hears_of_time |= isinstance(query, RunningRowPattern)
        super().attach(query)

    def attach_row(self) -> None:
        """A row came to a query: it begins with the next event, too."""
        self._new = True

    def _leave(self, query: AnyTupleQuery) -> None:
        for member in query.members if query in self.queries else ():
            self.leave_member(member)
        super()._leave(query)
        self.apportion()

    def leave_member(self, member: TupleQuery | RunningRowPattern) -> None:
        """Feed it no more."""
        if isinstance(member, RunningRowPattern):
            member.is_fed = False
        elif member.reading is not None:
            self.encoder.remove(member.reading)
            member.reading = None

    def read_by(self, query: TupleQuery) -> None:
        """A query has begun."""
        assert query.reading is not None
        assert query.schema is not None
        self.encoder.add(query.reading, query.schema)

    def apportion(self) -> None:
        """Give each query its part of the work that events may take; the rows of one share it."""
        if self._bound is None:
            return
        for query in self.queries:
            running = [member for member in query.members if not member.is_over]
            for member in running:
                if member.has_begun:
                    part = part_of(self._bound, query, self.queries) / len(running)
                    member.bound_work(Allowed(part * self.work, part * self.at_once))

    def told(self) -> dict[str, Any]:
        """What it tells beside what its queries do."""
        return {}

    def losses(self, query: AnyTupleQuery) -> list[Loss]:
        """The events that a query can have in no match, whatever its constants are, and what was left out of it."""
        readings = () if isinstance(query, RunningRowPattern) else (member.reading for member in query.members)
        first = next((reading for reading in readings if reading is not None), None)
        lost = [] if first is None else self.encoder.losses(first, self.events)
        return [*lost, *query.shed.losses(query.name or "the query")]

    @property
    def ahead(self) -> int:
        """How many events came that have no position yet."""
        return len(self.buffer) + sum(map(len, self.turns))

    def reached(self, watermarks: Sequence[int]) -> int:
        """See ``MergedInput``: a stream that is not known yet is no earlier than what has had its turn."""
        found = list(watermarks)
        if self._kind.has_names and self.is_open:
            found.append(max(self._kind.promised, LEAST if self.time is None else self.time))
        return min(found, default=self._kind.promised)

    def slowest(self) -> str | None:
        """The stream that the others wait for; None: there is one alone."""
        return min(self.clocks, key=lambda clock: clock.watermark).iri if len(self.clocks) > 1 else None

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def add(self, events: TableBatch) -> None:
        """See ``MergedInput``; where there are no times, rows have their turn as they come."""
        if not self._has_times:
            self.turns.append(events)
            return
        super().add(events)
        if self.turns:
            self.time = int(self.turns[-1].times[-1])

    def settle(self) -> list[AnyTupleQuery]:
        """See ``MergedInput``: where nothing waits, time decides nothing but for queries in SQL."""
        if self.buffer or self._hears_of_time:
            return super().settle()
        return self._asked() if self._rest else []

    def note(self, query: AnyTupleQuery) -> None:
        """See ``MergedInput``: a query in CEQL has nothing to do before the next event."""
        if self._hears_of_time:
            super().note(query)

    def _feed(self, released: Released[TableBatch]) -> dict[AnyTupleQuery, None]:
        return self._feed_turn(_merged(released))

    def _feed_turn(self, events: TableBatch) -> dict[AnyTupleQuery, None]:
        if self._new:
            self._begin_all()
        events = events.aligned()
        if self._chosen and self.asked:
            events = self._chosen_of(events)
        count = len(events.times)
        if not count:
            return {}
        first, self.position = self.position, self.position + count
        self.events += count
        if self._has_times:
            self.time = int(events.times[-1])
        times = events.times if self._has_times else np.arange(first, self.position, dtype=np.int64)
        encoded = self.encoder.encoded(times, events.rows, first)
        for query in self.queries:
            self._feed_members(query, encoded)
        return dict.fromkeys(self.queries)

    def _feed_members(self, query: AnyTupleQuery, encoded: Encoded) -> None:
        for member in query.members:
            if member.is_over:
                self.leave_member(member)
            elif isinstance(member, RunningRowPattern):
                if member.is_fed:
                    member.feed(encoded)
            elif member.reading is not None:
                member.fed.append(encoded.of(member.reading))
                query.note_fed(member)

    def _begin_all(self) -> None:
        self._new = False
        for query in self.queries:
            with suppress(QueryError):  # what does not begin has told why
                self._kind.begin(query, self)

    def _chosen_of(self, events: TableBatch) -> TableBatch:
        """The events of the streams that are asked for."""
        column = events.rows.column(self._naming.stream_column)
        if pyarrow.types.is_null(column.type):
            return events.part(0, 0)
        chosen = pyarrow.compute.is_in(column, pyarrow.array(self.asked)).to_numpy(zero_copy_only=False)
        return events.take(np.flatnonzero(chosen))

    def _settled(self) -> None:
        if not self._rest:
            self.encoder.forget()

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    def state(self) -> dict[str, Any]:
        """What is known of the events, as INPUT_STATE."""
        waiting: dict[str, list[dict[str, Any]]] = {}
        for number, events in self.buffer.runs():
            rows = rows_stored(without_unused(of_arrow(events.rows)))
            waiting.setdefault(self.clocks[number].iri, []).append(
                {"times": numbers_stored(events.times), "rows": rows}
            )
        return {
            "streams": list(self.asked),
            "position": self.position,
            "time": [] if self.time is None else [self.time],
            "events": self.events,
            "entries": [
                next(iter(query.names)) for query in self.queries if any(_is_fed(member) for member in query.members)
            ],
            "waiting": waiting,
            "encoder": self.encoder.state(),
        }

    def restore(self, state: dict[str, Any], types: ColumnTypes) -> None:
        """Go on where ``state`` was taken, with the same queries; SnapshotError: it cannot be."""
        self.events = state["events"]
        self.encoder.restore(state["encoder"])
        least = LEAST if self.time is None else self.time
        for stream, runs in state["waiting"].items():
            require(stream in self.numbers, "events wait that nobody reads")
            for run in runs:
                self.buffer.add_run(self.numbers[stream], _run(stream, run, least, types))

    def check_time(self) -> None:
        """SnapshotError: events may come that are older than what has had its turn."""
        late = self.time is not None and any(clock.watermark < self.time for clock in self.clocks)
        require(not late, "events had their turn too early")


def _run(stream: str, run: dict[str, Any], least: int, types: ColumnTypes) -> TableBatch:
    """Events that wait, of which none is before ``least``; SnapshotError: they cannot be."""
    rows = rows_read(run["rows"])
    times = integers_read(run["times"], rows.num_rows)
    require(len(times) > 0 and bool((times[1:] >= times[:-1]).all()), "events that wait are not in order")
    require(bool(times[0] >= least), "events wait that came too late")
    require(all(read_type(one.name, one.type) == one.type for one in rows.schema), "columns are of other types")
    distinct(rows.schema.names)
    return TableBatch(stream, times, rows, types)


def _merged(released: Released[TableBatch]) -> TableBatch:
    """Events of several streams as one batch, in order."""
    if len(released.parts) == 1:
        return released.parts[0][1]
    parts = [events.aligned() for _, events, _ in released.parts]
    order = np.argsort(np.concatenate([places for _, _, places in released.parts]))
    rows = concatenated([events.rows for events in parts]).take(pyarrow.array(order))
    return TableBatch("", released.times, rows, parts[0].types)
