# ruff: noqa: N802, N803  (names of methods and arguments are Spark's interface)
"""Streaming jobs that only count: as ours but for the processor, without what Spark tells of it, and row by row."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

import spaseq
from benchmarks.spark.quotes import QUERY
from spaseq.spark.engine_stage import in_steps
from spaseq.spark.job import Job
from spaseq.spark.map_stage import sift
from spaseq.spark.matching import job_of
from spaseq.spark.packing import PACKED_DDL

COUNTED = "key int, n bigint"
EVENTS = ("stream", "time", "event", "graph")
NOTHING = {
    "results": b"", "matches": 0, "events": 0, "late": 0, "late_by_stream": {}, "log_bytes": 0, "misfits": 0, "how": "",
}  # fmt: skip


class Counting(StatefulProcessor):
    """How many rows a key had, or what the sum of one of their columns is."""

    def __init__(self, column: str | None = None) -> None:
        self.column = column

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.state = handle.getValueState("n", "n bigint")

    def handleInputRows(
        self, key: Any, rows: Iterator[pandas.DataFrame], timerValues: TimerValues
    ) -> Iterator[pandas.DataFrame]:
        found = sum(int(frame[self.column].sum()) if self.column else len(frame) for frame in rows)
        old = self.state.get()
        self.state.update((found + (old[0] if old else 0),))
        yield pandas.DataFrame({"key": [key[0]], "n": [found]})

    def close(self) -> None:
        pass


class CountingSteps(Counting):
    """How many bytes of packed events came for an engine, as a row of its step."""

    def handleInputRows(
        self, key: Any, rows: Iterator[pandas.DataFrame], timerValues: TimerValues
    ) -> Iterator[pandas.DataFrame]:
        found = sum(len(data) for frame in rows for data in frame["data"])
        old = self.state.get()
        self.state.update((found + (old[0] if old else 0),))
        yield pandas.DataFrame([{**NOTHING, "log_bytes": found}])


def v_shape_job() -> Job:
    """That of the query."""
    return job_of(spaseq.prepare(QUERY), spaseq.Background.load({}), None, (), "stop", 2)


def same_pipeline(rows: DataFrame) -> DataFrame:
    """All of ours, but for the processor, which only counts."""
    return in_steps([rows.select(*EVENTS)], v_shape_job(), 0, CountingSteps())


def packed(rows: DataFrame, lateness: int = 0) -> DataFrame:
    """The same events sifted and packed; their processor looks at how many a row has, and nobody at what it gives."""
    events = rows.select(*EVENTS).mapInArrow(partial(sift, v_shape_job(), ticks=True), PACKED_DDL)
    marked = events.withWatermark("last", f"{lateness} microseconds").select("label", "events", "data").groupBy("label")
    return marked.transformWithStateInPandas(Counting("events"), COUNTED, "append", "eventtime")


def by_key(rows: DataFrame) -> DataFrame:
    """The rows themselves, counted where their key is."""
    keyed = rows.withWatermark("time", "0 seconds").groupBy("company")
    return keyed.transformWithStateInPandas(Counting(), COUNTED, "append", "eventtime")
