# ruff: noqa: N802, N803  (names of methods and arguments are Spark's interface)
"""The second stage of a job, after the shuffle: engines get their events in order of time.

Bounded input is done with at once.  Of unbounded input the log of each engine is Spark's state, and the engines
themselves stay in the workers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import pandas
import pyarrow
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from spaseq.errors import SnapshotError
from spaseq.memory import keep_freed_blocks
from spaseq.spark.cluster import at_work, carried
from spaseq.spark.jobs import Batches, EngineJob, ShardEngine, job_rows
from spaseq.spark.log import LIVE, MILLISECOND, LoggedEngine, Meta, Report
from spaseq.spark.map_stage import NOBODY, Losses, sift_counted
from spaseq.spark.packing import AT_ONCE, INSTANT, PACKED_DDL, packed, unpacked
from spaseq.spark.shards import numbers_of
from spaseq.streams.losses import counted, left_out
from spaseq.streams.timestamps import LEAST

Packed: TypeAlias = "tuple[int, int, bytes]"  # label, time of the first row (µs), rows


def match_batch(inputs: Iterable[DataFrame], job: EngineJob, losses: Losses | None = None) -> DataFrame:
    """The results of a job over all rows; ``losses`` counts what it leaves out."""
    sift = carried(job.sift if losses is None else partial(sift_counted, job, losses))
    whole = reduce(lambda one, other: one.union(other), (rows.mapInArrow(sift, PACKED_DDL) for rows in inputs))
    sorted_ = whole.repartition(job.partitions, "label").sortWithinPartitions("label", "first", "last")
    return sorted_.mapInArrow(at_work(partial(evaluate, job, losses=losses)), job.results)


def evaluate(job: EngineJob, batches: Iterable[pyarrow.RecordBatch], losses: Losses | None = None) -> Batches:
    """Rows of the results for packed rows, which are in order of label and first time."""
    numbers = numbers_of(job.labels)
    for label, rows in groupby(_rows(batches), key=itemgetter(0)):
        engine = job.started(numbers[label])
        yield from told(job, job_rows(job, numbers[label], _found(engine, rows)), losses)
        tell_left_out(engine.left_out, losses)


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


def tell_left_out(count: int, losses: Losses | None) -> None:
    """Tell how many steps were left out to keep work within its bound: ``losses``, and the log of the worker."""
    if count and losses is not None:
        losses.add(left_out=count)
    if count:
        print(f"spaseq: {left_out(count)}", file=sys.stderr)


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
            yield from engine.push_packed(pyarrow.concat_tables(waiting), first)
            waiting = []
        waiting.append(unpacked(data))
    yield from engine.push_packed(pyarrow.concat_tables(waiting))
    yield from engine.close_tables()


STEP_DDL = (
    "results binary, matches bigint, events bigint, late bigint, late_by_stream map<string, bigint>, log_bytes bigint, "
    "misfits bigint, left_out bigint, how string"
)
ROWS_AT_ONCE = 50_000  # results in a row
OBSERVED = "spaseq"  # what the metrics of engines are called in the progress of a query


def match_streaming(
    inputs: Iterable[DataFrame], job: EngineJob, lateness: int, run: str, name: str = OBSERVED
) -> DataFrame:
    """The results of a job, as soon as Spark's watermark decides them.

    It is ``lateness`` (µs) behind the latest row of each input; the one that is farthest behind counts.  Metrics of
    engines are called ``name``; ``name rows`` are those of rows: what was packed, and what was no event.
    """
    return in_steps(inputs, job, lateness, Stepping(job, run), name)


def in_steps(
    inputs: Iterable[DataFrame], job: EngineJob, lateness: int, processor: StatefulProcessor, name: str = OBSERVED
) -> DataFrame:
    """As ``match_streaming``, with any processor of packed events that gives rows of steps."""
    sift, delay = carried(partial(job.sift, ticks=True)), f"{lateness} microseconds"
    sifted = reduce(DataFrame.union, (one.mapInArrow(sift, PACKED_DDL).withWatermark("last", delay) for one in inputs))
    sifted = sifted.observe(
        f"{name} rows", *(functions.sum(one).alias(one) for one in ("events", "skipped", "dropped"))
    )
    # Without its column Spark drops no late rows: the engines count them, and know which stream they are of.
    grouped = sifted.select("label", "data").groupBy("label")
    stepped = grouped.transformWithStateInPandas(processor, STEP_DDL, "append", "eventtime")
    return stepped.observe(name, *_metrics(job.inputs)).mapInArrow(opened, job.results)


def _metrics(streams: Iterable[str]) -> Iterator[Column]:
    """What the progress of a streaming query tells of each batch."""
    for name in ("events", "matches", "log_bytes", "late", "misfits", "left_out"):
        yield functions.sum(name).alias(name)
    for stream in streams:
        number = functions.element_at("late_by_stream", functions.lit(stream))
        yield functions.sum(functions.coalesce(number, functions.lit(0))).alias(f"late of <{stream}>")
    for way in ("hit", "catch-up", "rebuilt"):
        yield functions.count_if(functions.col("how") == way).alias(way)


class Stepping(StatefulProcessor):
    """One step of an engine for each batch with events for it, and when a promise is due."""

    def __init__(self, job: EngineJob, run: str) -> None:
        self.job = job
        self.run = run

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called in the worker, before anything else."""
        keep_freed_blocks()
        self.handle = handle
        log = handle.getMapState("log", "number bigint", "data binary")
        self.store = SparkStore(handle.getValueState("meta", "data binary"), log)
        self.numbers = numbers_of(self.job.labels)

    def handleInputRows(
        self, key: Any, rows: Iterator[pandas.DataFrame], timerValues: TimerValues
    ) -> Iterator[pandas.DataFrame]:
        """Take the packed events of an engine."""
        data = [bytes(one) for frame in rows for one in frame["data"]]
        if key[0] == NOBODY:
            self._check()
            return iter(())
        return self._step(key[0], data, timerValues)

    def handleExpiredTimer(
        self, key: Any, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pandas.DataFrame]:
        """The watermark has passed what was due."""
        return self._step(key[0], (), timerValues)

    def close(self) -> None:
        """Nothing is open."""

    def _check(self) -> None:
        """SnapshotError: the checkpoint is of another job.  So much is kept for nobody: each batch has rows for it."""
        data, identity = self.store.meta(), self.job.identity
        if data is None or Meta.from_bytes(data, identity, self.job.free).token is not None:
            self.store.keep_meta(Meta(identity).to_bytes())

    def _number(self, label: int) -> int:
        """The engine of a label; SnapshotError: this job has none, so the state is of another."""
        if label not in self.numbers:
            self._check()
            raise SnapshotError("the checkpoint is of another job: it has other engines")
        return self.numbers[label]

    def _step(self, label: int, rows: Iterable[bytes], timers: TimerValues) -> Iterator[pandas.DataFrame]:
        engine = LoggedEngine(self.job, self._number(label), self.store, LIVE, self.run)
        milliseconds, report = timers.getCurrentWatermarkInMs(), Report()
        watermark = milliseconds * MILLISECOND if milliseconds > 0 else LEAST
        waiting: list[pyarrow.RecordBatch] = []
        for found in engine.step(rows, watermark, self.store, report):
            if sum(map(len, waiting)) >= ROWS_AT_ONCE:
                yield self._row(waiting, Report(how=""))
                waiting = []
            waiting.append(found)
        yield self._row(waiting, report)
        self._set_timers(report)

    def _row(self, found: list[pyarrow.RecordBatch], report: Report) -> pandas.DataFrame:
        given = [*found, *report.late_rows]
        row = {
            "results": packed(pyarrow.Table.from_batches(given)) if given else b"",
            "matches": sum(map(len, found)),
            "events": report.events,
            "late": sum(report.late.values()),
            "late_by_stream": dict(report.late),
            "log_bytes": report.written,
            "misfits": sum(map(self.job.misfits, found)),
            "left_out": report.left_out,
            "how": report.how,
        }
        return pandas.DataFrame({name: [value] for name, value in row.items()})

    def _set_timers(self, report: Report) -> None:
        before = report.timers_before
        known = set(self.handle.listTimers() if before is None else before)
        for timer in known - set(report.timers):
            self.handle.deleteTimer(timer)
        for timer in set(report.timers) - known:
            self.handle.registerTimer(timer)


@dataclass(frozen=True, slots=True)
class SparkStore:
    """The state of the engine at work, in Spark's store."""

    value: Any
    log: Any

    def meta(self) -> bytes | None:
        """See ``EngineStore``."""
        found = self.value.get()
        return None if found is None else bytes(found[0])

    def keep_meta(self, data: bytes) -> None:
        """See ``EngineStore``."""
        self.value.update((data,))

    def entry(self, number: int) -> bytes:
        """See ``EngineStore``."""
        return bytes(self.log.getValue((number,))[0])

    def keep_entry(self, number: int, data: bytes) -> None:
        """See ``EngineStore``."""
        self.log.updateValue((number,), (data,))

    def drop_entry(self, number: int) -> None:
        """See ``EngineStore``."""
        self.log.removeKey((number,))


def opened(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The results in the rows of steps."""
    for batch in batches:
        for data in batch["results"]:
            if len(data.as_buffer()):
                yield from unpacked(data.as_buffer()).to_batches()
