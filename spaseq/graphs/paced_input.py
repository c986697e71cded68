"""An input of graphs whose results are to come in time: its queries may do what they did in that time lately."""

from __future__ import annotations

from collections.abc import Iterable
from threading import get_ident
from time import perf_counter, thread_time

from gpm.evaluator import Evaluator
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.parametric_graph_query import AnyGraphQuery
from spaseq.runtime.bounded import Bound
from spaseq.runtime.latency import LatencyControl
from spaseq.streams.clock import StreamClock


class PacedInput(GraphInput):
    """One with a bound that has a ``latency``.

    A batch takes as long as it is fed, and the time that its thread works until the next one is: results are made and
    taken then, and events are read.  What the thread waits for does not count.
    """

    is_paced = True

    def __init__(self, clocks: Iterable[StreamClock], strict: bool, evaluator: Evaluator, bound: Bound) -> None:
        super().__init__(clocks, strict, evaluator, bound)
        self.control = LatencyControl(bound.seconds)
        self._most = bound.units
        self._left = 0, 0.0  # the thread that fed a batch, and how long it had worked then

    def settle(self) -> list[AnyGraphQuery]:
        """See ``MergedInput``."""
        thread, worked = self._left
        if thread == get_ident():
            self.control.took(thread_time() - worked)
        started = perf_counter()
        try:
            return super().settle()
        finally:
            self.control.took(perf_counter() - started)
            self._left = get_ident(), thread_time()

    def _begin_batch(self, events: int) -> None:
        """See ``MergedInput``: they may take as much as leaves their results in time."""
        if events:
            units = self.control.begin(events, sum(member.work for member in self.members if not member.is_over))
            self.work, self.at_once = min(units / events, self._most), units
            self.apportion()
