"""One registered query at work: rows into its matcher, results out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.algebra import Variable
from gpm.evaluator import CompiledPattern
from gpm.rows import AtomRows
from nfa_native.rows import EventRows
from nfa_native.words import Terms
from spaseq.engine.names import EventNames
from spaseq.engine.protocols import Matcher, Plan, WordMap, Words
from spaseq.pattern import Construction, Selection
from spaseq.plan.lazy import LazyAtom
from spaseq.results.construct import Constructor
from spaseq.results.projection import Projector
from spaseq.results.table import Match, MatchTable
from spaseq.streams.timestamps import GREATEST, LEAST

OnMatch = Callable[[Match], object]


@dataclass(frozen=True, slots=True)
class Need:
    """What an atom needs: a pattern evaluated on the events of the streamset's stream number ``stream``."""

    stream: int
    pattern: CompiledPattern


class RunningQuery:
    """A query with its matcher and what makes results of its matches."""

    def __init__(
        self,
        plan: Plan,
        matcher: Matcher,
        needs: Sequence[Need],
        names: EventNames,
        terms: Terms,
        on_match: OnMatch | None = None,
        lazy: Sequence[LazyAtom] = (),
    ) -> None:
        self.plan = plan
        self.name = plan.query.name
        self.on_match = on_match
        self.matcher = matcher
        self.needs = tuple(needs)
        self.lazy = tuple(lazy)
        self.evaluated = {atom.number: 0 for atom in lazy}  # on how many events the rows of each were asked for
        self.results = 0
        self.heard = 0  # number of the streamset's next event that it has not been fed
        self._names = names
        self._newest = LEAST  # latest time decided or advanced to
        form = plan.query.form
        self._projector = Projector(plan, terms, names) if isinstance(form, Selection) else None
        self._constructor = Constructor(plan, terms, names) if isinstance(form, Construction) else None

    @property
    def into(self) -> str | None:
        """The stream that the query derives."""
        form = self.plan.query.form
        return form.into if isinstance(form, Construction) else None

    @property
    def streams(self) -> tuple[str, ...]:
        """The IRIs of the query's streamset, in its order."""
        return tuple(stream.iri for stream in self.plan.query.streams)

    def empty(self) -> MatchTable:
        """A table of results without any."""
        maker = self._projector or self._constructor
        assert maker is not None
        return maker.empty()

    @property
    def can_count_only(self) -> bool:
        """Whether every row of the matcher is a result, so that they can be counted without being made."""
        form = self.plan.query.form
        if not isinstance(form, Selection) or form.distinct or self.plan.match_aggregates:
            return False
        plain = {item.expression.name for item in self.plan.selection() if isinstance(item.expression, Variable)}
        return set(self.plan.columns) <= plain

    def feed(self, times: NDArray[np.int64], numbers: Words, rows: Sequence[AtomRows | None]) -> None:
        """Events of the streamset in order, with the rows of each atom of the plan."""
        self.matcher.feed(times, numbers, rows)
        self.heard = int(numbers[-1]) + 1
        self._newest = max(self._newest, int(times[-1]))

    def feed_single(self, time: int, number: int, rows: list[EventRows | None]) -> None:
        """``feed`` of one event."""
        self.matcher.feed_event(time, number, rows)
        self.heard = number + 1
        self._newest = max(self._newest, time)

    def pass_events(self, times: Sequence[int]) -> None:
        """Events in order that have no rows."""
        if len(times) == 1:
            self.feed_single(times[0], self.heard, [None] * len(self.needs))
        else:
            numbers = np.arange(self.heard, self.heard + len(times), dtype=np.uint64)
            self.feed(np.array(times, np.int64), numbers, [None] * len(self.needs))

    def pass_time(self, watermark: int) -> None:
        """No event before ``watermark`` will come."""
        self.matcher.advance(watermark)
        self._newest = max(self._newest, watermark)

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing can be decided without a further row; ``GREATEST``: never."""
        return LEAST if self._projector is not None and self._projector.waits else self.matcher.due

    def advance(self, watermark: int) -> MatchTable | None:
        """What is decided when no event before ``watermark`` will come."""
        self.pass_time(watermark)
        table = self._take()
        if self._projector is None or not self._projector.waits:
            return table
        return _joined(table, self._projector.advance(watermark))

    def finish(self) -> MatchTable | None:
        """The rest, at the end of the input."""
        self.matcher.finish()
        table = self._take()
        return table if self._projector is None else _joined(table, self._projector.finish())

    def _take(self) -> MatchTable | None:
        if not self.matcher.pending():
            return None
        raw = self.matcher.take()
        if not len(raw.first):
            return None
        if self._projector is not None:
            names = None if self.plan.match_aggregates else self._names.kept(raw.pick_events)
            table = self._projector.project(raw, names)
            return table if len(table) else None
        assert self._constructor is not None
        self._newest = max(self._newest, int(raw.decided[raw.decided < GREATEST].max(initial=LEAST)))
        table = self._constructor.construct(raw, self._newest)
        return replace(table, event_name=self._names.kept(table.pick_events)) if len(table) else None

    # ── snapshot ─────────────────────────────────────────────────────────────────────────────────────────
    def trace(self) -> list[Words]:
        """All words that are held."""
        return [self.matcher.trace()] + ([] if self._projector is None else [self._projector.trace()])

    def snapshot(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Counters, the matcher's state, and what the results remember."""
        evaluated = {str(atom): count for atom, count in self.evaluated.items()}
        counters = {"results": self.results, "newest": self._newest, "evaluated": evaluated}
        return counters, self.matcher.snapshot(), b"" if self._projector is None else self._projector.snapshot()

    def restore(self, counters: dict[str, Any], remembered: bytes, word_map: WordMap) -> None:
        """Take over what ``snapshot`` gave, the matcher apart."""
        self.results, self._newest = counters["results"], counters["newest"]
        self.evaluated |= {
            int(atom): count for atom, count in counters["evaluated"].items() if int(atom) in self.evaluated
        }
        if self._projector is not None:
            self._projector.restore(remembered, word_map)

    def statistics(self, came: Mapping[str, int]) -> dict[str, Any]:
        """The matcher's counters in the words of the query; ``came``: events by stream IRI."""
        return self.plan.report(self.matcher.statistics(), came, self.evaluated)


def _joined(table: MatchTable | None, more: MatchTable) -> MatchTable | None:
    """Results before an advance and those of it: never both, as aggregates over matches come with ``more`` alone."""
    if not len(more):
        return table
    if table is None or not len(table):
        return more
    return replace(
        more,
        words=np.concatenate([table.words, more.words]),
        first=np.concatenate([table.first, more.first]),
        last=np.concatenate([table.last, more.last]),
        decided=np.concatenate([table.decided, more.decided]),
        pick_offsets=np.zeros(len(table) + len(more) + 1, np.int64),
    )
