"""The engine: events in, matches of many queries out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from threading import get_ident
from typing import Any, TypeVar

import numpy as np

from gpm.errors import PatternError
from gpm.evaluator import Evaluator, Mode
from gpm.native.assembly import Assembler, Encoder
from gpm.native.single import SingleEvent
from nfa_native.terms.words import Terms
from spaseq.engine.background import Background, BackgroundSources, Entail, read_background
from spaseq.engine.common import Common, Compiled, compiled
from spaseq.engine.forgetting import Forgetting
from spaseq.engine.graphs import Graph, single_event
from spaseq.engine.items import Item, as_event, each_of, unpacked
from spaseq.engine.memory import broken, whole_or_broken
from spaseq.engine.ordering import Decided, in_order, merged
from spaseq.engine.prepared import AnyQuery, Prepared
from spaseq.engine.protocols import Matcher
from spaseq.engine.queries import as_query, derived_stream, plan_of, resolve_stream, stream_order
from spaseq.engine.running import Need, OnMatch, RunningQuery
from spaseq.engine.streamset import Streamset
from spaseq.errors import OptionError
from spaseq.exclusive import Use, exclusive, in_steps, reading
from spaseq.pattern import Query
from spaseq.plan import Plan
from spaseq.plan.lazy import LazyAtom, lazy_atoms
from spaseq.results.match import Match
from spaseq.results.table import MatchTable
from spaseq.results.times import iso
from spaseq.streams.clock import StreamClock
from spaseq.streams.event import Event, Events, Scope
from spaseq.streams.timestamps import Time, duration_microseconds, to_microseconds

FEW_EVENTS = 64  # of a batch: one by one they cost no more than as columns, for fifty queries
T = TypeVar("T")


class Engine:
    """Runs queries on events that are pushed.  One engine belongs to one thread at a time: BusyError for a second one.

    ``background`` maps IRIs of knowledge graphs to files, graphs or bytes.  ``lateness`` is how much older than the
    newest event of its stream an event may come; what is later still is dropped, counted and given to ``on_late``.
    ``gpm`` says how graph patterns are evaluated: ``auto``, ``native``, ``pyoxigraph`` or ``verify`` (see
    ``gpm.evaluator.Mode``).  ``entail`` names the background graphs that are ontologies: events, and these graphs, have
    what they entail by RDFS; "rdfs" means all of them.

    OutOfMemoryError, from any method: there is no memory, or was none earlier.  The engine cannot go on then.
    """

    def __init__(
        self,
        background: BackgroundSources | Background | None = None,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        gpm: str = "auto",
        entail: Entail = (),
    ) -> None:
        if on_late is not None and not callable(on_late):
            raise OptionError(f"on_late is a function of an event, not {on_late!r:.80}")
        self._use = Use("this engine")
        self.terms = Terms()
        self.lateness = duration_microseconds(lateness)
        self.on_late = on_late
        self._evaluator = new_evaluator(gpm, self.terms, read_background(background, entail))
        self._common: Common | None = None  # what it shares with other engines
        self._is_lent = False  # readers have the encoder
        self._clocks: dict[str, StreamClock] = {}
        self._encoders: dict[str, Encoder] = {}  # by stream: each numbers its own events
        self._streamsets: list[Streamset] = []  # each after those that derive its streams
        self._queries: dict[str, RunningQuery] = {}
        self._assemblers: dict[str, Assembler] = {}  # by stream: of events that are pushed one by one
        self._opened: dict[str, str] = {}  # the IRIs of streams that may be pushed to, by what they were called
        self._readers: dict[str, list[Streamset]] = {}  # that a stream can have an effect on, in order
        self._forgetting = Forgetting()

    @property
    def encoder(self) -> Encoder:
        """What readers need to encode events for this engine."""
        self._is_lent = True
        return self._evaluator.encoder

    @property
    def background(self) -> Background:
        """The background knowledge that events pushed from now on see."""
        background = self._evaluator.background
        assert isinstance(background, Background)
        return background

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    @property
    def queries(self) -> dict[str, Query]:
        """The registered queries by name."""
        return {name: running.plan.query for name, running in list(self._queries.items())}

    @exclusive
    @whole_or_broken
    def register(
        self,
        query: AnyQuery,
        name: str | None = None,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
    ) -> str:
        """Run ``query`` on the events pushed from now on, and return its name.

        ``on_match`` is called with each of its matches, besides ``push`` returning them.  After ``max_results`` results
        the query is over: it keeps nothing, and costs nothing.  Raises QuerySyntaxError, QueryError (also if derived
        streams would form a circle), OptionError (name taken, stream pushed to already).
        """
        check_most(max_results)
        if on_match is not None and not callable(on_match):
            raise OptionError(f"on_match is a function of a match, not {on_match!r:.80}")
        checked = as_query(query, name, self._queries)
        order = stream_order([*self.queries.values(), checked])
        self._check_derived(checked)
        plan = plan_of(query, checked)
        self._share([query])
        made = self._compiled(query, plan)
        matcher = plan.start(self.terms, automaton=made.automaton)
        self._start(plan, made, self._streamset(checked), matcher, on_match, max_results)
        self._sort(order)
        return checked.name

    @exclusive
    def unregister(self, name: str) -> None:
        """Forget a query with its partial matches; OptionError if others read the stream that it derives."""
        running = self._running(name)
        others = [query for query in self.queries.values() if query.name != name]
        if running.into is not None and not any(derived_stream(query) == running.into for query in others):
            readers = [query.name for query in others if any(s.iri == running.into for s in query.streams)]
            if readers:
                raise OptionError(f'"{name}" derives <{running.into}>, which {", ".join(readers)} reads')
        del self._queries[name]
        for streamset in self._streamsets:
            streamset.detach(running)
        self._streamsets = [streamset for streamset in self._streamsets if streamset.all_queries]
        self._opened.clear()
        self._readers.clear()

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def push(self, stream: str, graph: Graph, timestamp: Time, event: str | None = None) -> list[Match]:
        """An event came; returns what is decided by now, of any query.

        ``stream`` is a name or IRI, ``graph`` an rdflib.Graph, pyoxigraph quads or triples, or bytes, ``timestamp``
        microseconds or a datetime (naive means UTC), also of NumPy or pandas, ``event`` the event's IRI.  OptionError:
        an argument is wrong.
        """
        use = self._use
        while use.call:  # as ``exclusive`` and ``whole_or_broken`` do it, in a fifth of the time
            use.wait("push")
        use.call = "push"
        try:
            use.owner = get_ident()
            self.terms.check()
            return self._deliver(self._tables(self._take_single(self._open_stream(stream), timestamp, graph, event)))
        except MemoryError as error:
            raise broken(self, error) from error
        finally:
            use.end()

    @in_steps
    @whole_or_broken
    def push_tables(self, stream: str, graph: Graph, timestamp: Time, event: str | None = None) -> Iterator[MatchTable]:
        """``push``, the results as tables of bounded size, each of one query: see ``push_events``."""
        return self._settle(self._take_single(self._open_stream(stream), timestamp, graph, event))

    @exclusive
    @whole_or_broken
    def push_batch(self, stream: str, items: Iterable[Item]) -> list[Match]:
        """Events of one stream came, ``(timestamp, graph)`` or ``(timestamp, graph, event IRI)`` each: as ``push``."""
        iri = self._open_stream(stream)
        if not isinstance(items, Iterable):
            raise OptionError(f"events are given as a list of (timestamp, graph), not {items!r:.80}")
        items = list(items)
        if len(items) <= 1 or (len(items) <= FEW_EVENTS and self._has_short_way(iri)):
            return self._deliver(self._tables(self._take_few(iri, items)))
        return self._deliver(self._push_columns(self._columns([as_event(iri, item) for item in items])))

    @in_steps
    @whole_or_broken
    def push_events(self, events: Iterable[Event], promise: int | None = None) -> Iterator[MatchTable]:
        """Events of several streams (given by IRI) came; their results as tables of bounded size, each of one query.

        ``promise``: as ``advance`` after them.  The events are taken at once, the results found as the iterator goes
        on: what is not taken comes with a later call.
        """
        return self._push_columns(self._columns(events), promise)

    @in_steps
    @whole_or_broken
    def push_columns(self, columns: Iterable[Events], promise: int | None = None) -> Iterator[MatchTable]:
        """``push_events``, the events as columns."""
        return self._push_columns(columns, promise)

    def _push_columns(self, columns: Iterable[Events], promise: int | None = None) -> Decided:
        promise = None if promise is None else to_microseconds(promise)
        self._forget_terms()
        for events in each_of(columns, Events):
            self._accept(events, self.lateness)
        if promise is not None:
            for clock in self._inputs(None):
                clock.promise(promise)
        return self._settle()

    @exclusive
    @whole_or_broken
    def update_background(self, sources: BackgroundSources) -> None:
        """Replace background graphs, or add some, between two events.

        Events pushed before the call see what was there when they were pushed, also those that still wait; later ones
        see the new.  Nothing is changed if a source cannot be read: StreamError, OptionError.
        """
        if not isinstance(sources, Mapping):
            raise OptionError(f"background graphs are given as a mapping of IRIs to sources, not {sources!r:.80}")
        background = self.background
        for iri, source in sources.items():
            background = background.replaced(iri, source)
        self._evaluator.update_background(background)
        self._forget_knowledge()

    @exclusive
    @whole_or_broken
    def advance(self, time: Time, stream: str | None = None) -> list[Match]:
        """Promise that no event before ``time`` will come on ``stream`` (None: on any); returns what this decides."""
        return self._deliver(self._advance(time, stream))

    @in_steps
    @whole_or_broken
    def advance_tables(self, time: Time, stream: str | None = None) -> Iterator[MatchTable]:
        """``advance``, the results as tables."""
        return self._advance(time, stream)

    def _advance(self, time: Time, stream: str | None = None) -> Decided:
        promised = to_microseconds(time)
        for clock in self._inputs(stream):
            clock.promise(promised)
        return self._settle()

    @exclusive
    @whole_or_broken
    def close(self, stream: str | None = None) -> list[Match]:
        """The end of ``stream`` (None: of all); returns what this decides."""
        return self._deliver(self._close(stream))

    @in_steps
    @whole_or_broken
    def close_tables(self, stream: str | None = None) -> Iterator[MatchTable]:
        """``close``, the results as tables."""
        return self._close(stream)

    def _close(self, stream: str | None = None) -> Decided:
        for clock in self._inputs(stream):
            clock.close()
        return self._settle()

    # ── the rest of the interface ────────────────────────────────────────────────────────────────────────
    @reading
    def statistics(self) -> dict[str, Any]:
        """Counters of streams and queries, fit for JSON (``spaseq.engine.statistics``)."""
        from spaseq.engine.statistics import statistics_of

        return statistics_of(self)

    @reading
    @whole_or_broken
    def catch_up(self) -> None:
        """Let all queries hear of all events, also of those that do not concern them, as if that mattered now."""
        for streamset in self._streamsets:
            streamset.catch_up()

    @exclusive
    @whole_or_broken
    def snapshot(self) -> bytes:
        """The whole state between two calls; background knowledge and queries by fingerprint alone.

        OptionError: an iterator of results was begun and not taken to its end.
        """
        from spaseq.engine.snapshot import take_snapshot

        return take_snapshot(self)

    @staticmethod
    def restore(
        data: bytes,
        queries: Iterable[AnyQuery] | Mapping[str, AnyQuery],
        background: BackgroundSources | Background | None = None,
        on_late: Callable[[Event], object] | None = None,
        on_match: OnMatch | None = None,
        gpm: str = "auto",
        entail: Entail = (),
    ) -> Engine:
        """An engine that goes on where ``snapshot`` was taken, maybe in another process.

        ``queries`` and ``background`` are given again, queries in the order of registration or by name.  SnapshotError:
        the snapshot is damaged, of another version, or of other queries or background.
        """
        from spaseq.engine.snapshot import restore_engine

        return restore_engine(data, queries, read_background(background, entail), on_late, on_match, gpm)

    # ── inside ───────────────────────────────────────────────────────────────────────────────────────────
    def _running(self, name: str) -> RunningQuery:
        if not isinstance(name, str) or name not in self._queries:
            raise OptionError(f'there is no query named "{name!s:.80}"')
        return self._queries[name]

    def _derived(self) -> set[str]:
        return {running.into for running in self._queries.values() if running.into is not None}

    def _check_derived(self, query: Query) -> None:
        into = derived_stream(query)
        clock = self._clocks.get(into or "")
        if clock is not None and into not in self._derived() and (clock.events or clock.closed):
            raise OptionError(f"the stream <{into}> has had events from outside, so no query can derive it")

    def _streamset(self, query: Query) -> Streamset:
        """A streamset for a new query: one that waits for nothing can be shared."""
        iris = tuple(stream.iri for stream in query.streams)
        strict = query.window is not None and query.window.events
        for streamset in self._streamsets:
            if streamset.key == (iris, strict) and not streamset.buffer and not streamset.finished:
                return streamset
        return self._new_streamset(iris, strict)

    def _new_streamset(self, iris: Iterable[str], strict: bool) -> Streamset:
        clocks = [self._clock(iri) for iri in iris]
        self._streamsets.append(Streamset(clocks, strict, self._evaluator))
        return self._streamsets[-1]

    def _share(self, queries: Iterable[AnyQuery]) -> None:
        """Lie on what engines with the same prepared queries share, as long as nothing is here yet."""
        prepared = [query for query in queries if isinstance(query, Prepared)]
        if prepared and not (self._queries or self._clocks or self._is_lent):
            self._common = self.background.common(prepared, self._evaluator.mode)
            self.terms = Terms(self._common.evaluator.terms)
            self._evaluator = self._common.evaluator.on(self.terms)

    def _compiled(self, query: AnyQuery, plan: Plan) -> Compiled:
        """A query for this engine's terms."""
        shared = self._common.compiled(query) if self._common and isinstance(query, Prepared) else None
        return shared or compiled(plan, self._evaluator)

    def _start(
        self,
        plan: Plan,
        made: Compiled,
        streamset: Streamset,
        matcher: Matcher,
        on_match: OnMatch | None,
        max_results: int | None,
    ) -> RunningQuery:
        iris = {stream.name: streamset.iris.index(stream.iri) for stream in plan.query.streams}
        iris |= {iri: number for number, iri in enumerate(streamset.iris)}
        needs = [Need(iris[atom.stream], pattern) for atom, pattern in zip(plan.atoms, made.patterns, strict=True)]
        may_wait = self._evaluator.mode is Mode.AUTO and not plan.by_partition
        lazy = self._lazy(matcher, needs) if may_wait else ()
        running = RunningQuery(plan, matcher, needs, streamset.names, self.terms, on_match, lazy, max_results)
        streamset.attach(running)
        self._queries[running.name] = running
        if running.into is not None:
            self._clock(running.into)
        return running

    def _clock(self, iri: str) -> StreamClock:
        """The clock of a stream, which is known from now on."""
        if iri not in self._clocks:
            self._clocks[iri] = StreamClock(iri)
            self._encoders[iri] = self._evaluator.encoder.apart()
        return self._clocks[iri]

    def _assembler(self, iri: str) -> Assembler:
        """What encodes the events of a stream one by one."""
        if iri not in self._assemblers:
            self._assemblers[iri] = Assembler(self._encoders[iri], ())
        return self._assemblers[iri]

    def _lazy(self, matcher: Matcher, needs: Iterable[Need]) -> Sequence[LazyAtom]:
        """The atoms that are evaluated only where they can matter."""
        dear = {n: need.pattern.required_slots for n, need in enumerate(needs) if not need.pattern.is_native}
        return lazy_atoms(matcher.automaton, dear) if dear else ()

    def _sort(self, order: Mapping[str, int]) -> None:
        self._streamsets.sort(key=lambda streamset: max(order[iri] for iri in streamset.iris))
        self._opened.clear()
        self._readers.clear()

    def _open_stream(self, stream: str) -> str:
        """The IRI of a stream that may be pushed to."""
        iri = self._opened.get(stream) if isinstance(stream, str) else None
        if iri is None:
            iri = resolve_stream(stream, self.queries.values())
            if iri in self._derived():
                raise OptionError(f"the stream <{iri}> is derived by a query: nothing else can be pushed to it")
            self._opened[stream] = iri
        if self._clocks[iri].closed:
            raise OptionError(f"the stream <{iri}> is closed")
        return iri

    def _affected(self, iri: str) -> list[Streamset]:
        """The streamsets that events of a stream can have an effect on, also by what their queries derive, in order."""
        if iri not in self._readers:
            streams, found = {iri}, []
            for streamset in self._streamsets:
                if not streams.isdisjoint(streamset.iris):
                    streams |= streamset.derived
                    found.append(streamset)
            self._readers[iri] = found
        return self._readers[iri]

    def _inputs(self, stream: str | None) -> list[StreamClock]:
        """The clock of one stream, or of all that no query derives."""
        if stream is not None:
            return [self._clocks[self._open_stream(stream)]]
        derived = self._derived()
        return [clock for iri, clock in self._clocks.items() if iri not in derived and not clock.closed]

    def _columns(self, events: Iterable[Event], scope: Scope = lambda _: None) -> list[Events]:
        """Events one by one as columns, those of each stream in order.  OptionError: one has a term that is none."""
        by_stream: dict[str, list[Event]] = {}
        for event in each_of(events, Event):
            by_stream.setdefault(event.stream, []).append(event)
        try:
            return [Events.of(stream, some, self._encoders[stream], scope) for stream, some in by_stream.items()]
        except PatternError as error:
            raise OptionError(str(error)) from None

    def _take_single(self, iri: str, timestamp: Time, graph: Graph, name: str | None) -> Sequence[Streamset]:
        """One event came, which goes the short way: it never becomes columns, unless it meets some.

        Those that it can have an effect on are to be settled."""
        self._forget_terms()
        return self._accept_single(iri, single_event(self._assembler(iri), to_microseconds(timestamp), graph, name))

    def _has_short_way(self, iri: str) -> bool:
        """Whether events of a stream stay single to the end: no pattern is postponed."""
        return not any(query.lazy for streamset in self._affected(iri) for query in streamset.queries)

    def _take_few(self, iri: str, items: Sequence[Item]) -> Sequence[Streamset]:
        """As ``_take_single`` for a few events, or for none if one of them is wrong."""
        self._forget_terms()
        assembler, encoder = self._assembler(iri), self._encoders[iri]
        scope = encoder.next_scope
        try:
            events = [
                single_event(assembler, to_microseconds(timestamp), graph, name)
                for timestamp, graph, name in map(unpacked, items)
            ]
        except Exception:
            encoder.next_scope = scope
            raise
        for event in events:
            self._accept_single(iri, event)
        return self._affected(iri)

    def _accept_single(self, iri: str, event: SingleEvent) -> Sequence[Streamset]:
        clock, streamsets = self._clocks[iri], self._affected(iri)
        in_time = clock.admit_one(event.time, self.lateness)
        event.name = event.name or clock.event_name(clock.events)
        event.knowledge = self._evaluator.version
        if not in_time:
            self._drop_late(Events.of_single(iri, event, self._evaluator.encoder))
        else:
            for streamset in streamsets:
                if iri in streamset.iris:
                    streamset.add_single(iri, event)
        return streamsets

    def _accept(self, events: Events, lateness: int) -> None:
        clock = self._clocks[events.stream]
        before = clock.events
        in_time = clock.admit(events.times, lateness)
        events = events.named(lambda number: clock.event_name(before + 1 + number))
        if not in_time.all():
            self._drop_late(events.take(np.flatnonzero(~in_time)))
            events = events.take(np.flatnonzero(in_time))
        events = events.renewed(self._evaluator.encoder).seeing(self._evaluator.version)
        for streamset in self._streamsets:
            if events.stream in streamset.iris:
                streamset.add(events)

    def _drop_late(self, events: Events) -> None:
        clock = self._clocks[events.stream]
        clock.first_late = clock.first_late or f"<{events.names[0]}> at {iso(int(events.times[0]))}"
        if self.on_late is not None:
            for event in events:
                self.on_late(event)

    def _forget_terms(self) -> None:
        """Keep the table of terms from growing with the streams."""
        self._forgetting.look(self._evaluator, self._queries.values(), self._streamsets)

    def _settle(self, streamsets: Sequence[Streamset] | None = None) -> Decided:
        """Let streamsets (None: all) do what their watermark allows, producers of derived streams first."""
        return Decided(self._sound(self._tables(streamsets)), lambda: self._sound(self._matches(streamsets)))

    def _sound(self, found: Iterator[T]) -> Iterator[T]:
        """What is found; without memory the engine is broken."""
        try:
            yield from found
        except MemoryError as error:
            raise broken(self, error) from error

    def _tables(self, streamsets: Sequence[Streamset] | None) -> Iterator[MatchTable]:
        for streamset in self._streamsets if streamsets is None else streamsets:
            for running in streamset.settle():
                yield from self._given(streamset, running)
            self._promise_derived(streamset)
        self._forget_knowledge()

    def _matches(self, streamsets: Sequence[Streamset] | None) -> Iterator[Match]:
        """The same in order of decision; of streams that others read, when all of their events are there."""
        sources: list[Iterable[MatchTable]] = []
        last: list[Streamset] = []
        for streamset in self._streamsets if streamsets is None else streamsets:
            found = [self._given(streamset, running) for running in streamset.settle()]
            if any(map(self._is_read, streamset.derived)):
                sources += [list(tables) for tables in found]
                self._promise_derived(streamset)
            else:
                sources += found
                last.append(streamset)
        yield from merged(sources)
        for streamset in last:
            self._promise_derived(streamset)
        self._forget_knowledge()

    def _given(self, streamset: Streamset, running: RunningQuery) -> Iterable[MatchTable]:
        """What a query has decided; its events go to the stream that it derives."""
        tables = streamset.take(running)
        return tables if running.into is None else self._deriving(running, tables)

    def _deriving(self, running: RunningQuery, tables: Iterable[MatchTable]) -> Iterator[MatchTable]:
        """The tables of a CONSTRUCT; the readers of its stream get all events together, as they are put in order."""
        assert running.into is not None
        is_read = self._is_read(running.into)
        for table in tables:
            running.derived += table.derived or ()
            if not is_read:
                self._derive(running)
            yield table
        self._derive(running)

    def _is_read(self, iri: str) -> bool:
        return any(iri in streamset.iris for streamset in self._streamsets)

    def _forget_knowledge(self) -> None:
        """Free the versions of the background that no event sees any more."""
        if self._evaluator.versions > 1:
            waiting = [streamset.oldest_knowledge() for streamset in self._streamsets]
            seen = [version for version in waiting if version is not None]
            self._evaluator.forget_versions(min(seen, default=self._evaluator.version))

    def _derive(self, running: RunningQuery) -> None:
        events, running.derived = running.derived, []
        derived = (Event(event.stream, event.timestamp, event.name, event.triples) for event in events)
        # In an order that does not depend on how terms are numbered, as that of matches does.
        ordered = sorted(derived, key=lambda event: (event.timestamp, event.name))
        for columns in self._columns(ordered, scope=derived_scope):
            # Order is kept by the producers' promises, not by lateness: with several producers one may be behind.
            self._accept(columns, lateness=2**63)

    def _promise_derived(self, streamset: Streamset) -> None:
        """A derived stream is as far as the slowest of the queries that derive it."""
        for iri in streamset.derived:
            producers = [producer for producer in self._streamsets if iri in producer.derived]
            if not all(producer.is_settled for producer in producers):
                continue  # some of its events are not made yet
            if all(producer.finished for producer in producers):
                self._clocks[iri].close()
            else:
                self._clocks[iri].promise(min(producer.advanced for producer in producers))

    def _deliver(self, tables: Iterable[MatchTable]) -> list[Match]:
        """The matches of all tables in order of decision; callbacks are told."""
        matches = in_order(list(tables))
        if not matches:
            return matches
        callbacks = {name: self._queries[name].on_match for name in {match.query for match in matches}}
        for match in matches:
            callback = callbacks[match.query]
            if callback is not None:
                callback(match)
        return matches


def new_evaluator(gpm: str, terms: Terms | None = None, background: Background | None = None) -> Evaluator:
    """An evaluator of graph patterns of the mode ``gpm``; OptionError: there is no such mode."""
    try:
        mode = Mode(gpm)
    except ValueError:
        known = ", ".join(f'"{one.value}"' for one in Mode)
        raise OptionError(f"gpm is one of {known}, not {gpm!r:.80}") from None
    return Evaluator(Terms() if terms is None else terms, background, mode)


def check_most(max_results: int | None) -> None:
    """OptionError: it is no number of results."""
    if max_results is not None and not (type(max_results) is int and max_results > 0):
        raise OptionError(f"max_results is a number of results from 1 on, not {max_results!r:.80}")


def derived_scope(event: Event) -> int:
    """A number for the blank nodes of a derived event, by its name: it does not depend on when the event was made."""
    return int.from_bytes(hashlib.blake2b(event.name.encode(), digest_size=8).digest())
