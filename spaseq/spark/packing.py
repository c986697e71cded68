"""Rows and results packed for their way: as Arrow's IPC stream, compressed; rows by about a mebibyte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow
import pyarrow.ipc
from numpy.typing import NDArray

from gpm.rows import Numbers
from spaseq.spark.kinds import PackedForm
from spaseq.spark.schemas import PACKED

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

    def of(self, rows: pyarrow.RecordBatch | pyarrow.Table, form: PackedForm) -> pyarrow.Table:
        """The share of the rows, in the columns of ``form``."""
        columns = rows.take(self.places).columns
        return pyarrow.table([*columns, *([] if self.counted is None else [self.counted])], schema=form.schema)


class Packer:
    """Gathers rows until they are many, and packs those of each engine; ``labels`` are those of the engines by number.

    So what is done for each engine is done seldom, however many there are.
    """

    def __init__(self, labels: Sequence[int], form: PackedForm) -> None:
        self._labels = labels
        self._form = form
        self._clear()

    def add(self, rows: pyarrow.RecordBatch, shares: Iterable[Share]) -> Iterator[pyarrow.RecordBatch]:
        """Rows, and to which engines they go; gives what is packed by now."""
        for share in shares:
            moved = Share(share.engine, share.places + self._count, share.counted)
            self._shares.setdefault(share.engine, []).append(moved)
        self._rows.append(rows)
        self._count += len(rows)
        self._size += rows.nbytes
        if self._size > MOST:
            yield from self.rest()

    def rest(self) -> Iterator[pyarrow.RecordBatch]:
        """What waits."""
        if not self._shares:
            return
        rows = pyarrow.Table.from_batches(self._rows).combine_chunks()
        at_once = max(1, self._count * LARGEST // self._size)
        for engine in sorted(self._shares):
            for share in _parts(self._shares[engine], at_once):
                yield self._packed(engine, share.of(rows, self._form))
        self._clear()

    def _packed(self, engine: int, rows: pyarrow.Table) -> pyarrow.RecordBatch:
        times = rows[self._form.time].cast(pyarrow.int64()).to_numpy()
        number = self._form.number(rows)
        return row_of(self._labels[engine], int(times.min()), int(times.max()), number, packed(rows))

    def _clear(self) -> None:
        self._rows: list[pyarrow.RecordBatch] = []
        self._shares: dict[int, list[Share]] = {}  # of each engine in all rows
        self._count = 0
        self._size = 0  # bytes


def _parts(shares: Sequence[Share], size: int) -> Iterator[Share]:
    """All shares of an engine, in shares of so many rows."""
    places = np.concatenate([share.places for share in shares])
    flags = [share.counted for share in shares if share.counted is not None]
    counted = np.concatenate(flags) if flags else None
    for start in range(0, len(places), size):
        own = slice(start, start + size)
        yield Share(shares[0].engine, places[own], None if counted is None else counted[own])


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
