"""What an engine can tell about itself, above all why nothing matched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spaseq.graphs.kind import GraphKind
from spaseq.graphs.running import GraphQuery
from spaseq.pattern.times import iso
from spaseq.runtime.merged_input import MergedInput
from spaseq.sources.rdf.wire import WireReport, unread
from spaseq.streams.clock import StreamClock
from spaseq.streams.losses import OF_NO_STREAM, Loss, Skipped, late, skipped_rows
from spaseq.streams.timestamps import GREATEST, LEAST


def losses_of(kind: GraphKind, reports: Mapping[str, WireReport]) -> dict[str, list[Loss]]:
    """What was dropped of each stream, by its IRI; ``reports`` of those that were read."""
    read = {iri: [*unread(iri, reports[iri])] if iri in reports else [] for iri in kind.core.clocks}
    skipped = {iri: [*skipped_rows(iri, kind.skipped.get(iri, Skipped()))] for iri in kind.core.clocks}
    return {iri: [*late(clock), *skipped[iri], *read[iri]] for iri, clock in kind.core.clocks.items()}


def statistics_of(kind: GraphKind, reports: Mapping[str, WireReport] = {}) -> dict[str, Any]:
    """``streams`` by IRI and ``queries`` by name, fit for JSON; times are ISO 8601.

    A query has ``results``, ``watermark``, ``waiting_events`` (in the reorder buffer), ``held_back_by`` (the stream
    whose watermark is the least, if another stream or an event waits for it) and the counters of its matcher, as
    ``Plan.report`` gives them; ``why`` begins with what was dropped of its streams.  A stream that was read has its
    report (``wire``); one of which rows were skipped says how many (``skipped``), and ``skipped`` of the whole tells of
    rows of no stream that a query reads.
    """
    core = kind.core
    core.catch_up()
    inputs = {query.name: merged for merged in core.inputs for query in merged.all_queries}
    losses = losses_of(kind, reports)
    return {
        "streams": {
            iri: _stream(clock) | _skipped(kind, iri) | _wire(reports.get(iri))
            for iri, clock in kind.core.clocks.items()
        },
        "queries": {name: _query(query, inputs[name], losses) for name, query in core.running.items()},
        "terms": len(kind.terms),
        **_skipped(kind, OF_NO_STREAM),
    }


def _skipped(kind: GraphKind, iri: str) -> dict[str, Any]:
    skipped = kind.skipped.get(iri, Skipped())
    return {"skipped": skipped.count, "first_skipped": skipped.first} if skipped.count else {}


def _wire(report: WireReport | None) -> dict[str, Any]:
    return {} if report is None else {"wire": report.to_dict()}


def _stream(clock: StreamClock) -> dict[str, Any]:
    late = {"first_late": clock.first_late, "lateness_needed": clock.lateness_needed} if clock.late else {}
    return {
        "events": clock.events,
        "late": clock.late,
        **late,
        "newest_event": _time(clock.newest),
        "watermark": _time(clock.watermark),
        "closed": clock.closed,
    }


def _query(
    query: GraphQuery, merged: MergedInput[Any, Any, GraphQuery], losses: Mapping[str, Sequence[Loss]]
) -> dict[str, Any]:
    slowest = merged.held_back_by()
    results = query.found
    held_back_by = None if slowest is None else slowest.iri
    found = {
        "results": results,
        "watermark": _time(merged.watermark),
        "waiting_events": len(merged.buffer),
        "held_back_by": held_back_by,
        **(query.statistics(merged.came()) | {"results": results}),
    }
    if query.max_results is not None:
        found |= {"max_results": query.max_results, "over": query.is_over}
    if not results:
        dropped = [loss.cause for iri in merged.streams for loss in losses[iri]]
        waits = [f"{len(merged.buffer)} events wait for <{held_back_by}>"] if merged.buffer else []
        found["why"] = [*dropped, *waits, *found.get("why", ())]
    return found


def _time(microseconds: int) -> str | None:
    return None if microseconds in (LEAST, GREATEST) else iso(microseconds)
