"""Running queries over whole streams: files or iterables in, matches out, lazily."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from spaseq.errors import OptionError, SpaseqWarning, StreamError, require
from spaseq.graphs.background import Background, BackgroundSources, Entail
from spaseq.graphs.graph_engine import Engine
from spaseq.graphs.queries import AnyQuery, as_query, derived_stream, supplied_streams
from spaseq.graphs.statistics import losses_of, statistics_of
from spaseq.pattern.sequences import Query
from spaseq.results.match import Match
from spaseq.results.merging import merged_matches, merged_tables
from spaseq.results.table import MatchTable, MergedTables
from spaseq.runtime.delivery import Decided
from spaseq.runtime.exclusive import Tables, Uncopied, reading
from spaseq.runtime.live import Live, OpenSource, Patience
from spaseq.sources.files import check_path, live_source
from spaseq.sources.merge import merge
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.files import check_readable, expand, files_to_follow, read_source
from spaseq.sources.rdf.items import Item, items_as_they_come
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.streams.losses import Loss
from spaseq.streams.timestamps import LEAST, duration_microseconds
from spaseq.text import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from spaseq.results.arrow import Types


@dataclass(frozen=True, slots=True)
class RunState:
    """A run between two steps, all results of which were taken.

    ``engine`` is its snapshot; ``positions`` the number of events of each stream, by IRI, that it was given;
    ``origins`` what its encoder had counted before there were sources; ``time`` the latest time read, in microseconds.
    If the input had ``ended``, the engine's state is that before it was told so.
    """

    engine: bytes
    positions: Mapping[str, int]
    origins: int
    time: int
    ended: bool = False


class Positions:
    """How many events of each stream were given on, and those that were given on before, which are passed over."""

    def __init__(self, iris: Sequence[str], before: Mapping[str, int]) -> None:
        self._left = {iri: before.get(iri, 0) for iri in iris}
        self._given = dict(self._left)

    def given(self) -> dict[str, int]:
        """How many of each stream were given on, those before included."""
        return dict(self._given)

    def fresh(self, columns: Sequence[Events]) -> list[Events]:
        """Those that are new, which are counted."""
        found = []
        for events in columns:
            passed = min(self._left[events.stream], len(events))
            self._left[events.stream] -= passed
            if passed < len(events):
                found.append(events.part(passed, len(events)) if passed else events)
        return found

    def count(self, columns: Sequence[Events]) -> None:
        """These are given on."""
        for events in columns:
            self._given[events.stream] += len(events)

    def passing(self, events: Iterator[Events]) -> Iterator[Events]:
        """The events of one stream, without those that are passed over."""
        for some in events:
            fresh = self.fresh([some]) if len(some) else []
            yield fresh[0] if fresh else some.part(0, 0)

    def check(self, iris: Collection[str]) -> None:
        """StreamError: one of these streams has ended before what it had given before."""
        for iri, left in self._left.items():
            if left and iri in iris:
                had = self._given[iri]
                raise StreamError(f"the stream <{iri}> has {had - left:,} events now, and had {had:,}: it has changed")


Stream: TypeAlias = "str | os.PathLike[str] | Iterable[Item]"
Queries: TypeAlias = "AnyQuery | Sequence[AnyQuery] | Mapping[str, AnyQuery]"


class Run(Uncopied, Iterator[Match]):
    """Queries and their streams, ready to be read; iterate over it, or over ``tables()``, once.

    ``to_arrow``, ``to_pandas`` and ``to_polars`` read all of it and give the results of one query as a frame.

    ``queries`` is a query, a list, or a mapping by name; ``streams`` maps names or IRIs to paths (a file, folder, glob
    or ``-``) or iterables of ``(timestamp, graph)``.  Each file is ordered by time up to ``lateness``.  With
    ``count_only`` results are counted (``counts``) and, where possible, not made; ``gpm`` and ``entail`` are those of
    ``Engine``.  After ``max_results`` results a query is over; when all are, nothing more is read.

    Pipes are read side by side, as they come.  When nothing comes from one for ``idle``, its open event is complete;
    when nothing comes for ``idle_advance``, its stream promises the time of the others.  ``follow``: files are read as
    they grow, and what replaces them.

    ``state`` is that of an earlier run of the same queries: the streams are read from their beginning, but the events
    that it was given are passed over, and nothing of what it gave comes again.  ``on_step`` is called whenever all
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
    ) -> None:
        if not isinstance(options, WireOptions):
            raise OptionError(f"options are WireOptions, not {options!r:.80}")
        self.engine = Engine(background, lateness, on_late, gpm, entail)
        if state is not None:
            known = _by_name(queries)
            self.engine = Engine.restore(state.engine, known, self.engine.background, on_late, gpm=gpm)
            self.engine.encoder.origins = state.origins  # so that blank nodes are called as they would have been
        self._core = core = self.engine.core
        self._kind = kind = self.engine.kind
        self._use = core.use
        named = named_queries(queries) if state is None else []
        kind.share(query for _, query in named)
        for name, query in named:
            self.engine.register(query, name, max_results=max_results)
        self._origins = self.engine.encoder.origins
        self._on_step = on_step
        self._opened = {iri for iri, clock in core.clocks.items() if not clock.closed}
        self._is_between = True  # two steps
        self._ended: RunState | None = None if state is None or not state.ended else state
        supplied = supplied_streams(list(self.engine.queries.values()), streams)
        self.reports = {iri: WireReport() for iri in supplied}
        if [str(stream) for stream in supplied.values() if isinstance(stream, str | os.PathLike)].count("-") > 1:
            raise OptionError("only one stream can be read from standard input")
        self._positions = Positions(list(supplied), {} if state is None else state.positions)
        self._patience = Patience.of(_microseconds(idle), _microseconds(idle_advance))
        self._from_files = True  # nothing that could fall silent
        self._sources = {iri: self._read(iri, stream, options, follow) for iri, stream in supplied.items()}
        if self._from_files and len(core.running) > 1 and state is None:
            kind.wait_for_whole_ticks()
        self._matches: Iterator[Match] | None = None
        self.reading = False  # while it is true, KeyboardInterrupt does no harm: all that was read is worked out
        self.stopped = False
        self.warns = True  # of what was dropped, in the end; False: whoever has this asks for ``losses``
        self.events = sum(self._positions.given().values())
        self.time = LEAST if state is None else state.time  # the latest time read, in microseconds
        if count_only and max_results is None:
            for running in core.running.values():
                running.count_only()

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
            self._use, "Run.merged", (part for decided in self._steps() for part in decided.merged_by(merged_tables))
        )

    def empty(self, query: str) -> MatchTable:
        """A table of a query's results without any: it has their columns.  OptionError: there is no such query."""
        return self._kind.core.query_named(query).empty()

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

    def stop(self) -> None:
        """Read no further: what is decided by the events read is still given, as if the input paused here."""
        self.stopped = True

    def counts(self) -> dict[str, int]:
        """The number of results so far by query."""
        return {name: running.found for name, running in self._core.running.items()}

    @property
    def groups(self) -> int:
        """Groups of partial matches that all queries keep, as of the last event that concerned each; quickly told."""
        return sum(running.groups() for running in self._core.running.values())

    @property
    def held_back_by(self) -> str | None:
        """The IRI of a stream that holds results back, None if there is none; as in ``statistics``."""
        slowest = (merged.held_back_by() for merged in self._core.inputs)
        return next((clock.iri for clock in slowest if clock is not None), None)

    @reading
    def statistics(self) -> dict[str, Any]:
        """``Engine.statistics`` with a ``wire`` report in each stream that was read."""
        return statistics_of(self._kind, self.reports)

    def losses(self) -> list[Loss]:
        """What was dropped of the streams so far."""
        return [loss for some in losses_of(self._kind, self.reports).values() for loss in some]

    def _framed(self, query: str | None) -> str:
        """The name of the query whose results become a frame."""
        names = list(self.engine.queries)
        selections = [name for name, known in self.engine.queries.items() if derived_stream(known) is None]
        if query is None and len(selections or names) == 1:
            return (selections or names)[0]
        if query is None:
            raise OptionError(f"a frame has the results of one query, here are {', '.join(names)}: say which (query)")
        if not isinstance(query, str):
            raise OptionError(f"a query is named by a text, not {query!r:.80}")
        if query not in names:
            raise OptionError(f"there is no query {query}; {did_you_mean(query, names)}")
        return query

    def _read(self, iri: str, stream: Stream, options: WireOptions, follow: bool) -> list[OpenSource[Events]]:
        if isinstance(stream, str | os.PathLike):
            check_path(os.fspath(stream))
            given = Path(stream) if not isinstance(stream, str) else stream
            paths = files_to_follow(given) if follow else expand(given)
            for path in paths:
                check_readable(path)
            return [self._source(path, iri, options, follow) for path in paths]
        if not isinstance(stream, Iterable):
            raise OptionError(f"a stream is a path or an iterable of (timestamp, graph), not {stream!r:.80}")
        self._from_files = False
        return [OpenSource(items_as_they_come(iri, self.engine.encoder.apart(), stream))]

    def _source(self, path: str, iri: str, options: WireOptions, follow: bool) -> OpenSource[Events]:
        incoming = live_source(path, follow)
        self._from_files = self._from_files and path != "-" and incoming is None
        encoder, report = self.engine.encoder.apart(), self.reports[iri]
        return OpenSource(read_source(path, iri, options, report, encoder, incoming), incoming)

    def _steps(self) -> Iterator[Decided]:
        """The results of one batch after the other; what came before an error is worked on before it is raised."""
        sources = [source for some in self._sources.values() for source in some]
        if any(source.incoming for source in sources):
            streams = {iri: self._one_source(some) for iri, some in self._sources.items()}
            steps = Live(
                self._core, self._kind.push, streams, self._patience, self._note, self._wait, self._wake
            ).steps()
        else:
            steps = self._merged([source.events for source in sources])
        for decided in steps:
            self._is_between = False
            yield decided
            self._step()
            if self.stopped:
                return
            if self._is_over:
                break
        if not self.stopped and not self._is_over:
            yield from self._end()
        if self.warns:
            self._warn()

    def _one_source(self, sources: Sequence[OpenSource[Events]]) -> OpenSource[Events]:
        """One source of a stream, which passes over what was given before."""
        one = _one_source(sources)
        return OpenSource(self._positions.passing(one.events), one.incoming)

    def _end(self) -> Iterator[Decided]:
        """What is decided by the end of the input, unless that was decided before."""
        self._positions.check(self._opened)
        if self._ended is not None:
            return
        ended = self.state() if self._on_step is not None else None
        self._is_between = False
        yield self._core.close()
        self._is_between = True
        self._ended = None if ended is None else replace(ended, ended=True)

    def _step(self) -> None:
        """All results so far were taken."""
        self._is_between = True
        if self._on_step is not None:
            self._on_step()

    def _wake(self) -> float:
        """After how many seconds without events somebody wants to be called."""
        return math.inf if self._on_step is None else self._on_step()

    @property
    def can_tell_state(self) -> bool:
        """Whether ``state`` can be asked for: all results so far were taken, and nothing is half done."""
        return self._is_between

    @reading
    def state(self) -> RunState:
        """Where the run is, for another one to go on.  OptionError: not all results so far were taken."""
        from spaseq.graphs.state import take_snapshot  # not by the engine: its use is this run's

        if self._ended is not None:
            return self._ended
        if not self._is_between:
            raise OptionError("a run tells its state between two steps, when all results so far were taken")
        return RunState(take_snapshot(self._kind), self._positions.given(), self._origins, self.time)

    @property
    def _is_over(self) -> bool:
        """Whether all queries have as many results as were asked for."""
        return all(running.is_over for running in self._core.running.values())

    def _warn(self) -> None:
        """Tell who iterates what was dropped, but for late events that somebody asked for."""
        asked_for = self._kind.on_late is not None
        lines = [loss.line() for loss in self.losses() if not (asked_for and loss.is_late)]
        if lines:
            deep = 5 if self._matches is None else 6  # whoever takes the tables, or the matches
            warnings.warn("\n".join(lines), SpaseqWarning, stacklevel=deep)

    def _merged(self, sources: Sequence[Iterator[Events]]) -> Iterator[Decided]:
        """The results of sources that do not fall silent, or are alone."""
        batches = merge(sources, eager=self._from_files)
        while (batch := self._next(batches)) is not None:
            if not (batch := self._positions.fresh(batch)):
                continue
            self._note(batch)
            # Sources are merged by time: no stream is further behind than the lateness, silent ones neither.
            yield self._kind.push(batch, promise=max(LEAST, self.time - self._core.lateness))

    def _note(self, columns: Sequence[Events]) -> None:
        """Count events that are fed to the engine."""
        self._ended = None
        self._positions.count(columns)
        self.events += sum(map(len, columns))
        self.time = max(self.time, *(int(events.times.max()) for events in columns))

    def _wait(self, wait: Callable[[], None]) -> bool:
        """Wait for events; False when the run has been stopped."""
        self.reading = True  # before the look whether it was stopped: then a signal ends the waiting
        try:
            if not self.stopped:
                wait()
        finally:
            self.reading = False
        return not self.stopped

    def _next(self, batches: Iterator[list[Events]]) -> list[Events] | None:
        """The next events; None at the end, or when the run has been stopped."""
        self.reading = True  # before the look whether it was stopped: then a signal ends the reading
        try:
            return None if self.stopped else next(batches, None)
        finally:
            self.reading = False


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
) -> Run:
    """The matches of ``query`` (or several) over ``streams``, lazily, in order of decision: see ``Run``."""
    return Run(
        query, streams, background, lateness, on_late, options, gpm=gpm, entail=entail, idle=idle,
        idle_advance=idle_advance, follow=follow, max_results=max_results,
    )  # fmt: skip


def _one_source(sources: Sequence[OpenSource[Events]]) -> OpenSource[Events]:
    """One source that is as several are; those are files."""
    if len(sources) == 1:
        return sources[0]
    batches = merge([source.events for source in sources], eager=True)
    return OpenSource(events for batch in batches for events in batch)


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
