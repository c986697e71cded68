"""A streamset Σ with the queries that read it: events are put in order, evaluated once, and fed to each query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpm.evaluator import CompiledPattern, Evaluator
from spaseq.engine.lazy import Postponed, Rows, evaluate, placed
from spaseq.engine.names import EventNames
from spaseq.engine.running import RunningQuery
from spaseq.results.table import MatchTable
from spaseq.streams.clock import StreamClock
from spaseq.streams.event import Events, Names
from spaseq.streams.reorder import Released, ReorderBuffer
from spaseq.streams.timestamps import GREATEST, LEAST


class Streamset:
    """Some streams in the order of FROM STREAM.  ``strict``: for queries with an EVENTS window (SEMANTICS 3.4)."""

    def __init__(self, clocks: Sequence[StreamClock], strict: bool) -> None:
        self.clocks = tuple(clocks)
        self.iris = tuple(clock.iri for clock in clocks)
        self.buffer = ReorderBuffer(len(self.iris), strict)
        self.names = EventNames()
        self.queries: list[RunningQuery] = []
        self.advanced = LEAST  # the watermark that the queries know
        self.finished = False
        self._postponed = Postponed()
        self._number = {iri: number for number, iri in enumerate(self.iris)}

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

    def add(self, events: Events) -> None:
        """Take events of one stream that are not late."""
        self.buffer.add(self._number[events.stream], events)

    def settle(self, evaluator: Evaluator) -> Iterable[tuple[RunningQuery, MatchTable | None]]:
        """Feed what the watermark releases, and give what each query has decided by then."""
        watermark = self.watermark
        released = self.buffer.release(watermark)
        if self.finished or (not len(released) and watermark == self.advanced):
            return
        self.advanced, self.finished = watermark, watermark == GREATEST
        if len(released):
            self._feed(released, evaluator)
        for query in self.queries:
            yield query, query.finish() if self.finished else query.advance(watermark)
        self.names.forget(min((query.matcher.oldest_event() for query in self.queries), default=self.names.next))

    def _feed(self, released: Released, evaluator: Evaluator) -> None:
        first = self.names.next
        self._add_names(released)
        numbers = np.arange(first, first + len(released), dtype=np.uint64)
        rows = self._evaluate(released, evaluator)
        for query in self.queries:
            query.feed(released.times, numbers, [rows.get((need.stream, need.pattern)) for need in query.needs])

    def _add_names(self, released: Released) -> None:
        names = Names.join([events.names for _, events, _ in released.parts])
        if len(released.parts) == 1:
            self.names.add(names)
        else:
            self.names.add(names, np.argsort(np.concatenate([places for _, _, places in released.parts])))

    def _evaluate(self, released: Released, evaluator: Evaluator) -> Rows:
        """The rows of every pattern, each evaluated once on the events of its stream; dear ones where they matter."""
        rows: Rows = {}
        later = self._postponed.of(self.queries, released)
        for stream, events, places in released.parts:
            patterns = [one for one in self._patterns(stream) if (stream, one.shape) not in later]
            if patterns:
                for pattern, found in zip(patterns, evaluate(evaluator, events.graphs, patterns), strict=True):
                    rows[stream, pattern] = placed(found, places)
        if later:
            complete = int(released.times[-1]) < self.advanced
            self._postponed.evaluate(evaluator, released, complete, later, rows)
        return rows

    def _patterns(self, stream: int) -> list[CompiledPattern]:
        needs = (need for query in self.queries for need in query.needs)
        return list(dict.fromkeys(need.pattern for need in needs if need.stream == stream))
