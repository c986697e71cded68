"""Running queries over whole streams: files or iterables in, matches out, lazily."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from spaseq.errors import OptionError, SpaseqWarning, require
from spaseq.graphs.background import Background, BackgroundSources, Entail
from spaseq.graphs.graph_engine import Engine
from spaseq.graphs.mapped import Mapped
from spaseq.graphs.queries import AnyQuery, as_query, supplied_streams
from spaseq.pattern.sequences import Query
from spaseq.results.match import Match
from spaseq.results.table import MatchTable, MergedTables, merged_matches, merged_tables
from spaseq.runtime.bounded import Bound
from spaseq.runtime.delivery import Decided
from spaseq.runtime.guards import Tables, reading
from spaseq.runtime.live import OpenSource, Patience
from spaseq.runtime.message_sources import MessageSource, opened_partitions
from spaseq.runtime.run import RunState, SourceRun
from spaseq.sources.files import check_path, live_source
from spaseq.sources.incoming import Incoming
from spaseq.sources.parameter_rows import RowSources, tables_by_name
from spaseq.sources.parameter_tables import RowSource
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.files import check_readable, expand, files_to_follow, read_source
from spaseq.sources.rdf.items import Item, items_as_they_come
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.source import Source, opened_url
from spaseq.sources.transports.transport import Transport
from spaseq.streams.losses import Loss
from spaseq.streams.timestamps import duration_microseconds
from spaseq.text import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from spaseq.results.arrow import Types
    from spaseq.sources.mapped.known_types import KnownTypes


Stream: TypeAlias = "str | os.PathLike[str] | Source | Mapped | Iterable[Item]"
Queries: TypeAlias = "AnyQuery | Sequence[AnyQuery] | Mapping[str, AnyQuery]"


class Run(SourceRun[Events], Iterator[Match]):
    """Queries and their streams, ready to be read; iterate over it, or over ``tables()``, once.

    ``to_arrow``, ``to_pandas`` and ``to_polars`` read all of it and give the results of one query as a frame.

    ``queries`` is a query, a list, or a mapping by name; ``streams`` maps names or IRIs to paths (a file, folder, glob,
    ``-`` or a URL), sources, mapped tables or iterables of ``(timestamp, graph)``. Each file is ordered by time up to
    ``lateness``. With ``count_only`` results are counted (``counts``) and, where possible, not made; ``gpm`` and
    ``entail`` are those of ``Engine``. After ``max_results`` results a query is over; when all are, nothing more is
    read. ``given`` has the rows of queries with parameters, by name (``Engine.register``); of an only query it may be
    the table itself; ``sharing``, ``evaluation`` and ``bound`` are those of ``Engine``.

    Pipes are read side by side, as they come.  When nothing comes from one for ``idle``, its open event is complete;
    when nothing comes for ``idle_advance``, its stream promises the time of the others.  ``follow``: files are read as
    they grow, and what replaces them.

    ``state`` is that of an earlier run of the same queries: the streams are read from their beginning, but the events
    that it was given are passed over, and nothing of what it gave comes again.  Streams that come in messages are read
    on behind their positions.  ``on_step`` is called whenever all
    results so far were taken, which is when ``state`` can be asked for; it says after how many seconds without events
    it wants to be called again.

    All errors in the arguments are raised here: QuerySyntaxError, QueryError, OptionError, and StreamError for files
    that cannot be opened.
    """

    instead = "begin another Run, from its state() or with an Engine's snapshot()"

    def __init__(
        self,
        queries: Queries,
        streams: Mapping[str, Stream],
        background: BackgroundSources | Background | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        options: WireOptions = WireOptions(),
        count_only: bool = False,
        gpm: str = "auto",
        entail: Entail = (),
        idle: timedelta | int | None = None,
        idle_advance: timedelta | int | None = None,
        follow: bool = False,
        max_results: int | None = None,
        state: RunState | None = None,
        on_step: Callable[[], float] | None = None,
        given: RowSources = None,
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
    ) -> None:
        if not isinstance(options, WireOptions):
            raise OptionError(f"options are WireOptions, not {options!r:.80}")
        self.engine = Engine(background, lateness, on_late, gpm, entail, sharing, evaluation, bound)
        if state is not None:
            known = _by_name(queries)
            options_again: Any = {"gpm": gpm, "given": given, "sharing": sharing, "evaluation": evaluation}
            options_again["bound"] = bound
            self.engine = Engine.restore(state.engine, known, self.engine.background, on_late, **options_again)
            self.engine.encoder.origins = state.origins  # so that blank nodes are called as they would have been
        self._before = state
        self._kind = kind = self.engine.kind
        named = named_queries(queries) if state is None else []
        kind.share(query for _, query in named)
        tables: dict[Any, RowSource] = {}  # by name, where names are known
        if given is not None and state is None:
            names = list(_by_name(queries))
            tables |= tables_by_name(given, names)
            named = [(name, query) for name, (_, query) in zip(names, named, strict=True)]
        for name, query in named:
            self.engine.register(query, name, max_results=max_results, given=tables.get(name))
        if bound is not None:
            bound.check_names(list(kind.core.running))
        supplied = supplied_streams(kind.known(), streams)
        places = [one.source if isinstance(one, Mapped) else one for one in supplied.values()]
        if [str(one) for one in places if isinstance(one, str | os.PathLike)].count("-") > 1:
            raise OptionError("only one stream can be read from standard input")
        patience = Patience.of(_microseconds(idle), _microseconds(idle_advance))
        super().__init__(kind.core, list(supplied), patience, self.engine.encoder.origins, state, on_step)
        self.reports = {iri: WireReport() for iri in supplied}
        self._known: dict[str, KnownTypes] = {}  # of the streams that are tables
        self._sources = {iri: self._opened_source(iri, stream, options, follow) for iri, stream in supplied.items()}
        if self._from_files and len(kind.core.running) > 1 and state is None:
            kind.wait_for_whole_ticks()
        self._matches: Iterator[Match] | None = None
        self.warns = True  # of what was dropped, in the end; False: whoever has this asks for ``losses``
        if count_only and max_results is None:
            kind.count_only()

    def __next__(self) -> Match:
        """The next match, in order of decision."""
        if self._matches is None:
            matches = (match for decided in self._steps() for match in decided.merged_by(merged_matches))
            self._matches = Tables(self._use, "Run", matches)
        found = next(self._matches, None)
        if found is None:
            self._kind.terms.check()  # a run that ran out of memory has no end
            raise StopIteration
        return found

    def tables(self) -> Iterator[MatchTable]:
        """All results as tables, each of one query."""
        return Tables(self._use, "Run.tables", (table for tables in self._steps() for table in tables))

    def merged(self) -> Iterator[MergedTables]:
        """All results in order of decision, among equals in that of their queries, many together.

        If all streams are files that do not grow, that is one order, however they are read.  Else it holds for what is
        decided at once.
        """
        return Tables(
            self._use,
            "Run.merged",
            (part.by_query() for decided in self._steps() for part in decided.merged_by(merged_tables)),
        )

    def empty(self, query: str) -> MatchTable:
        """A table of a query's results without any: it has their columns.  OptionError: there is no such query."""
        return self._kind.core.query_named(query).empty_of(query)

    def to_arrow(self, types: Types | None = None, query: str | None = None, terms: str | None = None) -> pyarrow.Table:
        """All results of a query as an Arrow table, in order of decision.

        ``types`` gives columns their types by name, others get one that fits all of their values; with
        ``terms="ntriples"`` they have the terms themselves, as strings (``spaseq.results.frames``).  ``query`` names
        one of several queries, by default the only one that is a SELECT.
        OptionError: pyarrow is not installed, matches were taken one by one already, or there is no such query, column
        or type.  StreamError: the streams cannot be read, or a term is none of its column's type.
        """
        require("pyarrow")
        from spaseq.results.frames import all_to_arrow, has_terms

        if self._matches is not None:
            raise OptionError("matches of this run were taken one by one: make a frame of another run")
        empty = self.empty(self._framed(query))
        has_terms(terms, types, empty.columns)  # before anything is read
        return all_to_arrow([empty, *(table for table in self.tables() if table.query == empty.query)], types, terms)

    def to_pandas(self, types: Types | None = None, query: str | None = None) -> pandas.DataFrame:
        """All results of a query as a data frame of pandas; arguments and errors as of ``to_arrow``."""
        require("pandas", "pyarrow")
        from spaseq.results.frames import to_pandas

        return to_pandas(self.to_arrow(types, query))

    def to_polars(self, types: Types | None = None, query: str | None = None) -> polars.DataFrame:
        """All results of a query as a data frame of polars; arguments and errors as of ``to_arrow``."""
        require("polars", "pyarrow")
        from spaseq.results.frames import to_polars

        return to_polars(self.to_arrow(types, query))

    def counts(self) -> dict[str, int]:
        """The number of results so far by query."""
        return {name: running.named(name).found for name, running in self._core.running.items()}

    @property
    def groups(self) -> int:
        """Groups of partial matches that all queries keep, as of the last event that concerned each; quickly told."""
        return sum(running.groups() for running in self._core.at_work)

    @reading
    def statistics(self) -> dict[str, Any]:
        """``Engine.statistics`` with a ``wire`` report in each stream that was read.

        GPMs that pyoxigraph evaluates have the ``microseconds`` that it takes for an event, lately.
        """
        return self._kind.add_costs(self._kind.statistics(self.reports))

    def losses(self) -> list[Loss]:
        """What was dropped of the streams so far, and of partial matches, to keep work within its bound."""
        of_streams = (loss for some in self._kind.losses(self.reports).values() for loss in some)
        return [*of_streams, *self._kind.shed_losses()]

    @property
    def complete(self) -> bool:
        """Whether no partial match was left out so far, to keep work within its bound."""
        return self._kind.complete

    def _framed(self, query: str | None) -> str:
        """The name of the query whose results become a frame."""
        names = list(self._core.running)
        selections = [name for name, running in self._core.running.items() if running.into is None]
        if query is None and len(selections or names) == 1:
            return (selections or names)[0]
        if query is None:
            raise OptionError(f"a frame has the results of one query, here are {', '.join(names)}: say which (query)")
        if not isinstance(query, str):
            raise OptionError(f"a query is named by a text, not {query!r:.80}")
        if query not in names:
            raise OptionError(f"there is no query {query}; {did_you_mean(query, names)}")
        return query

    def _opened_source(self, iri: str, stream: Stream, options: WireOptions, follow: bool) -> list[OpenSource[Events]]:
        if isinstance(stream, str | os.PathLike) and (found := opened_url(os.fspath(stream))) is not None:
            stream = found
        if isinstance(stream, Transport) and stream.comes_in_messages:
            return self._read_partitions(iri, stream, options)
        if isinstance(stream, Mapped):
            stream = stream.connected()
            if (rows := stream.transport) is not None:
                return self._read_partitions(iri, rows, options, stream)
        if isinstance(stream, Source):
            return [self._reader(stream.url, iri, options, Incoming(stream, stream.url))]
        if isinstance(stream, str | os.PathLike):
            check_path(os.fspath(stream))
            given = Path(stream) if not isinstance(stream, str) else stream
            paths = files_to_follow(given) if follow else expand(given)
            for path in paths:
                check_readable(path)
            return [self._reader(path, iri, options, live_source(path, follow)) for path in paths]
        if isinstance(stream, Mapped):
            encoder, whole = self.engine.encoder.apart, self._kind.on_late is not None
            opened = stream.opened(iri, encoder, options, self.reports[iri], follow, whole, self._known_types(iri))
            is_file = stream.is_path and str(stream.source) != "-" and all(one.incoming is None for one in opened)
            self._from_files = self._from_files and is_file
            return opened
        if not isinstance(stream, Iterable):
            raise OptionError(f"a stream is a path or an iterable of (timestamp, graph), not {stream!r:.80}")
        self._from_files = False
        return [OpenSource(items_as_they_come(iri, self.engine.encoder.apart(), stream))]

    def _read_partitions(
        self, iri: str, source: Transport, options: WireOptions, mapped: Mapped | None = None
    ) -> list[OpenSource[Events]]:
        """The partitions of a stream that comes in messages; they go on where the state of an earlier run says."""
        from spaseq.sources.rdf.message_events import read_arrivals

        self._from_files = False
        states = None if self._before is None else self._before.partitions.get(iri, {})
        found: list[MessageSource[Events]] = []
        for one in opened_partitions(source, states):
            encoder, arrivals = self.engine.encoder.apart(), one.arrivals
            if mapped is None:
                events = read_arrivals(arrivals, iri, options, self.reports[iri], encoder)
            else:
                whole = self._kind.on_late is not None
                events = mapped.arriving(one, iri, encoder, options, self.reports[iri], whole, self._known_types(iri))
            found.append(MessageSource(arrivals, events, encoder, None if states is None else states[one.name]))
        for partition in found if len(found) > 1 else ():
            partition.apart(iri)
        self._partitions[iri] = found
        self._positions.resumes(iri)
        return list(found)

    def _known_types(self, iri: str) -> KnownTypes:
        """The types of the columns of a stream of tables, with those that an earlier run had."""
        from spaseq.sources.mapped.known_types import KnownTypes

        if iri not in self._known:
            self._known[iri] = KnownTypes({} if self._before is None else self._before.types.get(iri, {}))
        return self._known[iri]

    def _reader(self, path: str, iri: str, options: WireOptions, incoming: Incoming | None) -> OpenSource[Events]:
        self._from_files = self._from_files and path != "-" and incoming is None
        encoder, report = self.engine.encoder.apart(), self.reports[iri]
        return OpenSource(read_source(path, iri, options, report, encoder, incoming), incoming)

    # ── as of any run ────────────────────────────────────────────────────────────────────────────────────
    def _push(self, batches: Iterable[Events], promise: int | None = None) -> Decided:
        return self._kind.push(batches, promise)

    def _snapshot(self) -> bytes:
        from spaseq.graphs.state import take_snapshot  # not by the engine: its use is this run's

        return take_snapshot(self._kind)

    def _types(self) -> dict[str, dict[str, bytes]]:
        found = {iri: known.stored() for iri, known in self._known.items()}
        return {iri: types for iri, types in found.items() if types}

    def _told(self) -> None:
        """Tell who iterates what was dropped, but for late events that somebody asked for."""
        asked_for = self._kind.on_late is not None
        lines = [loss.line() for loss in self.losses() if not (asked_for and loss.is_late)]
        if lines and self.warns:
            deep = 5 if self._matches is None else 6  # whoever takes the tables, or the matches
            warnings.warn("\n".join(lines), SpaseqWarning, stacklevel=deep)


