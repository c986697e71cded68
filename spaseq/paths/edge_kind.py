"""Edges as a kind of data: how they come in, from files and pipes too, and what their stream has of its own."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pyoxigraph import Quad, Triple

from gpm.edges import triples_of
from gpm.encoder import forget_terms
from gpm.errors import PatternError
from gpm.native.assembly import Encoder
from gpm.rows import EventBatch, Texts, Words
from gpm.terms import is_rdflib_graph, ox_term
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, QueryError
from spaseq.paths.window import Appeared, NativeColumns, WatchedQueries
from spaseq.runtime.core import EngineCore
from spaseq.runtime.guards import Soundness
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.message_sources import opened_partitions
from spaseq.runtime.protocols import OneQuery
from spaseq.runtime.reorder import Released, by_time
from spaseq.sources.files import check_path, live_source
from spaseq.sources.incoming import Incoming
from spaseq.sources.merge import merge
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.sources.rdf.files import check_readable, expand, files_to_follow, read_source
from spaseq.sources.rdf.items import as_event
from spaseq.sources.rdf.wire import WireOptions, WireReport
from spaseq.sources.source import is_url, opened_url
from spaseq.sources.transports.transport import Arrivals, Transport
from spaseq.streams.batch import Numbers
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST, iso, to_microseconds

IRI = "urn:spaseq:edges"
FEW_TERMS, FEW_BYTES = 1 << 16, 1 << 26  # terms that are kept without a thought, and the bytes of them


class EdgeEvent(NamedTuple):
    """Edges that came together: microseconds, the event's IRI (empty: it has none), and terms of pyoxigraph."""

    time: int
    name: str
    edges: tuple[tuple[Any, ...], ...]


