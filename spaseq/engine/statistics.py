"""What an engine can tell about itself, above all why nothing matched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spaseq.results.times import iso
from spaseq.streams.clock import StreamClock
from spaseq.streams.timestamps import GREATEST, LEAST

if TYPE_CHECKING:
    from spaseq.engine.engine import Engine
    from spaseq.engine.running import RunningQuery
    from spaseq.engine.streamset import Streamset


def statistics_of(engine: Engine) -> dict[str, Any]:
    """``streams`` by IRI and ``queries`` by name, fit for JSON; times are ISO 8601.

    A query has ``results``, ``watermark``, ``waiting_events`` (in the reorder buffer), ``held_back_by`` (the stream
    whose watermark is the least, if another stream or an event waits for it) and the counters of its matcher, as
    ``Plan.report`` gives them.
    """
    engine.catch_up()
    streamsets = {query.name: streamset for streamset in engine._streamsets for query in streamset.queries}
    return {
        "streams": {iri: _stream(clock) for iri, clock in engine._clocks.items()},
        "queries": {name: _query(query, streamsets[name]) for name, query in engine._queries.items()},
        "terms": len(engine.terms),
    }


def _stream(clock: StreamClock) -> dict[str, Any]:
    return {
        "events": clock.events,
        "late": clock.late,
        "newest_event": _time(clock.newest),
        "watermark": _time(clock.watermark),
        "closed": clock.closed,
    }


def _query(query: RunningQuery, streamset: Streamset) -> dict[str, Any]:
    slowest = streamset.held_back_by()
    results = query.matcher.count if query.matcher.count_only else query.results
    return {
        "results": results,
        "watermark": _time(streamset.watermark),
        "waiting_events": len(streamset.buffer),
        "held_back_by": None if slowest is None else slowest.iri,
        **(query.statistics({clock.iri: clock.events for clock in streamset.clocks}) | {"results": results}),
    }


def _time(microseconds: int) -> str | None:
    return None if microseconds in (LEAST, GREATEST) else iso(microseconds)
