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
from spaseq.tuples.kind import TableKind
from spaseq.tuples.merged_input import STREAMSET, TupleInput
from spaseq.tuples.prepared import Prepared
from spaseq.tuples.query import ENDED, Ended, TupleQuery
from spaseq.tuples.selection.selecting import SELECTION, SelectingQuery

_ENTRY: Shape = {
    "schema": bytes, "first": COUNT, "error": str, "masks": [str], "selection": [SELECTION],
    "aggregation": [AGGREGATION], "spent": [ENDED],
}  # fmt: skip
_QUERY: Shape = {"name": str, "streamset": COUNT, "refused": str, "entry": [_ENTRY]}
CORE: Shape = {
    "has_names": bool, "promised": TIME, "events": COUNT, "clocks": [CLOCK], "streamsets": [STREAMSET],
    "queries": [_QUERY],
}  # fmt: skip


# ── to a state ───────────────────────────────────────────────────────────────────────────────────────────
def core_state(kind: TableKind) -> dict[str, Any]:
    """What the future depends on, as CORE; all results are taken."""
    inputs = list(kind.inputs)
    return {
        "has_names": kind.has_names,
        "promised": kind.promised,
        "events": kind.events,
        "clocks": [asdict(clock) for clock in kind.core.clocks.values()],
        "streamsets": [merged.state() for merged in inputs],
        "queries": [_query_state(query, inputs) for query in kind.core.running.values()],
    }


def _query_state(query: TupleQuery, inputs: list[TupleInput]) -> dict[str, Any]:
    number = next(number for number, merged in enumerate(inputs) if query in merged.all_queries)
    entry = [_entry_state(query)] if query.has_begun else []
    return {"name": query.name, "streamset": number, "refused": "" if entry else query.error, "entry": entry}


def _entry_state(query: TupleQuery) -> dict[str, Any]:
    evaluation, schema = query.evaluation, query.schema
    assert schema is not None
    return {
        "schema": schema_stored({field.name: field.type for field in schema}),
        "first": query.first,
        "error": query.error,
        "masks": [] if query.reading is None else list(map(hex, query.reading.known())),
        "selection": [evaluation.state()] if isinstance(evaluation, SelectingQuery) else [],
        "aggregation": [evaluation.state()] if isinstance(evaluation, AggregatingQuery) else [],
        "spent": [] if query.ended is None else [query.ended.state()],
    }


# ── and back ─────────────────────────────────────────────────────────────────────────────────────────────
def restore_core(
    kind: TableKind, state: dict[str, Any], queries: Mapping[str, Prepared], extra: tuple[str, ...] = ()
) -> None:
    """Let a core without queries go on where ``state`` was taken, with the same queries, keeping ``extra`` columns."""
    kind.promised, kind.events = state["promised"], state["events"]
    kind.core.clocks = {clock["iri"]: StreamClock(**clock) for clock in state["clocks"]}
    inputs = [_input(kind, one) for one in state["streamsets"]]
    states = {one["name"]: one for one in state["queries"]}
    require(list(states) == list(queries) and len(states) == len(state["queries"]), "the queries do not fit each other")
    kind.core.inputs = list(inputs)
    for name, prepared in queries.items():
        _add_query(kind, kind.query(name, prepared, extra=extra), states[name], inputs)
    for merged, one in zip(inputs, state["streamsets"], strict=True):
        _fill(kind, merged, one, states)
    for name, query in kind.core.running.items():
        require(query.has_begun == bool(states[name]["entry"]), "a query is of no streams")


def _input(kind: TableKind, state: dict[str, Any]) -> TupleInput:
    """One without queries."""
    require(len(state["time"]) <= (kind.setting.time is not None), "events have no times")
    streams = tuple(state["streams"])
    named = kind.has_names and streams
    require(not named or set(streams) <= kind.core.clocks.keys(), "a query is of streams that there are not")
    made = kind.new_input(streams, state["position"])
    made.time = state["time"][0] if state["time"] else None
    return made


def _add_query(kind: TableKind, query: TupleQuery, state: dict[str, Any], inputs: list[TupleInput]) -> None:
    """A query; it may begin later, or be over."""
    require(state["streamset"] < len(inputs) and len(state["entry"]) < 2, "a query is of no streams")
    merged = inputs[state["streamset"]]
    kind.check_streams(query.prepared)
    query.error = state["refused"]
    for entry in state["entry"]:
        if entry["spent"]:
            _restore_ended(query, entry)
    kind.core.start(query, merged)
    if query.is_over:
        merged.retire(query)


def _restore_ended(query: TupleQuery, state: dict[str, Any]) -> None:
    """A query that could not go on."""
    query.schema, query.first, query.error = _schema(state), state["first"], state["error"]
    query.plan = query.prepared.plan_for(query.schema)
    ended = state["spent"][0]
    query.ended = Ended(ended["found"], met_of(ended["met"], len(query.plan.atoms)), ended["kernel"])
    require(bool(query.error), "a query is over for no reason")


def _fill(kind: TableKind, merged: TupleInput, state: dict[str, Any], states: dict[str, Any]) -> None:
    """Its queries, and what is known of its events."""
    for name in state["entries"]:
        query = kind.core.running.get(name)
        require(query is not None and query in merged.queries and not query.has_begun, "a query is of other streams")
        assert query is not None
        require(len(states[name]["entry"]) == 1, "a query has not begun")
        _restore_query(kind, merged, query, states[name]["entry"][0])
    merged.restore(state, kind.columns)
    merged.check_time()


def _restore_query(kind: TableKind, merged: TupleInput, query: TupleQuery, state: dict[str, Any]) -> None:
    """A query at work."""
    schema = _schema(state)
    require(kind.columns.has(schema) and set(kind.named_columns) <= set(schema.names), "columns are of other types")
    kind.check_named_columns()
    require(state["first"] <= merged.position and not state["error"], "a query begins later")
    kind.begin_with(query, merged, schema, state["first"])
    evaluation, reading, plan = query.evaluation, query.reading, query.plan
    assert plan is not None
    assert reading is not None
    reading.before = _masks(state["masks"], len(plan.atoms))
    if isinstance(evaluation, SelectingQuery):
        require(len(state["selection"]) == 1, "a query has no state")
        evaluation.restore(state["selection"][0], merged.position, merged.time)
    elif isinstance(evaluation, AggregatingQuery):
        require(len(state["aggregation"]) == 1, "a query has no state")
        evaluation.restore(state["aggregation"][0], merged.position, merged.time, reading.before)


def _schema(state: dict[str, Any]) -> pyarrow.Schema:
    return pyarrow.schema(list(schema_read(state["schema"]).items()))


def _masks(texts: list[str], atoms: int) -> tuple[int, ...]:
    """The sets of atoms by number, the empty one first."""
    masks = tuple(met_of(text, atoms) for text in texts)
    require(masks[:1] in ((), (0,)), "sets of atoms are none")
    return masks
