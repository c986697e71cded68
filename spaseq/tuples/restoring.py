"""The state of queries and their events, for a snapshot, and back.

Nothing that is read is believed: what does not fit is a SnapshotError, or another exception, which the caller turns
into one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pyarrow

from spaseq.snapshots.shapes import CLOCK, COUNT, TIME, Shape
from spaseq.streams.clock import StreamClock
from spaseq.tuples.aggregates.aggregation import AGGREGATION, AggregatingQuery
from spaseq.tuples.columns.serialisation import met_of, require, schema_read, schema_stored
from spaseq.tuples.core import RegisteredQuery, TupleCore
from spaseq.tuples.encoding.encoder import QueryReading
from spaseq.tuples.prepared import Prepared
from spaseq.tuples.selection.selecting import SELECTION, SelectingQuery
from spaseq.tuples.spent import SPENT, spent, spent_state
from spaseq.tuples.streamset import STREAMSET, Entry, TupleStreamset

_ENTRY: Shape = {
    "schema": bytes, "first": COUNT, "error": str, "masks": [str], "selection": [SELECTION],
    "aggregation": [AGGREGATION], "spent": [SPENT],
}  # fmt: skip
_QUERY: Shape = {"name": str, "streamset": COUNT, "refused": str, "entry": [_ENTRY]}
CORE: Shape = {
    "has_names": bool, "promised": TIME, "events": COUNT, "clocks": [CLOCK], "streamsets": [STREAMSET],
    "queries": [_QUERY],
}  # fmt: skip


# ── to a state ───────────────────────────────────────────────────────────────────────────────────────────
def core_state(core: TupleCore) -> dict[str, Any]:
    """What the future depends on, as CORE; all results are taken."""
    return {
        "has_names": core.setting.has_names,
        "promised": core.promised,
        "events": core.events,
        "clocks": [asdict(clock) for clock in core.clocks.values()],
        "streamsets": [streamset.state() for streamset in core.streamsets],
        "queries": [_query_state(core, query) for query in core.queries.values()],
    }


def _query_state(core: TupleCore, query: RegisteredQuery) -> dict[str, Any]:
    number = next(number for number, streamset in enumerate(core.streamsets) if streamset is query.streamset)
    entry = [] if query.entry is None else [_entry_state(query.entry)]
    return {"name": query.name, "streamset": number, "refused": query.refused, "entry": entry}


def _entry_state(entry: Entry) -> dict[str, Any]:
    running = entry.running
    schema = schema_stored({field.name: field.type for field in entry.schema})
    return {
        "schema": schema,
        "first": entry.first,
        "error": entry.error,
        "masks": [] if entry.is_over else list(map(hex, entry.reading.known())),
        "selection": [running.state()] if isinstance(running, SelectingQuery) and not entry.is_over else [],
        "aggregation": [running.state()] if isinstance(running, AggregatingQuery) and not entry.is_over else [],
        "spent": [spent_state(running)] if entry.is_over else [],
    }


# ── and back ─────────────────────────────────────────────────────────────────────────────────────────────
def restore_core(
    core: TupleCore, state: dict[str, Any], queries: Mapping[str, Prepared], kept: tuple[str, ...] = ()
) -> None:
    """Let a core without queries go on where ``state`` was taken, with the same queries, which keep some columns."""
    core.promised, core.events = state["promised"], state["events"]
    core.clocks = {clock["iri"]: StreamClock(**clock) for clock in state["clocks"]}
    core.streamsets = [_streamset(core, one) for one in state["streamsets"]]
    states = {one["name"]: one for one in state["queries"]}
    require(list(states) == list(queries) and len(states) == len(state["queries"]), "the queries do not fit each other")
    for name, prepared in queries.items():
        _add_query(core, RegisteredQuery(name, prepared, kept=kept), states[name])
    for streamset, one in zip(core.streamsets, state["streamsets"], strict=True):
        _fill_streamset(core, streamset, one, states)
    for name, query in core.queries.items():
        require((query.entry is not None) == bool(states[name]["entry"]), "a query is of no streams")


def _streamset(core: TupleCore, state: dict[str, Any]) -> TupleStreamset:
    """One without queries."""
    require(len(state["time"]) <= (core.setting.time is not None), "events have no times")
    time = state["time"][0] if state["time"] else None
    made = core.new_streamset(tuple(state["streams"]), state["position"])
    made.time = time
    return made


def _add_query(core: TupleCore, query: RegisteredQuery, state: dict[str, Any]) -> None:
    """A query; it may begin later, or be over."""
    require(state["streamset"] < len(core.streamsets) and len(state["entry"]) < 2, "a query is of no streams")
    core.add_again(query, core.streamsets[state["streamset"]])
    query.refused = state["refused"]
    for entry in state["entry"]:
        if entry["spent"]:
            query.entry = _spent_entry(query, entry)
    if not query.refused and not state["entry"]:
        core.wait_for_events(query)


def _spent_entry(query: RegisteredQuery, state: dict[str, Any]) -> Entry:
    """A query that could not go on."""
    schema = _schema(state)
    query.plan = query.prepared.plan_for(schema)
    running = spent(state["spent"][0], len(query.plan.atoms))
    reading = QueryReading(query.prepared.query, query.plan, (), running)
    require(bool(state["error"]), "a query is over for no reason")
    return Entry(query.name, running, reading, schema, state["first"], state["error"], is_over=True)


def _fill_streamset(core: TupleCore, streamset: TupleStreamset, state: dict[str, Any], states: dict[str, Any]) -> None:
    """Its queries, and what is known of its events."""
    for name in state["entries"]:
        query = core.queries.get(name)
        require(
            query is not None and query.streamset is streamset and query.entry is None, "a query is of other streams"
        )
        assert query is not None
        require(len(states[name]["entry"]) == 1, "a query has not begun")
        _restore_entry(core, query, states[name]["entry"][0])
    streamset.restore(state)
    streamset.check_time(core.clocks)


def _restore_entry(core: TupleCore, query: RegisteredQuery, state: dict[str, Any]) -> None:
    """A query at work."""
    schema, streamset = _schema(state), query.streamset
    assert streamset is not None
    require(core.columns.has(schema) and set(core.named_columns) <= set(schema.names), "columns are of other types")
    core.check_named_columns()
    require(state["first"] <= streamset.position and not state["error"], "a query begins later")
    entry = core.begin_with(query, schema, state["first"])
    assert query.plan is not None
    entry.reading.before = _masks(state["masks"], len(query.plan.atoms))
    running = entry.running
    if isinstance(running, SelectingQuery):
        require(len(state["selection"]) == 1, "a query has no state")
        running.restore(state["selection"][0], streamset.position, streamset.time)
    elif isinstance(running, AggregatingQuery):
        require(len(state["aggregation"]) == 1, "a query has no state")
        running.restore(state["aggregation"][0], streamset.position, streamset.time, entry.reading.before)


def _schema(state: dict[str, Any]) -> pyarrow.Schema:
    return pyarrow.schema(list(schema_read(state["schema"]).items()))


def _masks(texts: list[str], atoms: int) -> tuple[int, ...]:
    """The sets of atoms by number, the empty one first."""
    masks = tuple(met_of(text, atoms) for text in texts)
    require(masks[:1] in ((), (0,)), "sets of atoms are none")
    return masks
