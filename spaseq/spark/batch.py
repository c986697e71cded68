"""Bounded input: each engine gets its events in order of time, and is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias

import pyarrow

import spaseq.engine
from spaseq.results.table import MatchTable
from spaseq.spark.job import Job
from spaseq.spark.labels import numbers_of
from spaseq.spark.owned import owned
from spaseq.spark.packing import events_of, unpacked
from spaseq.spark.results import ResultRows, result_ddl
from spaseq.spark.schemas import INSTANT, PACKED_DDL
from spaseq.spark.sifting import sift

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches: TypeAlias = Iterator[pyarrow.RecordBatch]
Packed: TypeAlias = "tuple[int, int, bytes]"  # label, time of the first event (µs), events


def match_batch(rows: DataFrame, job: Job) -> DataFrame:
    """The results of a job over all rows."""
    packed = rows.mapInArrow(partial(sift, job), PACKED_DDL)
    sorted_ = packed.repartition(job.partitions, "label").sortWithinPartitions("label", "first", "last")
    return sorted_.mapInArrow(partial(evaluate, job), result_ddl(job.types))


def evaluate(job: Job, batches: Iterable[pyarrow.RecordBatch]) -> Batches:
    """The results for packed rows, which are in order of label and first time."""
    numbers, results = numbers_of(job.labels), ResultRows(job.types)
    for label, rows in groupby(_rows(batches), key=itemgetter(0)):
        engine = job.engine(numbers[label])
        for table in _tables(engine, rows):
            found = owned(table, job.part_of(numbers[label]), numbers[label], engine.terms)
            if len(found):
                yield results.of(found)
    results.tell_misfits()


def _rows(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[Packed]:
    for batch in batches:
        times = batch["first"].cast(INSTANT).cast(pyarrow.int64()).to_pylist()
        for label, first, data in zip(batch["label"].to_pylist(), times, batch["data"], strict=True):
            yield label, first, data.as_buffer()


def _tables(engine: spaseq.engine.Engine, rows: Iterable[Packed]) -> Iterator[MatchTable]:
    """The results of one engine; what waits for its turn is what comes in before the next row begins."""
    waiting: Packed | None = None
    for row in rows:
        if waiting is not None:
            yield from engine.push_arrow(events_of(unpacked(waiting[2])), row[1])
        waiting = row
    if waiting is not None:
        yield from engine.push_arrow(events_of(unpacked(waiting[2])))
    yield from engine.close_tables()
