"""CEQL on tuples: a query and a source, and the matches as they come."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow

from nfa_native.recognizer import ComplexEvents, Recognizer
from spaseq.errors import QueryError
from spaseq.languages.ceql import ParsedQuery, parse
from spaseq.languages.problem import did_you_mean
from spaseq.pattern.recognition import AttributeWindow, EventWindow, Query, TimeWindow
from spaseq.plan.complex_events import Recognition, planned
from spaseq.tuples.aggregating import Aggregates, needed
from spaseq.tuples.batches import record_batch
from spaseq.tuples.correlation import Columns, Memory, correlated_attributes, texts
from spaseq.tuples.encoding import EncodedBatch, Encoding, Roles
from spaseq.tuples.results import Events, Results, called, free, in_order
from spaseq.tuples.sources import CsvFormat, Types
from spaseq.tuples.streams import Reading, Streams, open_streams
from spaseq.tuples.symbols import Atom
from spaseq.tuples.windows import edges

MOST = 1 << 14  # results that are handed over together
MANY = 1 << 14  # partitions of which some may be done with


class Matches(Results):
    """The results of a query in batches, each found when it is asked for; to be read once.

    Columns: ``start`` and ``end`` (positions in the whole stream, from 0), ``positions`` (all that belong to the
    result), and for each of ``variables`` the list of positions that it holds.  One of the first three gets an
    underscore at its end where a variable has its name.  ``schema`` is that of the batches, ``found`` counts the
    results so far.
    """

    def __init__(self, query: Query, plan: Recognition, events: Events) -> None:
        super().__init__(query, plan, events)
        self._names = _shown(query, plan)
        self.variables = query.variables or in_order(self._names)
        self.schema = _schema(self.variables)
        self._columns = Columns(plan.measured, events.schema)
        self._memory = Memory(plan.asked, events.schema, query.forgets)
        self._recognizer = _recognizer(query, plan, self._memory)
        self._many = MANY
        self._found = self._recognized()

    def __next__(self) -> pyarrow.RecordBatch:
        return record_batch(next(self._found), self.variables, self._names, self.schema)

    def statistics(self) -> dict[str, int]:
        """What the recognizer did so far: events, nodes and their room, partitions, groups scanned."""
        return self._recognizer.statistics()

    def count(self) -> int:
        """How many results are left."""
        return sum(len(found.starts) for found in self._found)

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
    types: Types | None = None,
    csv: CsvFormat | None = None,
    stream: str | None = None,
    on_error: str = "stop",
) -> Matches | Aggregates:
    """The matches of a CEQL query, or their aggregates, in a source of tuples (``open_source`` says what that can be).

    Of several streams, ``source`` is a mapping of sources by their names, which are merged by time, or ``stream`` is
    the column with the streams of the events; those that FROM does not name are left out.

    ``type`` is the column with the types of the events (by default ``type``, if there is one); or all are of the type
    ``relation``.  ``time`` is the column with their times, of timestamps or of integers that count ``unit`` (us, ms or
    s); a query with a window of time needs it.  ``types`` declares types of columns, ``on_error="skip"`` leaves events
    out whose time falls or is missing.  QueryError, OptionError: what is wrong with the query or the options.
    StreamError comes with the matches.
    """
    parsed = parse(query) if isinstance(query, str | os.PathLike) else query
    asked = parsed.query
    _check(asked, time)
    plan = planned(asked, parsed.normal_form)
    reading = Reading(type, relation, time, unit, types, csv, on_error == "skip")
    streams = open_streams(asked, source, stream, reading)
    _check_streams(streams, plan)
    atoms = [Atom(kind.type, kind.stream, kind.predicate) for kind in plan.atoms]
    measured = asked.window.attribute if isinstance(asked.window, AttributeWindow) else None
    keep = (*needed(asked), *correlated_attributes(plan))
    roles = Roles(
        type, relation, streams.name, time, unit, plan.partition, measured, keep, streams.column, streams.known,
    )  # fmt: skip
    events = Encoding(streams.source, atoms, roles, on_error)
    plan = planned(asked, parsed.normal_form, texts(events.schema))
    return Aggregates(asked, plan, events, _enumerated) if asked.aggregates else Matches(asked, plan, events)


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


def _schema(variables: Sequence[str]) -> pyarrow.Schema:
    """The schema of the batches."""
    start, end, positions = (free(name, variables) for name in ("start", "end", "positions"))
    lists = [(name, pyarrow.list_(pyarrow.int64())) for name in (positions, *variables)]
    return pyarrow.schema([(start, pyarrow.int64()), (end, pyarrow.int64()), *lists])


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
    )
