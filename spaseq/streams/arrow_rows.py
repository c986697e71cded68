"""Events as rows of Arrow: the columns that ``arrow_columns`` reads."""

from __future__ import annotations

import numpy as np
import pyarrow

from gpm.rows import Numbers, TextColumn

SCHEMA = pyarrow.schema([
    ("stream", pyarrow.string()), ("time", pyarrow.timestamp("us", "UTC")), ("event", pyarrow.large_string()),
    ("graph", pyarrow.large_binary()),
])  # fmt: skip


def rows_of(stream: str, times: Numbers, names: TextColumn, graphs: TextColumn) -> pyarrow.RecordBatch:
    """See ``Events.to_arrow``."""
    streams = pyarrow.repeat(pyarrow.scalar(stream), len(times))
    instants = pyarrow.array(times).view(SCHEMA.field("time").type)
    texts = _texts(graphs, pyarrow.large_binary())
    return pyarrow.RecordBatch.from_arrays([streams, instants, _names(names), texts], schema=SCHEMA)


def _names(names: TextColumn) -> pyarrow.Array:
    """The names, null where one is empty."""
    ends = names[0]
    named = ends[1:] > ends[:-1]
    present = None if named.all() else pyarrow.py_buffer(np.packbits(named, bitorder="little"))
    return _texts(names, pyarrow.large_string(), present)


def _texts(column: TextColumn, type_: pyarrow.DataType, present: pyarrow.Buffer | None = None) -> pyarrow.Array:
    """The column in Arrow's form, without copying."""
    ends, text = column
    buffers = [present, pyarrow.py_buffer(np.ascontiguousarray(ends, np.int64)), pyarrow.py_buffer(text)]
    return pyarrow.Array.from_buffers(type_, len(ends) - 1, buffers)
