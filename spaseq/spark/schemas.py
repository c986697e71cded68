"""The columns of the data frames of a job, for Arrow and for Spark."""

from __future__ import annotations

import pyarrow

INSTANT = pyarrow.timestamp("us", "UTC")
EVENT = pyarrow.schema(
    [("stream", pyarrow.string()), ("time", INSTANT), ("event", pyarrow.string()), ("graph", pyarrow.binary())]
)

# Events on their way to an engine: its label, the first and the last of their times, how many, and they themselves.
# ``skipped`` is how many rows were no events, told once by each task.
PACKED = pyarrow.schema(
    [
        ("label", pyarrow.int32()),
        ("first", INSTANT),
        ("last", INSTANT),
        ("events", pyarrow.int64()),
        ("data", pyarrow.binary()),
        ("skipped", pyarrow.int64()),
    ]
)
PACKED_DDL = "label int, first timestamp, last timestamp, events bigint, data binary, skipped bigint"

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
