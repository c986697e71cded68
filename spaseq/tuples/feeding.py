"""Sources of tuples that are read to their end, as the events of queries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import pyarrow

from spaseq.errors import OptionError, SnapshotError
from spaseq.plan.description import evaluation_of
from spaseq.runtime.bounded import Bound
from spaseq.runtime.core import How
from spaseq.runtime.guards import Soundness
from spaseq.runtime.live import OpenSource, wait_for
from spaseq.runtime.message_sources import PartitionState
from spaseq.runtime.run import Steps
from spaseq.runtime.snapshot.container import TUPLES, flattened, inflated
from spaseq.runtime.snapshot.validation import AnyNames, Maybe, Shape, misfits, validated
from spaseq.sources.tables.columns import with_fields
from spaseq.sources.tables.source import LeftOut
from spaseq.sources.tables.types import column_named
from spaseq.streams.losses import Loss, counted, were
from spaseq.tuples.adoption import adopting
from spaseq.tuples.columns.schema import COLUMNS, ColumnTypes, common_types
from spaseq.tuples.columns.serialisation import damaged, require, schema_read, schema_stored
from spaseq.tuples.encoding.batches import Roles, check_roles, check_text_column, existing, type_column_of
from spaseq.tuples.encoding.symbol_groups import Setting
from spaseq.tuples.encoding.times import TIMED, Timed, clock_of
from spaseq.tuples.kind import TableKind, about_query
from spaseq.tuples.live_tables import OpenTable
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.queries import AnyPrepared, Prepared, Streams, check_order
from spaseq.tuples.row_pattern_query import RunningRowPattern
from spaseq.tuples.state import CORE, check_restored, core_state, restore_core, with_rows_told
from spaseq.tuples.table_query import Found
from spaseq.tuples.tuple_bounds import check_queries

SOURCE: Shape = {**TIMED, "types": Maybe(bytes)}
FEED: Shape = {"queries": [(str, str)], "columns": COLUMNS, "core": CORE, "sources": AnyNames(SOURCE)}
OnStep: TypeAlias = "Callable[[SourceFeed], float]"  # after how many seconds without rows it wants to be called again


class SourceFeed(Steps):
    """The events of sources on their way to queries; each stream by its name, one that has none by ""."""

    def __init__(
        self,
        kind: TableKind,
        timed: Mapping[str, Timed],
        tables: Mapping[str, OpenTable],
        on_step: OnStep | None = None,
    ) -> None:
        super().__init__(None if on_step is None else partial(on_step, self))
        self.kind = kind
        self.timed = timed
        self._tables = tables
        self._before_end: bytes | None = None  # the state before the sources had ended, which decides matches in SQL
        self._open: dict[str, OpenSource[Any]] | None = None  # that have not ended

    def _wake(self) -> float:
        if self._on_step is None:
            self.release()
        return super()._wake()

    def release(self) -> None:
        """All that was given so far is in a checkpoint: messages of it need not come again."""
        for table in self._tables.values():
            table.release()

    def close(self) -> None:
        """Receive no further messages."""
        for table in self._tables.values():
            table.close()

    @property
    def partitions(self) -> dict[str, dict[str, PartitionState]]:
        """How far messages are worked out, by stream; see ``RunState``."""
        found = {stream: table.state() for stream, table in self._tables.items()}
        return {stream: states for stream, states in found.items() if states}

    @property
    def _left_out(self) -> list[LeftOut]:
        return [table.left_out for table in self._tables.values() if table.left_out is not None]

    @property
    def skipped(self) -> int:
        """Events that were left out so far because their times were wrong, and malformed lines and messages."""
        return sum(each.count for each in self._left_out) + sum(self.untimely.values())

    @property
    def untimely(self) -> dict[str, int]:
        """Events of each stream that were left out because their times were wrong."""
        return {stream: timed.skipped for stream, timed in self.timed.items()}

    def losses(self, name: str) -> list[Loss]:
        """What no match of a query can have so far: events that were left out, are in no partition, or in no window."""
        lost, skipped = (
            [*malformed_lines(self._left_out), *dropped_messages(self._tables.values())],
            sum(self.untimely.values()),
        )
        query = self.kind.core.running[name]
        merged = self.kind.input_of(query)
        if skipped:
            first = next(timed.first for timed in self.timed.values() if timed.skipped)
            came = merged.events
            cause = f"{skipped:,} of the {counted(came + skipped)} {were(skipped)} left out"
            lost.append(Loss(f"{cause}, whose time falls, is missing or malformed", "sort them by time", first))
        return [*lost, *merged.losses(query)]

    def go_on(self, data: bytes, queries: Mapping[str, AnyPrepared], schema: pyarrow.Schema) -> None:
        """Be where ``state`` was taken, as one of which nothing was read; the sources have columns of ``schema``.

        SnapshotError: it was of other queries, sources or columns, or is damaged.
        """
        header = _header(data)
        given = {name: query.fingerprint for name, query in queries.items()}
        for name, fingerprint in header["queries"]:
            if given.get(name) != fingerprint:
                raise SnapshotError(f'it was written with another query "{name}"')
        kind, sources = self.kind, header["sources"]
        with validated():
            require(sources.keys() == self.timed.keys(), "it is of other sources")
            kind.columns.restore(header["columns"])
            restore_core(kind, header["core"], queries)
        check_restored(kind)
        self.kind = kind = self._of_types(schema, queries)
        for stream, timed in self.timed.items():
            comes_again = self._tables[stream].messages is None
            timed.go_on(sources[stream], kind.reopen(stream, sources[stream]["latest"]), comes_again)

    def _of_types(self, schema: pyarrow.Schema, queries: Mapping[str, AnyPrepared]) -> TableKind:
        """What goes on with columns of ``schema``, of which some may have had no values so far.  SnapshotError."""
        kind, nulls = self.kind, self.kind.columns.nulls
        types = {one.name: one.type for one in schema if one.name in nulls and not pyarrow.types.is_null(one.type)}
        if types:
            kind = adopting(kind, types, queries) or kind
        if not kind.columns.has(schema):
            raise SnapshotError("the columns have other types now, as more was read: declare them")
        return kind

    def count_apart(self) -> None:
        """Before the first event: results are only counted (``TableKind.count_apart``)."""
        if self._open is None:
            self.kind.count_apart()

    def results(self, how: How[AnyTupleQuery] | None = None) -> Iterator[Found]:
        """What the queries find in all events, read as results are asked for; ``how``: in which form."""
        if self._open is None:
            self._open = {
                stream: OpenSource(iter(timed), self._tables[stream].incoming) for stream, timed in self.timed.items()
            }
        open_, core = self._open, self.kind.core
        while open_:
            stream = min(open_, key=lambda name: core.clock(name).watermark)
            if not self._is_there(open_[stream]):
                return
            self._is_between = False
            self._take(stream, open_)
            yield from self._step(core.tables(how=how))

    def _is_there(self, source: OpenSource[Any]) -> bool:
        """Wait until something of a source, or its end, is there; False when it has been stopped."""
        while not (self.stopped or source.is_ready()):
            woken = time.monotonic() + self._wake()
            self._wait(partial(wait_for, [source], woken))
        return not self.stopped

    def _take(self, stream: str, open_: dict[str, OpenSource[Any]]) -> None:
        """The next batch of a stream, or its end."""
        clock, has_times = self.kind.core.clock(stream), self.kind.setting.time is not None
        found = open_[stream].read()
        if not found:
            del open_[stream]
            if not open_ and self._on_step is not None:
                self._keep_before_end()
            clock.close()
            return
        ((times, batch),) = found
        if messages := self._tables[stream].messages:
            messages.worked_out(self.timed[stream].rows)
        if not len(times):
            return
        clock.events += len(times)
        self.kind.take(stream, times if has_times else None, batch)
        if has_times:
            clock.promise(int(times[-1]))

    def _keep_before_end(self) -> None:
        """All streams are about to end, which decides matches in SQL: when rows come then, these may be other ones."""
        waiting = [each for each in self.kind.core.at_work if isinstance(each, RunningRowPattern) and each.in_order]
        before = [query.end_is_told for query in waiting]
        for query in waiting:
            query.end_is_told = True
        self._before_end = self._state() if waiting else None
        for query, told in zip(waiting, before, strict=True):
            query.end_is_told = told

    def state(self) -> bytes:
        """Where it is, between two steps; OptionError: results wait."""
        if not self._is_between:
            raise OptionError("results wait: take them all first")
        return self._state() if self._before_end is None else self._before_end

    def _state(self) -> bytes:
        kind, sections = self.kind, dict[str, bytes]()
        state = {
            "queries": [[name, query.named(name).prepared.fingerprint] for name, query in kind.core.running.items()],
            "columns": kind.columns.state(),
            "core": core_state(kind),
            "sources": {stream: timed.state() | self._types(stream) for stream, timed in self.timed.items()},
        }
        return TUPLES.pack(flattened(state, sections), sections)

    def _types(self, stream: str) -> dict[str, bytes]:
        """Those of columns in texts, which what is read later need not tell."""
        types = self._tables[stream].types
        return {"types": schema_stored(types)} if types else {}


def types_before(data: bytes) -> dict[str, dict[str, pyarrow.DataType]]:
    """The types of columns in texts, by stream, in a state.  SnapshotError."""
    with validated():
        return {
            stream: schema_read(source["types"])
            for stream, source in _header(data)["sources"].items()
            if "types" in source
        }


def fed(
    queries: Mapping[str, AnyPrepared],
    streams: Streams,
    everything: bool = False,
    on_step: OnStep | None = None,
    state: bytes | None = None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
    max_steps: int = 0,
) -> SourceFeed:
    """What feeds these queries from streams; with ``everything`` all columns are read, and remembered.

    It goes on where ``state`` was taken.  QueryError, OptionError: a query makes no sense for the columns that there
    are.  SnapshotError: the state is of other queries or columns, or damaged.
    """
    kind = TableKind(
        streams.setting, ColumnTypes({}), Soundness("this result"), sharing=sharing,
        evaluation=evaluation_of(evaluation), bound=bound, max_steps=max_steps,
        in_order=streams.setting.time is not None,
    )  # fmt: skip
    check_queries(bound, queries)
    if bound is not None:
        bound.check_names(list(queries))
    for name, prepared in queries.items():
        with about_query(name):
            kind.check_streams(prepared)
    streams = _with_fields(queries, streams)
    needed = _needed(queries, streams, everything)
    for name, prepared in queries.items() if kind.in_order else ():
        with about_query(name):
            check_order(prepared, kind.setting.time)
    schemas = {
        stream: source.choose([name for name in needed if column_named(name) in source.names])
        for stream, source in streams.sources.items()
    }
    kind.names = {stream: tuple(source.names) for stream, source in streams.sources.items()}
    schema = common_types(needed, schemas)
    feed = SourceFeed(kind, _timed(streams, schemas), streams.tables, on_step)
    if state is not None:
        feed.go_on(state, queries, schema)
        return feed
    for name, prepared in queries.items():
        kind.add(name, prepared, everything)
    kind.columns.learn(schema)
    _check_texts(streams.setting, kind.columns)
    for stream in streams.sources:
        kind.core.clock(stream)
    for query in kind.core.at_work:
        kind.begin(query, kind.input_of(query))
    return feed


def malformed_lines(left_out: Sequence[LeftOut]) -> Iterator[Loss]:
    """The lines and messages that have no row."""
    if count := sum(each.count for each in left_out):
        first = next(each.first for each in left_out if each.count)
        yield Loss(f"{counted(count, 'malformed line')} {were(count)} left out", "mend the source", first)


def dropped_messages(tables: Iterable[OpenTable]) -> Iterator[Loss]:
    """The messages that nobody got."""
    if count := sum(table.dropped for table in tables):
        number = f"{counted(count, 'message')} {were(count)} dropped"
        yield Loss(number, "reading was too slow; leave overflow=drop out")


def _with_fields(queries: Mapping[str, AnyPrepared], streams: Streams) -> Streams:
    """The streams with the fields of structs that queries read."""
    formulas = [query for query in queries.values() if isinstance(query, Prepared)]
    wanted = dict.fromkeys(name for query in formulas for name in query.columns)
    sources = {stream: with_fields(source, wanted) for stream, source in streams.sources.items()}
    return replace(streams, sources=sources)


def _timed(streams: Streams, schemas: Mapping[str, pyarrow.Schema]) -> dict[str, Timed]:
    """The sources with their times."""
    setting, reading, found = streams.setting, streams.reading, {}
    for stream, source in streams.sources.items():
        clock = None
        if setting.time is not None:
            clock = clock_of(setting.time, reading.unit, schemas[stream], source.batches(), source.place(0))
        found[stream] = Timed(source, clock, streams.tables[stream].left_out)
    return found


def _header(data: bytes) -> dict[str, Any]:
    """What a state has, in the shape that it must have; SnapshotError."""
    header: dict[str, Any] = inflated(*TUPLES.unpack(data))
    with validated():
        with_rows_told(header["core"])
    for problem in misfits(header, FEED, "header"):
        raise damaged(problem)
    return header


def _needed(queries: Mapping[str, AnyPrepared], streams: Streams, everything: bool) -> tuple[str, ...]:
    """The columns that are read; OptionError, QueryError for one that is not there."""
    reading, names = streams.reading, streams.names
    roles = Roles(reading.type, reading.relation, None, reading.time, reading.unit, stream_column=reading.stream)
    if not streams.setting.has_names:
        check_roles(roles, names)
    own = [type_column_of(roles, names), reading.stream, reading.time]
    found, exact = [*existing(own, names)], list[str]()
    for name, prepared in queries.items():
        with about_query(name):
            if isinstance(prepared, Prepared):
                found += existing([*own, *prepared.columns], names)
            else:
                its = streams.names_of(prepared.query.table)
                exact += prepared.asked(its)
                existing(map(column_named, exact), its)
    return (*existing(names if everything else found, names), *dict.fromkeys(exact))


def _check_texts(setting: Setting, columns: ColumnTypes) -> None:
    naming = setting.naming
    for name, role in ((naming.type_column, "types"), (naming.stream_column, "streams")):
        if name is not None:
            check_text_column(name, role, columns.schema)
