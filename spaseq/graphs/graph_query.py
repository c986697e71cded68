"""One registered query at work: rows into its matcher, results out of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Variable
from gpm.evaluator import CompiledPattern
from gpm.rows import AtomRows
from nfa_native.terms.dictionary import Terms
from nfa_native.terms.rows import EventRows
from spaseq.errors import Location, StreamError
from spaseq.graphs.matchers import AnyMatcher, AnyPlan, Bounded, Sampled, WordMap, Words, at_rest, pack_counters
from spaseq.graphs.names import EventNames
from spaseq.graphs.sampling import shed_by
from spaseq.pattern.sequences import Construction, Query, Selection
from spaseq.plan.sequences.cells import LazyAtom
from spaseq.results.match import DerivedEvent, Match
from spaseq.results.projection import Constructor, Projector
from spaseq.results.table import MatchTable
from spaseq.runtime.bounded import Meter
from spaseq.runtime.protocols import OneQuery
from spaseq.runtime.shed import Shed
from spaseq.streams.timestamps import GREATEST, LEAST

OnMatch = Callable[[Match], object]
MOST = 1 << 14  # results that are handed over together,
MOST_HELD = 1 << 20  # and picks and words of theirs
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Need:
    """What an atom needs: a pattern evaluated on the events of the merged input's stream number ``stream``."""

    stream: int
    pattern: CompiledPattern


def _countable(method: Callable[Concatenate[GraphQuery, P], T]) -> Callable[Concatenate[GraphQuery, P], T]:
    """A method of a query that raises StreamError where its matches cannot be counted any more."""

    @wraps(method)
    def counted(query: GraphQuery, /, *args: P.args, **options: P.kwargs) -> T:
        try:
            return method(query, *args, **options)
        except OverflowError as error:
            place = Location(f"<query {query.name}>")
            raise StreamError(str(error), place, hint="a shorter window or a filter leaves fewer matches") from None

    return counted


