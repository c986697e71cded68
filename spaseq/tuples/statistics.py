"""What an engine of tuples can tell about itself, above all why nothing matched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from spaseq.pattern.times import iso
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import GREATEST, LEAST
from spaseq.tuples.kind import TableKind
from spaseq.tuples.query import TupleQuery
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


def statistics_of(
    kind: TableKind | None, names: Iterable[str], counters: Mapping[str, StreamCounters]
) -> dict[str, Any]:
    """``streams`` and ``queries`` by name, fit for JSON; times are ISO 8601, the stream without a name is "".

    A stream has ``events`` (all rows that came with a time, late ones too), ``late``, ``skipped``, ``newest_event``,
    ``watermark`` and ``closed``.  A query has ``results``, ``events`` (those it has seen), ``waiting_events`` (in the
    buffer), ``held_back_by`` (the stream that these wait for), the counters of its kernel, ``error`` if it could not go
    on, and ``why`` if there was no result.
    """
    if kind is None:
        return {"streams": {}, "queries": {name: {"results": 0, "events": 0} for name in names}}
    return {
        "streams": {
            name: _stream(clock, counters.get(name, StreamCounters())) for name, clock in kind.core.clocks.items()
        },
        "queries": {name: _query(kind, query) for name, query in kind.core.running.items()},
    }


def _stream(clock: StreamClock, counters: StreamCounters) -> dict[str, Any]:
    late = {"first_late": counters.first_late, "lateness_needed": clock.lateness_needed} if clock.late else {}
    skipped = {"first_skipped": counters.first_skipped} if counters.skipped else {}
    return {
        "events": clock.events,
        "late": clock.late,
        **late,
        "skipped": counters.skipped,
        **skipped,
        "newest_event": _time(clock.newest),
        "watermark": _time(clock.watermark),
        "closed": clock.closed,
    }


def _query(kind: TableKind, query: TupleQuery) -> dict[str, Any]:
    merged = kind.input_of(query)
    found: dict[str, Any] = {
        "results": query.results,
        "events": merged.position - query.first if query.has_begun else 0,
        "waiting_events": len(merged.buffer),
        "held_back_by": merged.slowest() if merged.buffer else None,
    }
    if query.has_begun:
        found["kernel"] = query.statistics()
    if query.error:
        found["error"] = query.error
    if not found["results"]:
        found["why"] = _why(merged, query)
    return found


def _why(merged: TupleInput, query: TupleQuery) -> list[str]:
    """Reasons why a query has no result, as far as they are known."""
    lost = [loss.cause for loss in merged.losses(query)]
    waits = len(merged.buffer)
    waiting = [f"{waits:,} events wait for {merged.slowest() or 'later ones'}"] if waits else []
    missing = query.unmatched
    return [*lost, *waiting, *([f"no event fits {' or '.join(missing)}"] if missing else [])]


def _time(microseconds: int) -> str | None:
    return None if microseconds in (LEAST, GREATEST) else iso(microseconds)
