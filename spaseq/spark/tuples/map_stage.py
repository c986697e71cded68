"""The first stage of a job with a query in CEQL, before the shuffle: rows are packed for the engines they matter to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute

from spaseq.errors import StreamError
from spaseq.pattern.formulas.query import EventWindow, FormulaQuery, SelectionStrategy
from spaseq.plan.description import Split
from spaseq.plan.formulas.automaton import RecognitionPlan
from spaseq.spark.executors import row_place, task_name
from spaseq.spark.jobs import PackedForm
from spaseq.spark.map_stage import tick, told_skipped
from spaseq.spark.packing import Packer, Share
from spaseq.spark.tuples.reading import INSTANT, TIME, TableReading, handed_name
from spaseq.streams.losses import Skipped
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.columns.vectors import Mask
from spaseq.tuples.encoding.symbols import Symbols
from spaseq.tuples.pushed_rows import Pushed, PushedPart
from spaseq.tuples.queries import atoms_of

Buckets = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class RowRouter:
    """Routes rows in the types in which engines read them; ``keys``: they are cut by these into ``buckets``."""

    def __init__(self, reading: TableReading, keys: tuple[str, ...], buckets: int) -> None:
        query, options = reading.query.query, reading.options
        plan = reading.query.plan_for(reading.usual)
        own = query.streams[0] if options.stream is None and query.streams else None
        type_column = None if options.relation is not None else options.type or "type"
        self._streams = query.streams if options.stream is not None else ()
        self._stream_column = options.stream
        self._counts = counts_rows(query, plan)
        self._keys, self._buckets = keys, buckets
        self._symbols = Symbols(
            atoms_of(plan, own), reading.usual, type_column=type_column, relation=options.relation,
            stream_column=options.stream,
        )  # fmt: skip

    def route(self, rows: pyarrow.RecordBatch) -> Iterator[tuple[int, Places]]:
        """The numbers of the engines that rows go to, each with the places of its rows, rising."""
        used = self._used(rows)
        if not self._keys:
            if used.any():
                yield 0, np.flatnonzero(used)
            return
        used &= np.logical_and.reduce([rows[key].is_valid().to_numpy(zero_copy_only=False) for key in self._keys])
        places = np.flatnonzero(used)
        buckets = buckets_of([rows[key].take(pyarrow.array(places)) for key in self._keys], self._buckets)
        order = np.argsort(buckets, kind="stable")
        found, begins = np.unique(buckets[order], return_index=True)
        for bucket, begin, end in zip(found.tolist(), begins, np.append(begins, len(order))[1:], strict=True):
            yield bucket, places[order[begin:end]]

    def _used(self, rows: pyarrow.RecordBatch) -> Mask:
        """The rows of the streams that there are which an atom matches, or that count."""
        used = np.ones(len(rows), np.bool_)
        if self._streams:
            chosen = pyarrow.compute.is_in(rows[self._stream_column], pyarrow.array(self._streams))
            used &= chosen.to_numpy(zero_copy_only=False)
        if not self._counts:
            symbols = self._symbols.number(rows)
            used &= np.array(self._symbols.masks, object).astype(np.bool_)[symbols]
        return used


def counts_rows(query: FormulaQuery, plan: RecognitionPlan) -> bool:
    """Whether rows matter that no atom matches: what follows directly on what, and how many are in a window."""
    if isinstance(query.window, EventWindow) or query.strategy is SelectionStrategy.STRICT:
        return True
    return any(state.directly_after for state in plan.automaton.states)


def buckets_of(keys: list[pyarrow.Array], buckets: int) -> Buckets:
    """The bucket of each key (n), whose parts are columns of usual types without NULL."""
    mixed: Buckets = np.zeros(len(keys[0]), np.uint64)
    for column in keys:
        mixed = (mixed ^ _hashes(column)) * _FACTORS[0]
        mixed ^= mixed >> np.uint64(32)
    return mixed % np.uint64(buckets)


def _hashes(column: pyarrow.Array) -> Buckets:
    """A number for each value (n), equal wherever values are."""
    if pyarrow.types.is_string(column.type):
        column = column.dictionary_encode()
    if pyarrow.types.is_dictionary(column.type):
        known = [crc32((text or "").encode()) for text in column.dictionary.to_pylist()]
        values: Buckets = np.array([*known, 0], np.uint64)[column.indices.to_numpy()]
    elif pyarrow.types.is_floating(column.type):
        values = (column.to_numpy() + 0.0).view(np.uint64)
    else:
        values = column.cast(pyarrow.int64()).to_numpy().view(np.uint64)
    mixed: Buckets = (values ^ (values >> np.uint64(31))) * _FACTORS[1]
    mixed ^= mixed >> np.uint64(29)
    return mixed


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
