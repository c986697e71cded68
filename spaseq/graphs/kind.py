"""Graphs as a kind of data: what an engine of SPAseq queries has beside what all engines have."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np

from gpm.errors import PatternError
from gpm.evaluator import Evaluator, Mode
from gpm.native.assembly import Assembler, Encoder
from gpm.native.single import SingleEvent
from nfa_native.automata.automaton import Automaton
from nfa_native.automata.kinds import Evaluating
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, StreamError
from spaseq.graphs import sampling
from spaseq.graphs.background import Background, BackgroundSources, Common, Compiled, compiled
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import GraphQuery, Need, OnMatch, empty_table
from spaseq.graphs.matchers import AnyMatcher, Bounded, Lazy, WordMap
from spaseq.graphs.paced_input import PacedInput
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery
from spaseq.graphs.queries import AnyQuery, Prepared, resolve_stream
from spaseq.graphs.sampling import Snapshot
from spaseq.graphs.terms_in_use import Forgetting, TermsSoundness
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.description import evaluation_of
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.bounded import check_bounded
from spaseq.plan.sequences.cells import LazyAtom, lazy_atoms
from spaseq.plan.sequences.rule_plan import Key, PlanOfRows, plans_apart, plans_of_rows
from spaseq.results.match import Match
from spaseq.results.table import MatchTable, each_of_one_query, in_order
from spaseq.runtime.bounded import Bound
from spaseq.runtime.core import EngineCore
from spaseq.runtime.delivery import Decided
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.reorder import by_tick
from spaseq.runtime.snapshot.container import RESULTS_WAIT
from spaseq.runtime.statistics import Statistics, of_stream, reasons, time_of
from spaseq.sources.rdf.events import Event, Events, Scope
from spaseq.sources.rdf.graphs import Graph, single_event
from spaseq.sources.rdf.items import BATCH, Item, each_of, of_item, unpacked
from spaseq.sources.rdf.wire import WireReport, unread
from spaseq.streams.batch import Numbers
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import OF_NO_STREAM, Loss, Skipped, late, skipped_rows
from spaseq.streams.timestamps import Time, duration_microseconds, iso, to_microseconds


class GraphKind:
    """Streams of graphs, for the ``core`` of one engine; arguments as of ``Engine``.

    ``encoders`` are by stream: each numbers its own events.
    """

    results_wait = RESULTS_WAIT

    def __init__(
        self,
        background: Background,
        lateness: timedelta | int = timedelta(0),
        on_late: Callable[[Event], object] | None = None,
        gpm: str = "auto",
        sharing: bool = True,
        evaluation: str = "auto",
        bound: Bound | None = None,
    ) -> None:
        if on_late is not None and not callable(on_late):
            raise OptionError(f"on_late is a function of an event, not {on_late!r:.80}")
        self.terms = Terms()
        self.on_late = on_late
        if not (bound is None or isinstance(bound, Bound)):
            raise OptionError(f"a bound is given as Bound(work=…), not {bound!r:.80}")
        self.bound = bound
        self.sharing = sharing and bound is None  # rows of parameters run together where they can
        self.evaluation = evaluation_of(evaluation)
        if bound is not None and self.evaluation is Evaluating.LAZY:
            raise OptionError("where work has a bound steps do not wait: evaluation cannot be lazy")
        self.keeps_families = False  # whether results of a family stay in one table
        self.evaluator = new_evaluator(gpm, self.terms, background)
        late_by = duration_microseconds(lateness)
        self.core: EngineCore[Events, AnyGraphQuery] = EngineCore(self, self._soundness(), late_by)
        self.encoders: dict[str, Encoder] = {}
        self.skipped: dict[str, Skipped] = {}  # rows that were no events, by stream
        self.forgetting = Forgetting()
        self._common: Common | None = None  # what it shares with other engines
        self._is_lent = False  # readers have the encoder
        self.assemblers: dict[str, Assembler] = {}  # by stream: of events that are pushed one by one

    def _soundness(self) -> TermsSoundness:
        return TermsSoundness("this engine", self.terms)

    @property
    def inputs(self) -> Iterator[GraphInput]:
        """Those of the core."""
        return (merged for merged in self.core.inputs if isinstance(merged, GraphInput))

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
        return {name: running.named(name).query for name, running in list(self.core.running.items())}

    def known(self) -> list[Query]:
        """What is at work: of queries that run together just one, with parameters."""
        return [running.plan.query for running in self.core.at_work]

    def input_of(self, query: AnyGraphQuery) -> GraphInput:
        """The input that a query runs on."""
        return next(merged for merged in self.inputs if query in merged.all_queries)

    # ── as of any kind of data ───────────────────────────────────────────────────────────────────────────
    def stream(self, called: str) -> str:
        """See ``Kind``: the IRI of a stream, from this or a short name."""
        return resolve_stream(called, self.known())

    def opened(self, clock: StreamClock) -> None:
        """See ``Kind``."""
        self.encoders[clock.iri] = self.evaluator.encoder.apart()

    def arrived(self, batch: Events, first: int) -> Events:
        """See ``Kind``: each has a name."""
        return batch.numbered(self.core.clocks[batch.stream].event_name, first)

    def in_time(self, batch: Events) -> Events:
        """See ``Kind``: they see the background of now."""
        return batch.renewed(self.evaluator.encoder).seeing(self.evaluator.version)

    def late(self, batch: Events, places: Numbers, clock: StreamClock) -> None:
        """See ``Kind``."""
        batch = batch.take(places)
        clock.first_late = clock.first_late or f"<{batch.names[0]}> at {iso(int(batch.times[0]))}"
        if self.on_late is not None:
            for event in batch:
                self.core.late_calls.call(self.on_late, event)

    def derive(self, query: AnyGraphQuery) -> Iterable[Events]:
        """See ``Kind``: in an order that does not depend on how terms are numbered, as that of matches does."""
        events, query.derived = query.derived, []
        derived = (Event(event.stream, event.timestamp, event.name, event.triples) for event in events)
        return self.columns(sorted(derived, key=lambda event: (event.timestamp, event.name)), scope=derived_scope)

    def apart(self, tables: Iterator[MatchTable]) -> Iterator[MatchTable]:
        """See ``Kind``: those of families."""
        return tables if self.keeps_families else each_of_one_query(tables)

    def rest(self) -> None:
        """See ``Kind``: versions of the background that no event sees any more are freed."""
        if self.evaluator.versions > 1:
            waiting = [merged.oldest_knowledge() for merged in self.inputs]
            seen = [version for version in waiting if version is not None]
            self.evaluator.forget_versions(min(seen, default=self.evaluator.version))

    # ── queries ─────────────────────────────────────────────────────────────────────────────────────────────
    def plans(self, plan: Plan, rows: Mapping[Key, Row], place: int) -> Iterator[PlanOfRows]:
        """See ``plans_of_rows``; ``place``: of the first row."""
        return plans_of_rows(plan, rows, place) if self.sharing else plans_apart(plan, rows, place)

    def parametric_query(
        self, plan: Plan, merged: GraphInput, on_match: OnMatch | None, max_results: int | None
    ) -> ParametricGraphQuery:
        """A query with parameters that has no rows yet."""
        return ParametricGraphQuery(plan, empty_table(plan, merged.names, self.terms), on_match, max_results)

    def run_rows(self, query: ParametricGraphQuery, merged: GraphInput, planned: PlanOfRows) -> None:
        """Let some more rows run beside those of a query that is at work; they see the events that come from now on."""
        plan, keys, places = planned
        member = self.begun(plan, compiled(plan, self.evaluator), merged)
        member.since = self.evaluator.version
        query.run(member, keys, places)
        merged.attach_rows(query, member)

    def begun(
        self,
        plan: Plan,
        made: Compiled,
        merged: GraphInput,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
    ) -> GraphQuery:
        """A query that has seen nothing yet."""
        return self.running(plan, made, merged, self.started(plan, made.automaton), on_match, max_results)

    def started(self, plan: Plan, automaton: Automaton) -> AnyMatcher:
        """A matcher of a query that has seen nothing yet."""
        if self.bound is not None:
            automaton = plan.for_bounded(automaton)
        return self.as_asked(sampling.started(self.bound, plan, automaton, self.terms))

    def restored_matcher(self, plan: Plan, automaton: Automaton, snapshot: Snapshot, word_map: WordMap) -> AnyMatcher:
        """One from its snapshot."""
        if self.bound is not None or snapshot.was_bounded:
            automaton = plan.for_bounded(automaton)
        matcher = sampling.restored(self.bound, plan, automaton, self.terms, snapshot, word_map)
        return matcher if snapshot.was_bounded else self.as_asked(matcher)

    def as_asked(self, matcher: AnyMatcher) -> AnyMatcher:
        """A matcher with the bound, or that makes steps when it was asked to."""
        if self.bound is not None:
            assert isinstance(matcher, Bounded)
            matcher.work_bound = self.bound.units
        elif isinstance(matcher, Lazy):
            matcher.evaluation = self.evaluation
        return matcher

    def check_bounded(self, more: Iterable[Plan] = ()) -> None:
        """OptionError: the work of a query, or of one of some ``more``, may have no bound."""
        if self.bound is not None:
            check_bounded([*(query.plan for query in self.core.at_work if isinstance(query.plan, Plan)), *more])

    def update_background(self, sources: BackgroundSources) -> None:
        """See ``Engine.update_background``."""
        background = self.background
        for iri, source in sources.items():
            background = background.replaced(iri, source)
        self.evaluator.update_background(background)
        self.rest()

    def new_input(self, iris: Iterable[str], strict: bool) -> GraphInput:
        """An input of these streams; ``strict`` if its queries count events in their windows."""
        clocks = [self.core.clock(iri) for iri in iris]
        if self.bound is not None and self.bound.latency is not None:
            return PacedInput(clocks, strict, self.evaluator, self.bound)
        return GraphInput(clocks, strict, self.evaluator, self.bound)

    def wait_for_whole_ticks(self) -> None:
        """Decide nothing of a time before it has passed, so that results have one order however the input is cut.

        It is said before the first event.
        """
        for merged in self.inputs:
            merged.order = by_tick

    def keep_ticks(self) -> None:
        """Let queries whose work is bounded read what others derive in an order that no cut changes."""
        for merged in self.inputs if self.bound is not None else ():
            merged.keep_ticks(self.core.derived)

    def share(self, queries: Iterable[AnyQuery]) -> None:
        """Lie on what engines with the same prepared queries share, as long as nothing is here yet."""
        prepared = [query for query in queries if isinstance(query, Prepared) and query.query.given is None]
        if prepared and not (self.core.running or self.core.clocks or self._is_lent):
            self._common = self.background.common(prepared, self.evaluator.mode)
            self.terms = Terms(self._common.evaluator.terms)
            self.core.soundness = self._soundness()
            self.evaluator = self._common.evaluator.on(self.terms)

    def compiled(self, query: AnyQuery, plan: Plan) -> Compiled:
        """A query for this engine's terms."""
        shared = self._common.compiled(query) if self._common and isinstance(query, Prepared) else None
        return shared or compiled(plan, self.evaluator)

    def running(
        self,
        plan: Plan,
        made: Compiled,
        merged: GraphInput,
        matcher: AnyMatcher | None,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
    ) -> GraphQuery:
        """A query that runs on an input with a matcher, new or restored; ``made`` is its plan for these terms.

        Without a matcher it is one that is over.
        """
        iris = {stream.name: merged.numbers[stream.iri] for stream in plan.query.streams}
        iris |= {iri: number for number, iri in enumerate(merged.streams)}
        needs = [Need(iris[atom.stream], pattern) for atom, pattern in zip(plan.atoms, made.patterns, strict=True)]
        may_wait = self.evaluator.mode is Mode.AUTO and not plan.by_partition and self.bound is None
        lazy = self._lazy(made.automaton, needs) if may_wait else ()
        return GraphQuery(plan, matcher, needs, merged.names, self.terms, on_match, lazy, max_results)

    def _assembler(self, iri: str) -> Assembler:
        """What encodes the events of a stream one by one."""
        if iri not in self.assemblers:
            self.assemblers[iri] = Assembler(self.encoders[iri], ())
        return self.assemblers[iri]

    def _lazy(self, automaton: Automaton, needs: Iterable[Need]) -> Sequence[LazyAtom]:
        """The atoms that are evaluated only where they can matter."""
        dear = {n: need.pattern.required_slots for n, need in enumerate(needs) if not need.pattern.is_native}
        return lazy_atoms(automaton, dear) if dear else ()

    # ── events ───────────────────────────────────────────────────────────────────────────────────────────
    def push(self, columns: Iterable[Events], promise: int | None = None) -> Decided:
        """See ``Engine.push_columns``."""
        promise = None if promise is None else to_microseconds(promise)
        self.forget_terms()
        return self.core.push(each_of(columns, Events), promise)

    def columns(self, events: Iterable[Event], scope: Scope = lambda _: None) -> list[Events]:
        """Events one by one as columns, those of each stream in order.  OptionError: one has a term that is none."""
        by_stream: dict[str, list[Event]] = {}
        for event in each_of(events, Event):
            by_stream.setdefault(event.stream, []).append(event)
        try:
            return [Events.of(stream, some, self.encoders[stream], scope) for stream, some in by_stream.items()]
        except PatternError as error:
            raise OptionError(str(error)) from None

    def take_single(
        self, iri: str, timestamp: Time, graph: Graph, name: str | None
    ) -> Sequence[MergedInput[Events, SingleEvent, AnyGraphQuery]]:
        """One event came, which goes the short way: it never becomes columns, unless it meets some.

        Those that it can have an effect on are to be settled."""
        self.forget_terms()
        event = single_event(self._assembler(iri), to_microseconds(timestamp), graph, name)
        if not self._accept_single(iri, event):
            self.core.late_calls.check()
        return self.core.affected(iri)

    def has_short_way(self, iri: str) -> bool:
        """Whether events of a stream stay single to the end: no pattern is postponed."""
        queries = (query for merged in self.core.affected(iri) for query in merged.queries)
        return not any(member.lazy for query in queries for member in query.members)

    def take_few(self, iri: str, items: Sequence[Item]) -> Sequence[MergedInput[Events, SingleEvent, AnyGraphQuery]]:
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
        self.core.late_calls.check()
        return self.core.affected(iri)

    def _single_of(self, iri: str, number: int, item: Item) -> SingleEvent:
        try:
            timestamp, graph, name = unpacked(item)
            return single_event(self._assembler(iri), to_microseconds(timestamp), graph, name)
        except (OptionError, StreamError) as error:
            raise of_item(BATCH, number, error) from None

    def _accept_single(self, iri: str, event: SingleEvent) -> bool:
        """Take an event; whether it is in time."""
        clock = self.core.clocks[iri]
        in_time = clock.admit_one(event.time, self.core.lateness)
        event.name = event.name or clock.event_name(clock.events)
        event.knowledge = self.evaluator.version
        if not in_time:
            self.late(Events.of_single(iri, self.evaluator.encoder, event), np.zeros(1, np.int64), clock)
        else:
            for merged in self.core.affected(iri):
                if iri in merged.numbers:
                    merged.add_single(iri, event)
        return in_time

    def count_only(self) -> None:
        """Count results, where that is possible, instead of making them; before any event."""
        for merged in self.inputs:
            merged.bring_in()
        for running in self.core.at_work:
            running.count_only()

    def forget_terms(self) -> None:
        """Keep the table of terms from growing with the streams."""
        self.forgetting.look(self.evaluator, self.core)

    def deliver(self, tables: Iterable[MatchTable]) -> list[Match]:
        """The matches of all tables in order of decision; callbacks are told.

        ExceptionGroup: callbacks have raised.  All were called, and the matches come with the next call.
        """
        found, waits = list(tables), self.core.delivery.waits
        if not (found or waits):
            return []
        matches = in_order(found, self.core.turns)
        names = {name for table in found for name in table.queries}
        callbacks = {name: self.core.running[name].named(name).on_match for name in names}
        if not waits and not any(callbacks.values()):
            return matches
        return self.core.delivery.deliver(matches, callbacks)

    # ── what it tells ────────────────────────────────────────────────────────────────────────────────────
    def losses(self, reports: Mapping[str, WireReport]) -> dict[str, list[Loss]]:
        """What was dropped of each stream, by its IRI; ``reports`` of those that were read."""
        return {iri: [*self._losses_of(clock, reports.get(iri))] for iri, clock in self.core.clocks.items()}

    @property
    def complete(self) -> bool:
        """Whether nothing was left out to keep work within its bound."""
        return all(query.shed.is_nothing for query in self.core.at_work)

    def shed_losses(self) -> list[Loss]:
        """What was left out to keep work within its bound."""
        each = (query.shed.losses(query.plan.query.name) for query in self.core.at_work)
        return [loss for losses in each for loss in losses]

    def _losses_of(self, clock: StreamClock, report: WireReport | None) -> Iterator[Loss]:
        yield from late(clock)
        yield from skipped_rows(clock.iri, self.skipped.get(clock.iri, Skipped()))
        yield from () if report is None else unread(clock.iri, report)

    def statistics(self, reports: Mapping[str, WireReport] = {}) -> Statistics:
        """``streams`` by IRI and ``queries`` by name, fit for JSON; times are ISO 8601.

        A query has ``results``, ``watermark``, ``waiting_events`` (in the reorder buffer), ``held_back_by`` (the stream
        whose watermark is the least, if another stream or an event waits for it) and the counters of its matcher, as
        ``Plan.report`` gives them; ``why`` begins with what was dropped of its streams.  A stream that was read has its
        report (``wire``); one of which rows were skipped says how many (``skipped``), and ``skipped`` of the whole
        tells of rows of no stream that a query reads.
        """
        self.core.catch_up()
        inputs = {query: merged for merged in self.core.inputs for query in merged.all_queries}
        lost = self.losses(reports)
        return {
            "streams": {
                iri: of_stream(clock, clock.first_late) | self._skipped_of(iri) | _wire(reports.get(iri))
                for iri, clock in self.core.clocks.items()
            },
            "queries": {
                name: _statistics(query, name, inputs[query], lost) for name, query in self.core.running.items()
            },
            "terms": len(self.terms),
            **self._skipped_of(OF_NO_STREAM),
        }

    def add_costs(self, found: Statistics) -> Statistics:
        """Add to statistics what graph patterns cost that pyoxigraph evaluates."""
        for name, query in self.core.running.items():
            for number, need in enumerate(query.needs if isinstance(query, GraphQuery) else ()):
                seconds = self.evaluator.cost(need.pattern)
                if seconds is not None:
                    gpm = found["queries"][name]["gpms"][query.plan.atoms[number].name]
                    gpm["microseconds"] = round(1e6 * seconds, 3)
        return found

    def _skipped_of(self, iri: str) -> Statistics:
        skipped = self.skipped.get(iri, Skipped())
        return {"skipped": skipped.count, "first_skipped": skipped.first} if skipped.count else {}


def _wire(report: WireReport | None) -> Statistics:
    return {} if report is None else {"wire": report.to_dict()}


def _statistics(
    query: AnyGraphQuery, name: str, merged: MergedInput[Any, Any, AnyGraphQuery], lost: Mapping[str, Sequence[Loss]]
) -> Statistics:
    slowest, named = merged.held_back_by(), query.named(name)
    held_back_by = None if slowest is None else slowest.iri
    found = {
        "results": named.found,
        "watermark": time_of(merged.watermark),
        "waiting_events": len(merged.buffer),
        "held_back_by": held_back_by,
        **(query.statistics(merged.came()) | {"results": named.found}),
    }
    if isinstance(merged, PacedInput):
        found["latency"] = merged.control.statistics()
    if named.max_results is not None:
        found |= {"max_results": named.max_results, "over": named.is_over}
    if not named.found:
        dropped = [*(loss for iri in merged.streams for loss in lost[iri]), *query.shed.losses(name)]
        found["why"] = reasons(dropped, str(len(merged.buffer) or ""), f"<{held_back_by}>", found.get("why", ()))
    else:
        found["why"] = []
    return found


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
