"""Edges as a kind of data: what a stream of edges has beside what all that streams has."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gpm.rows import Words
from spaseq.errors import OptionError, QueryError
from spaseq.paths.edge_events import EdgeEvent, EdgeEvents
from spaseq.paths.window import Appeared, NativeColumns, WatchedQueries
from spaseq.pattern.times import iso
from spaseq.runtime.core import EngineCore
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.reorder import Released, by_time
from spaseq.runtime.soundness import Soundness
from spaseq.sources.rdf.events import Events
from spaseq.streams.batch import Numbers
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST

MOST_WAITING = 1 << 14  # paths that are given together


class WatchingQuery:
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

    def rest(self) -> None:
        """See ``Kind``: terms go when events were taken."""


def _shown(name: str) -> str:
    return f"<{name}>" if name else "an event"
