"""The first stage of a job with a query in CEQL, before the shuffle: rows are packed for the engines they matter to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
import pyarrow

from spaseq.errors import StreamError
from spaseq.plan.description import Split
from spaseq.spark.kinds import PackedForm
from spaseq.spark.packing import Packer, Share
from spaseq.spark.places import row_place, task_name
from spaseq.spark.sifting import tick, told_skipped
from spaseq.spark.tuples.fields import handed_name
from spaseq.spark.tuples.reading import INSTANT, TIME, TableReading
from spaseq.spark.tuples.routing import Places, RowRouter
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.pushing import Pushed, PushedPart

Routed = list[tuple[int, Places]]


class RowReader(Protocol):
    """For whom rows are read, and how."""

    @property
    def reading(self) -> TableReading:
        """What the columns are for."""

    @property
    def split(self) -> Split:
        """Where the query is cut."""

    @property
    def engines(self) -> int:
        """Into how many engines."""

    @property
    def labels(self) -> Sequence[int]:
        """The label of each engine by number."""

    @property
    def form(self) -> PackedForm:
        """How rows are packed."""


def sift(job: RowReader, batches: Iterable[pyarrow.RecordBatch], ticks: bool) -> Iterator[pyarrow.RecordBatch]:
    """Rows of ``PACKED`` for rows: what no atom matches is left out, unless it counts.

    ``ticks``: one more row has the latest time of all rows, whether they are left out or not, how many had none, and
    how many were left out.  StreamError: a row has no time, or a value is none.
    """
    reading, packer, latest, dropped, skipped = job.reading, Packer(job.labels, job.form), LEAST, 0, []
    router, types = RowRouter(reading, job.split.keys, job.engines), reading.types()
    before = 0
    for given in batches:
        batch = _known(given, reading.given)
        parts, omitted = _read(batch, reading, types, before)
        skipped.append(omitted)
        before += batch.num_rows
        for part in parts:
            latest = max(latest, int(part.times.max(initial=LEAST)))  # type: ignore[union-attr]
            routed = list(router.route(part.batch))
            dropped += len(part.rows) - sum(len(places) for _, places in routed)
            yield from _packed(part, batch, routed, packer, job.form) if routed else ()
    yield from packer.rest()
    count = told_skipped(skipped)
    if ticks:
        yield from tick(latest, count, dropped)


def _read(
    batch: pyarrow.RecordBatch, reading: TableReading, types: ColumnTypes, before: int
) -> tuple[list[PushedPart], Skipped]:
    """The rows of a batch, which came after so many others: those are named by their partition, place and values."""
    place = task_name()

    def named(text: str) -> str:
        row = re.search(f"(?<={re.escape(place)}, row )[0-9]+", text)
        return text if row is None else text.replace(f"{place}, row {row[0]}", row_place(batch, int(row[0]), before), 1)

    try:
        parts, skipped = Pushed(batch, reading.options, place).read((*reading.asked, reading.time), types)
    except StreamError as error:
        error.location = replace(error.location, path=named(error.location.path))
        raise
    return parts, replace(skipped, first=named(skipped.first))


def _packed(
    part: PushedPart, batch: pyarrow.RecordBatch, routed: Routed, packer: Packer, form: PackedForm
) -> Iterator[pyarrow.RecordBatch]:
    """What is packed with some rows that were read."""
    order, first = np.concatenate([places for _, places in routed]), 0
    columns = {TIME: pyarrow.array(part.times[order]).cast(INSTANT)}  # type: ignore[index]
    columns |= {name: batch[name].take(pyarrow.array(part.rows[order])) for name in form.schema.names if name != TIME}
    rows = pyarrow.RecordBatch.from_pydict(columns, schema=form.schema)
    shares = []
    for engine, places in routed:
        shares.append(Share(engine, np.arange(first, first + len(places))))
        first += len(places)
    yield from packer.add(rows, shares)


def _known(batch: pyarrow.RecordBatch, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """A batch with the names and types that are known: Spark may have its times in another zone, longer texts."""
    columns = [_cast(batch[handed_name(field.name)], field.type) for field in schema]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _cast(column: pyarrow.Array, type_: pyarrow.DataType) -> pyarrow.Array:
    return column if column.type == type_ else column.cast(type_)