class GraphQuery(OneQuery):
    """A query with its matcher and what makes results of its matches.

    It is told of events and of time, and ``tables`` gives what this decides.  When so much is decided at once that the
    matcher pauses, what it is told then waits.  After ``max_results`` results it is over: it has no matcher any more,
    but what that had counted.
    """

    matcher: AnyMatcher
    counters: Mapping[str, Any]  # of the matcher, when it is over

    def __init__(
        self,
        plan: AnyPlan,
        matcher: AnyMatcher | None,
        needs: Sequence[Need],
        names: EventNames,
        terms: Terms,
        on_match: OnMatch | None = None,
        lazy: Sequence[LazyAtom] = (),
        max_results: int | None = None,
    ) -> None:
        self.plan = plan
        self.name = plan.query.name
        self.on_match = on_match
        self.needs = tuple(needs)
        self.lazy = tuple(lazy)
        self.evaluated = {atom.number: 0 for atom in lazy}  # on how many events the rows of each were asked for
        self.results = 0
        self.max_results = max_results
        self.has_rest = False  # something may be decided that ``tables`` has not given
        self.derived: list[DerivedEvent] = []  # events that no stream has got yet
        self.heard = 0  # number of the merged input's next event that it has not been fed
        self.is_new = True  # it has not been fed any
        self.place = 0  # of its row, where it runs one of a query with parameters
        self.since = 0  # events see it that know this version of the background, or a later one
        self.meter = Meter()  # of its work, if that has a bound
        self._shed = Shed()  # by matchers that it has no more, or whose work has no bound any more
        self._waiting: deque[Callable[[], None]] = deque()  # what it was told while the matcher pauses
        self._passed: int | None = LEAST  # the time that has passed; None: all
        self._names = names
        self._terms = terms
        self._newest = LEAST  # latest time decided or advanced to
        form = plan.query.form
        self._projector = Projector(plan, terms, names) if isinstance(form, Selection) else None
        self._constructor = Constructor(plan, terms, names) if isinstance(form, Construction) else None
        self._aggregates = self._projector is not None and bool(plan.match_aggregates)
        self.into = plan.query.into  # the stream that it derives
        self.is_over = matcher is None
        if matcher is not None:
            self._start(matcher)

    def _start(self, matcher: AnyMatcher) -> None:
        self.matcher = matcher
        if self._projector is not None and self._projector.counts_only:
            matcher.tallies = True
        if self._gives_at_once:
            matcher.bound(MOST, MOST_HELD)

    @property
    def _gives_at_once(self) -> bool:
        """Whether a result can be given, or counted in its group, before those that are decided with it."""
        return self._projector is None or self._projector.gives_at_once

    @property
    def query(self) -> Query:
        """What it means."""
        return self.plan.query

    def named(self, name: str) -> GraphQuery:
        """The query of that name: itself."""
        return self

    @property
    def members(self) -> tuple[GraphQuery]:
        """What runs: the query itself."""
        return (self,)

    @property
    def streams(self) -> tuple[str, ...]:
        """The IRIs of the query's merged input, in its order."""
        return tuple(stream.iri for stream in self.plan.query.streams)

    def empty(self) -> MatchTable:
        """A table of results without any."""
        maker = self._projector or self._constructor
        assert maker is not None
        return maker.empty()

    def empty_of(self, name: str) -> MatchTable:
        """The same of the query of that name: itself."""
        return self.empty()

    @property
    def can_count_only(self) -> bool:
        """Whether every row of the matcher is a result, so that they can be counted without being made."""
        form = self.plan.query.form
        if not isinstance(form, Selection) or form.distinct or self._aggregates:
            return False
        plain = {item.expression.name for item in self.plan.selection if isinstance(item.expression, Variable)}
        return set(self.plan.varying) <= plain

    def count_only(self) -> None:
        """Count results, where that is possible, instead of making them; before any event."""
        if self.can_count_only:
            if not self.is_bounded:
                self.matcher = self.plan.counter(self._terms, self.matcher.automaton) or self.matcher
            self.matcher.count_only = True

    # ── a bound on work ──────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_bounded(self) -> bool:
        """Whether its work has a bound."""
        return not self.is_over and getattr(self.matcher, "work_bound", 0) > 0  # told for each event: no ``isinstance``

    def bound_work(self, rate: float, at_once: float = 0) -> None:
        """From now on its work has this bound, or with 0 none; it has done what it was told.

        ``at_once``: units that a single event may take; 0: as many as are the rule.
        """
        assert isinstance(self.matcher, Bounded)
        if not rate:
            self._shed = self.shed
        self.matcher.work_bound = rate
        if at_once:
            self.matcher.most_at_once = at_once

    @property
    def work(self) -> float:
        """Units of work since it has a bound."""
        return cast(Bounded, self.matcher).work

    def measure(self) -> None:
        """So many events have passed that the bound is shared anew."""
        if isinstance(self.matcher, Sampled):
            self.matcher.measure()
        shed = self.shed
        self.meter = self.meter.after(shed.work, shed.steps)

    @property
    def shed(self) -> Shed:
        """What was left out, to keep work within a bound."""
        return self._shed if self.is_over else self._shed + shed_by(self.matcher)

    # ── events and time ──────────────────────────────────────────────────────────────────────────────────────

    @_countable
    def _tell(self, what: Callable[..., None], *how: Any) -> None:
        """Tell the matcher, as soon as it has done with what it was told before."""
        self.has_rest = True
        if self._waiting or self.matcher.unfinished:
            self._waiting.append(partial(what, *how))
        else:
            what(*how)

    @_countable
    def complete(self) -> None:
        """Let the matcher do all that it was told, however many results it holds then."""
        self.matcher.complete()
        while self._waiting:
            self._waiting.popleft()()
            self.matcher.complete()

    def feed(self, times: NDArray[np.int64], numbers: Words, rows: Sequence[AtomRows | None]) -> None:
        """Events of the merged input in order, with the rows of each atom of the plan."""
        self.heard, self.is_new = int(numbers[-1]) + 1, False
        self._newest = max(self._newest, int(times[-1]))
        if self.is_bounded:  # what is left out follows from the order of rows
            rows = [None if one is None else one.by_terms(self._terms) for one in rows]
        self._tell(self.matcher.feed, times, numbers, rows)

    def feed_single(self, time: int, number: int, rows: list[EventRows | None]) -> None:
        """``feed`` of one event."""
        if self.is_bounded and any(one is not None and len(one) > 1 for one in rows):
            its = [None if one is None else AtomRows(one.row_event, one.columns) for one in rows]
            self.feed(np.array([time], np.int64), np.array([number], np.uint64), its)
            return
        self.heard, self.is_new = number + 1, False
        if time > self._newest:
            self._newest = time
        self._tell(self.matcher.feed_event, time, number, rows)

    def pass_events(self, times: Sequence[int]) -> None:
        """Events in order that have no rows."""
        if len(times) == 1:
            self.feed_single(times[0], self.heard, [None] * len(self.needs))
        else:
            numbers = np.arange(self.heard, self.heard + len(times), dtype=np.uint64)
            self.feed(np.array(times, np.int64), numbers, [None] * len(self.needs))

    def pass_time(self, watermark: int) -> None:
        """No event before ``watermark`` will come."""
        had_rest = self.has_rest
        self._newest = max(self._newest, watermark)
        self._tell(self.matcher.advance, watermark)
        self.has_rest = had_rest or self.matcher.unfinished

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing can be decided without a further row; ``GREATEST``: never."""
        return LEAST if self._aggregates and self._waits_for_matches else self.matcher.due

    @property
    def _waits_for_matches(self) -> bool:
        """Whether there are matches whose aggregates may still get others."""
        return self._projector is not None and self._projector.waits

    def advance(self, watermark: int) -> None:
        """No event before ``watermark`` will come: ``tables`` gives what is decided then."""
        if watermark > self._newest:
            self._newest = watermark
        self._passed = watermark
        self._tell(self.matcher.advance, watermark)

    def finish(self) -> None:
        """The input has ended: ``tables`` gives the rest."""
        self._passed = None
        self._tell(self.matcher.finish)

    @property
    def pauses(self) -> bool:
        """Whether the matcher holds less than all that is decided."""
        return not self.is_over and (self.matcher.unfinished or bool(self._waiting))

    def at_once(self) -> Sequence[MatchTable]:
        """What is decided, where it does not pause."""
        self.has_rest = False
        found = [self._take(), self._last_table()] if self._aggregates else [self._take()]
        return [counted for table in found if table is not None and len(counted := self._counted(table))]

    def tables(self) -> Iterator[MatchTable]:
        """What is decided, in tables of bounded size; what is not taken comes the next time."""
        while self.has_rest:
            table = self._next_table()
            if table is not None and len(counted := self._counted(table)):
                yield counted

    @_countable
    def _next_table(self) -> MatchTable | None:
        """What the matcher holds; if there is nothing, it goes on."""
        table = self._take()
        if table is not None:
            return table
        if self.matcher.unfinished:
            self.matcher.go_on()
        elif self._waiting:
            self._waiting.popleft()()
        else:
            self.has_rest = False
            return self._last_table()
        return None

    def _last_table(self) -> MatchTable | None:
        """The aggregates over matches to which no match comes any more."""
        if self._projector is None or not self._waits_for_matches:
            return None
        return self._projector.finish() if self._passed is None else self._projector.advance(self._passed)

    def _counted(self, table: MatchTable) -> MatchTable:
        """Count the results, up to the last one that was asked for."""
        if self.is_over:
            return table[:0]
        if self.max_results is not None and self.results + len(table) >= self.max_results:
            table = table[: self.max_results - self.results]
            self._end()
        self.results += len(table)
        self.derived += table.derived or ()
        return table

    def forget_rule(self, terms: Words) -> None:
        """The rule with these terms finds nothing more."""
        if self._projector is not None:
            self._projector.forget_rule(terms)

    def _end(self) -> None:
        """There are as many results as were asked for: forget everything but what statistics tell."""
        self._shed = self.shed
        self.is_over, self.has_rest = True, False
        self.counters = self.matcher.statistics()
        del self.matcher
        self._waiting.clear()
        if self._projector is not None:
            self._projector = Projector(self.plan, self._terms, self._names)

    @_countable
    def _take(self) -> MatchTable | None:
        if not self.matcher.pending():
            return None
        raw = self.matcher.take()
        if not len(raw.first):
            return None
        if self._projector is not None:
            names = None if self._aggregates else self._names.kept(raw.pick_events)
            return self._projector.project(raw, names)
        assert self._constructor is not None
        self._newest = max(self._newest, int(raw.decided[raw.decided < GREATEST].max(initial=LEAST)))
        table = self._constructor.construct(raw, self._newest)
        return replace(table, event_name=self._names.kept(table.pick_events))

    def needed_since(self, time: int) -> int | None:
        """No event before this matters for results that are decided at ``time`` or later; None: every event may."""
        if time == GREATEST:
            return GREATEST
        if self.max_results is not None or self.is_bounded:  # what was learned of all events tells what is left out
            return None
        return self.plan.needed_since(time)

    def oldest_event(self) -> int:
        """Numbers of events below this one will not be needed again."""
        if self.is_over:
            return GREATEST
        return self.heard if self.is_new else self.matcher.oldest_event()

    # ── snapshot ─────────────────────────────────────────────────────────────────────────────────────────
    def trace(self) -> list[Words]:
        """All words that are held."""
        return ([] if self.is_over else [self.matcher.trace()]) + (
            [] if self._projector is None else [self._projector.trace()]
        )

    def snapshot(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Counters, the matcher's state, and what the results remember."""
        evaluated = {str(atom): count for atom, count in self.evaluated.items()}
        counters = {"results": self.results, "newest": self._newest, "evaluated": evaluated,
                    "max_results": self.max_results or 0, "over": self.is_over, "new": self.is_new}  # fmt: skip
        if self._shed != Shed():
            counters["shed"] = self._shed.state()
        if self.meter != Meter():
            counters["meter"] = asdict(self.meter)
        matcher = pack_counters(self.counters) if self.is_over else self.matcher.snapshot()
        return counters, matcher, b"" if self._projector is None else self._projector.snapshot()

    def restore(self, counters: dict[str, Any], remembered: bytes, word_map: WordMap) -> None:
        """Take over what ``snapshot`` gave, the matcher, or what is left of it, apart."""
        self.results, self._newest = counters["results"], counters["newest"]
        self.is_new = counters["new"]
        self._shed = Shed.of_state(counters["shed"]) if "shed" in counters else Shed()
        self.meter = Meter(**counters.get("meter", {}))
        self.evaluated |= {
            int(atom): count for atom, count in counters["evaluated"].items() if int(atom) in self.evaluated
        }
        if self._projector is not None:
            self._projector.restore(remembered, word_map)

    def statistics(self, came: Mapping[str, int]) -> dict[str, Any]:
        """The matcher's counters in the words of the query; ``came``: events by stream IRI."""
        counters = at_rest(self.counters) if self.is_over else self.matcher.statistics()
        return self.plan.report(counters, came, self.evaluated) | self.shed.statistics()

    @property
    def found(self) -> int:
        """How many results there were so far, given or only counted."""
        return self.matcher.count if not self.is_over and self.matcher.count_only else self.results

    def sweep_soon(self) -> None:
        """Free soon what has left the window."""
        if not self.is_over:
            self.matcher.sweep_soon()

    def groups(self) -> int:
        """Groups of partial matches that are kept; quickly told."""
        return 0 if self.is_over else self.matcher.groups()


def empty_table(plan: AnyPlan, names: EventNames, terms: Terms) -> MatchTable:
    """A table of a query's results without any."""
    maker = Projector if isinstance(plan.query.form, Selection) else Constructor
    return maker(plan, terms, names).empty()
