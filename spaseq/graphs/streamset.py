"""A streamset Σ with the queries that read it: events are put in order, evaluated once, and fed to each query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gpm.encoder import renewed_single
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.native.single import SingleEvent
from gpm.rows import AtomRows
from spaseq.graphs.lazy import Postponed, Rows, evaluate, placed
from spaseq.graphs.names import FEW, EventNames
from spaseq.graphs.routes import StreamPatterns
from spaseq.graphs.running import RunningQuery
from spaseq.results.table import MatchTable
from spaseq.runtime.reorder import Released, ReorderBuffer, Single
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST


class Streamset:
    """Some streams in the order of FROM STREAM.  ``strict``: for queries with an EVENTS window (SEMANTICS 3.4).

    A query that an event does not concern is not called: it hears of the event, as one without rows, before the next
    one that concerns it, or when only time is needed for a result.  Every ``FEW`` events all queries hear of all.
    """

    def __init__(self, clocks: Sequence[StreamClock], strict: bool, evaluator: Evaluator) -> None:
        self.clocks = tuple(clocks)
        self.iris = tuple(clock.iri for clock in clocks)
        self.buffer = ReorderBuffer(len(self.iris), strict)
        self.names = EventNames()
        self.queries: list[RunningQuery] = []
        self.retired: list[RunningQuery] = []  # queries that are over
        self.derived: frozenset[str] = frozenset()  # the streams that they derive
        self.advanced = LEAST  # the watermark that the queries know, or will when they catch up
        self.finished = False
        self._evaluator = evaluator
        self._postponed = Postponed()
        self._number = {iri: number for number, iri in enumerate(self.iris)}
        self._times: list[int] = []  # of the latest events, which some query may not have heard of
        self._caught_up = 0  # of which event on names were not forgotten yet
        self._due: dict[RunningQuery, int] = {}  # the queries for which a result may wait, and until when at least
        self._rest: dict[RunningQuery, None] = {}  # the queries of which not all tables are taken
        self._ranks: dict[RunningQuery, int] = {}
        self._routes: dict[tuple[int, int], StreamPatterns | None] = {}  # by stream and version of the background

    @property
    def key(self) -> tuple[tuple[str, ...], bool]:
        """Queries with equal keys can share a streamset."""
        return self.iris, self.buffer.strict

    @property
    def watermark(self) -> int:
        """The least of the streams' watermarks."""
        return min(clock.watermark for clock in self.clocks)

    def held_back_by(self) -> StreamClock | None:
        """The open stream whose watermark is the least, if events or another open stream wait for it."""
        open_clocks = [clock for clock in self.clocks if not clock.closed]
        slowest = min(open_clocks, key=lambda clock: clock.watermark, default=None)
        if slowest is None or not (self.buffer or any(c.watermark > slowest.watermark for c in open_clocks)):
            return None
        return slowest

    def came(self) -> dict[str, int]:
        """How many events the queries have seen, by stream: neither those that were late nor those that wait."""
        left = {iri: self.buffer.waiting_of(number) for iri, number in self._number.items()}
        return {clock.iri: clock.events - clock.late - left[clock.iri] for clock in self.clocks}

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def attach(self, query: RunningQuery) -> None:
        """Feed this query, too, from the next event on."""
        query.heard = self.names.next
        self._ranks[query] = 1 + next(reversed(self._ranks.values()), -1)
        self.queries.append(query)
        self.derived |= set() if query.into is None else {query.into}
        self._routes.clear()
        self.note(query)

    def detach(self, query: RunningQuery) -> None:
        """Forget a query."""
        self._leave(query)
        self.retired = [one for one in self.retired if one is not query]
        self.derived = frozenset(one.into for one in self.all_queries if one.into is not None)

    def retire(self, query: RunningQuery) -> None:
        """A query is over: it is fed no more."""
        self._leave(query)
        self.retired.append(query)

    def _leave(self, query: RunningQuery) -> None:
        self.queries = [one for one in self.queries if one is not query]
        self._routes.clear()
        self._postponed.forget(query)
        for known in (self._ranks, self._due, self._rest):
            known.pop(query, None)

    @property
    def all_queries(self) -> list[RunningQuery]:
        """Also those that are over."""
        return [*self.queries, *self.retired]

    @property
    def is_settled(self) -> bool:
        """Whether all tables were taken."""
        return not self._rest

    @property
    def due(self) -> int | None:
        """The least watermark that releases an event, or lets a query decide something; None: none does.

        What EVENTS windows decide comes with an event that is released.  While it is not known what a tick decides, the
        watermark that ends the tick counts.
        """
        waiting = [] if self.buffer.due is None else [self.buffer.due]
        if not (self.buffer.strict or self.finished):
            waiting += [max(query.due, self.advanced) + 1 for query in self.queries]
        return min((due for due in waiting if due < GREATEST), default=None)

    # ── events come ──────────────────────────────────────────────────────────────────────────────────────
    def add(self, events: Events) -> None:
        """Take events of one stream that are not late."""
        singles = self.buffer.take_singles()
        for stream in dict.fromkeys(stream for _, stream, _, _ in singles):
            self.buffer.add(stream, self._joined(stream, singles))
        self.buffer.add(self._number[events.stream], events)

    def add_single(self, stream: str, event: SingleEvent) -> None:
        """Take one event that is not late: the short way."""
        if self.buffer.takes_singles:
            self.buffer.add_single(self._number[stream], event)
        else:
            self.add(self._columns(self._number[stream], event))

    def waiting(self) -> Iterator[Events]:
        """The events that wait, in order for each stream."""
        singles = self.buffer.singles()
        for stream in sorted({stream for _, stream, _, _ in singles}):
            yield self._joined(stream, singles)
        for _, events in self.buffer.waiting():
            yield events

    def oldest_knowledge(self) -> int | None:
        """The oldest version of the background that an event which waits sees; None: nothing waits."""
        return self.buffer.oldest_knowledge()

    def _joined(self, stream: int, singles: Sequence[Single]) -> Events:
        """Those of one stream as columns; there are some."""
        return self._columns(stream, *(event for _, number, _, event in singles if number == stream))

    def _columns(self, stream: int, *events: SingleEvent) -> Events:
        return Events.of_single(self.iris[stream], self._evaluator.encoder, *events)

    # ── events go ────────────────────────────────────────────────────────────────────────────────────────
    def settle(self) -> list[RunningQuery]:
        """Feed what the watermark releases; the queries that this may decide something for, to be asked by ``take``.

        What is not taken comes the next time.
        """
        watermark = self.watermark
        singles, released = self.buffer.release_singles(watermark), self.buffer.release(watermark)
        if not self.finished and (singles or len(released) or watermark != self.advanced):
            if watermark == GREATEST:
                self.catch_up()
            self.advanced, self.finished = watermark, watermark == GREATEST
            fed: dict[RunningQuery, None] = {}
            for time, stream, _, event in singles:
                fed |= self._feed_single(time, stream, event)
            if len(released):
                fed |= self._feed(released)
            self._decide(fed)
        if not self._rest and self.names.next - self._caught_up > FEW:
            self.catch_up()
        return sorted(self._rest, key=self._ranks.__getitem__) if len(self._rest) > 1 else list(self._rest)

    def take(self, query: RunningQuery) -> Iterable[MatchTable]:
        """What the query has decided."""
        if query.pauses:
            return self._taken(query)
        found = query.at_once()
        self._end(query)
        return found

    def _decide(self, fed: dict[RunningQuery, None]) -> None:
        """Let the queries decide that were fed, or for which time has passed."""
        if self.finished:
            for query in self.queries:
                self._tell(query)
                query.finish()
                self._rest[query] = None
            return
        watermark, heard = self.advanced, self.names.next
        for query in fed | dict.fromkeys(query for query, due in self._due.items() if due < watermark):
            if query.heard != heard:
                self._tell(query)
            query.advance(watermark)
            self._rest[query] = None

    def _taken(self, query: RunningQuery) -> Iterator[MatchTable]:
        yield from query.tables()
        self._end(query)

    def _end(self, query: RunningQuery) -> None:
        """All that the query has decided is taken."""
        if query not in self._rest:
            return  # it was taken by another call, or the query is forgotten
        del self._rest[query]
        if query.is_over:
            self.retire(query)
        elif not self.finished:
            self.note(query)
        if not self._rest and self.names.next - self._caught_up > FEW:
            self.catch_up()

    def note(self, query: RunningQuery) -> None:
        """Remember until when the query need not be called."""
        due = query.due
        if due < GREATEST:
            self._due[query] = due
        else:
            self._due.pop(query, None)

    def catch_up(self) -> None:
        """Let all queries hear of all events and of the time, and forget the names that no query needs."""
        for query in self.queries if not self.finished else ():
            self._tell(query)
            query.pass_time(self.advanced)
        self._times, self._caught_up = [], self.names.next
        if self.is_settled:  # else results may come of older events
            self.names.forget(min((query.oldest_event() for query in self.queries), default=self.names.next))

    def _tell(self, query: RunningQuery) -> None:
        """Let the query hear of the events that came since it was fed, none of which concerned it."""
        missed = self.names.next - query.heard
        if missed:
            query.pass_events(self._times[-missed:])

    # ── the short way ────────────────────────────────────────────────────────────────────────────────────
    def _feed_single(self, time: int, stream: int, event: SingleEvent) -> dict[RunningQuery, None]:
        """Feed one event to the queries that it concerns, and give these."""
        route = self._route(stream, event.knowledge)
        if route is None:
            events = self._columns(stream, event)
            return self._feed(Released(events.times, ((stream, events, np.arange(1)),)))
        concerned = route.rows(renewed_single(self._evaluator.encoder, event))
        heard = self.names.next
        for query in concerned:
            if query.heard != heard:
                self._tell(query)
        number = self.names.append(event.name)
        self._times.append(time)
        for query, rows in concerned.items():
            query.feed_single(time, number, rows)
        return dict.fromkeys(concerned)

    def _route(self, stream: int, knowledge: int) -> StreamPatterns | None:
        """How the events of a stream go the short way; None: they cannot, as some patterns are postponed."""
        key = stream, knowledge
        if key not in self._routes:
            if len(self._routes) > 2 * len(self.iris):  # some are of a background that is gone
                self._routes.clear()
            lazy = any(query.lazy for query in self.queries)
            self._routes[key] = None if lazy else StreamPatterns.of(self.queries, stream, knowledge, self._evaluator)
        return self._routes[key]

    # ── the batch way ────────────────────────────────────────────────────────────────────────────────────
    def _feed(self, released: Released) -> dict[RunningQuery, None]:
        """Feed events to the queries that they concern, and give these; many concern all."""
        many = len(released) > FEW
        rows = self._evaluate(released)
        needed = {query: [rows.get((need.stream, need.pattern)) for need in query.needs] for query in self.queries}
        concerned = {query: its for query, its in needed.items() if many or any(map(has_some, its))}
        for query in concerned:
            self._tell(query)
        first = self.names.next
        self._add_names(released)
        numbers = np.arange(first, first + len(released), dtype=np.uint64)
        for query, its in concerned.items():
            query.feed(released.times, numbers, its)
        self._times = [] if many else [*self._times, *released.times.tolist()]
        return dict.fromkeys(concerned)

    def _add_names(self, released: Released) -> None:
        names = EventIris.join([events.names for _, events, _ in released.parts])
        if len(released.parts) == 1:
            self.names.add(names)
        else:
            self.names.add(names, np.argsort(np.concatenate([places for _, _, places in released.parts])))

    def _evaluate(self, released: Released) -> Rows:
        """The rows of every pattern, each evaluated once on the events of its stream; dear ones where they matter."""
        rows: Rows = {}
        later = self._postponed.of(self.queries, released)
        for stream, events, places in released.parts:
            patterns = [one for one in self._patterns(stream) if (stream, one.shape) not in later]
            if patterns:
                for pattern, found in zip(patterns, evaluate(self._evaluator, events.graphs, patterns), strict=True):
                    rows[stream, pattern] = placed(found, places)
        if later:
            for query in self.queries:
                self._tell(query)
                query.complete()  # who waits is asked
            complete = int(released.times[-1]) < self.advanced
            self._postponed.evaluate(self._evaluator, released, complete, later, rows)
        return rows

    def _patterns(self, stream: int) -> list[CompiledPattern]:
        needs = (need for query in self.queries for need in query.needs)
        return list(dict.fromkeys(need.pattern for need in needs if need.stream == stream))


def has_some(rows: AtomRows | None) -> bool:
    """Whether there is a row."""
    return rows is not None and len(rows.row_event) > 0
