"""What an engine holds and does: queries, streams and their clocks, and how events become matches.

It is told by whoever has locked it (``spaseq.exclusive``): an ``Engine``, a ``Run``, a snapshot.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TypeVar

import numpy as np

from gpm.errors import PatternError
from gpm.evaluator import Evaluator, Mode
from gpm.native.assembly import Assembler, Encoder
from gpm.native.single import SingleEvent
from nfa_native.terms.words import Terms
from spaseq.errors import OptionError, StreamError
from spaseq.exclusive import Use
from spaseq.graphs.background import Background, BackgroundSources
from spaseq.graphs.common import Common, Compiled, compiled
from spaseq.graphs.prepared import AnyQuery, Prepared
from spaseq.graphs.protocols import AnyMatcher
from spaseq.graphs.queries import as_query, derived_stream, plan_of, resolve_stream, stream_order
from spaseq.graphs.running import Need, RunningQuery
from spaseq.graphs.streamset import Streamset
from spaseq.graphs.terms import Forgetting, TermsSoundness
from spaseq.pattern.sequences import Query
from spaseq.pattern.times import iso
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.cells import LazyAtom, lazy_atoms
from spaseq.results.match import Match
from spaseq.results.table import MatchTable
from spaseq.runtime.delivery import Calls, Decided, Delivery, Merge, OnMatch, in_order
from spaseq.soundness import whole_or_broken
from spaseq.sources.rdf.events import Event, Events, Scope
from spaseq.sources.rdf.graphs import Graph, single_event
from spaseq.sources.rdf.items import BATCH, Item, each_of, of_item, unpacked
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import Time, duration_microseconds, to_microseconds

T = TypeVar("T")


class EngineCore:
    """The inside of an engine; arguments as of ``Engine``.

    ``clocks`` and ``encoders`` are by stream (each encoder numbers its own events), ``running`` by name of the query.
    ``streamsets`` stand each after those that derive its streams.
    """

    def __init__(
        self,
        background: Background,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        gpm: str = "auto",
    ) -> None:
        if on_late is not None and not callable(on_late):
            raise OptionError(f"on_late is a function of an event, not {on_late!r:.80}")
        self.use = Use("this engine")
        self._use_terms(Terms())
        self.lateness = duration_microseconds(lateness)
        self.on_late = on_late
        self.evaluator = new_evaluator(gpm, self.terms, background)
        self.clocks: dict[str, StreamClock] = {}
        self.encoders: dict[str, Encoder] = {}
        self.streamsets: list[Streamset] = []
        self.running: dict[str, RunningQuery] = {}
        self.skipped: dict[str, Skipped] = {}  # rows that were no events, by stream
        self.forgetting = Forgetting()
        self.delivery = Delivery()
        self._late_calls = Calls("callbacks (on_late)")
        self._common: Common | None = None  # what it shares with other engines
        self._is_lent = False  # readers have the encoder
        self._assemblers: dict[str, Assembler] = {}  # by stream: of events that are pushed one by one
        self._opened: dict[str, str] = {}  # the IRIs of streams that may be pushed to, by what they were called
        self._readers: dict[str, list[Streamset]] = {}  # that a stream can have an effect on, in order

    @property
    def encoder(self) -> Encoder:
        """What readers need to encode events for this engine."""
        self._is_lent = True
        return self.evaluator.encoder

    @property
    def background(self) -> Background:
        """The background knowledge that events pushed from now on see."""
        background = self.evaluator.background
        assert isinstance(background, Background)
        return background

    @property
    def queries(self) -> dict[str, Query]:
        """The registered queries by name."""
        return {name: running.plan.query for name, running in list(self.running.items())}

    def _use_terms(self, terms: Terms) -> None:
        self.terms = terms
        self.soundness = TermsSoundness("this engine", terms)

    # ── queries ──────────────────────────────────────────────────────────────────────────────────────────
    def register(self, query: AnyQuery, name: str | None, on_match: OnMatch | None, max_results: int | None) -> str:
        """See ``Engine.register``."""
        self.forget_terms()
        checked = as_query(query, name, self.running)
        order = stream_order([*self.queries.values(), checked])
        self.check_derived(checked)
        plan = plan_of(query, checked)
        self.share([query])
        made = self.compiled(query, plan)
        matcher = plan.start(self.terms, automaton=made.automaton)
        self.start(plan, made, self.streamset_for(checked), matcher, on_match, max_results)
        self.sort(order)
        return checked.name

    def unregister(self, name: str) -> None:
        """See ``Engine.unregister``."""
        running = self.query_named(name)
        others = [query for query in self.queries.values() if query.name != name]
        if running.into is not None and not any(derived_stream(query) == running.into for query in others):
            readers = [query.name for query in others if any(s.iri == running.into for s in query.streams)]
            if readers:
                raise OptionError(f'"{name}" derives <{running.into}>, which {", ".join(readers)} reads')
        del self.running[name]
        for streamset in self.streamsets:
            streamset.detach(running)
        self.streamsets = [streamset for streamset in self.streamsets if streamset.all_queries]
        self._forget_streams(running)
        self._opened.clear()
        self._readers.clear()

    def _forget_streams(self, gone: RunningQuery) -> None:
        """Forget streams of a query that has gone: those that no query reads or derives, and of which nothing came."""
        used = self._derived() | {stream.iri for query in self.queries.values() for stream in query.streams}
        iris = {stream.iri for stream in gone.plan.query.streams} | ({gone.into} if gone.into is not None else set())
        for iri in iris - used:
            if self.clocks[iri].is_untouched:
                del self.clocks[iri], self.encoders[iri]
                self._assemblers.pop(iri, None)

    def update_background(self, sources: BackgroundSources) -> None:
        """See ``Engine.update_background``."""
        background = self.background
        for iri, source in sources.items():
            background = background.replaced(iri, source)
        self.evaluator.update_background(background)
        self.forget_knowledge()

    @whole_or_broken
    def catch_up(self) -> None:
        """See ``Engine.catch_up``."""
        for streamset in self.streamsets:
            streamset.catch_up()

    def query_named(self, name: str) -> RunningQuery:
        """The query of that name at work.  OptionError: there is none."""
        if not isinstance(name, str) or name not in self.running:
            raise OptionError(f'there is no query named "{name!s:.80}"')
        return self.running[name]

    def _derived(self) -> set[str]:
        return {running.into for running in self.running.values() if running.into is not None}

    def check_derived(self, query: Query) -> None:
        """OptionError: the stream that the query derives has had events from outside."""
        into = derived_stream(query)
        clock = self.clocks.get(into or "")
        if clock is not None and into not in self._derived() and (clock.events or clock.closed):
            raise OptionError(f"the stream <{into}> has had events from outside, so no query can derive it")

    def streamset_for(self, query: Query) -> Streamset:
        """A streamset for a new query: one that waits for nothing can be shared."""
        iris = tuple(stream.iri for stream in query.streams)
        strict = query.window is not None and query.window.events
        for streamset in self.streamsets:
            if streamset.key == (iris, strict) and not streamset.buffer and not streamset.finished:
                return streamset
        return self.new_streamset(iris, strict)

    def wait_for_whole_ticks(self) -> None:
        """Decide nothing of a time before it has passed, so that results have one order however the input is cut.

        It is said before the first event.
        """
        for streamset in self.streamsets:
            streamset.buffer.strict = True

    def new_streamset(self, iris: Iterable[str], strict: bool) -> Streamset:
        """A streamset of these streams, behind the others; ``strict`` if its queries count events in their windows."""
        clocks = [self._clock(iri) for iri in iris]
        self.streamsets.append(Streamset(clocks, strict, self.evaluator))
        return self.streamsets[-1]

    def share(self, queries: Iterable[AnyQuery]) -> None:
        """Lie on what engines with the same prepared queries share, as long as nothing is here yet."""
        prepared = [query for query in queries if isinstance(query, Prepared)]
        if prepared and not (self.running or self.clocks or self._is_lent):
            self._common = self.background.common(prepared, self.evaluator.mode)
            self._use_terms(Terms(self._common.evaluator.terms))
            self.evaluator = self._common.evaluator.on(self.terms)

    def compiled(self, query: AnyQuery, plan: Plan) -> Compiled:
        """A query for this engine's terms."""
        shared = self._common.compiled(query) if self._common and isinstance(query, Prepared) else None
        return shared or compiled(plan, self.evaluator)

    def start(
        self,
        plan: Plan,
        made: Compiled,
        streamset: Streamset,
        matcher: AnyMatcher,
        on_match: OnMatch | None,
        max_results: int | None,
    ) -> RunningQuery:
        """Let a query run on a streamset with a matcher, new or restored; ``made`` is its plan for these terms."""
        iris = {stream.name: streamset.iris.index(stream.iri) for stream in plan.query.streams}
        iris |= {iri: number for number, iri in enumerate(streamset.iris)}
        needs = [Need(iris[atom.stream], pattern) for atom, pattern in zip(plan.atoms, made.patterns, strict=True)]
        may_wait = self.evaluator.mode is Mode.AUTO and not plan.by_partition
        lazy = self._lazy(matcher, needs) if may_wait else ()
        running = RunningQuery(plan, matcher, needs, streamset.names, self.terms, on_match, lazy, max_results)
        streamset.attach(running)
        self.running[running.name] = running
        if running.into is not None:
            self._clock(running.into)
        return running

    def _clock(self, iri: str) -> StreamClock:
        """The clock of a stream, which is known from now on."""
        if iri not in self.clocks:
            self.clocks[iri] = StreamClock(iri)
            self.encoders[iri] = self.evaluator.encoder.apart()
        return self.clocks[iri]

    def _assembler(self, iri: str) -> Assembler:
        """What encodes the events of a stream one by one."""
        if iri not in self._assemblers:
            self._assemblers[iri] = Assembler(self.encoders[iri], ())
        return self._assemblers[iri]

    def _lazy(self, matcher: AnyMatcher, needs: Iterable[Need]) -> Sequence[LazyAtom]:
        """The atoms that are evaluated only where they can matter."""
        dear = {n: need.pattern.required_slots for n, need in enumerate(needs) if not need.pattern.is_native}
        return lazy_atoms(matcher.automaton, dear) if dear else ()

    def sort(self, order: Mapping[str, int]) -> None:
        """Put producers of derived streams before their readers; ``order`` is the depth of each stream by IRI."""
        self.streamsets.sort(key=lambda streamset: max(order[iri] for iri in streamset.iris))
        self._opened.clear()
        self._readers.clear()

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def push_columns(self, columns: Iterable[Events], promise: int | None = None) -> Decided:
        """See ``Engine.push_columns``."""
        promise = None if promise is None else to_microseconds(promise)
        self.forget_terms()
        for events in each_of(columns, Events):
            self.accept(events, self.lateness)
        if promise is not None:
            for clock in self.inputs(None):
                clock.promise(promise)
        self._late_calls.check()
        return self.settle()

    def advance(self, time: Time, stream: str | None = None) -> Decided:
        """See ``Engine.advance_tables``."""
        promised = to_microseconds(time)
        for clock in self.inputs(stream):
            clock.promise(promised)
        return self.settle()

    def close(self, stream: str | None = None) -> Decided:
        """See ``Engine.close_tables``."""
        for clock in self.inputs(stream):
            clock.close()
        return self.settle()

    def open_stream(self, stream: str) -> str:
        """The IRI of a stream that may be pushed to."""
        iri = self._opened.get(stream) if isinstance(stream, str) else None
        if iri is None:
            iri = resolve_stream(stream, self.queries.values())
            if iri in self._derived():
                raise OptionError(f"the stream <{iri}> is derived by a query: nothing else can be pushed to it")
            self._opened[stream] = iri
        if self.clocks[iri].closed:
            raise OptionError(f"the stream <{iri}> is closed")
        return iri

    def _affected(self, iri: str) -> list[Streamset]:
        """The streamsets that events of a stream can have an effect on, also by what their queries derive, in order."""
        if iri not in self._readers:
            streams, found = {iri}, []
            for streamset in self.streamsets:
                if not streams.isdisjoint(streamset.iris):
                    streams |= streamset.derived
                    found.append(streamset)
            self._readers[iri] = found
        return self._readers[iri]

    def inputs(self, stream: str | None) -> list[StreamClock]:
        """The clock of one stream, or of all that no query derives."""
        if stream is not None:
            return [self.clocks[self.open_stream(stream)]]
        derived = self._derived()
        return [clock for iri, clock in self.clocks.items() if iri not in derived and not clock.closed]

    def columns(self, events: Iterable[Event], scope: Scope = lambda _: None) -> list[Events]:
        """Events one by one as columns, those of each stream in order.  OptionError: one has a term that is none."""
        by_stream: dict[str, list[Event]] = {}
        for event in each_of(events, Event):
            by_stream.setdefault(event.stream, []).append(event)
        try:
            return [Events.of(stream, some, self.encoders[stream], scope) for stream, some in by_stream.items()]
        except PatternError as error:
            raise OptionError(str(error)) from None

    def take_single(self, iri: str, timestamp: Time, graph: Graph, name: str | None) -> Sequence[Streamset]:
        """One event came, which goes the short way: it never becomes columns, unless it meets some.

        Those that it can have an effect on are to be settled."""
        self.forget_terms()
        event = single_event(self._assembler(iri), to_microseconds(timestamp), graph, name)
        if not self._accept_single(iri, event):
            self._late_calls.check()
        return self._affected(iri)

    def has_short_way(self, iri: str) -> bool:
        """Whether events of a stream stay single to the end: no pattern is postponed."""
        return not any(query.lazy for streamset in self._affected(iri) for query in streamset.queries)

    def take_few(self, iri: str, items: Sequence[Item]) -> Sequence[Streamset]:
        """As ``take_single`` for a few events, or for none if one of them is wrong, which the error names."""
        self.forget_terms()
        encoder = self.encoders[iri]
        scope = encoder.next_scope
        try:
            events = [self._single_of(iri, number, item) for number, item in enumerate(items)]
        except Exception:
            encoder.next_scope = scope
            raise
        for event in events:
            self._accept_single(iri, event)
        self._late_calls.check()
        return self._affected(iri)

    def _single_of(self, iri: str, number: int, item: Item) -> SingleEvent:
        try:
            timestamp, graph, name = unpacked(item)
            return single_event(self._assembler(iri), to_microseconds(timestamp), graph, name)
        except (OptionError, StreamError) as error:
            raise of_item(BATCH, number, error) from None

    def _accept_single(self, iri: str, event: SingleEvent) -> bool:
        """Take an event; whether it is in time."""
        clock = self.clocks[iri]
        in_time = clock.admit_one(event.time, self.lateness)
        event.name = event.name or clock.event_name(clock.events)
        event.knowledge = self.evaluator.version
        if not in_time:
            self._drop_late(Events.of_single(iri, self.evaluator.encoder, event))
        else:
            for streamset in self._affected(iri):
                if iri in streamset.iris:
                    streamset.add_single(iri, event)
        return in_time

    def accept(self, events: Events, lateness: int) -> None:
        """Events of one stream came; those that are later than ``lateness`` (µs) go to ``on_late``."""
        clock = self.clocks[events.stream]
        before = clock.events
        in_time = clock.admit(events.times, lateness)
        events = events.numbered(clock.event_name, before + 1)
        if not in_time.all():
            self._drop_late(events.take(np.flatnonzero(~in_time)))
            events = events.take(np.flatnonzero(in_time))
        events = events.renewed(self.evaluator.encoder).seeing(self.evaluator.version)
        for streamset in self.streamsets:
            if events.stream in streamset.iris:
                streamset.add(events)

    def _drop_late(self, events: Events) -> None:
        clock = self.clocks[events.stream]
        clock.first_late = clock.first_late or f"<{events.names[0]}> at {iso(int(events.times[0]))}"
        if self.on_late is not None:
            for event in events:
                self._late_calls.call(self.on_late, event)

    def most_waiting(self) -> int:
        """How many events wait at most for a stream that is behind."""
        return max((len(streamset.buffer) for streamset in self.streamsets), default=0)

    @property
    def is_settled(self) -> bool:
        """Whether all results were given that are decided."""
        return not self.delivery.waits and all(streamset.is_settled for streamset in self.streamsets)

    def forget_terms(self) -> None:
        """Keep the table of terms from growing with the streams."""
        self.forgetting.look(self.evaluator, self.running.values(), self.streamsets)

    # ── what they decide ─────────────────────────────────────────────────────────────────────────────────
    def settle(self, streamsets: Sequence[Streamset] | None = None) -> Decided:
        """Let streamsets (None: all) do what their watermark allows, producers of derived streams first."""
        each = self.soundness.each
        return Decided(each(self.tables(streamsets)), lambda merge: each(self._merged(streamsets, merge)))

    def tables(self, streamsets: Sequence[Streamset] | None) -> Iterator[MatchTable]:
        """What streamsets (None: all) have decided, as tables of bounded size, each of one query."""
        for streamset in self.streamsets if streamsets is None else streamsets:
            for running in streamset.settle():
                yield from self._given(streamset, running)
            self._promise_derived(streamset)
        self.forget_knowledge()

    def _merged(self, streamsets: Sequence[Streamset] | None, merge: Merge[T]) -> Iterator[T]:
        """The same in one order; of streams that others read, when all of their events are there."""
        found: dict[str, Iterable[MatchTable]] = {}  # by query
        last: list[Streamset] = []
        for streamset in self.streamsets if streamsets is None else streamsets:
            decided = {running.name: self._given(streamset, running) for running in streamset.settle()}
            if any(map(self._is_read, streamset.derived)):
                found |= {name: list(tables) for name, tables in decided.items()}
                self._promise_derived(streamset)
            else:
                found |= decided
                last.append(streamset)
        yield from merge([found[name] for name in self.running if name in found])
        for streamset in last:
            self._promise_derived(streamset)
        self.forget_knowledge()

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
        return any(iri in streamset.iris for streamset in self.streamsets)

    def forget_knowledge(self) -> None:
        """Free the versions of the background that no event sees any more."""
        if self.evaluator.versions > 1:
            waiting = [streamset.oldest_knowledge() for streamset in self.streamsets]
            seen = [version for version in waiting if version is not None]
            self.evaluator.forget_versions(min(seen, default=self.evaluator.version))

    def _derive(self, running: RunningQuery) -> None:
        events, running.derived = running.derived, []
        derived = (Event(event.stream, event.timestamp, event.name, event.triples) for event in events)
        # In an order that does not depend on how terms are numbered, as that of matches does.
        ordered = sorted(derived, key=lambda event: (event.timestamp, event.name))
        for columns in self.columns(ordered, scope=derived_scope):
            # Order is kept by the producers' promises, not by lateness: with several producers one may be behind.
            self.accept(columns, lateness=2**63)

    def _promise_derived(self, streamset: Streamset) -> None:
        """A derived stream is as far as the slowest of the queries that derive it."""
        for iri in streamset.derived:
            producers = [producer for producer in self.streamsets if iri in producer.derived]
            if not all(producer.is_settled for producer in producers):
                continue  # some of its events are not made yet
            if all(producer.finished for producer in producers):
                self.clocks[iri].close()
            else:
                self.clocks[iri].promise(min(producer.advanced for producer in producers))

    def deliver(self, tables: Iterable[MatchTable]) -> list[Match]:
        """The matches of all tables in order of decision; callbacks are told.

        ExceptionGroup: callbacks have raised.  All were called, and the matches come with the next call.
        """
        found = list(tables)
        matches = in_order(found)
        callbacks = {table.query: self.running[table.query].on_match for table in found}
        if not self.delivery.waits and not any(callbacks.values()):
            return matches
        return self.delivery.deliver(matches, callbacks)


def new_evaluator(gpm: str, terms: Terms | None = None, background: Background | None = None) -> Evaluator:
    """An evaluator of graph patterns of the mode ``gpm``; OptionError: there is no such mode."""
    try:
        mode = Mode(gpm)
    except ValueError:
        known = ", ".join(f'"{one.value}"' for one in Mode)
        raise OptionError(f"gpm is one of {known}, not {gpm!r:.80}") from None
    return Evaluator(Terms() if terms is None else terms, background, mode)


def derived_scope(event: Event) -> int:
    """A number for the blank nodes of a derived event, by its name: it does not depend on when the event was made."""
    return int.from_bytes(hashlib.blake2b(event.name.encode(), digest_size=8).digest())
