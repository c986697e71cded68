"""What an engine holds and does, whatever its data are: queries, streams and their clocks, and how events decide.

It is told by whoever has locked it (``spaseq.runtime.guards``): an engine, a run, a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.runtime.delivery import Calls, Decided, Delivery, Merge
from spaseq.runtime.guards import Soundness, Use
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.protocols import Kind, Q
from spaseq.runtime.reorder import B
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST, Time, to_microseconds

T = TypeVar("T")
ALL_IN_TIME = 2**63  # µs: a lateness with which no event is late
How = Callable[[Q], Iterable[Any]]


class EngineCore(Generic[B, Q]):
    """Queries by name on inputs, each of which stands behind those that derive its streams; ``clocks`` by stream.

    A query at work may be several that are registered, ``places`` numbers these in the order of registration.
    ``lateness`` (µs) is how much older than the newest event of its stream an event may come.
    """

    def __init__(self, kind: Kind[B, Q], soundness: Soundness, lateness: int) -> None:
        self.kind = kind
        self.use = Use("this engine")
        self.soundness = soundness
        self.lateness = lateness
        self.clocks: dict[str, StreamClock] = {}
        self.inputs: list[MergedInput[B, Any, Q]] = []
        self.running: dict[str, Q] = {}
        self.places: dict[str, int] = {}
        self.delivery = Delivery()
        self.late_calls = Calls("callbacks (on_late)")
        self.errors: list[QueryError | StreamError] = []  # of queries that cannot go on
        self.partitioned: set[str] = set()  # streams whose partitions have clocks of their own: ``in_time_of``
        self._opened: dict[str, str] = {}  # streams that may be pushed to, by what they were called
        self._readers: dict[str, list[MergedInput[B, Any, Q]]] = {}  # that a stream can have an effect on, in order
        self._turns: dict[str, int] = {}
        self._next_place = 0

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def place(self, name: str) -> int:
        """That of a query which is registered next, under this name."""
        self.places[name] = self._next_place
        self._next_place += 1
        return self.places[name]

    def start(self, query: Q, merged: MergedInput[B, Any, Q]) -> None:
        """Let a query run on an input, which may be a new one."""
        if merged not in self.inputs:
            self.inputs.append(merged)
        merged.attach(query)
        for name in query.names:
            self.running[name] = query
            if name not in self.places:
                self.place(name)
        if query.into is not None:
            self.clock(query.into)
        self._forget_ways()

    def join(self, name: str, query: Q) -> None:
        """A query of that name runs in one that is at work."""
        self.running[name] = query
        self._turns.clear()

    def remove(self, name: str) -> Q:
        """Forget a query, and inputs that are left without one."""
        gone = self.running.pop(name)
        del self.places[name]
        self._turns.clear()
        if gone.forget(name):
            self.stop(gone)
        return gone

    def stop(self, gone: Q) -> None:
        """Let what runs queries run no more."""
        for merged in self.inputs:
            merged.detach(gone)
        self.inputs = [merged for merged in self.inputs if merged.all_queries]
        self._forget_ways()

    def turns(self) -> dict[str, int]:
        """The turn of each query among results of one time: those of an input come together."""
        if not self._turns:
            names = (name for merged in self.inputs for name in self._names_in(merged))
            self._turns |= {name: turn for turn, name in enumerate(names)}
        return self._turns

    def _names_in(self, merged: MergedInput[B, Any, Q]) -> list[str]:
        return sorted((name for query in merged.all_queries for name in query.names), key=self.places.__getitem__)

    @property
    def at_work(self) -> list[Q]:
        """What runs queries, or is over, each once."""
        return list(dict.fromkeys(self.running.values()))

    def query_named(self, name: str) -> Q:
        """The query of that name at work.  OptionError: there is none."""
        if not isinstance(name, str) or name not in self.running:
            raise OptionError(f'there is no query named "{name!s:.80}"')
        return self.running[name]

    def sort(self, order: Mapping[str, int]) -> None:
        """Put producers of derived streams before their readers; ``order`` is the depth of each stream."""
        self.inputs.sort(key=lambda merged: max(order[name] for name in merged.streams))
        self._forget_ways()

    def _forget_ways(self) -> None:
        self._opened.clear()
        self._readers.clear()
        self._turns.clear()

    def clock(self, stream: str) -> StreamClock:
        """The clock of a stream, which is known from now on."""
        if stream not in self.clocks:
            self.clocks[stream] = StreamClock(stream)
            self.kind.opened(self.clocks[stream])
        return self.clocks[stream]

    @property
    def derived(self) -> set[str]:
        """The streams that queries derive."""
        return {query.into for query in self.at_work if query.into is not None}

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def push(self, batches: Iterable[B], promise: int | None = None) -> Decided:
        """Batches of streams came; ``promise``: as ``advance`` after them."""
        for batch in batches:
            self.accept(batch, ALL_IN_TIME if batch.stream in self.partitioned else self.lateness)
        if promise is not None:
            for clock in self.open_clocks(None):
                clock.promise(promise)
        self.late_calls.check()
        return self.settle()

    def advance(self, time: Time, stream: str | None = None) -> Decided:
        """No event before ``time`` will come on a stream (None: on any)."""
        promised = to_microseconds(time)
        for clock in self.open_clocks(stream):
            clock.promise(promised)
        return self.settle()

    def close(self, stream: str | None = None) -> Decided:
        """The end of a stream (None: of all)."""
        for clock in self.open_clocks(stream):
            clock.close()
        return self.settle()

    def open_stream(self, stream: str) -> str:
        """The name of a stream that may be pushed to, by what it is called.  OptionError: there is none."""
        name = self._opened.get(stream) if isinstance(stream, str) else None
        if name is None:
            name = self.kind.stream(stream)
            if name in self.derived:
                raise OptionError(f"the stream <{name}> is derived by a query: nothing else can be pushed to it")
            self._opened[stream] = name
        if self.clocks[name].closed:
            raise OptionError(f"the stream <{name}> is closed")
        return name

    def open_clocks(self, stream: str | None) -> list[StreamClock]:
        """The clock of one stream, or of all that no query derives."""
        if stream is not None:
            return [self.clocks[self.open_stream(stream)]]
        derived = self.derived
        return [clock for name, clock in self.clocks.items() if name not in derived and not clock.closed]

    def affected(self, stream: str) -> list[MergedInput[B, Any, Q]]:
        """The inputs that events of a stream can have an effect on, also by what their queries derive, in order."""
        if stream not in self._readers:
            streams, found = {stream}, []
            for merged in self.inputs:
                if not streams.isdisjoint(merged.numbers):
                    streams |= merged.derived
                    found.append(merged)
            self._readers[stream] = found
        return self._readers[stream]

    def accept(self, batch: B, lateness: int) -> None:
        """Events of one stream came; those that are later than ``lateness`` (µs) are told."""
        clock = self.clocks[batch.stream]
        first = clock.events + 1
        times = batch.times
        if len(times) == 1:  # as most are that are pushed
            if clock.admit_one(int(times[0]), lateness):
                self.add(self.kind.in_time(self.kind.arrived(batch, first)))
                return
            in_time = np.zeros(1, np.bool_)
        else:
            in_time = clock.admit(times, lateness)
        batch = self.kind.arrived(batch, first)
        if in_time.all():
            self.add(self.kind.in_time(batch))
            return
        if len(some := batch.take(np.flatnonzero(in_time))):
            self.add(self.kind.in_time(some))  # kept before anybody is told of those that are late
        self.kind.late(batch, np.flatnonzero(~in_time), clock)

    def in_time_of(self, batch: B, own: StreamClock) -> B:
        """The events of a partition that are not late by its ``own`` clock; the others count as late of their stream.

        When is up to the partition alone: how far others are read changes nothing.
        """
        in_time = own.admit(batch.times, self.lateness)
        if in_time.all():
            return batch
        clock, places = self.clocks[batch.stream], np.flatnonzero(~in_time)
        late = self.kind.arrived(batch.take(places), clock.events + 1)
        clock.events += len(places)
        clock.late += len(places)
        clock.lateness_needed = max(clock.lateness_needed, own.lateness_needed)
        self.kind.late(late, np.arange(len(places)), clock)
        return batch.take(np.flatnonzero(in_time))

    def add(self, batch: B) -> None:
        """Events of one stream that are not late go to the inputs that read it."""
        for merged in self.inputs:
            if batch.stream in merged.numbers:
                merged.add(batch)

    def most_waiting(self) -> int:
        """How many events wait at most for a stream that is behind."""
        return max((len(merged.buffer) for merged in self.inputs), default=0)

    @property
    def is_settled(self) -> bool:
        """Whether all results were given that are decided, and errors told."""
        return not (self.delivery.waits or self.errors) and all(merged.is_settled for merged in self.inputs)

    def catch_up(self) -> None:
        """Let all queries hear of all events and of the time."""
        for merged in self.inputs:
            merged.catch_up()

    # ── what they decide ─────────────────────────────────────────────────────────────────────────────────
    def settle(self, inputs: Sequence[MergedInput[B, Any, Q]] | None = None) -> Decided:
        """Let inputs (None: all) do what their watermark allows, producers of derived streams first."""
        each = self.soundness.each
        return Decided(each(self.kind.apart(self.tables(inputs))), lambda merge: each(self._merged(inputs, merge)))

    def tables(
        self, inputs: Sequence[MergedInput[B, Any, Q]] | None = None, how: How[Q] | None = None
    ) -> Iterator[Any]:
        """What inputs (None: all) have decided, as tables of bounded size; ``how``: in which form.

        QueryError, StreamError, when all is taken: a query cannot go on.
        """
        for merged in self.inputs if inputs is None else inputs:
            while merged.turns:
                for query in merged.next_turn():
                    yield from self._given(merged, query, how)
            for query in merged.settle():
                yield from self._given(merged, query, how)
            if merged.derived:
                self._promise_derived(merged)
        self.kind.rest()
        if self.errors:
            first = self.errors[0]
            self.errors.clear()  # queries have this list
            raise first

    def _merged(self, inputs: Sequence[MergedInput[B, Any, Q]] | None, merge: Merge[T]) -> Iterator[T]:
        """The same in one order; of streams that others read, when all of their events are there."""
        found: dict[Q, Iterable[Any]] = {}
        last: list[MergedInput[B, Any, Q]] = []
        for merged in self.inputs if inputs is None else inputs:
            decided = {query: self._given(merged, query) for query in merged.settle()}
            if any(map(self._is_read, merged.derived)):
                found |= {query: list(tables) for query, tables in decided.items()}
                self._promise_derived(merged)
            else:
                found |= decided
                last.append(merged)
        places = {query: self.places[name] for name, query in reversed(self.running.items()) if query in found}
        order = sorted(places, key=places.__getitem__)
        yield from merge([found[query] for query in order], [places[query] for query in order])
        for merged in last:
            self._promise_derived(merged)
        self.kind.rest()

    def _given(self, merged: MergedInput[B, Any, Q], query: Q, how: How[Q] | None = None) -> Iterable[Any]:
        """What a query has decided; its events go to the stream that it derives."""
        into, tables = query.into, merged.take(query, how)
        return tables if into is None else self._deriving(query, into, tables)

    def _deriving(self, query: Q, into: str, tables: Iterable[Any]) -> Iterator[Any]:
        """The tables of a query that derives; readers of its stream get all its events together, in order."""
        is_read = self._is_read(into)
        for table in tables:
            if not is_read:
                self._derive(query)
            yield table
        self._derive(query)

    def _derive(self, query: Q) -> None:
        for batch in self.kind.derive(query):
            # Order is kept by the producers' promises, not by lateness: with several producers one may be behind.
            self.accept(batch, ALL_IN_TIME)

    def _is_read(self, stream: str) -> bool:
        return any(stream in merged.numbers for merged in self.inputs)

    def _promise_derived(self, merged: MergedInput[B, Any, Q]) -> None:
        """A derived stream is as far as the slowest of the queries that derive it."""
        for stream in merged.derived:
            producers = [producer for producer in self.inputs if stream in producer.derived]
            if not all(producer.is_settled for producer in producers):
                continue  # some of its events are not made yet
            if all(producer.finished for producer in producers):
                self.clocks[stream].close()
            else:
                self.clocks[stream].promise(min(producer.advanced for producer in producers))


# ── what a promise is good for ───────────────────────────────────────────────────────────────────────────
ANY = LEAST + 1  # the least promise that can be made


def due(core: EngineCore[Any, Any]) -> int | None:
    """The least promise that decides something, or lets an event go that waits; None: none does."""
    reached = _reached(core)
    if not core.is_settled:
        return ANY
    dues = ((merged, merged.due()) for merged in core.inputs)
    return min((ANY if time <= reached[merged] else time for merged, time in dues if time is not None), default=None)


def needed_since(core: EngineCore[Any, Any]) -> int | None:
    """Since when events matter for what is still to come; None: every event may.  OptionError: results wait."""
    if due(core) == ANY:
        raise OptionError(f"{core.kind.results_wait} before needed_since()")
    needed: dict[str, int] = {}  # by stream
    for merged, reached in reversed(_reached(core).items()):
        for query in merged.all_queries:
            decided = reached if query.into is None else min(reached, needed.get(query.into, GREATEST))
            since = query.needed_since(decided)
            if since is None:
                return None
            needed |= {name: min(since, needed.get(name, GREATEST)) for name in merged.streams or ("",)}
    return min((needed[name] for name in needed.keys() - core.derived), default=GREATEST)


def _reached(core: EngineCore[Any, Any]) -> dict[MergedInput[Any, Any, Any], int]:
    """The watermark that each input has when all that is decided is taken.

    Its clocks are behind it where tables wait to be made.  If all inputs promise a time, all reach it.
    """
    reached: dict[MergedInput[Any, Any, Any], int] = {}
    for merged in core.inputs:
        watermarks = []
        for clock in merged.clocks:
            producers = [time for producer, time in reached.items() if clock.iri in producer.derived]
            watermarks.append(max(clock.watermark, min(producers, default=LEAST)))
        reached[merged] = merged.reached(watermarks)
    return reached
