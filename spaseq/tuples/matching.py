"""CEQL on tuples: a query and a source, and the matches as they come."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow

from nfa_native.recognizer import ComplexEvents, Recognizer
from spaseq.errors import OptionError, QueryError
from spaseq.exclusive import Tables
from spaseq.languages.ceql import ParsedQuery, parse
from spaseq.languages.problem import did_you_mean
from spaseq.pattern.recognition import AttributeWindow, EventWindow, Query, TimeWindow
from spaseq.plan.complex_events import Recognition, planned
from spaseq.tuples.aggregating import Aggregates, needed
from spaseq.tuples.batches import record_batch
from spaseq.tuples.correlation import Columns, Memory, correlated_attributes, texts
from spaseq.tuples.counting import counts
from spaseq.tuples.encoding import EncodedBatch, Encoding, Roles
from spaseq.tuples.past import Past
from spaseq.tuples.picked import check_readable_again, picked_rows
from spaseq.tuples.projecting import Column, columns_of
from spaseq.tuples.results import Events, Results, called, free, in_order
from spaseq.tuples.sources import CsvFormat, Types, check_csv, check_texts
from spaseq.tuples.streams import Reading, Streams, open_streams
from spaseq.tuples.symbols import Atom
from spaseq.tuples.windows import edges

MOST = 1 << 14  # results that are handed over together
MANY = 1 << 14  # partitions of which some may be done with


class Matches(Results):
    """The results of a query in batches, each found when it is asked for; to be read once.

    Columns: ``start`` and ``end`` (positions in the whole stream, from 0), ``positions`` (all that belong to the
    result), and what SELECT has: for each of ``variables`` the list of positions that it holds, and for attributes
    the values there (``projecting.Column``).  One of the first three gets an underscore at its end where another
    column has its name.  ``schema`` is that of the batches, ``found`` counts the results so far.
    """

    def __init__(
        self,
        query: Query,
        plan: Recognition,
        events: Events,
        again: Callable[[], Matches] | None = None,
        remembered: Sequence[str] = (),
    ) -> None:
        """``again`` makes new ones of the same source, which remember all of its columns (``remembered``)."""
        super().__init__(query, plan, events)
        self._again = again
        self._names = _shown(query, plan)
        self._held = query.variables or in_order(self._names)
        self.columns = columns_of(query, plan, self._held)
        self.variables = tuple(column.name for column in self.columns if column.attribute is None)
        self.schema = _schema(self.columns, events.schema)
        self._positions = _schema([Column(name, name) for name in self._held], events.schema)
        shown = [column.attribute for column in self.columns if column.attribute]
        self._past = Past([*remembered, *shown], events.schema, query.forgets)
        self._memory = Memory(plan.asked, plan.computed, events.schema, query.forgets)
        self._columns = Columns(plan.measured, events.schema, self._memory.conditions)
        self._recognizer = _recognizer(query, plan, self._memory)
        self._many = MANY
        self._found = Tables(self._use, "Matches", self._recognized())

    def _next(self) -> pyarrow.RecordBatch:
        found = self._positions_of(next(self._found))
        if not self._query.columns:
            return found
        held = dict(zip(self._held, found.columns[3:], strict=True))
        shown = [column.read(held[column.variable], self._past) for column in self.columns]
        return pyarrow.RecordBatch.from_arrays([*found.columns[:3], *shown], schema=self.schema)

    def _positions_of(self, found: ComplexEvents) -> pyarrow.RecordBatch:
        """The results with the positions of all variables."""
        return record_batch(found, self._held, self._names, self._positions)

    def rows(self) -> pyarrow.Table:
        """The picked rows of all results, those already taken too: the source is read again, with all of its columns.

        Columns: ``result`` (its number, from 0), ``variable``, ``position``, then those of the source, in the usual
        types; a row comes once for each variable that holds it.  One of the first three gets an underscore at its end
        where the source has its name.  OptionError: the source can be read only once.
        """
        assert self._again is not None
        return self._again().picked_rows()

    def picked_rows(self) -> pyarrow.Table:
        """``rows`` of the results that are left, of the columns that are remembered."""
        with self._sound():
            return picked_rows(map(self._positions_of, self._found), self._held, self._past)

    def statistics(self) -> dict[str, int]:
        """What the recognizer did so far: events, nodes and their room, partitions, groups scanned."""
        self._use.check("statistics")
        return self._recognizer.statistics()

    def count(self) -> int:
        """How many results are left."""
        with self._sound():
            if (numbers := counts(self._query, self._plan, self._events)) is not None:
                before = self.found
                for number in numbers:
                    self.found += number
                return self.found - before
            return self._left_ahead() + sum(len(found.starts) for found in self._found)

    def complex_events(self) -> Iterator[ComplexEvents]:
        """The results that are left as the recognizer gives them: those of one end may come in several parts."""
        return self._found

    def _recognized(self) -> Iterator[ComplexEvents]:
        for batch in self._events:
            self._recognizer.know_symbols(self._events.symbols.masks[self._recognizer.symbols :])
            yield from self._of_batch(batch)

    def _of_batch(self, batch: EncodedBatch) -> Iterator[ComplexEvents]:
        starts, least = edges(self._query.window, batch)
        columns = self._columns.read(batch.batch)
        self._memory.keep(batch, starts, least)
        self._past.keep(batch, starts, least)
        at = 0
        while at < len(batch):
            at = self._recognizer.feed(batch.symbols, starts, least, batch.partitions, at, MOST, columns)
            found = self._recognizer.take()
            if len(found.starts):
                self.found += len(found.starts)
                yield found
        self._forget_partitions(int(least[-1]))

    def _forget_partitions(self, least: int) -> None:
        """Let go of those of which nothing is left, when they may be as many as the others."""
        partitions = self._events.partitions
        if partitions is None or len(partitions) < self._many or not self._query.forgets:
            return
        kept = self._recognizer.living(least)
        self._recognizer.keep(kept)
        partitions.keep(kept)
        self._many = max(MANY, 2 * len(kept))


def match(
    query: str | os.PathLike[str] | ParsedQuery,
    source: Any,
    *,
    type: str | None = None,
    relation: str | None = None,
    time: str | None = None,
    unit: str = "us",
    time_format: str | None = None,
    types: Types | None = None,
    csv: CsvFormat | None = None,
    stream: str | None = None,
    on_error: str = "stop",
) -> Matches | Aggregates:
    """The matches of a CEQL query, or their aggregates, in a source of tuples (``open_source`` says what that can be).

    Of several streams, ``source`` is a mapping of sources by their names, which are merged by time, or ``stream`` is
    the column with the streams of the events; those that FROM does not name are left out.

    ``type`` is the column with the types of the events (by default ``type``, if there is one); or all are of the type
    ``relation``.  ``time`` is the column with their times, of timestamps, of integers that count ``unit`` (us, ms or
    s), or of texts whose form is ``time_format`` (``formatted.py``); a query with a window of time needs it.  ``types``
    declares types of columns, ``on_error="skip"`` leaves events out whose time falls or is missing.  QueryError,
    OptionError: what is wrong with the query or the options.  StreamError comes with the matches.
    """
    parsed = query if isinstance(query, ParsedQuery) else parse(query)
    check_texts(type=type, relation=relation, time=time, unit=unit, time_format=time_format, stream=stream)
    check_csv(csv)
    if time_format is not None and time is None:
        raise OptionError(f"the form {time_format} is about times: say which column has them (time)")
    _check(parsed.query, time)
    reading = Reading(type, relation, time, unit, types, csv, on_error == "skip", time_format)
    return _started(parsed, source, stream, reading, on_error)


def _started(
    parsed: ParsedQuery, source: Any, stream: str | None, reading: Reading, on_error: str, everything: bool = False
) -> Matches | Aggregates:
    """What ``match`` gives; with ``everything`` all columns are read, and remembered as long as they may be picked."""
    asked = parsed.query
    plan = planned(asked, parsed.normal_form)
    streams = open_streams(asked, source, stream, reading)
    _check_streams(streams, plan)
    events = Encoding(streams.source, _atoms(plan), _roles(asked, plan, streams, reading, everything), on_error)
    plan = planned(asked, parsed.normal_form, texts(events.schema))
    if asked.aggregates:
        return Aggregates(asked, plan, events, _enumerated)

    def again() -> Matches:
        check_readable_again(source)
        found = _started(parsed, source, stream, reading, on_error, everything=True)
        assert isinstance(found, Matches)
        return found

    return Matches(asked, plan, events, again, events.schema.names if everything else ())


def _atoms(plan: Recognition) -> list[Atom]:
    return [Atom(kind.type, kind.stream, kind.predicate) for kind in plan.atoms]


def _roles(query: Query, plan: Recognition, streams: Streams, reading: Reading, everything: bool) -> Roles:
    measured = query.window.attribute if isinstance(query.window, AttributeWindow) else None
    keep = (*needed(query), *correlated_attributes(plan), *(one.attribute.name for one in query.projected))
    return Roles(
        reading.type, reading.relation, streams.name, reading.time, reading.unit, plan.partition, measured,
        tuple(streams.source.names) if everything else keep, streams.column, streams.known,
    )  # fmt: skip


def _enumerated(query: Query, plan: Recognition, events: Events) -> Iterator[ComplexEvents]:
    return Matches(query, plan, events).complex_events()


def _check(query: Query, time: str | None) -> None:
    """QueryError for what is not evaluated yet, and for a window of time where events have none."""
    if isinstance(query.window, TimeWindow) and time is None:
        hint = "say which column has them (time), or count events, as in WITHIN 100 EVENTS"
        raise QueryError("WITHIN measures time here, but the events have no times", hint=hint)


def _check_streams(streams: Streams, plan: Recognition) -> None:
    """QueryError for events of a stream that has no name, or is none."""
    for kind in plan.atoms:
        if kind.stream is None or kind.stream in streams.known or (streams.column and not streams.known):
            continue
        message = f"{kind.stream}>{kind.type} asks for a stream"
        if streams.known:
            raise QueryError(f"{message} that is none; {did_you_mean(kind.stream, streams.known)}")
        hint = f"FROM {kind.stream} gives them that name"
        raise QueryError(f"{message}, but that of the events has no name", hint=hint)


def _shown(query: Query, plan: Recognition) -> tuple[frozenset[str], ...]:
    """For each state the variables under which results show its picks."""
    if query.variables is not None:
        return tuple(names & frozenset(query.variables) for names in plan.variables)
    return called(query, plan)


def _schema(columns: Sequence[Column], events: pyarrow.Schema) -> pyarrow.Schema:
    """The schema of the batches."""
    start, end, positions = (free(name, [column.name for column in columns]) for name in ("start", "end", "positions"))
    own = [(start, pyarrow.int64()), (end, pyarrow.int64()), (positions, pyarrow.list_(pyarrow.int64()))]
    return pyarrow.schema([*own, *((column.name, column.type(events)) for column in columns)])


def _recognizer(query: Query, plan: Recognition, memory: Memory) -> Recognizer:
    window = query.window
    return Recognizer(
        plan.automaton,
        strategy=query.strategy.value,
        consume=query.consumption.value,
        limit=query.limit,
        partitioned=bool(plan.partition),
        forgets=not isinstance(window, AttributeWindow),
        events=window.positions if isinstance(window, EventWindow) and query.partition else None,
        answer=memory.answer,
        programs=memory.conditions.native,
    )
