"""Path queries on streams of edges: what appears as edges come, and what there is now."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any

import numpy as np

from gpm.rows import Words
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, SpaseqWarning
from spaseq.paths.edge_kind import (
    IRI,
    EdgeEvent,
    EdgeEvents,
    EdgeInput,
    EdgeKind,
    WatchingQuery,
    edge_sources,
    read_events,
)
from spaseq.paths.edges import GraphEdges
from spaseq.paths.graph import RDFS_LABEL, Graph
from spaseq.paths.queries import PathQueries, prepare, with_labelled_nodes
from spaseq.paths.results import Paths
from spaseq.paths.window import Appeared, Starts, WatchedQueries
from spaseq.runtime.guards import Uncopied, Use, exclusive, in_steps, reading
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport, unread
from spaseq.streams.losses import Loss, late
from spaseq.streams.timestamps import Time, duration_microseconds, to_microseconds
from spaseq.text import did_you_mean


class EdgeStream(Uncopied):
    """Path queries on the edges that came in the last ``window`` (a timedelta, or microseconds).

    An edge is in the window from its first arrival until it has not come for longer than that.  Each push gives the
    paths that appear with its events: results with an event that were none just before.  Of paths that a selector
    chooses, as many appear as there are more of.  Nothing appears because edges go: ``current`` has what there is.

    ``starts`` are terms or names instead of those of FROM, or a mapping of names of queries to such.  ``named``: nodes
    are called by what they are, as those of ``push_table``.  ``labels`` is the graph in which LABEL finds nodes, and
    ``warnings`` name labels that it lacks; without it LABEL is refused.  ``lateness`` is how much older than the newest
    event an event may come; events wait for that long.  What is later still is counted, and given to ``on_late``; what
    that raises is raised as an ExceptionGroup when all events were taken, and what appears comes with the next call.
    A stream belongs to one thread at a time: a call beside another one is a BusyError, and does nothing.
    QuerySyntaxError, QueryError, OptionError: arguments are wrong.  It is neither copied nor pickled, and has no
    snapshot: the edges of the window, pushed to another one, bring it to the same state.
    """

    instead = "it has no snapshot() either; make another EdgeStream, and push the edges of the last window to it"

    def __init__(
        self,
        queries: PathQueries,
        window: timedelta | int,
        starts: Starts | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[EdgeEvent], object] | None = None,
        named: bool = False,
        labels: GraphEdges | None = None,
    ) -> None:
        if on_late is not None and not callable(on_late):
            raise OptionError(f"on_late is a function of an event, not {on_late!r:.80}")
        if labels is not None and (named or not isinstance(labels, GraphEdges)):
            raise OptionError(f"labels are those of a Graph, of a stream that is not named, not {labels!r:.80}")
        self.warnings: list[str] = []
        self.queries = prepare(queries)
        if labels is not None:
            self.queries = tuple(with_labelled_nodes(query, labels, self.warnings) for query in self.queries)
        self.names = tuple(query.name for query in self.queries)
        self.window = duration_microseconds(window)
        if not self.window:
            raise OptionError("a window is longer than nothing")
        self.lateness = duration_microseconds(lateness)
        self.named = named
        self.terms = Terms()
        self.events = EdgeEvents(self.terms)
        watched = WatchedQueries(self.terms, self.queries, self.window, starts, named)
        self._watcher = watched.watcher
        self._starts = starts
        self.report = WireReport()
        self._kind = EdgeKind(self.events, self.lateness, on_late)
        self._core = core = self._kind.core
        self._use = core.use = Use("this stream of edges")
        self.clock = core.clock(IRI)
        self._query = WatchingQuery(self.events, watched, self.window)
        self._input = EdgeInput(self.clock, self.lateness)
        core.start(self._query, self._input)
        self._untold: list[Appeared] = []  # what appeared while ``on_late`` raised

    # ── edges come ───────────────────────────────────────────────────────────────────────────────────────────
    @exclusive
    def push(self, edges: Any, time: Time) -> Appeared:
        """Edges came together; the paths that appear by now.

        ``edges`` are an ``rdflib.Graph``, quads or triples of pyoxigraph, tuples of three terms, or text as of
        ``Engine.push``; ``time`` is microseconds or a datetime.  Blank nodes are nodes of this event alone.
        OptionError, StreamError: something is none of this.
        """
        return self._pushed(self.events.of_items([(time, edges)]))

    @exclusive
    def push_many(self, events: Iterable[tuple[Time, Any]]) -> Appeared:
        """Events came, (time, edges) each; the paths that appear by now, in their order."""
        return self._pushed(self.events.of_items(events))

    @exclusive
    def push_table(self, times: Any, data: Any, columns: tuple[str, str, str] | None = None) -> Appeared:
        """Edges came one after the other, as the rows of a table; the paths that appear by now.

        ``times`` is an array of microseconds or of datetime64, or a list; ``data`` and ``columns`` are those of
        ``Graph.from_table``: nodes and relations by name.  OptionError, StreamError: rows are no edges.
        """
        return self._pushed(self._table_events(times, data, columns))

    @exclusive
    def advance(self, time: Time) -> Appeared:
        """Promise that no event before ``time`` will come; the paths that appear by that."""
        self.clock.promise(to_microseconds(time))
        return self._appeared()

    @exclusive
    def close(self) -> Appeared:
        """The end of the stream; the paths that appear by now.  SpaseqWarning: events came late and nobody was told."""
        self.clock.close()
        found = self._appeared()
        for loss in self.losses() if self.on_late is None else ():
            warnings.warn(loss.line(), SpaseqWarning, stacklevel=2)
        return found

    @in_steps
    def take(self, events: Events) -> Iterator[Appeared]:
        """Events came, encoded by ``events.encoder``; the paths that appear by now, piece by piece."""
        self._accept(events)
        return self._going()

    def read(
        self,
        path: str | os.PathLike[str],
        options: WireOptions = WireOptions(),
        follow: bool = False,
        idle: timedelta | int | None = None,
    ) -> Iterator[Appeared]:
        """Read events from a file, a folder, a glob or ``-``, as ``Run`` does; what appears, while it is read.

        ``follow``: a file is read on as it grows.  The open event of such a file, or of a pipe, is complete when no
        byte came for ``idle`` (None: when the next one begins).  StreamError: it cannot be read; OptionError: it cannot
        be followed.
        """
        files = edge_sources(path, follow)
        seconds = None if idle is None else duration_microseconds(idle) / 1e6
        return self._read(read_events(files, options, self.report, self.events.encoder, follow, seconds))

    @reading
    def losses(self) -> list[Loss]:
        """What came too late, and what reading dropped."""
        return [*late(self.clock), *unread(IRI, self.report)]

    # ── what there is ────────────────────────────────────────────────────────────────────────────────────────
    @reading
    def __len__(self) -> int:
        """How many edges are in the window, as of the latest event that did not wait."""
        return len(self._watcher)

    @reading
    def graph(self, time: Time | None = None) -> Graph:
        """The edges in the window, as of ``time``, which is a promise as of ``advance``, or the latest event."""
        self._pass(time)
        words, _ = self._watcher.edges()
        terms = Terms()
        distinct, codes = np.unique(words, return_inverse=True)
        own: Words = terms.intern_many(self.terms.bytes_many(distinct))[codes.reshape(words.shape)]
        return Graph.of_words(terms, own, None if self.named else RDFS_LABEL)

    @reading
    def current(self, query: str | None = None, time: Time | None = None) -> Paths:
        """The results now of a query, the only one if none is named: those of ``graph(time)``.

        Where a pair of nodes has one walk it is at hand; other queries are asked anew.
        OptionError: there is no such query, or several of which none is named.
        """
        number = self._number(query)
        prepared = self.queries[number]
        if not prepared.query.has_one_walk_each:
            starts = self._starts.get(prepared.name) if isinstance(self._starts, dict) else self._starts
            return self.graph(time).match(prepared, starts)
        self._pass(time)
        self._watcher.give_all(number)
        now = np.array([self.clock.newest], np.int64)
        return Appeared.of(self.terms, self.names, self._watcher.take(), now)

    def none(self) -> Appeared:
        """No paths."""
        return Appeared.join(self.terms, self.names, [])

    def _number(self, query: str | None) -> int:
        if query is None and len(self.names) == 1:
            return 0
        if query is None:
            hint = f"say of which, as in current({self.names[0]!r})"
            raise OptionError(f"results are those of one query, here are {', '.join(self.names)}: {hint}")
        if query not in self.names:
            raise OptionError(f"there is no query {query}; {did_you_mean(str(query), self.names)}")
        return self.names.index(query)

    def _pass(self, time: Time | None) -> None:
        """Let time go on, where nothing waits that is older."""
        if time is None:
            return
        now = to_microseconds(time)
        if not self._core.is_settled or len(self._input.buffer) or now < self.clock.newest:
            raise OptionError("events at that time wait, or later ones have come: advance first")
        self.clock.promise(now)
        self._watcher.pass_time(now)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def on_late(self) -> Callable[[EdgeEvent], object] | None:
        """What events that came too late are given to."""
        return self._kind.on_late

    @on_late.setter
    def on_late(self, on_late: Callable[[EdgeEvent], object] | None) -> None:
        self._kind.on_late = on_late

    def _pushed(self, events: Events) -> Appeared:
        self._accept(events)
        return self._appeared()

    def _accept(self, events: Events) -> None:
        """Events came; those in time are kept before anybody is told of those that are late."""
        if self.clock.closed:
            raise OptionError("the stream is closed")
        self._query.check()
        self._core.accept(events, self.lateness)

    def _table_events(self, times: Any, data: Any, columns: tuple[str, str, str] | None) -> Events:
        from spaseq.errors import require
        from spaseq.paths.tables import TableForm, pushed_table

        require("pyarrow")
        return self.events.of_columns(times, pushed_table(self.terms, data, TableForm(columns, None)))

    def _read(self, events: Iterator[Events]) -> Iterator[Appeared]:
        for some in events:
            if len(some):
                yield from self.take(some)

    def _going(self) -> Iterator[Appeared]:
        """What appears with the events that came, piece by piece.  ExceptionGroup, in the end: ``on_late`` raised."""
        while self._untold:
            yield self._untold.pop(0)
        yield from self._core.settle()
        self._core.late_calls.check()

    def _appeared(self) -> Appeared:
        """All of it together; it comes with the next call if ``on_late`` raised."""
        parts: list[Appeared] = []
        try:
            parts.extend(self._going())
        except ExceptionGroup:
            self._untold = parts
            raise
        return Appeared.join(self.terms, self.names, parts)
