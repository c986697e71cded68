"""Rows and results packed for their way: as Arrow's IPC stream, compressed; rows by about a mebibyte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow
import pyarrow.compute
import pyarrow.ipc

from spaseq.spark.kinds import PackedForm
from spaseq.spark.schemas import PACKED

LARGEST = 1 << 20  # bytes of events in a row, before they are compressed
MOST = 64 << 20  # bytes of events that wait for their row to be full
_COMPRESSED = pyarrow.ipc.IpcWriteOptions(compression="zstd")


class Packer:
    """Gathers the events of each engine until they fill a row; ``labels`` are those of the engines by number."""

    def __init__(self, labels: Sequence[int], form: PackedForm) -> None:
        self._labels = labels
        self._form = form
        self._waiting: dict[int, list[pyarrow.RecordBatch]] = {}
        self._sizes: dict[int, int] = {}

    def add(self, engine: int, events: pyarrow.RecordBatch) -> Iterator[pyarrow.RecordBatch]:
        """Events for an engine; gives the rows that are full."""
        self._waiting.setdefault(engine, []).append(events)
        self._sizes[engine] = self._sizes.get(engine, 0) + events.nbytes
        if self._sizes[engine] >= LARGEST:
            yield self._row(engine)
        elif sum(self._sizes.values()) > MOST:
            yield self._row(max(self._sizes, key=self._sizes.__getitem__))

    def rest(self) -> Iterator[pyarrow.RecordBatch]:
        """The rows that are not full."""
        for engine in sorted(self._waiting):
            yield self._row(engine)

    def _row(self, engine: int) -> pyarrow.RecordBatch:
        del self._sizes[engine]
        events = pyarrow.Table.from_batches(self._waiting.pop(engine), self._form.schema).combine_chunks()
        ends = pyarrow.compute.min_max(events[self._form.time].cast(pyarrow.int64())).as_py()
        return row_of(self._labels[engine], ends["min"], ends["max"], self._form.number(events), packed(events))


def row_of(
    label: int, first: int | None, last: int | None, events: int, data: bytes, skipped: int = 0, dropped: int = 0
) -> pyarrow.RecordBatch:
    """A row of ``PACKED``, times in microseconds; None: there is no event."""
    columns = [[label], [first], [last], [events], [data], [skipped], [dropped]]
    arrays = [pyarrow.array(values, field.type) for values, field in zip(columns, PACKED, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=PACKED)


def packed(rows: pyarrow.Table | pyarrow.RecordBatch) -> bytes:
    """Events, or results, in their columns as bytes."""
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, rows.schema, options=_COMPRESSED) as writer:
        writer.write(rows)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(data: bytes | pyarrow.Buffer) -> pyarrow.Table:
    """The rows in those bytes."""
    return pyarrow.ipc.open_stream(data).read_all()


def events_of(rows: pyarrow.Table) -> pyarrow.Table:
    """The columns of ``ROUTED`` that say events."""
    return rows.drop_columns("counted")
