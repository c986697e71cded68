"""Many queries on the events of one or several streams: who reads them, in which order, and what comes of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pyarrow

from spaseq.errors import Location, QueryError, StreamError
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.sources.tables.types import Integers
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import LEAST
from spaseq.suggestion import did_you_mean
from spaseq.tuples.aggregates.aggregation import AggregatingQuery
from spaseq.tuples.columns.rows import Rows
from spaseq.tuples.columns.schema import STREAM, ColumnTypes
from spaseq.tuples.encoding.batches import EncodedBatch, check_text_column
from spaseq.tuples.encoding.encoder import QueryReading, check_reading
from spaseq.tuples.encoding.symbol_groups import Naming, Setting
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.prepared import Prepared, atoms_of
from spaseq.tuples.selection.selecting import SelectingQuery
from spaseq.tuples.streamset import Entry, Found, Running, TupleStreamset, in_order, with_stream

BatchStep = Callable[[Any, EncodedBatch], Iterable[object]]


@dataclass(slots=True, eq=False)
class RegisteredQuery:
    """A query that is registered, and what it comes to once it has begun."""

    name: str
    prepared: Prepared
    remembers: bool = False  # all columns of the events that its results pick
    kept: tuple[str, ...] = ()  # or some columns, beside those that it shows
    plan: RecognitionPlan | None = None
    entry: Entry | None = None
    streamset: TupleStreamset | None = None
    refused: str = ""  # why it could not begin

    @property
    def error(self) -> str:
        """Why it does not go on; "": it does."""
        return self.refused or ("" if self.entry is None else self.entry.error)


@dataclass(slots=True, eq=False)
class TupleCore:
    """Queries on events that are taken batch by batch; ``step`` is what is done with a batch for each of them."""

    setting: Setting
    columns: ColumnTypes
    step: BatchStep = lambda running, batch: running.batches(batch)
    queries: dict[str, RegisteredQuery] = field(default_factory=dict)
    clocks: dict[str, StreamClock] = field(default_factory=dict)
    streamsets: list[TupleStreamset] = field(default_factory=list)
    promised: int = LEAST  # of any stream
    events: int = 0
    errors: list[StreamError | QueryError] = field(default_factory=list)  # of queries that cannot go on
    _new: list[RegisteredQuery] = field(default_factory=list)  # have not begun
    _needed: tuple[str, ...] | None = None
    _units: deque[Iterator[Found]] = field(default_factory=deque)

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def add(self, query: RegisteredQuery) -> None:
        """Run a query on the events that come from now on; QueryError: its streams are none of the events."""
        self.check_streams(query.prepared)
        query.streamset = self._streamset(query.prepared)
        self.queries[query.name] = query
        self._new.append(query)
        self._needed = None
        for stream in query.prepared.query.streams if self.setting.has_names else ():
            self.clock(stream)

    def remove(self, name: str) -> None:
        """Forget a query."""
        query = self.queries.pop(name)
        self._new = [other for other in self._new if other is not query]
        self._needed = None
        if query.streamset is not None and query.entry is not None:
            query.streamset.remove(query.entry)
        used = {id(other.streamset) for other in self.queries.values()}
        self.streamsets = [streamset for streamset in self.streamsets if id(streamset) in used]

    def start(self, query: RegisteredQuery) -> None:
        """Begin with a query, as the columns of the events are known; QueryError: it does not make sense for them."""
        if query.entry is not None:
            return
        assert query.streamset is not None
        prepared, first = query.prepared, query.streamset.position
        wanted = (*prepared.columns, *self.named_columns, *query.kept)
        with about_query(query.name):
            schema = self.columns.fixed(self.columns.names if query.remembers else wanted, wanted)
            self.begin_with(query, schema, first)

    def begin_with(self, query: RegisteredQuery, schema: pyarrow.Schema, first: int) -> Entry:
        """Begin with a query on events with these columns, the first one at a position; QueryError as of ``start``."""
        assert query.streamset is not None
        prepared = query.prepared
        query.plan = plan = prepared.plan_for(schema)
        check_reading(prepared.query, plan, schema)
        remembered = schema.names if query.remembers else query.kept
        running = _running(prepared, plan, schema, first, remembered, self.setting.integers)
        reading = QueryReading(prepared.query, plan, atoms_of(plan, self._own(prepared)), running)
        query.entry = Entry(query.name, running, reading, schema, first)
        query.streamset.add(query.entry)
        return query.entry

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that the queries read, and those that say what the events are."""
        if self._needed is None:
            going = [query for query in self.queries.values() if not query.error]
            found = [name for query in going for name in query.prepared.columns]
            self._needed = tuple(dict.fromkeys([*self.named_columns, *found]))
        return self._needed

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that have types, streams and times."""
        naming = self.setting.naming
        stream = STREAM if self.setting.has_names else naming.stream_column
        return tuple(name for name in (naming.type_column, stream, self.setting.time) if name is not None)

    def check_streams(self, prepared: Prepared) -> None:
        """QueryError for events of a stream that has no name, or is none."""
        asked, setting = prepared.query, self.setting
        has_column = setting.naming.stream_column is not None
        if len(asked.streams) > 1 and not (setting.has_names or has_column):
            hint = "give each of them a source, or say which column has the streams of the events (stream)"
            several = ", ".join(asked.streams)
            raise QueryError(f"FROM names several streams ({several}), but there is one source", hint=hint)
        own = self._own(prepared)
        known = asked.streams or (setting.known or () if setting.has_names else (own,) if own else ())
        for kind in prepared.plan.atoms:
            is_open = not known and (has_column or setting.has_names)
            if kind.stream is None or kind.stream in known or is_open:
                continue
            message = f"{kind.stream}>{kind.type} asks for a stream"
            if known:
                raise QueryError(f"{message} that is none; {did_you_mean(kind.stream, known)}")
            hint = f"FROM {kind.stream} gives them that name"
            raise QueryError(f"{message}, but that of the events has no name", hint=hint)

    @property
    def is_settled(self) -> bool:
        """Whether all results are taken, and errors told."""
        return not self._units and not self.errors

    def add_again(self, query: RegisteredQuery, streamset: TupleStreamset) -> None:
        """After a restore: a query of one of ``streamsets``; QueryError: its streams are none of the events."""
        self.check_streams(query.prepared)
        query.streamset = streamset
        self.queries[query.name] = query

    def reopen(self, stream: str, latest: int) -> int:
        """After a restore: more may come of a stream that had ended, whose last event had the time ``latest``.

        Gives the time that nothing of it may be before.
        """
        clock = self.clock(stream)
        if clock.closed:
            reached = (streamset.time for streamset in self.streamsets if streamset.time is not None)
            clock.closed, clock.watermark = False, max([latest, *reached])
        return max(latest, clock.watermark)

    def new_streamset(self, streams: tuple[str, ...], position: int) -> TupleStreamset:
        """One of these streams (none: of all) without queries, whose next event is at a position."""
        return TupleStreamset(streams, self._named(), position, self._of_column)

    @property
    def _of_column(self) -> bool:
        """Whether a column has the streams of the events."""
        return self.setting.naming.stream_column is not None and not self.setting.has_names

    def check_named_columns(self) -> None:
        """QueryError: types or streams are in a column that has no texts."""
        naming = self._named()
        for name, role in ((naming.type_column, "types"), (naming.stream_column, "streams")):
            if name is not None and name != STREAM:
                check_text_column(name, role, self.columns.schema)

    def wait_for_events(self, query: RegisteredQuery) -> None:
        """After a restore: the query has not begun."""
        self._new.append(query)

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def clock(self, stream: str) -> StreamClock:
        """The clock of a stream: one that is new is no earlier than what has had its turn."""
        if stream not in self.clocks:
            self.clocks[stream] = clock = StreamClock(stream)
            reached = [
                streamset.time
                for streamset in self.streamsets
                if not streamset.streams and streamset.time is not None and self.setting.has_names
            ]
            clock.promise(max([self.promised, *reached]))
        return self.clocks[stream]

    def take(self, stream: str, times: Times | None, batch: Rows) -> None:
        """Events of a stream came, none of them late; ``settle`` says what they decide."""
        self.events += batch.num_rows
        if self.setting.has_names:
            batch = with_stream(batch, stream)
        batch = self.columns.aligned(batch, f"<stream {stream}>" if stream else "<stream>")
        for streamset in self.streamsets:
            if not batch.num_rows or not streamset.reads(stream):
                continue
            if times is None or streamset.lets_pass(stream, times, self.clocks):
                self.begin(streamset)
                self._enqueue(streamset, times, batch)
            else:
                streamset.add_events(stream, times, batch)

    def settle(self) -> None:
        """Give the queries the events whose turn it is."""
        for streamset in self.streamsets if self.setting.time is not None else ():
            if due := streamset.due(self.clocks):
                self.begin(streamset)
                aligned = [(times, self.columns.aligned(batch)) for times, batch in streamset.taken(due)]
                self._enqueue(streamset, *in_order(aligned))

    def begin(self, streamset: TupleStreamset) -> None:
        """Begin with the queries of a streamset, of which the first events have their turn."""
        if not self._new:
            return
        for query in [query for query in self._new if query.streamset is streamset]:
            self._new.remove(query)
            try:
                self.start(query)
            except QueryError as error:
                query.refused, self._needed = error.message, None
                self.errors.append(error)

    def results(self) -> Iterator[Found]:
        """What the events come to, by the names of queries; what is not taken comes with a later call.

        QueryError, StreamError, when all is taken: a query cannot go on, with the columns or values that there are.
        """
        while self._units:
            try:
                found = next(self._units[0])
            except StopIteration:
                self._units.popleft()
                continue
            except Exception:
                self._units.popleft()
                raise
            yield found
        if self.errors:
            first = self.errors[0]
            self.errors.clear()  # units have this list
            raise first

    def _enqueue(self, streamset: TupleStreamset, times: Times | None, batch: Rows) -> None:
        unit = streamset.unit(times, self.columns.aligned(batch))
        if unit is not None:
            self._units.append(streamset.run(unit, self._step, self.errors))

    def _step(self, running: Running, batch: EncodedBatch) -> Iterable[object]:
        return self.step(running, batch)

    def _streamset(self, prepared: Prepared) -> TupleStreamset:
        """The one that a new query belongs to: that of others, if nothing waits there that it must not see."""
        streams = prepared.query.streams if self._of_column or self.setting.has_names else ()
        alike = [streamset for streamset in self.streamsets if streamset.streams == streams]
        joinable = next((streamset for streamset in alike if streamset.may_be_joined), None)
        if joinable is not None:
            return joinable
        made = self.new_streamset(streams, self._position(streams, alike))
        self.streamsets.append(made)
        return made

    def _position(self, streams: tuple[str, ...], alike: list[TupleStreamset]) -> int:
        """Where a new streamset begins to count: behind all events of its streams that came before."""
        if alike:
            return max(streamset.position + streamset.waits for streamset in alike)
        names = streams if streams and self.setting.has_names else self.clocks
        return sum(self.clocks[name].events - self.clocks[name].late for name in names if name in self.clocks)

    def _named(self) -> Naming:
        naming = self.setting.naming
        return Naming(naming.type_column, naming.relation, STREAM) if self.setting.has_names else naming

    def _own(self, prepared: Prepared) -> str | None:
        """What a query calls the one stream that there is."""
        if self.setting.has_names or self.setting.naming.stream_column is not None:
            return None
        return prepared.query.streams[0] if prepared.query.streams else self.setting.own


@contextmanager
def about_query(name: str) -> Iterator[None]:
    """Within, errors of queries without a place are about the one of that name."""
    try:
        yield
    except QueryError as error:
        error.location = error.location if error.location.path else Location(name)
        raise


def _running(
    prepared: Prepared,
    plan: RecognitionPlan,
    schema: pyarrow.Schema,
    first: int,
    remembered: Sequence[str],
    integers: Integers,
) -> Running:
    if prepared.query.aggregates:
        return AggregatingQuery(prepared.query, plan, schema, first, integers)
    return SelectingQuery(prepared.query, plan, schema, first, remembered, integers)
