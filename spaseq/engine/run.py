"""Running queries over whole streams: files or iterables in, matches out, lazily."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeAlias

from gpm.background import Background
from spaseq.engine.background import BackgroundSources, Entail
from spaseq.engine.engine import Engine, Item, as_event
from spaseq.engine.ordering import in_order
from spaseq.engine.queries import AnyQuery, supplied_streams
from spaseq.errors import OptionError
from spaseq.results.table import Match, MatchTable
from spaseq.streams.event import Event, Events
from spaseq.streams.merge import in_lists, merge
from spaseq.streams.sources import check_readable, expand, read_source
from spaseq.streams.timestamps import LEAST
from spaseq.streams.wire import WireOptions, WireReport

Source: TypeAlias = "str | os.PathLike[str] | Iterable[Item]"
Queries: TypeAlias = "AnyQuery | Sequence[AnyQuery] | Mapping[str, AnyQuery]"


class Run:
    """Queries and their streams, ready to be read; iterate over it, or over ``tables()``, once.

    ``queries`` is a query, a list, or a mapping by name; ``streams`` maps names or IRIs to paths (a file, folder, glob
    or ``-``) or iterables of ``(timestamp, graph)``.  Each file is ordered by time up to ``lateness``.  With
    ``count_only`` results are counted (``counts``) and, where possible, not made; ``gpm`` and ``entail`` are those of
    ``Engine``.  All errors in the arguments are raised here: QuerySyntaxError, QueryError, OptionError, and StreamError
    for files that cannot be opened.
    """

    def __init__(
        self,
        queries: Queries,
        streams: Mapping[str, Source],
        background: BackgroundSources | Background | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        options: WireOptions = WireOptions(),
        count_only: bool = False,
        gpm: str = "auto",
        entail: Entail = (),
    ) -> None:
        if not isinstance(options, WireOptions):
            raise OptionError(f"options are WireOptions, not {options!r:.80}")
        self.engine = Engine(background, lateness, on_late, gpm, entail)
        for name, query in _named(queries):
            self.engine.register(query, name)
        supplied = supplied_streams(list(self.engine.queries.values()), streams)
        self.reports = {iri: WireReport() for iri in supplied}
        if [str(stream) for stream in supplied.values() if isinstance(stream, str | os.PathLike)].count("-") > 1:
            raise OptionError("only one stream can be read from standard input")
        self._from_files = True  # nothing that could fall silent
        self._sources = [source for iri, stream in supplied.items() for source in self._read(iri, stream, options)]
        self.reading = False  # while it is true, KeyboardInterrupt does no harm: all that was read is worked out
        self.stopped = False
        self.events = 0
        self.time = LEAST  # the latest time read, in microseconds
        if count_only:
            for running in self.engine._queries.values():
                running.matcher.count_only = running.can_count_only

    def __iter__(self) -> Iterator[Match]:
        """All matches in order of decision."""
        for tables in self._steps():
            yield from in_order(list(tables))

    def tables(self) -> Iterator[MatchTable]:
        """All results as tables, each of one query."""
        for tables in self._steps():
            yield from tables

    def stop(self) -> None:
        """Read no further: what is decided by the events read is still given, as if the input paused here."""
        self.stopped = True

    def counts(self) -> dict[str, int]:
        """The number of results so far by query."""
        return {
            name: running.matcher.count if running.matcher.count_only else running.results
            for name, running in self.engine._queries.items()
        }

    def statistics(self) -> dict[str, Any]:
        """``Engine.statistics`` with a ``wire`` report in each stream that was read."""
        found = self.engine.statistics()
        for iri, report in self.reports.items():
            found["streams"][iri]["wire"] = report.to_dict()
        return found

    def _read(self, iri: str, stream: Source, options: WireOptions) -> list[Iterator[Events]]:
        if isinstance(stream, str | os.PathLike):
            paths = expand(Path(stream) if not isinstance(stream, str) else stream)
            for path in paths:
                check_readable(path)
                self._from_files = self._from_files and Path(path).is_file()
            encoder, report = self.engine.encoder, self.reports[iri]
            return [read_source(path, iri, options, report, encoder.apart()) for path in paths]
        if not isinstance(stream, Iterable):
            raise OptionError(f"a stream is a path or an iterable of (timestamp, graph), not {stream!r:.80}")
        self._from_files = False
        lists, encoder = in_lists(as_event(iri, item) for item in stream), self.engine.encoder.apart()
        return [(Events.of(iri, events, encoder) for events in lists)]

    def _steps(self) -> Iterator[Iterator[MatchTable]]:
        """The results of one batch after the other; what came before an error is worked on before it is raised."""
        batches = merge(self._sources, eager=self._from_files)
        while (batch := self._next(batches)) is not None:
            self.events += sum(map(len, batch))
            self.time = max(self.time, *(int(events.times.max()) for events in batch))
            # Sources are merged by time: no stream is further behind than the lateness, silent ones neither.
            yield self.engine.push_columns(batch, promise=max(LEAST, self.time - self.engine.lateness))
        if not self.stopped:
            yield self.engine.close_tables()

    def _next(self, batches: Iterator[list[Events]]) -> list[Events] | None:
        """The next events; None at the end, or when the run has been stopped."""
        if self.stopped:
            return None
        self.reading = True
        try:
            return next(batches, None)
        finally:
            self.reading = False


def run(
    query: Queries,
    streams: Mapping[str, Source],
    background: BackgroundSources | Background | None = None,
    lateness: timedelta | int = timedelta(0),
    on_late: Callable[[Event], object] | None = None,
    options: WireOptions = WireOptions(),
    gpm: str = "auto",
    entail: Entail = (),
) -> Iterator[Match]:
    """The matches of ``query`` (or several) over ``streams``, lazily, in order of decision: see ``Run``."""
    return iter(Run(query, streams, background, lateness, on_late, options, gpm=gpm, entail=entail))


def _named(queries: Queries) -> list[tuple[str | None, AnyQuery]]:
    if isinstance(queries, Mapping):
        return list(queries.items())
    if isinstance(queries, str) or not isinstance(queries, Sequence):
        return [(None, queries)]
    if not queries:
        raise OptionError("there is no query")
    return [(None, query) for query in queries]