def run(
    query: Queries,
    streams: Mapping[str, Stream],
    background: BackgroundSources | Background | None = None,
    lateness: timedelta | int = timedelta(0),
    on_late: Callable[[Event], object] | None = None,
    options: WireOptions = WireOptions(),
    gpm: str = "auto",
    entail: Entail = (),
    idle: timedelta | int | None = None,
    idle_advance: timedelta | int | None = None,
    follow: bool = False,
    max_results: int | None = None,
    given: RowSources = None,
    sharing: bool = True,
    evaluation: str = "auto",
    bound: Bound | None = None,
) -> Run:
    """The matches of ``query`` (or several) over ``streams``, lazily, in order of decision: see ``Run``."""
    return Run(
        query, streams, background, lateness, on_late, options, gpm=gpm, entail=entail, idle=idle,
        idle_advance=idle_advance, follow=follow, max_results=max_results, given=given,
        sharing=sharing, evaluation=evaluation, bound=bound,
    )  # fmt: skip


def _by_name(queries: Queries) -> dict[str, AnyQuery]:
    """The queries by the names that ``Engine.register`` would give them."""
    found: dict[str, Query] = {}
    for name, query in named_queries(queries):
        checked = as_query(query, name, found)
        found[checked.name] = checked
    return dict(found)


def _microseconds(duration: timedelta | int | None) -> int | None:
    return None if duration is None else duration_microseconds(duration)


def named_queries(queries: Queries) -> list[tuple[str | None, AnyQuery]]:
    """Queries with the names that they were given, if any.  OptionError: there is none."""
    if isinstance(queries, Mapping):
        return list(queries.items())
    if isinstance(queries, str) or not isinstance(queries, Sequence):
        return [(None, queries)]
    if not queries:
        raise OptionError("there is no query")
    return [(None, query) for query in queries]
