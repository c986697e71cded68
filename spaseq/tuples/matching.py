"""Queries on tuples, in CEQL or SQL: queries and a source, and the results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, overload

import pyarrow

from nfa_native.events.recognizer import ComplexEvents
from spaseq.errors import OptionError, StreamError
from spaseq.plan.description import evaluation_of
from spaseq.runtime.bounded import Bound
from spaseq.runtime.message_sources import PartitionState
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.tables.source import CsvFormat, Types, check_csv, check_texts
from spaseq.sources.tables.types import integers_of
from spaseq.tuples.aggregates.aggregation import AggregatingQuery
from spaseq.tuples.feeding import OnStep, SourceFeed, fed, types_before
from spaseq.tuples.kind import about_query
from spaseq.tuples.live_tables import Before
from spaseq.tuples.parameter_rows import with_tables
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.queries import (
    AnyPrepared,
    AnyQueries,
    AnyQuery,
    Following,
    Prepared,
    ReadingOptions,
    check_window,
    open_streams,
    prepared_queries,
    steps_of,
)
from spaseq.tuples.results import ManyMatches, Results, counted
from spaseq.tuples.selection.picks import check_readable_again, picked_rows
from spaseq.tuples.selection.selection import SelectionQuery
from spaseq.tuples.tuple_query import TupleQuery


class Matches(Results):
    """The results of a query in batches, each found when it is asked for; to be read once.

    Columns: ``start`` and ``end`` (positions in the whole stream, from 0), ``positions`` (all that belong to the
    result), and what SELECT has: for each of ``variables`` the list of positions that it holds, and for attributes
    the values there (``picks.ResultColumn``).  One of the first three gets an underscore at its end where another
    column has its name.  ``schema`` is that of the batches, ``found`` counts the results so far.
    """

    def __init__(self, feed: SourceFeed, again: Callable[[], Matches]) -> None:
        """``again`` makes new ones of the same source, which remember all of its columns."""
        super().__init__(feed, _recognized)
        assert isinstance(self._query, TupleQuery)
        assert isinstance(self._query.evaluation, SelectionQuery)
        self._selection = self._query.evaluation
        self._again = again
        self.columns = self._selection.columns

    def _next(self) -> pyarrow.RecordBatch:
        return self._selection.shown(next(self._found)[1])

    def rows(self) -> pyarrow.Table:
        """The picked rows of all results, those already taken too: the source is read again, with all of its columns.

        Columns: ``result`` (its number, from 0), ``variable``, ``position``, then those of the source, in the usual
        types; a row comes once for each variable that holds it.  One of the first three gets an underscore at its end
        where the source has its name.  OptionError: the source can be read only once.
        """
        return self._again().picked_rows()

    def picked_rows(self) -> pyarrow.Table:
        """``rows`` of the results that are left, of the columns that are remembered."""
        selection = self._selection
        with self._sound():
            return picked_rows(map(selection.positions_of, self.complex_events()), selection.held, selection.past)

    def count(self) -> int:
        """How many results are left."""
        with self._sound():
            if not self._feed.kind.events:  # nothing is read yet
                self._found = self._read_as(counted)
                return sum(number for _, number in self._found)
            return self._left_ahead() + sum(len(found.starts) for found in self.complex_events())

    def complex_events(self) -> Iterator[ComplexEvents]:
        """The results that are left as the recognizer gives them: those of one end may come in several parts."""
        return (found for _, found in self._found)


def _recognized(query: AnyTupleQuery) -> Iterator[tuple[str, ComplexEvents]]:
    """What a query finds as the recognizer gives it."""
    if not (isinstance(query, TupleQuery) and isinstance(query.evaluation, SelectionQuery)):
        return iter(())
    return query.each(query.evaluation.recognized)


class Aggregates(Results):
    """A row for each end of matches, and for each group if there is a GROUP BY, in batches; to be read once.

    Columns: ``end`` (a position in the whole stream, from 0), what SELECT shows of GROUP BY, and the aggregates, by
    their names; ``end`` gets an underscore where one of these has its name.  ``way`` says how they are found.
    StreamError comes with a number that does not fit: in 64 bits, in 38 digits, or in a double (``totals``).
    """

    def __init__(self, feed: SourceFeed) -> None:
        super().__init__(feed)
        assert isinstance(self._query, TupleQuery)
        assert isinstance(self._query.evaluation, AggregatingQuery)
        self.way = self._query.evaluation.way


class RowMatches(Results):
    """The results of a query with parameters, for all of its rows, by their ends, then by row; to be read once.

    Columns are as of ``Matches`` or ``Aggregates``, with the parameters that SELECT has.
    """

    def count(self) -> int:
        """How many results are left."""
        with self._sound():
            if not self._feed.kind.events:  # nothing is read yet
                self._feed.count_apart()
                self._found = self._read_as(counted)
                return sum(number for _, number in self._found)
        return super().count()


@overload
def match(
    query: AnyQuery, source: Any, *, type: str | None = None, relation: str | None = None, time: str | None = None,
    unit: str = "us", time_format: str | None = None, types: Types | None = None, csv: CsvFormat | None = None,
    stream: str | None = None, on_error: str = "stop", totals: str = "int64", given: RowSources = None,
    sharing: bool = True,
    evaluation: str = "auto", bound: Bound | None = None, max_steps: int | None = None,
) -> Matches | Aggregates | RowMatches | Results: ...  # fmt: skip


@overload
def match(
    query: Mapping[str, AnyQuery] | Iterable[AnyQuery], source: Any, *, type: str | None = None,
    relation: str | None = None, time: str | None = None, unit: str = "us", time_format: str | None = None,
    types: Types | None = None, csv: CsvFormat | None = None, stream: str | None = None, on_error: str = "stop",
    totals: str = "int64", given: RowSources = None, sharing: bool = True, evaluation: str = "auto",
    bound: Bound | None = None, max_steps: int | None = None,
) -> ManyMatches: ...  # fmt: skip


def match(
    query: AnyQueries,
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
    totals: str = "int64",
    given: RowSources = None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
    max_steps: int | None = None,
) -> Matches | Aggregates | RowMatches | Results | ManyMatches:
    """The matches of a query in CEQL, or their aggregates, in a source of tuples (``open_source``: what that can be).

    A query in SQL (MATCH_RECOGNIZE) gives the columns of its SELECT, on the source as a whole, which is sorted first.

    Several queries, a mapping by name or a list, give ``ManyMatches``: the source is read, and its events are encoded,
    once for all of them.

    Of several streams, ``source`` is a mapping of sources by their names, which are merged by time, or ``stream`` is
    the column with the streams of the events; those that FROM does not name are left out.

    ``type`` is the column with the types of the events (by default ``type``, if there is one); or all are of the type
    ``relation``.  ``time`` is the column with their times, of timestamps, of integers that count ``unit`` (us, ms or
    s; doubles of ms or s), or of texts whose form is ``time_format`` or ISO 8601 (``formatted.py``); a query with a
    window of time needs it.  ``types`` declares types of columns, ``on_error="skip"`` leaves events out whose time
    falls, is missing or malformed.  ``totals`` is the type of COUNT, and of SUM of integers: ``int64``, ``decimal``
    (of 38 digits) or ``double``.  ``given`` has the rows of a query with parameters, of several queries by name: a path
    of a table, a frame, what has Arrow's C stream, or dictionaries; ``sharing``: they run together where they can, as
    queries do that differ only in constants.  ``evaluation``: steps that make a group of each combination of several
    events are made at once (``"eager"``), when a later event asks for them (``"lazy"``), or as it takes less
    (``"auto"``).  ``bound``: how much work events may take; the results are part of all then, those that bring most
    for their work.  ``max_steps``: how many steps of a query in SQL, whose conditions read the match, a search from one
    row may take, else StreamError.  QueryError, OptionError: what is wrong with the query or the options.
    StreamError: a row is wrong; else it comes with the matches.
    """
    reading = ReadingOptions(type, relation, time, unit, types, csv, on_error == "skip", time_format, stream, totals)
    return _opening(query, source, reading, on_error, given, sharing, evaluation, bound, max_steps).results()


def resumed(
    queries: Mapping[str, AnyQuery],
    source: Any,
    reading: ReadingOptions,
    on_step: OnStep | None,
    state: bytes | None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
    max_steps: int | None = None,
    follow: bool = False,
    partitions: Mapping[str, Mapping[str, PartitionState]] = {},
    keep: Callable[[str, StreamError], object] | None = None,
) -> ManyMatches:
    """As ``match`` of several queries: what comes after ``state`` was taken (None: from the beginning).

    ``on_step`` is called whenever a state may be taken, and says after how many seconds without rows it wants to be
    called again; without it messages that are worked out are not asked for again.  ``follow``: files are read as they
    grow, and what replaces them.  ``partitions`` are those of streams that come in messages when the state was taken.
    ``keep`` is told what is left out of a stream.  Errors as of ``match``; SnapshotError: the state is damaged, or of
    other queries, sources or columns.
    """
    on_error = "skip" if reading.skip else "stop"
    opening = _opening(
        queries, source, reading, on_error, sharing=sharing, evaluation=evaluation, bound=bound, max_steps=max_steps
    )
    before = None if state is None else Before(partitions, types_before(state))
    return ManyMatches(opening.feed(on_step=on_step, state=state, following=Following(follow, before, keep)))


def _opening(
    query: AnyQueries,
    source: Any,
    reading: ReadingOptions,
    on_error: str,
    given: RowSources = None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
    max_steps: int | None = None,
) -> _Opening:
    """Errors as of ``match``."""
    queries = with_tables(prepared_queries(query), given)
    reading = without_types(queries, reading)
    integers_of(reading.totals)
    evaluation_of(evaluation)
    check_texts(
        type=reading.type, relation=reading.relation, time=reading.time, unit=reading.unit, time_format=reading.form,
        stream=reading.stream,
    )  # fmt: skip
    check_csv(reading.csv)
    if reading.form is not None and reading.time is None:
        raise OptionError(f"the form {reading.form} is about times: say which column has them (time)")
    if on_error not in ("stop", "skip"):
        raise OptionError(f"on_error is stop or skip, not {on_error}")
    for name, prepared in queries.items():
        with about_query(name):
            check_window(prepared, reading.time)
    return _Opening(queries, source, reading, sharing, evaluation, bound, steps_of(max_steps))


def without_types(queries: Mapping[str, AnyPrepared], reading: ReadingOptions) -> ReadingOptions:
    """How rows are read where they need no types: all queries are in SQL.  OptionError: types are given."""
    if any(isinstance(each, Prepared) for each in queries.values()):
        return reading
    for what, given in (("type", reading.type), ("relation", reading.relation)):
        if given is not None:
            asked = f"A AS {given} = '…'" if what == "type" else "A AS price > 10"
            raise OptionError(f"{what} is for CEQL: a row has no type in SQL; write DEFINE {asked}")
    return replace(reading, relation="row")


@dataclass(frozen=True, slots=True)
class _Opening:
    """Queries and a source, to be read again if its rows are asked for."""

    queries: Mapping[str, AnyPrepared]
    source: Any
    reading: ReadingOptions
    sharing: bool
    evaluation: str
    bound: Bound | None
    max_steps: int

    def results(self) -> Matches | Aggregates | RowMatches | Results | ManyMatches:
        """What ``match`` gives."""
        feed = self.feed()
        if "" not in self.queries:
            return ManyMatches(feed)
        query = self.queries[""]
        if not isinstance(query, Prepared):
            return Results(feed)
        if query.rows is not None:
            return RowMatches(feed)
        return Aggregates(feed) if query.query.aggregates else Matches(feed, self._again)

    def feed(
        self,
        everything: bool = False,
        on_step: OnStep | None = None,
        state: bytes | None = None,
        following: Following = Following(),
    ) -> SourceFeed:
        """The events on their way to the queries, as of ``fed``."""
        streams = open_streams(list(self.queries.values()), self.source, self.reading, following)
        return fed(
            self.queries, streams, everything, on_step, state, self.sharing, self.evaluation, self.bound, self.max_steps
        )

    def _again(self) -> Matches:
        check_readable_again(self.source)
        return Matches(self.feed(everything=True), self._again)