class EdgeEvents:
    """Makes events of edges.  Blank nodes are those of their event; terms are forgotten when nobody has them."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.encoder = Encoder(terms)
        self.encoder.want([(0, 0, 0)])
        self._most_terms, self._most_bytes = FEW_TERMS, FEW_BYTES

    def of_items(self, items: Iterable[tuple[Any, Any]]) -> Events:
        """Events from (time, edges).  OptionError, StreamError: one is none."""
        return Events.of(IRI, [as_event(IRI, (time, _graph(edges))) for time, edges in items], self.encoder)

    def of_columns(self, times: Any, words: Words) -> Events:
        """An event of one edge each; ``words`` is uint64[3, n].  OptionError: times are none."""
        whens = microseconds(times)
        if len(whens) != words.shape[1]:
            raise OptionError(f"{len(whens)} times came for {words.shape[1]} edges")
        none = np.zeros(len(whens), np.int64)
        offsets = np.arange(len(whens) + 1, dtype=np.uint32)
        graphs = EventBatch(
            whens, none.view(np.uint64), offsets, words, Texts(((),), none, none, none), none, self.encoder.version,
            self.encoder.batches,
        )  # fmt: skip
        return Events(IRI, graphs, EventIris(b"", np.zeros(len(whens) + 1, np.int64)))

    def event(self, events: Events, number: int) -> EdgeEvent:
        """One of the events."""
        graphs = events.graphs
        start, stop = int(graphs.offsets[number]), int(graphs.offsets[number + 1])
        edges = [
            tuple(ox_term(self.terms.bytes(word)) for word in words)
            for words in graphs.triples[:, start:stop].T.tolist()
        ]
        return EdgeEvent(int(graphs.times[number]), events.names[number], tuple(edges))

    def forget(self, held: Callable[[], Words]) -> None:
        """Forget terms but for those that are ``held`` and those of events that are alive, if there are many."""
        if len(self.terms) <= self._most_terms and self.terms.memory() <= self._most_bytes:
            return
        forget_terms(self.encoder, [held()])
        self._most_terms = max(FEW_TERMS, 2 * len(self.terms))
        self._most_bytes = max(FEW_BYTES, 2 * self.terms.memory())


def microseconds(times: Any) -> Any:
    """int64[n]: times from an array of microseconds or of datetime64, or a sequence of both.  OptionError."""
    column = np.asarray(times)
    if column.dtype.kind == "M":
        if np.isnat(column).any():
            raise OptionError("a time is missing")
        return column.astype("datetime64[us]").astype(np.int64)
    if column.dtype.kind in "iu":
        return np.ascontiguousarray(column, np.int64)
    return np.array([to_microseconds(time) for time in times], np.int64)


def _graph(edges: Any) -> Any:
    """Edges as a graph; tuples of three terms become triples."""
    if isinstance(edges, bytes | str) or not isinstance(edges, Iterable) or is_rdflib_graph(edges):
        return edges
    if _is_one_edge(edges):
        raise OptionError(f"an event is an iterable of edges, as in push([edge], time), not one edge: {edges!r:.200}")
    try:
        return list(triples_of(edges))
    except (PatternError, TypeError, ValueError) as error:
        raise OptionError(f"an edge is a triple of terms of RDF ({error}); names are pushed by push_table") from None


def _is_one_edge(edges: Any) -> bool:
    is_row = isinstance(edges, tuple) and len(edges) == 3 and not isinstance(edges[0], tuple | Quad | Triple)
    return is_row or isinstance(edges, Quad | Triple)


# ── files, folders and pipes ─────────────────────────────────────────────────────────────────────────────
def edge_sources(path: str | os.PathLike[str], follow: bool) -> list[str]:
    """The files that ``path`` means.  StreamError: one cannot be read; OptionError: it cannot be followed."""
    check_path(os.fspath(path))
    given = Path(path) if not isinstance(path, str) else path
    files = files_to_follow(given) if follow else expand(given)
    for file in files:
        check_readable(file)
    return files


def read_events(
    files: list[str], options: WireOptions, report: WireReport, encoder: Encoder, follow: bool, idle: float | None
) -> Iterator[Events]:
    """The events of files as they come, merged by time.  StreamError, after the events before it.

    The open event of a pipe, or of a file that is followed, is complete when nothing came for ``idle`` seconds.
    Partitions of a source of messages wait for each other.
    """
    sources = []
    for file in files:
        source = opened_url(file)
        if isinstance(source, Transport) and source.comes_in_messages:
            parts = opened_partitions(source, None)
            sources += [_released(one.arrivals, options, report, encoder.apart()) for one in parts]
            continue
        incoming = live_source(file, follow) if source is None else Incoming(source, file)
        events = read_source(file, IRI, options, report, encoder.apart(), incoming)
        sources.append(events if incoming is None or idle is None else _with_rests(events, incoming, idle))
    if len(sources) == 1:
        return sources[0]
    eager = not any(map(is_url, files))
    return (events for batch in merge(sources, eager=eager) for events in batch)


def _released(arrivals: Arrivals, options: WireOptions, report: WireReport, encoder: Encoder) -> Iterator[Events]:
    """The events of messages, of which nobody keeps a state: they need not come again."""
    from spaseq.sources.rdf.message_events import read_arrivals

    for events in read_arrivals(arrivals, IRI, options, report, encoder):
        yield events
        arrivals.source.release(arrivals.position)


def _with_rests(events: Iterator[Events], incoming: Incoming, idle: float) -> Iterator[Events]:
    """The events of a source, whose reader is told when nothing came for so long."""
    for some in events:
        yield some
        while incoming.heeds_pauses and not incoming.is_idle and incoming.is_waited_for():
            left = incoming.last + idle - time.monotonic()
            if left <= 0:
                incoming.rest()
            else:
                incoming.rests_for(left)


MOST_WAITING = 1 << 14  # paths that are given together


class WatchingQuery(OneQuery):
    """All path queries of a stream at work: they see the edges in one window, and paths appear in it."""

    name = ""
    into = None
    is_over = False
    due = GREATEST
    pauses = True

    def __init__(self, events: EdgeEvents, watched: WatchedQueries, width: int) -> None:
        self._events = events
        self._watched = watched
        self._watcher = watched.watcher
        self._width = width
        self._names = tuple(query.name for query in watched.queries)
        self._fed: deque[Events] = deque()  # of which nothing was taken
        self._going: Iterator[Appeared] | None = None  # what appears with the events before
        self._is_torn = False  # an event was begun and not done

    def feed(self, events: Events) -> None:
        """Events in order."""
        self._fed.append(events)

    def check(self) -> None:
        """OptionError: it cannot go on."""
        if self._is_torn:
            raise OptionError("the stream ended within an event, by an error or by Ctrl-C: it cannot go on")

    def advance(self, watermark: int) -> None:
        """See ``RunningQuery``: events alone decide."""

    def finish(self) -> None:
        """See ``RunningQuery``: events alone decide."""

    def at_once(self) -> Sequence[Appeared]:
        """See ``RunningQuery``."""
        return list(self.tables())

    def tables(self) -> Iterator[Appeared]:
        """See ``RunningQuery``: the paths that appear."""
        while self._going is not None or self._fed:
            if self._going is None:
                self._going = self._appearing(self._fed.popleft())
            for found in self._going:  # noqa: UP028  (what is not taken stays)
                yield found
            self._going = None

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``."""
        return max(LEAST, time - self._width)

    def _appearing(self, events: Events) -> Iterator[Appeared]:
        words = np.ascontiguousarray(events.graphs.words())
        offsets = events.graphs.offsets
        ends = offsets[1:].astype(np.int64) - int(offsets[0])
        times = np.ascontiguousarray(events.times)
        flags, next_event = self._watched.flags(words), 0
        while next_event < len(times):
            next_event = self._advanced(words, flags, times, ends, next_event)
            found: NativeColumns = self._watcher.take()
            if len(found[0]):
                yield Appeared.of(self._events.terms, self._names, found, times)
        self._events.forget(self._watcher.words)

    def _advanced(self, words: Words, flags: Any, times: Numbers, ends: Numbers, first: int) -> int:
        self._is_torn = True
        try:
            next_event = self._watcher.take_events(words, flags, times, ends, first, MOST_WAITING)
        except ValueError as error:
            raise QueryError(str(error)) from None
        self._is_torn = False
        return next_event


