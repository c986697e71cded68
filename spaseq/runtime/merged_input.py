"""The merged input of queries: events of some streams are put in order, and each query is asked what they decide."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic

from spaseq.runtime.protocols import Q
from spaseq.runtime.reorder import B, Order, Released, ReorderBuffer, S, by_tick
from spaseq.streams.batch import in_order_of_time
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST


class MergedInput(ABC, Generic[B, S, Q]):
    """Some streams in one order of time, and the queries that read them (the merged input Σ of semantics.md 1).

    ``order`` says by the watermarks which events have their turn.  What queries make of these is up to the kind of
    data: ``_feed`` a batch, ``_feed_single`` one event by itself, and ``_hear`` what they have missed.
    """

    passes = False  # events that have their turn when they come need not wait
    is_paced = False  # it wants to know how many events have their turn together

    def __init__(self, clocks: Iterable[StreamClock], order: Order) -> None:
        self.clocks = list(clocks)
        self.order = order
        self.buffer: ReorderBuffer[B, S] = ReorderBuffer(len(self.clocks))
        self.queries: list[Q] = []
        self.over: list[Q] = []  # queries that find nothing more
        self.derived: frozenset[str] = frozenset()  # the streams that they derive
        self.advanced = LEAST  # the watermark that the queries know, or will when they catch up
        self.finished = False
        self.turns: deque[B] = deque()  # what has its turn, and was not fed yet
        self.numbers = {clock.iri: number for number, clock in enumerate(self.clocks)}
        self._due: dict[Q, int] = {}  # the queries for which a result may wait, and until when at least
        self._rest: dict[Q, None] = {}  # the queries of which not all tables are taken
        self._ranks: dict[Q, int] = {}

    @property
    def streams(self) -> tuple[str, ...]:
        """The names of the streams, in their order."""
        return tuple(self.numbers)

    @property
    def watermark(self) -> int:
        """The least of the streams' watermarks."""
        return min([clock.watermark for clock in self.clocks], default=LEAST)

    def reached(self, watermarks: Sequence[int]) -> int:
        """The time that no event which waits, or is to come, is before, if the streams have these watermarks."""
        return min(watermarks, default=LEAST)

    def held_back_by(self) -> StreamClock | None:
        """The open stream whose watermark is the least, if events or another open stream wait for it."""
        open_clocks = [clock for clock in self.clocks if not clock.closed]
        slowest = min(open_clocks, key=lambda clock: clock.watermark, default=None)
        if slowest is None or not (self.buffer or any(c.watermark > slowest.watermark for c in open_clocks)):
            return None
        return slowest

    def came(self) -> dict[str, int]:
        """How many events the queries have seen, by stream: neither those that were late nor those that wait."""
        left = {iri: self.buffer.waiting_of(number) for iri, number in self.numbers.items()}
        return {clock.iri: clock.events - clock.late - left[clock.iri] for clock in self.clocks}

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def may_be_joined(self) -> bool:
        """Whether a new query sees what the others see from now on."""
        return not (self.buffer or self.turns or self.finished)

    def attach(self, query: Q) -> None:
        """Feed this query, too, from the next event on, unless it is over."""
        if query.is_over:
            self.over.append(query)
        else:
            self._ranks[query] = 1 + next(reversed(self._ranks.values()), -1)
            self.queries.append(query)
            self.note(query)
        self.derived |= set() if query.into is None else {query.into}

    def detach(self, query: Q) -> None:
        """Forget a query."""
        self._leave(query)
        self.over = [one for one in self.over if one is not query]
        self.derived = frozenset(one.into for one in self.all_queries if one.into is not None)

    def _retire(self, query: Q) -> None:
        """A query is over: it is fed no more."""
        self._leave(query)
        self.over.append(query)

    def _leave(self, query: Q) -> None:
        self.queries = [one for one in self.queries if one is not query]
        for known in (self._ranks, self._due, self._rest):
            known.pop(query, None)

    @property
    def all_queries(self) -> list[Q]:
        """Also those that are over."""
        return [*self.queries, *self.over]

    @property
    def is_settled(self) -> bool:
        """Whether all tables were taken."""
        return not (self._rest or self.turns)

    def due(self) -> int | None:
        """The least watermark that releases an event, or lets a query decide something; None: none does.

        What a tick decides that is not over comes with an event that is released.  While it is not known what a tick
        decides, the watermark that ends the tick counts.
        """
        watermarks = [clock.watermark for clock in self.clocks]
        waiting = []
        for number, time in self.buffer.first_times().items():
            promised = [max(watermark, time) for watermark in watermarks]
            waiting.append(time + (self.order(min(promised), promised)[number] < time))
        if not (self.order is by_tick or self.finished):
            waiting += [max(query.due, self.advanced) + 1 for query in self.queries if query.due < GREATEST]
        return min((due for due in waiting if due < GREATEST), default=None)

    # ── events come ──────────────────────────────────────────────────────────────────────────────────────
    def add(self, events: B) -> None:
        """Take events of one stream that are not late."""
        number = self.numbers[events.stream]
        if self.passes and self._may_pass(number, events):
            self.turns.append(events)
        else:
            self.buffer.add(number, events)

    def add_single(self, stream: str, event: S) -> None:
        """Take one event that is not late by itself, where the kind of data has such."""
        raise NotImplementedError

    def _asked(self) -> list[Q]:
        """The queries of which not all tables are taken."""
        return sorted(self._rest, key=self._ranks.__getitem__) if len(self._rest) > 1 else list(self._rest)

    def _may_pass(self, number: int, events: B) -> bool:
        """Whether events, which come now, have their turn at once and as they are."""
        if self.buffer:
            return False
        if len(self.clocks) == 1:
            bound = self.clocks[0].watermark
        else:
            watermarks = [clock.watermark for clock in self.clocks]
            bound = self.order(min(watermarks), watermarks)[number]
        times = events.times
        return bool(times[-1] <= bound) and (len(times) == 1 or in_order_of_time(events))

    # ── events go ────────────────────────────────────────────────────────────────────────────────────────
    def settle(self) -> list[Q]:
        """Feed what has its turn; the queries that this may decide something for, to be asked by ``take``.

        What is not taken comes the next time.
        """
        if self._rest:
            self._leave_out_those_over()
        watermarks = [clock.watermark for clock in self.clocks]
        watermark = min(watermarks) if watermarks else LEAST
        bounds = self.order(watermark, watermarks)
        singles, released = self.buffer.release_singles(bounds), self.buffer.release(bounds)
        if not self.finished and (singles or released is not None or watermark != self.advanced):
            if watermark == GREATEST:
                self.catch_up()
            self.advanced, self.finished = watermark, watermark == GREATEST
            fed: dict[Q, None] = {}
            if self.is_paced:
                self._begin_batch(len(singles) + (0 if released is None else len(released)))
            for time, stream, _, event in singles:
                fed |= self._feed_single(time, stream, event)
            if released is not None:
                fed |= self._feed(released)
            self._decide(fed)
        self._settled()
        return self._asked()

    def next_turn(self) -> list[Q]:
        """As ``settle`` with the first batch that need not wait, once all is taken of the one before."""
        if not self._rest:
            self._rest |= self._feed_turn(self.turns.popleft())
        return self._asked()

    def take(self, query: Q, how: Callable[[Q], Iterable[Any]] | None = None) -> Iterable[Any]:
        """What the query has decided; ``how`` says in which form, if not as its tables."""
        if how is not None or query.pauses:
            return self._taken(query, how)
        found = query.at_once()
        self._end(query)
        return found

    def _decide(self, fed: dict[Q, None]) -> None:
        """Let the queries decide that were fed, or for which time has passed."""
        if self.finished:
            for query in self.queries:
                self._hear(query)
                query.finish()
                self._rest[query] = None
            return
        watermark = self.advanced
        if self._due:
            fed |= dict.fromkeys(query for query, due in self._due.items() if due < watermark)
        for query in fed:
            self._hear(query)
            query.advance(watermark)
            self._rest[query] = None

    def _taken(self, query: Q, how: Callable[[Q], Iterable[Any]] | None) -> Iterator[Any]:
        yield from query.tables() if how is None else how(query)
        self._end(query)

    def _end(self, query: Q) -> None:
        """All that the query has decided is taken."""
        if query not in self._rest:
            return  # it was taken by another call, or the query is forgotten
        del self._rest[query]
        if query.is_over:
            self._retire(query)
        elif not self.finished:
            self.note(query)
        self._settled()

    def _leave_out_those_over(self) -> None:
        """Queries whose last results were given, to somebody who asked for no more, are fed no more."""
        for query in [query for query in self._rest if query.is_over]:
            self._end(query)

    def note(self, query: Q) -> None:
        """Remember until when the query need not be called."""
        due = query.due
        if due < GREATEST:
            self._due[query] = due
        else:
            self._due.pop(query, None)

    # ── what the kind of data makes of them ──────────────────────────────────────────────────────────────
    @abstractmethod
    def _feed(self, released: Released[B]) -> dict[Q, None]:
        """Feed events to the queries that they concern, and give these."""

    def _begin_batch(self, events: int) -> None:
        """So many events have their turn: if it ``is_paced``."""

    def _feed_turn(self, events: B) -> dict[Q, None]:
        """As ``_feed`` for events of one stream."""
        return self._feed(Released.of([(self.numbers[events.stream], events)]))

    def _feed_single(self, time: int, stream: int, event: S) -> dict[Q, None]:
        """As ``_feed`` for one event by itself, of the stream with that number."""
        raise NotImplementedError

    def _hear(self, query: Q) -> None:
        """Let the query hear of the events that did not concern it."""

    def catch_up(self) -> None:
        """Let all queries hear of all events and of the time."""

    def _settled(self) -> None:
        """Some queries, maybe all, have no tables left."""
