"""CEQL and SQL on tuples that are pushed: rows in, matches of many queries out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow

from spaseq import runtime
from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.languages.sql import is_row_pattern
from spaseq.pattern.formulas.parameters import ConstantRow, row_key
from spaseq.plan.description import evaluation_of
from spaseq.runtime.bounded import Bound
from spaseq.runtime.core import ANY
from spaseq.runtime.guards import Soundness, exclusive, in_steps, reading, whole_or_broken
from spaseq.runtime.query_rows import QueryRows
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.parameter_tables import RowSource
from spaseq.sources.tables.source import Types, check_texts, declared
from spaseq.sources.tables.types import integers_of, usual_type
from spaseq.streams.timestamps import GREATEST, UNITS, Time, duration_microseconds, to_microseconds
from spaseq.text import did_you_mean
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.columns.serialisation import require, rows_read, rows_stored
from spaseq.tuples.kind import TableKind, about_query
from spaseq.tuples.known_texts import KnownTupleForms
from spaseq.tuples.parameter_rows import distinct, each_query, read_rows, row_stored, with_table
from spaseq.tuples.pushed_rows import FewReader, Pushed, PushedPart
from spaseq.tuples.queries import (
    AnyPrepared,
    AnyQuery,
    Prepared,
    ReadingOptions,
    check_name,
    check_order,
    check_window,
    prepare,
    steps_of,
)
from spaseq.tuples.row_pattern_query import needed_back
from spaseq.tuples.tuple_bounds import check_queries
from spaseq.tuples.tuple_query import window_back
from spaseq.tuples.tuple_statistics import StreamCounters

Result = tuple[str, pyarrow.Table]
OnLate = Callable[[pyarrow.Table], object]
ONLY = ""  # the stream that has no name
ROW = np.zeros(1, np.int64)  # the number of a single row
UNTYPED = "row\n"  # the type of rows that have none: no query can mean it


class Engine(runtime.Engine):
    """Runs queries in CEQL or SQL on rows that are pushed.  It belongs to one thread at a time (BusyError for another).

    ``type``, ``relation``, ``time``, ``unit``, ``time_format``, ``types`` and ``stream`` say what the columns are for,
    and ``totals`` of which type numbers of matches are, as for ``match``.  With ``time``, rows are taken in its order:
    ``lateness`` is how much older than the newest row of its stream one may come; what is later still is dropped,
    counted, and given to ``on_late`` as a table.  Without, rows are in the order in which they are pushed.
    ``on_error="skip"`` leaves rows out that have no time, and counts them.  ``sharing``: rows of parameters, and
    queries that differ only in constants, run together where they can; else each by itself.  ``evaluation``: steps that
    make a group of each combination of several events are made at once (``"eager"``), when a later event asks for them
    (``"lazy"``), or as it takes less (``"auto"``).  ``bound``: how much work events may take; the results are part of
    all then, those that bring most for their work.  ``max_steps``: how many steps of a query in SQL, whose conditions
    read the match, a search from one row may take, else it ends with a StreamError.

    OutOfMemoryError, from any method: there is no memory, or was none earlier.  The engine cannot go on then.
    It is neither copied nor pickled (OptionError): ``snapshot`` and ``restore`` make another one.
    """

    def __init__(
        self,
        *,
        type: str | None = None,
        relation: str | None = None,
        time: str | None = None,
        unit: str = "us",
        time_format: str | None = None,
        types: Types | None = None,
        stream: str | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: OnLate | None = None,
        on_error: str = "stop",
        totals: str = "int64",
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
        max_steps: int | None = None,
    ) -> None:
        check_texts(type=type, relation=relation, time=time, unit=unit, time_format=time_format, stream=stream)
        integers_of(totals)
        self._reading = ReadingOptions(
            type, relation, time, unit, types, None, on_error == "skip", time_format, stream, totals
        )
        late = duration_microseconds(lateness)
        _check(self._reading, late, on_late, on_error)
        self.on_late = on_late
        self._columns = ColumnTypes({name: usual_type(given) for name, given in declared(types).items()})
        self._few = FewReader(self._reading, self._columns)
        self._queries: dict[str, AnyPrepared] = {}
        self._texts = KnownTupleForms()
        self._is_open = True  # until it is known whether streams have names
        self.kind = TableKind(
            self._reading.setting(False), self._columns, Soundness("this engine"), late, sharing=sharing,
            evaluation=evaluation_of(evaluation), bound=bound, max_steps=steps_of(max_steps),
        )  # fmt: skip
        self._hold(self.kind.core)
        self._counters: defaultdict[str, StreamCounters] = defaultdict(StreamCounters)  # by stream
        self._pushes = 0
        self._kept: list[tuple[str, pyarrow.RecordBatch]] = []  # found in a call that ended in an error

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the registered queries."""
        return tuple(self._queries)

    @exclusive
    @whole_or_broken
    def register(self, query: AnyQuery, name: str | None = None, given: RowSource | None = None) -> str:
        """Run ``query`` on the rows pushed from now on, and return its name: by default ``query1``, ``query2`` ….

        ``given`` has the rows of a query with parameters: a path of a table, a frame, what has Arrow's C stream, or
        dictionaries.  QuerySyntaxError, QueryError; OptionError: the name is taken, or it is no query; StreamError: a
        table cannot be read, or a row does not fit.
        """
        if name is None:
            name = next(free for n in range(1, len(self._queries) + 2) if (free := f"query{n}") not in self._queries)
        check_name(name)
        if name in self._queries:
            raise OptionError(f'there is a query named "{name}" already')
        is_text = isinstance(query, str) and self.kind.sharing and given is None and not is_row_pattern(query)
        found = self._texts.read(str(query)) if is_text else prepare(query)
        prepared = with_table(found, given, name)
        check_queries(self.kind.bound, {name: prepared})
        if isinstance(prepared, Prepared) and self._reading.relation == UNTYPED:
            raise OptionError("the rows have no types here, as queries in SQL came first: say what has them (type)")
        with about_query(name):
            check_window(prepared, self._reading.time)
            check_order(prepared, self._reading.time)
            if not self._is_open:
                self.kind.add(name, prepared)
        self._queries[name] = prepared
        return name

    @exclusive
    @whole_or_broken
    def unregister(self, name: str) -> None:
        """Forget a query with its partial matches; OptionError: there is none of that name."""
        if not isinstance(name, str) or name not in self._queries:
            raise OptionError(f'there is no query named "{name!s:.80}"')
        del self._queries[name]
        if not self._is_open:
            self.kind.unregister(name)

    # ── rows of parameters ───────────────────────────────────────────────────────────────────────────────
    def given(self, name: str) -> QueryRows:
        """The rows of a query with parameters.  OptionError: there is no such query, or it has none."""
        self._parametric(name)
        return QueryRows(self, name)

    @exclusive
    @whole_or_broken
    def add_rows(self, name: str, rows: RowSource) -> int:
        """See ``QueryRows.add``."""
        before = self._parametric(name)
        return self._change_rows(name, distinct([*(before.rows or ()), *read_rows(before, rows)]))

    @exclusive
    @whole_or_broken
    def remove_rows(self, name: str, rows: RowSource) -> int:
        """See ``QueryRows.remove``."""
        before = self._parametric(name)
        gone = {row_key(row) for row in read_rows(before, rows)}
        return self._change_rows(name, tuple(row for row in before.rows or () if row_key(row) not in gone))

    def row_count(self, name: str) -> int:
        """How many rows a query with parameters has."""
        return len(self._parametric(name).rows or ())

    def rows_of(self, name: str) -> list[dict[str, Any]]:
        """The rows of a query with parameters, as dictionaries of values."""
        prepared = self._parametric(name)
        names = prepared.query.given.names if prepared.query.given else ()
        return [dict(zip(names, row, strict=True)) for row in prepared.rows or ()]

    def _parametric(self, name: str) -> Prepared:
        if not isinstance(name, str) or name not in self._queries:
            raise OptionError(f'there is no query named "{name!s:.80}"')
        found = self._queries[name]
        if not isinstance(found, Prepared) or found.query.given is None:
            raise OptionError(f'the query "{name}" has no parameters: there is no GIVEN in it')
        return found

    def _change_rows(self, name: str, rows: tuple[ConstantRow, ...]) -> int:
        """Run these rows and no others; how many came or went."""
        before = self._parametric(name)
        if not self._is_open:
            self.kind.change_rows(name, rows)
            self._recast_kept()
        self._queries[name] = before.with_rows(rows)
        return abs(len(rows) - len(before.rows or ()))

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    @exclusive
    @whole_or_broken
    def push(self, batch: Any, stream: str | None = None) -> list[Result]:
        """Rows came; returns what is decided by now, a table for each query that has results.

        ``batch`` is a table, batch or reader of Arrow, a data frame of pandas or polars, or a list of dictionaries;
        ``stream`` the name of its stream, if they have names.  StreamError, OptionError: it cannot be read, and nothing
        of it was taken.  A query that cannot go on with it ends alone, with a QueryError or StreamError that names it;
        what was found then comes with the next call.
        """
        self._take(batch, stream)
        return self._delivered()

    @in_steps
    @whole_or_broken
    def push_tables(self, batch: Any, stream: str | None = None) -> Iterator[Result]:
        """``push``, the results as tables of bounded size, found as the iterator goes on.

        The rows are taken at once; what is not taken of their results comes with a later call.
        """
        self._take(batch, stream)
        return self._tables()

    def _advance(self, time: Time, stream: str | None) -> Iterator[Result]:
        if self._reading.time is None:
            raise OptionError("rows have no times here, so nothing is to be promised: say which column has them (time)")
        return self._promise(stream, to_microseconds(time))

    def _close(self, stream: str | None) -> Iterator[Result]:
        return self._promise(stream, GREATEST)

    def _due(self) -> int | None:
        return ANY if self._kept else super()._due()

    def _needed_since(self) -> int | None:
        if self._kept:
            raise OptionError("results wait: call push or advance once more before needed_since()")
        if not self._is_open:
            return super()._needed_since()
        if self.kind.bound is not None:
            return None
        since = [each for prepared in self._queries.values() for each in _since(prepared, self.kind.promised)]
        return None if None in since else min((time for time in since if time is not None), default=GREATEST)

    @reading
    def statistics(self) -> dict[str, Any]:
        """Counters of streams and queries, fit for JSON (``TableKind.statistics``)."""
        if self._is_open:
            return {"streams": {}, "queries": {name: {"results": 0, "events": 0} for name in self._queries}}
        return self.kind.statistics(self._counters)

    @property
    def complete(self) -> bool:
        """Whether nothing was left out so far, to keep work within its bound."""
        return self.kind.complete

    # ── snapshots ────────────────────────────────────────────────────────────────────────────────────────
    @exclusive
    @whole_or_broken
    def snapshot(self) -> bytes:
        """The state as bytes: what waits, partial matches, counters, what later results may show of past rows.

        The queries are in it by fingerprint.  The same bytes for the same state.  OptionError: results wait in an
        iterator that is half consumed.
        """
        from spaseq.runtime.snapshot.container import check_settled
        from spaseq.tuples import state as snapshot

        check_settled(self.core.is_settled)
        return snapshot.taken(self._queries, self._state())

    @staticmethod
    def restore(
        data: bytes,
        queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
        *,
        on_late: OnLate | None = None,
        given: RowSources = None,
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
        max_steps: int | None = None,
    ) -> Engine:
        """An engine that goes on where ``snapshot`` was taken, maybe in another process; it reads rows in the same way.

        ``queries`` are those of then by name, or in the order in which they were registered; if they are prepared
        (``spaseq.tuples.prepare``), nothing is planned.  The rows of queries with parameters are in the snapshot; where
        ``given`` (by name) or the text has others, new rows begin now, and those that are gone are forgotten; what ran
        together still does, ``sharing`` is for what is new, ``evaluation`` for all.  With the same ``bound`` it leaves
        out what the engine of the snapshot would have left out.  SnapshotError: the
        snapshot is damaged, of another version, or of other queries.
        """
        from spaseq.runtime.snapshot.validation import validated
        from spaseq.tuples import state as snapshot

        _check_on_late(on_late)
        state, prepared = snapshot.opened(data, queries, given)
        with validated():
            options = snapshot.options(state["reading"])
            engine = Engine(
                **options,
                lateness=state["lateness"],
                on_late=on_late,
                sharing=sharing,
                evaluation=evaluation,
                bound=bound,
                max_steps=max_steps,
            )
            engine._go_on(state, prepared)
        snapshot.check_restored(engine.kind)
        return engine

    def _state(self) -> dict[str, Any]:
        from spaseq.tuples.state import core_state, reading_state

        formulas = {name: each for name, each in self._queries.items() if isinstance(each, Prepared)}
        given = {name: list(map(row_stored, each.rows)) for name, each in formulas.items() if each.rows}
        return {
            "reading": reading_state(self._reading, declared(self._reading.types)),
            "lateness": self.lateness,
            "promised": self.kind.promised,
            "pushes": self._pushes,
            "counters": {name: asdict(counters) for name, counters in self._counters.items()},
            "kept": [[name, rows_stored(batch)] for name, batch in self._kept],
            "columns": self._columns.state(),
            "core": [] if self._is_open else [core_state(self.kind)],
            **({"given": given} if given else {}),
        }

    def _go_on(self, state: dict[str, Any], queries: Mapping[str, AnyPrepared]) -> None:
        """Be where ``state`` was taken, as an engine to which nothing was done."""
        from spaseq.tuples.state import restore_core

        self.kind.promised, self._pushes, self._queries = state["promised"], state["pushes"], dict(queries)
        self._counters.update({name: StreamCounters(**counters) for name, counters in state["counters"].items()})
        self._kept = [(name, rows_read(data)) for name, data in state["kept"]]
        self._columns.restore(state["columns"])
        for core in state["core"]:
            require(self._is_open, "there are two cores")
            self._go_over_to(self._made(core["has_names"]))
            restore_core(self.kind, core, queries)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────
    def _take(self, data: Any, stream: str | None) -> None:
        place = f"<push {self._pushes + 1}>" if stream is None else f"<push {self._pushes + 1} to {stream}>"
        kind, name = self._opened(stream), ONLY if stream is None else stream
        few = None if kind.wants_names else self._few.read(data, kind)
        if few is not None:
            pushed, parts = None, [PushedPart(ROW if len(few[1]) == 1 else np.arange(len(few[1])), *few)]
        else:
            pushed = Pushed(data, self._reading, place)
            kind.hear_of(name, pushed.names)
            kind = self._adopting(kind, pushed.first_types(self._columns)) or kind
            parts, skipped = pushed.read(kind.needed, kind.columns)
            self._counters[name].skip(skipped)
        self._go_over_to(kind)
        self._pushes += 1
        late = [rows for part in parts if len(rows := kind.push(name, part.rows, part.times, part.batch))]
        if late:
            self._tell_late(pushed or Pushed(data, self._reading, place), name, np.concatenate(late), place)

    def _adopting(self, kind: TableKind, types: dict[str, pyarrow.DataType]) -> TableKind | None:
        """A kind that takes values in columns which had none; None: it is the same, or cannot."""
        if not types:
            return None
        from spaseq.tuples.adoption import adopting

        return adopting(kind, types, self._queries)

    def _go_over_to(self, kind: TableKind) -> None:
        """Go on with other streams or columns; results have these columns, too."""
        if kind is self.kind:
            return
        kind.core.use = self._use
        self.kind, self._is_open = kind, False
        self._hold(kind.core)
        if kind.columns is self._columns:
            return
        self._columns, self._few = kind.columns, FewReader(self._reading, kind.columns)
        self._recast_kept()

    def _recast_kept(self) -> None:
        """Let results that are kept have the columns of those to come."""
        running = self.kind.core.running.items()
        going = {name: query for name, query in running if any(one.evaluation for one in query.members)}
        schemas = {name: query.result_schema for name, query in going.items()}
        self._kept = [(name, batch.cast(schemas[name]) if name in schemas else batch) for name, batch in self._kept]

    def _tell_late(self, pushed: Pushed, stream: str, rows: np.ndarray[Any, Any], place: str) -> None:
        self._counters[stream].first_late = self._counters[stream].first_late or f"{place}, row {rows[0]}"
        if self.on_late is not None:
            self.on_late(pushed.rows(rows))

    def _promise(self, stream: str | None, time: int) -> Iterator[Result]:
        """A promise about one stream, or about all that there are and will be."""
        if stream is not None:
            self._go_over_to(self._opened(stream))
        self.kind.promise(stream, time)
        return self._tables()

    def _opened(self, stream: str | None) -> TableKind:
        """The kind of this engine, which is settled when it is known whether streams have names.

        OptionError: they have, and this is none, or the other way round; no query reads it.  QueryError: one needs
        names.
        """
        if not isinstance(stream, str | None) or stream == ONLY:
            raise OptionError(f"the name of a stream is a text, not {stream!r:.80}")
        if stream is not None and self._reading.stream is not None:
            raise OptionError(f"the column {self._reading.stream} says of which stream a row is: push without a name")
        if self._is_open:
            self._settle_types()
        kind = self._registered(self._made(stream is not None)) if self._is_open else self.kind
        if kind.has_names != (stream is not None):
            known = ", ".join(name for name in kind.core.clocks if name) or "none"
            so_far = f"streams have names here ({known})" if stream is None else "rows came without a stream so far"
            raise OptionError(f"{so_far}: either all are pushed with a name, or none")
        if stream is not None and kind.core.running and not kind.reads(stream):
            known_names = [name for query in kind.core.at_work for name in query.prepared.query.streams]
            raise OptionError(f"no query reads a stream {stream}; {did_you_mean(stream, known_names)}")
        return kind

    def _settle_types(self) -> None:
        """Rows come: they need no types where all queries are in SQL and nothing is said of them."""
        some = [*self._queries.values()]
        if some and not any(isinstance(each, Prepared) for each in some) and self._reading.type is None:
            self._reading = replace(self._reading, relation=self._reading.relation or UNTYPED)
            self._few = FewReader(self._reading, self._columns)

    def _made(self, has_names: bool) -> TableKind:
        setting, before = self._reading.setting(has_names), self.kind
        core = before.core
        return TableKind(
            setting,
            self._columns,
            core.soundness,
            core.lateness,
            before.promised,
            before.sharing,
            before.evaluation,
            before.bound,
            before.max_steps,
        )

    def _registered(self, kind: TableKind) -> TableKind:
        """It with all queries."""
        for name, prepared in self._queries.items():
            with about_query(name):
                kind.add(name, prepared)
        if not kind.has_names:
            kind.core.clock(ONLY)
        return kind

    def _tables(self) -> Iterator[Result]:
        """What is found, as tables of bounded size."""
        for name, batch in self.soundness.each(self._found()):
            if batch.num_rows:
                yield name, pyarrow.Table.from_batches([batch])

    def _found(self) -> Iterator[tuple[str, pyarrow.RecordBatch]]:
        while self._kept:
            yield self._kept.pop(0)
        yield from self.core.tables()

    def _delivered(self, decided: object = None) -> list[Result]:
        """What is found, a table for each query; what was found before an error stays for the next call."""
        found: defaultdict[str, list[pyarrow.RecordBatch]] = defaultdict(list)
        try:
            for name, batch in self._found():
                if batch.num_rows:
                    found[name].append(batch)
        except (QueryError, StreamError):
            self._kept = [(name, batch) for name, batches in found.items() for batch in batches]
            raise
        if not found:
            return []
        order = [*self._queries, *(name for name in found if name not in self._queries)]
        return [(name, pyarrow.Table.from_batches(found[name])) for name in order if name in found]


def _since(prepared: AnyPrepared, promised: int) -> list[int | None]:
    """Since when events matter to a query, to what it is for each row of its parameters, that has not begun."""
    if not isinstance(prepared, Prepared):
        return [needed_back(prepared.query, promised)]
    return [window_back(query, promised) for query in each_query(prepared)]


def _check(reading: ReadingOptions, lateness: int, on_late: OnLate | None, on_error: str) -> None:
    """OptionError for options that make no sense."""
    if reading.relation is not None and reading.type is not None:
        raise OptionError("either a column has the types of the events, or all are of one type: not both")
    if reading.unit not in UNITS:
        raise OptionError(f"the unit of time is us, ms or s, not {reading.unit}")
    for what, given in (("lateness", lateness), ("time_format", reading.form)):
        if given and reading.time is None:
            raise OptionError(f"{what} is about times: say which column has them (time)")
    _check_on_late(on_late)
    if on_error not in ("stop", "skip"):
        raise OptionError(f"on_error is stop or skip, not {on_error}")


def _check_on_late(on_late: OnLate | None) -> None:
    if on_late is not None and not callable(on_late):
        raise OptionError(f"on_late is a function of a table, not {on_late!r:.80}")
