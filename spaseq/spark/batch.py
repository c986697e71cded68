"""Bounded input: each engine gets its events in order of time, and is done."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow

from spaseq.spark.executors import at_work, carried
from spaseq.spark.jobs import Batches, EngineJob, ShardEngine, job_rows
from spaseq.spark.losses import Losses, sift_counted
from spaseq.spark.packing import AT_ONCE, INSTANT, PACKED_DDL, unpacked
from spaseq.spark.shards import numbers_of
from spaseq.streams.losses import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Packed: TypeAlias = "tuple[int, int, bytes]"  # label, time of the first row (µs), rows


def match_batch(inputs: Iterable[DataFrame], job: EngineJob, losses: Losses | None = None) -> DataFrame:
    """The results of a job over all rows; ``losses`` counts what it leaves out."""
    sift = carried(job.sift if losses is None else partial(sift_counted, job, losses))
    packed = reduce(lambda one, other: one.union(other), (rows.mapInArrow(sift, PACKED_DDL) for rows in inputs))
    sorted_ = packed.repartition(job.partitions, "label").sortWithinPartitions("label", "first", "last")
    return sorted_.mapInArrow(at_work(partial(evaluate, job, losses=losses)), job.results)


def evaluate(job: EngineJob, batches: Iterable[pyarrow.RecordBatch], losses: Losses | None = None) -> Batches:
    """Rows of the results for packed rows, which are in order of label and first time."""
    numbers = numbers_of(job.labels)
    for label, packed in groupby(_rows(batches), key=itemgetter(0)):
        found = _found(job.started(numbers[label]), packed)
        yield from told(job, job_rows(job, numbers[label], found), losses)


def told(job: EngineJob, results: Iterable[pyarrow.RecordBatch], losses: Losses | None = None) -> Batches:
    """The results; ``losses`` and the log of the worker have how many values do not fit the types of their columns."""
    misfits = 0
    for rows in results:
        misfits += job.misfits(rows)
        yield rows
    if misfits and losses is not None:
        losses.add(misfits=misfits)
    if misfits:
        print(f"spaseq: {counted(misfits, 'value')} did not fit the type of a column: NULL", file=sys.stderr)


def _rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Packed]:
    for batch in batches:
        times = batch["first"].cast(INSTANT).cast(pyarrow.int64()).to_pylist()
        for label, first, data in zip(batch["label"].to_pylist(), times, batch["data"], strict=True):
            yield label, first, data.as_buffer()


def _found(engine: ShardEngine, rows: Iterable[Packed]) -> Iterator[Any]:
    """The results of one engine; what waits for its turn is what comes in before the next row begins."""
    waiting: list[pyarrow.Table] = []
    for _, first, data in rows:
        if sum(table.nbytes for table in waiting) >= AT_ONCE:
            yield from engine.push_rows(pyarrow.concat_tables(waiting), first)
            waiting = []
        waiting.append(unpacked(data))
    yield from engine.push_rows(pyarrow.concat_tables(waiting))
    yield from engine.close_tables()
