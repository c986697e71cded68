"""The columns of the data frames of a job, for Arrow and for Spark."""

from __future__ import annotations

import pyarrow

INSTANT = pyarrow.timestamp("us", "UTC")
EVENT = pyarrow.schema(
    [("stream", pyarrow.string()), ("time", INSTANT), ("event", pyarrow.string()), ("graph", pyarrow.binary())]
)

EVENT_DDL = "stream string, time timestamp, event string, graph binary"

ROUTED = EVENT.append(pyarrow.field("counted", pyarrow.bool_()))  # true in one of the engines that an event goes to

# Events on their way to an engine: its label, the first and the last of their times, how many it counts, and they
# themselves (ROUTED).  What a task told once: how many rows were no events, how many events nobody needs.
PACKED = pyarrow.schema(
    [
        ("label", pyarrow.int32()),
        ("first", INSTANT),
        ("last", INSTANT),
        ("events", pyarrow.int64()),
        ("data", pyarrow.binary()),
        ("skipped", pyarrow.int64()),
        ("dropped", pyarrow.int64()),
    ]
)
PACKED_DDL = "label int, first timestamp, last timestamp, events bigint, data binary, skipped bigint, dropped bigint"

_DERIVED = pyarrow.struct(
    [("stream", pyarrow.string()), ("time", INSTANT), ("event", pyarrow.string()), ("graph", pyarrow.string())]
)
RESULT = pyarrow.schema(
    [
        ("query", pyarrow.string()),
        ("first", INSTANT),
        ("last", INSTANT),
        ("events", pyarrow.map_(pyarrow.string(), pyarrow.list_(pyarrow.string()))),
        ("bindings", pyarrow.map_(pyarrow.string(), pyarrow.string())),
        ("derived", _DERIVED),
    ]
)
RESULT_DDL = (
    "query string, first timestamp, last timestamp, events map<string, array<string>>, bindings map<string, string>, "
    "derived struct<stream: string, time: timestamp, event: string, graph: string>"
)
