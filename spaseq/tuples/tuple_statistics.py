"""What an engine of tuples tells of its streams and queries."""

from __future__ import annotations

from dataclasses import dataclass

from spaseq.runtime.statistics import Statistics, of_stream, reasons
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Skipped
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery, ParametricTupleQuery
from spaseq.tuples.tuple_family import TupleFamily
from spaseq.tuples.tuple_input import TupleInput


@dataclass(slots=True)
class StreamCounters:
    """What was left out of a stream, and where the first of it was; ``first_late`` is the first row that came late."""

    skipped: int = 0
    first_skipped: str = ""
    first_late: str = ""

    def skip(self, more: Skipped) -> None:
        """Rows were left out."""
        self.skipped += more.count
        self.first_skipped = self.first_skipped or more.first

    def statistics(self, clock: StreamClock) -> Statistics:
        """What to tell of a stream with this clock."""
        first = {"first_skipped": self.first_skipped} if self.skipped else {}
        return of_stream(clock, self.first_late, {"skipped": self.skipped, **first})


def query_statistics(merged: TupleInput, query: AnyTupleQuery, name: str) -> Statistics:
    """What to tell of the query of that name, which reads ``merged``."""
    waits, its = len(merged.buffer), query.named(name)
    events = merged.position - its.first if query.has_begun else 0
    found: Statistics = {
        **({"rows": len(query.rows)} if isinstance(query, ParametricTupleQuery) else {}),
        **({"family": len(query.queries)} if isinstance(query, TupleFamily) else {}),
        "results": its.results,
        "events": events,
        "waiting_events": waits,
        "held_back_by": merged.slowest() if waits else None,
    }
    if query.has_begun:
        found["kernel"] = query.statistics()
    found |= query.shed.statistics() | merged.told()
    if query.error:
        found["error"] = query.error
    if not its.results:
        unmatched = query.unmatched_of(name)
        missing = [f"no event fits {' or '.join(unmatched)}"] if unmatched else []
        found["why"] = reasons(
            merged.losses(query) if events else [],
            f"{waits:,}" if waits else "",
            merged.slowest() or "later ones",
            missing,
        )
    return found
