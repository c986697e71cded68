"""Rows and results packed for their way: as Arrow's IPC stream, compressed; rows by about a mebibyte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.ipc
from numpy.typing import NDArray

from gpm.rows import Numbers
from spaseq.spark.jobs import PackedForm

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


LARGEST = 1 << 20  # bytes of events in a row, before they are compressed
MOST = 64 << 20  # bytes of events that wait to be packed
AT_ONCE = 16 << 20  # bytes of events that an engine takes together
_COMPRESSED = pyarrow.ipc.IpcWriteOptions(compression="zstd")


@dataclass(frozen=True, slots=True, eq=False)
class Share:
    """What goes to an engine: ``places`` of rows; ``counted`` says of each whether it counts there (None: all do)."""

    engine: int
    places: Numbers
    counted: NDArray[np.bool_] | None = None

    def of(self, rows: pyarrow.RecordBatch, form: PackedForm) -> pyarrow.RecordBatch:
        """The share of the rows, in the columns of ``form``."""
        flags = [] if self.counted is None else [pyarrow.array(self.counted)]
        return pyarrow.RecordBatch.from_arrays([*rows.take(self.places).columns, *flags], schema=form.schema)


class Packer:
    """Gathers rows until they are many, and packs those of each engine; ``labels`` are those of the engines by number.

    So what is done for each engine is done seldom, however many there are, and on memory that is used again.
    """

    def __init__(self, labels: Sequence[int], form: PackedForm) -> None:
        self._labels = labels
        self._form = form
        self._waiting: dict[int, _Waiting] = {}  # by engine

    def add(self, rows: pyarrow.RecordBatch, shares: Iterable[Share]) -> Iterator[pyarrow.RecordBatch]:
        """Rows, and to which engines they go; gives what is packed by now."""
        given = list(shares)
        for share, own in _divided(rows, given, self._form) if given else ():
            waiting = self._waiting.setdefault(share.engine, _Waiting())
            waiting.add(own, rows.nbytes * len(own) // len(rows))
            if waiting.size > LARGEST:
                yield from self._packed(share.engine)
        if sum(waiting.size for waiting in self._waiting.values()) > MOST:
            yield from self.rest()

    def rest(self) -> Iterator[pyarrow.RecordBatch]:
        """What waits."""
        for engine in sorted(self._waiting):
            yield from self._packed(engine)

    def _packed(self, engine: int) -> Iterator[pyarrow.RecordBatch]:
        """What waits for an engine, in parts of about a mebibyte."""
        waiting = self._waiting.pop(engine)
        rows = pyarrow.Table.from_batches(waiting.rows).combine_chunks()
        for part in _parts(rows, max(1, round(waiting.size / LARGEST))):
            times = part[self._form.time].cast(pyarrow.int64()).to_numpy()
            number = self._form.number(part)
            yield row_of(self._labels[engine], int(times.min()), int(times.max()), number, packed(part))


class _Waiting:
    """Rows that wait for their engine, and how many bytes they have."""

    __slots__ = ("rows", "size")

    def __init__(self) -> None:
        self.rows: list[pyarrow.RecordBatch] = []
        self.size = 0

    def add(self, rows: pyarrow.RecordBatch, size: int) -> None:
        self.rows.append(rows)
        self.size += size


def _divided(
    rows: pyarrow.RecordBatch, shares: Sequence[Share], form: PackedForm
) -> Iterator[tuple[Share, pyarrow.RecordBatch]]:
    """The rows of each share: all are moved together, so that those of one lie side by side."""
    flags = [share.counted for share in shares if share.counted is not None]
    together = Share(-1, np.concatenate([share.places for share in shares]), np.concatenate(flags) if flags else None)
    moved, start = together.of(rows, form), 0
    for share in shares:
        yield share, moved.slice(start, len(share.places))
        start += len(share.places)


def _parts(rows: pyarrow.Table, count: int) -> Iterator[pyarrow.Table]:
    """The rows in so many parts, or fewer."""
    each = -(-len(rows) // count)
    return (rows.slice(start, each) for start in range(0, len(rows), each))


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


def together(tables: Iterable[pyarrow.Table]) -> Iterator[pyarrow.Table]:
    """The same rows in fewer tables, of ``AT_ONCE`` bytes or a little more."""
    waiting: list[pyarrow.Table] = []
    for table in tables:
        waiting.append(table)
        if sum(one.nbytes for one in waiting) >= AT_ONCE:
            yield pyarrow.concat_tables(waiting)
            waiting = []
    if waiting:
        yield pyarrow.concat_tables(waiting)


def unpacked(data: bytes | pyarrow.Buffer) -> pyarrow.Table:
    """The rows in those bytes."""
    return pyarrow.ipc.open_stream(data).read_all()


def events_of(rows: pyarrow.Table) -> pyarrow.Table:
    """The columns of ``ROUTED`` that say events."""
    return rows.drop_columns("counted")
