"""The merged input of queries on graphs: each pattern is evaluated once on an event, and its rows fed to each query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpm.encoder import renewed_single
from gpm.errors import PatternError
from gpm.evaluator import CompiledPattern, Evaluator
from gpm.native.single import SingleEvent
from gpm.rows import AtomRows
from gpm.single_events import SinglePatterns
from nfa_native.terms.rows import EventRows
from spaseq.errors import SpaseqError
from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.lazy import Postponed, Rows, evaluate, placed
from spaseq.graphs.names import FEW, EventNames
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery
from spaseq.graphs.sharing import share
from spaseq.runtime.bounded import SHARED_EVERY, Bound
from spaseq.runtime.merged_input import MergedInput
from spaseq.runtime.reorder import Released, Waiting, by_tick, by_time
from spaseq.sources.rdf.events import EventIris, Events
from spaseq.streams.clock import StreamClock


class GraphInput(MergedInput[Events, SingleEvent, AnyGraphQuery]):
    """Some streams in the order of FROM STREAM.  ``strict``: for queries with an EVENTS window (semantics.md 3.4).

    A query that an event does not concern is not called: it hears of the event, as one without rows, before the next
    one that concerns it, or when only time is needed for a result.  Every ``FEW`` events all queries hear of all.
    Where work has a ``bound``, they share it anew every ``SHARED_EVERY`` events.
    """

    def __init__(
        self, clocks: Iterable[StreamClock], strict: bool, evaluator: Evaluator, bound: Bound | None = None
    ) -> None:
        super().__init__(clocks, by_tick if strict else by_time)
        self._bound = bound
        self._counts_events = strict
        self._by_name: frozenset[int] = frozenset()  # streams whose events of one time are put in order of their names
        self.work = 0.0 if bound is None else bound.units  # that an event may take on an average, for all queries,
        self.at_once = 0.0  # and a single one; 0: as many as are the rule
        self.names = EventNames()
        self._evaluator = evaluator
        self.before_events: list[Callable[[], None]] = []  # to be called before the next event is taken
        self._members: list[GraphQuery] = []  # of the queries: those without parameters themselves
        self._owners: dict[GraphQuery, ParametricGraphQuery] = {}  # of members that are rows
        self._young: list[GraphQuery] = []  # rows that came after events which wait, and do not see these
        self._postponed = Postponed()
        self._times: list[int] = []  # of the latest events, which some query may not have heard of
        self._caught_up = 0  # of which event on names were not forgotten yet
        self._knowledge: Counter[int] = Counter()  # how many single events see each version of the background
        self._routes: dict[tuple[int, int], StreamPatterns | None] = {}  # by stream and version of the background

    @property
    def strict(self) -> bool:
        """Whether nothing of a time is decided before it has passed, for its queries or its reader want it so."""
        return self._counts_events or (self.order is by_tick and not self._by_name)

    def attach(self, query: AnyGraphQuery) -> None:
        """Feed this query, too, from the next event on."""
        super().attach(query)
        for member in query.members:
            self._take_in(member)
        if isinstance(query, ParametricGraphQuery):
            self._owners |= dict.fromkeys(query.members, query)
            query.hear = self._hear_member

    def attach_rows(self, query: ParametricGraphQuery, member: GraphQuery) -> None:
        """Feed new rows of a query what comes from now on, and not what waits."""
        self._take_in(member)
        self._owners[member] = query
        if self.buffer:
            self._young.append(member)

    def forget_idle(self, query: ParametricGraphQuery) -> None:
        """Feed those of its members no more that run no row."""
        gone, query.has_idle = set(query.without_rows), False
        for member in gone:
            query.forget_member(member)
        if gone:
            self.detach_members(gone)

    def bring_in(self) -> None:
        """Let queries run that are to see the events from now on."""
        while self.before_events:
            self.before_events.pop()()

    def _take_in(self, member: GraphQuery) -> None:
        member.heard = self.names.next
        self._routes.clear()
        if not member.is_over:
            self._members.append(member)

    @property
    def ages(self) -> list[int]:
        """The versions of the background from which on rows see events, where some wait that are older."""
        return sorted({row.since for row in self._young})

    def row_ages(self) -> dict[GraphQuery, int]:
        """Which of the ``ages``, from 1, is that of each row that does not see all that wait."""
        numbers = {since: number for number, since in enumerate(self.ages, 1)}
        return {row: numbers[row.since] for row in self._young}

    def find_young(self, rows: Iterable[GraphQuery] | None = None) -> None:
        """Find the rows, among some or all, that came after events which wait."""
        oldest = self.oldest_knowledge()
        among = self._owners if rows is None else rows
        self._young = [row for row in among if oldest is not None and oldest < row.since]

    @property
    def members(self) -> Sequence[GraphQuery]:
        """What runs: queries, and rows of those with parameters."""
        return self._members

    def oldest_event(self) -> int:
        """Numbers of events below this one will not be needed again."""
        return min((member.oldest_event() for member in self._members), default=self.names.next)

    def note(self, query: AnyGraphQuery) -> None:
        """See ``MergedInput``."""
        if isinstance(query, ParametricGraphQuery):
            if query.has_idle:
                self.forget_idle(query)
            query.note()
        super().note(query)

    def _leave(self, query: AnyGraphQuery) -> None:
        self.detach_members({one for one in self._members if one is query or self._owners.get(one) is query})
        super()._leave(query)

    def detach_members(self, gone: Set[GraphQuery]) -> None:
        """Forget members of queries."""
        self._routes.clear()
        self._members = [member for member in self._members if member not in gone]
        self._young = [member for member in self._young if member not in gone]
        self._postponed.forget(gone)
        self._owners = {member: owner for member, owner in self._owners.items() if member not in gone}

    # ── events come ──────────────────────────────────────────────────────────────────────────────────────
    def add(self, events: Events) -> None:
        """Take events of one stream that are not late."""
        self.bring_in()
        singles = self.buffer.take_singles()
        self._knowledge.clear()
        for stream in dict.fromkeys(stream for _, stream, _, _ in singles):
            self.buffer.add(stream, self._joined(stream, singles))
        super().add(events)

    def add_single(self, stream: str, event: SingleEvent) -> None:
        """Take one event that is not late: the short way."""
        if self.before_events:
            self.bring_in()
        number = self.numbers[stream]
        if self.buffer.takes_singles:
            self.buffer.add_single(number, event)
            self._knowledge[event.knowledge] += 1
        else:
            self.add(self._columns(number, event))

    def waiting(self) -> Iterator[Events]:
        """The events that wait, in order for each stream."""
        singles = self.buffer.singles()
        for stream in sorted({stream for _, stream, _, _ in singles}):
            yield self._joined(stream, singles)
        for _, events in self.buffer.waiting():
            yield events

    def oldest_knowledge(self) -> int | None:
        """The oldest version of the background that an event which waits sees; None: nothing waits."""
        self._knowledge = +self._knowledge
        seen = (int(events.graphs.knowledge.min()) for _, events in self.buffer.runs())
        return min([*self._knowledge, *seen], default=None)

    def _joined(self, stream: int, singles: Sequence[Waiting[SingleEvent]]) -> Events:
        """Those of one stream as columns; there are some."""
        return self._columns(stream, *(event for _, number, _, event in singles if number == stream))

    def _columns(self, stream: int, *events: SingleEvent) -> Events:
        return Events.of_single(self.clocks[stream].iri, self._evaluator.encoder, *events)

    def settle(self) -> list[AnyGraphQuery]:
        """See ``MergedInput``: queries that came after events which wait do not see these."""
        if self.before_events:
            self.bring_in()
        return super().settle()

    # ── what queries hear ────────────────────────────────────────────────────────────────────────────────
    def catch_up(self) -> None:
        """Let all queries hear of all events and of the time, and forget the names that no query needs."""
        self.bring_in()
        self._leave_out_those_over()
        for query in self._members if not self.finished else ():
            self._hear_member(query)
            query.pass_time(self.advanced)
        self._times, self._caught_up = [], self.names.next
        if self.is_settled:  # else results may come of older events
            self.names.forget(self.oldest_event())

    def _hear(self, query: AnyGraphQuery) -> None:
        if isinstance(query, GraphQuery) and query.heard != self.names.next:
            self._hear_member(query)  # rows hear where something is decided for them

    def _hear_member(self, query: GraphQuery) -> None:
        """Let the query hear of the events that came since it was fed, none of which concerned it."""
        missed = self.names.next - query.heard
        if missed:
            query.pass_events(self._times[-missed:])

    def _settled(self) -> None:
        if not self._rest and self.names.next - self._caught_up > FEW:
            self.catch_up()
        if self._young:
            self.find_young(self._young)

    # ── a bound on work ──────────────────────────────────────────────────────────────────────────────────
    def share(self, measured: bool = False) -> None:
        """Let the queries share the bound, as they do the same way however the input is cut."""
        if self._bound is None or not self.all_queries:
            return
        for member in self._members:
            if not member.is_over:
                self._hear_member(member)
                member.complete()
                if measured:
                    member.measure()
        self.apportion()

    def keep_ticks(self, derived: Set[str]) -> None:
        """Of streams that queries derive take all events of a time together, in order of their names: in which order
        they come depends on how the input is cut, and so would what is left out behind them."""
        strict = self.strict
        self._by_name = frozenset(number for iri, number in self.numbers.items() if iri in derived)
        self.order = by_tick if strict or self._by_name else by_time

    def apportion(self) -> None:
        """Give each query its part of the work that events may take."""
        if self._bound is not None:
            share(self._bound, self.all_queries, self.work, self.at_once)

    def _note_shared(self) -> None:
        """Some events have passed: every so many it is measured what queries took."""
        assert self._bound is not None
        if self.names.next % SHARED_EVERY == 0 and (len(self._members) > 1 or self._bound.sample):
            self.share(measured=True)

    # ── the short way ────────────────────────────────────────────────────────────────────────────────────
    def _feed_single(self, time: int, stream: int, event: SingleEvent) -> dict[AnyGraphQuery, None]:
        """Feed one event to the queries that it concerns, and give these."""
        self._knowledge[event.knowledge] -= 1
        route = self._route(stream, event.knowledge)
        if route is None:
            return self._feed(Released.of([(stream, self._columns(stream, event))]))
        concerned = route.rows(renewed_single(self._evaluator.encoder, event))
        heard = self.names.next
        unseen = [row for row in self._young if event.knowledge < row.since] if self._young else ()
        for row in unseen:
            self._hear_member(row)
            concerned.pop(row, None)
        for query in concerned:
            if query.heard != heard:
                self._hear_member(query)
        number = self.names.append(event.name)
        self._times.append(time)
        for query, rows in concerned.items():
            query.feed_single(time, number, rows)
        for row in unseen:
            row.heard = self.names.next
        if self._bound is not None:
            self._note_shared()
        return self._fed(concerned) if self._owners else dict.fromkeys(concerned)

    def _fed(self, concerned: Iterable[GraphQuery]) -> dict[AnyGraphQuery, None]:
        """The queries whose members were fed."""
        fed: dict[AnyGraphQuery, None] = {}
        for member in concerned:
            owner = self._owners.get(member)
            if owner is not None:
                owner.note_fed(member)
            fed[member if owner is None else owner] = None
        return fed

    def _route(self, stream: int, knowledge: int) -> StreamPatterns | None:
        """How the events of a stream go the short way; None: they cannot, as some patterns are postponed."""
        key = stream, knowledge
        if key not in self._routes:
            if len(self._routes) > 2 * len(self.clocks):  # some are of a background that is gone
                self._routes.clear()
            lazy = any(query.lazy for query in self._members)
            self._routes[key] = None if lazy else StreamPatterns.of(self._members, stream, knowledge, self._evaluator)
        return self._routes[key]

    # ── the batch way ────────────────────────────────────────────────────────────────────────────────────
    def _feed(self, released: Released[Events]) -> dict[AnyGraphQuery, None]:
        """Feed events to the queries that they concern, and give these."""
        if self._bound is None:
            return self._feed_all(released)
        fed: dict[AnyGraphQuery, None] = {}
        for part in released.mapped(self._in_order_of_names).cut(
            SHARED_EVERY - self.names.next % SHARED_EVERY, SHARED_EVERY
        ):
            fed |= self._feed_all(part)
            self._note_shared()
        return fed

    def _in_order_of_names(self, stream: int, events: Events) -> Events:
        if stream not in self._by_name or len(events) < 2 or (np.diff(events.times) > 0).all():
            return events
        names = list(events.names)
        return events.take(np.array(sorted(range(len(names)), key=lambda one: (events.times[one], names[one]))))

    def _feed_all(self, released: Released[Events]) -> dict[AnyGraphQuery, None]:
        """``_feed``; many concern all queries."""
        many = len(released) > FEW
        rows = self._evaluate(released)
        needed = {query: [rows.get((need.stream, need.pattern)) for need in query.needs] for query in self._members}
        unseen = self._unseen(released)
        concerned = {query: its for query, its in needed.items() if many or query in unseen or any(map(has_some, its))}
        for query in concerned:
            self._hear_member(query)
        first = self.names.next
        self._add_names(released)
        numbers = np.arange(first, first + len(released), dtype=np.uint64)
        for query, its in concerned.items():
            if query in unseen:
                _feed_seen(query, ~unseen[query], released.times, numbers, its)
                query.heard = self.names.next
            else:
                query.feed(released.times, numbers, its)
        self._times = [] if many else [*self._times, *released.times.tolist()]
        return self._fed(concerned)

    def _unseen(self, released: Released[Events]) -> dict[GraphQuery, NDArray[np.bool_]]:
        """Which of the events rows do not see, as they came after these."""
        if not self._young:
            return {}
        knowledge = np.empty(len(released), np.int64)
        for _, events, places in released.parts:
            knowledge[places] = events.graphs.knowledge
        return {row: unseen for row in self._young if (unseen := knowledge < row.since).any()}

    def _add_names(self, released: Released[Events]) -> None:
        names = EventIris.join([events.names for _, events, _ in released.parts])
        if len(released.parts) == 1:
            self.names.add(names)
        else:
            self.names.add(names, np.argsort(np.concatenate([places for _, _, places in released.parts])))

    def _evaluate(self, released: Released[Events]) -> Rows:
        """The rows of every pattern, each evaluated once on the events of its stream; dear ones where they matter."""
        rows: Rows = {}
        later = self._postponed.of(self._members, released)
        for stream, events, places in released.parts:
            patterns = [one for one in self._patterns(stream) if (stream, one.shape) not in later]
            if patterns:
                for pattern, found in zip(patterns, evaluate(self._evaluator, events.graphs, patterns), strict=True):
                    rows[stream, pattern] = placed(found, places)
        if later:
            for query in self._members:
                self._hear_member(query)
                query.complete()  # who waits is asked
            complete = int(released.times[-1]) < self.advanced
            self._postponed.evaluate(self._evaluator, released, complete, later, rows)
        return rows

    def _patterns(self, stream: int) -> list[CompiledPattern]:
        needs = (need for query in self._members for need in query.needs)
        return list(dict.fromkeys(need.pattern for need in needs if need.stream == stream))


def has_some(rows: AtomRows | None) -> bool:
    """Whether there is a row."""
    return rows is not None and len(rows.row_event) > 0


def _feed_seen(
    query: GraphQuery,
    seen: NDArray[np.bool_],
    times: NDArray[np.int64],
    numbers: NDArray[np.uint64],
    rows: Sequence[AtomRows | None],
) -> None:
    """Feed a query the events that it sees."""
    if seen.any():
        query.feed(times[seen], numbers[seen], [None if one is None else one.only(seen) for one in rows])


SingleRows = list[EventRows | None]  # of one event, by atom


@dataclass(frozen=True, slots=True)
class StreamPatterns:
    """The patterns of all queries on one stream; pattern i is that of ``readers[i]``, a query and its atom."""

    patterns: SinglePatterns
    readers: tuple[tuple[GraphQuery, int], ...]

    @staticmethod
    def of(queries: Iterable[GraphQuery], stream: int, knowledge: int, evaluator: Evaluator) -> StreamPatterns | None:
        """For a stream by number, next to that version of the background; None if the evaluator needs batches."""
        readers = tuple(
            (query, atom) for query in queries for atom, need in enumerate(query.needs) if need.stream == stream
        )
        patterns = evaluator.one_by_one([query.needs[atom].pattern for query, atom in readers], knowledge)
        return None if patterns is None else StreamPatterns(patterns, readers)

    def rows(self, event: SingleEvent) -> dict[GraphQuery, SingleRows]:
        """The queries that have rows on the event, with these.  SpaseqError: a pattern cannot be evaluated."""
        found: dict[GraphQuery, SingleRows] = {}
        try:
            for number, rows in self.patterns.rows(event):
                query, atom = self.readers[number]
                if query not in found:
                    found[query] = [None] * len(query.needs)
                found[query][atom] = rows
        except PatternError as error:
            raise SpaseqError(str(error)) from None
        return found
