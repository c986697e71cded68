"""The state of an engine of tuples as bytes, and back; queries are in it by fingerprint alone, and given again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spaseq.errors import QueryError, SnapshotError
from spaseq.snapshots.container import TUPLES
from spaseq.snapshots.given import matched
from spaseq.snapshots.shapes import COUNT, DURATION, TIME, AnyNames, Shape, misfits
from spaseq.snapshots.tree import flattened, inflated
from spaseq.tuples.columns.schema import COLUMNS
from spaseq.tuples.columns.serialisation import schema_read, schema_stored
from spaseq.tuples.prepared import AnyQuery, Prepared, check_window, prepare
from spaseq.tuples.restoring import CORE
from spaseq.tuples.streams import ReadingOptions

_TEXT: Shape = [str]  # at most one
_READING: Shape = {
    "type": _TEXT, "relation": _TEXT, "time": _TEXT, "unit": str, "time_format": _TEXT, "stream": _TEXT,
    "types": bytes, "on_error": str, "totals": str,
}  # fmt: skip
_COUNTERS: Shape = {"skipped": COUNT, "first_skipped": str, "first_late": str}
ENGINE: Shape = {
    "reading": _READING, "lateness": DURATION, "promised": TIME, "pushes": COUNT, "counters": AnyNames(_COUNTERS),
    "kept": [(str, bytes)], "columns": COLUMNS, "core": [CORE],
}  # fmt: skip
HEADER: Shape = {"queries": [(str, str)], "engine": ENGINE}


def taken(queries: Mapping[str, Prepared], state: dict[str, Any]) -> bytes:
    """A state as ENGINE, of an engine with these queries: equal states that came about equally give equal bytes."""
    sections: dict[str, bytes] = {}
    header = {"queries": [[name, query.fingerprint] for name, query in queries.items()], "engine": state}
    return TUPLES.pack(flattened(header, sections), sections)


def opened(
    data: bytes, queries: Iterable[AnyQuery] | Mapping[str, AnyQuery]
) -> tuple[dict[str, Any], dict[str, Prepared]]:
    """The state that was taken, as ENGINE, and its queries, which are those given; SnapshotError."""
    header = _header(data)
    state = header["engine"]
    return state, _prepared(header["queries"], queries, state["reading"]["time"])


def _header(data: bytes) -> dict[str, Any]:
    """What a snapshot has, in the shape that it must have."""
    try:
        header: dict[str, Any] = inflated(*TUPLES.unpack(data))
        problem = next(misfits(header, HEADER, "header"), None)
    except RecursionError:
        problem = "its header is too deep"
    if problem is not None:
        raise SnapshotError(f"the snapshot is damaged: {problem}")
    return header


def _prepared(
    states: list[tuple[str, str]], queries: Iterable[AnyQuery] | Mapping[str, AnyQuery], time: list[str]
) -> dict[str, Prepared]:
    """The queries given, prepared, checked against those of the snapshot."""
    if not isinstance(queries, Iterable):
        queries = [queries]
    found = {}
    for (name, fingerprint), query in zip(states, matched([name for name, _ in states], queries), strict=True):
        found[name] = prepare(query)
        if found[name].fingerprint != fingerprint:
            raise SnapshotError(f'the snapshot was taken with another query "{name}"')
        _check_window(name, found[name], time)
    if len(found) < len(states):
        raise SnapshotError("the snapshot is damaged: two queries have one name")
    return found


def _check_window(name: str, prepared: Prepared, time: list[str]) -> None:
    """SnapshotError if the query could not have been registered with an engine whose rows have this ``time``."""
    try:
        check_window(prepared.query, time[0] if time else None)
    except QueryError:
        raise SnapshotError(f'the snapshot is damaged: query "{name}" has another measure of windows') from None


# ── options ──────────────────────────────────────────────────────────────────────────────────────────────
def reading_state(reading: ReadingOptions, types: Mapping[str, Any]) -> dict[str, Any]:
    """How rows are read, with the ``types`` that are declared."""
    return {
        "type": _some(reading.type), "relation": _some(reading.relation), "time": _some(reading.time),
        "unit": reading.unit, "time_format": _some(reading.form), "stream": _some(reading.stream),
        "types": schema_stored(types), "on_error": "skip" if reading.skip else "stop",
        "totals": reading.totals,
    }  # fmt: skip


def options(state: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an engine that reads rows so; SpaseqError: there is none."""
    given: dict[str, Any] = {}
    for name in ("type", "relation", "time", "time_format", "stream"):
        if len(state[name]) > 1:
            raise SnapshotError(f"the snapshot is damaged: there are two options {name}")
        given[name] = state[name][0] if state[name] else None
    same = {name: state[name] for name in ("unit", "on_error", "totals")}
    return given | same | {"types": schema_read(state["types"])}


def _some(text: str | None) -> list[str]:
    return [] if text is None else [text]