class EdgeInput(MergedInput[Events, Any, WatchingQuery]):
    """The one stream of edges in order of time, without the events that came late."""

    def __init__(self, clock: StreamClock, lateness: int) -> None:
        super().__init__([clock], by_time)
        self.passes = not lateness

    def _feed(self, released: Released[Events]) -> dict[WatchingQuery, None]:
        for query in self.queries:
            for _, events, _ in released.parts:
                query.feed(events)
        return dict.fromkeys(self.queries)


class EdgeKind:
    """A stream of edges, for the ``core`` of one ``EdgeStream``; late events are given to ``on_late``."""

    results_wait = "paths wait: take them all"

    def __init__(self, events: EdgeEvents, lateness: int, on_late: Callable[[EdgeEvent], object] | None) -> None:
        self.events = events
        self.on_late = on_late
        self.core: EngineCore[Events, WatchingQuery] = EngineCore(self, Soundness("this stream of edges"), lateness)

    def stream(self, called: str) -> str:
        """See ``Kind``: there is one."""
        return called

    def opened(self, clock: StreamClock) -> None:
        """See ``Kind``."""

    def arrived(self, batch: Events, first: int) -> Events:
        """See ``Kind``."""
        return batch

    def in_time(self, batch: Events) -> Events:
        """See ``Kind``."""
        return batch

    def late(self, batch: Events, places: Numbers, clock: StreamClock) -> None:
        """See ``Kind``."""
        if not clock.first_late:
            first = int(places[0])
            clock.first_late = f"{_shown(batch.names[first])} at {iso(int(batch.times[first]))}"
        if self.on_late is not None:
            for number in places.tolist():
                self.core.late_calls.call(self.on_late, self.events.event(batch, number))

    def derive(self, query: WatchingQuery) -> Iterable[Events]:
        """See ``Kind``: path queries derive no stream."""
        return ()

    def apart(self, tables: Iterator[Any]) -> Iterator[Any]:
        """See ``Kind``: each is of one query."""
        return tables

    def rest(self) -> None:
        """See ``Kind``: terms go when events were taken."""


def _shown(name: str) -> str:
    return f"<{name}>" if name else "an event"
