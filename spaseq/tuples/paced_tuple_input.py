"""An input of rows whose results are to come in time: its queries may do what they did in that time lately."""

from __future__ import annotations

from collections.abc import Iterable
from threading import get_ident
from time import thread_time
from typing import Any

from spaseq.runtime.bounded import Bound
from spaseq.runtime.latency import LatencyControl
from spaseq.streams.clock import StreamClock
from spaseq.tuples.encoding.symbol_groups import Naming
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery
from spaseq.tuples.tuple_input import Beginner, TableBatch, TupleInput


class PacedTupleInput(TupleInput):
    """One with a bound that has a ``latency``.

    A batch takes as long as its thread works from when it is fed until the next one is: results are found and taken
    then, and rows are read.  What the thread waits for does not count.
    """

    def __init__(
        self, asked: tuple[str, ...], clocks: Iterable[StreamClock], naming: Naming, chosen: bool, has_times: bool,
        position: int, kind: Beginner, bound: Bound,
    ) -> None:  # fmt: skip
        super().__init__(asked, clocks, naming, chosen, has_times, position, kind, bound)
        self.control = LatencyControl(bound.seconds)
        self._most = bound.units
        self._left = 0, 0.0  # the thread that fed a batch, and how long it had worked then

    def _feed_turn(self, events: TableBatch) -> dict[AnyTupleQuery, None]:
        thread, worked = self._left
        if thread == get_ident():
            self.control.took(thread_time() - worked)
        self._left = get_ident(), thread_time()
        if len(events):
            self._begin_batch(len(events))
        return super()._feed_turn(events)

    def _begin_batch(self, events: int) -> None:
        """See ``MergedInput``: they may take as much as leaves their results in time."""
        units = self.control.begin(events, sum(query.shed.work for query in self.all_queries))
        is_less = units / events < self._most  # else one event may take what is the rule for a bound on work
        self.work, self.at_once = (units / events, units) if is_less else (self._most, 0.0)
        self.apportion()

    def told(self) -> dict[str, Any]:
        """See ``TupleInput``: how long batches took."""
        return {"latency": self.control.statistics()}
