# ruff: noqa: N802, N803  (names of methods and arguments are Spark's interface)
"""Streaming jobs that only count: as ours up to the processor, and with a row of Spark for each event."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas
from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

import spaseq
from benchmarks.spark.quotes import QUERY
from spaseq.spark.matching import job_of
from spaseq.spark.schemas import PACKED_DDL
from spaseq.spark.sifting import sift

COUNTED = "key int, n bigint"


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


def packed(rows: DataFrame, lateness: int = 0) -> DataFrame:
    """The same events sifted and packed; their processor looks at how many a row has."""
    job = job_of(spaseq.prepare(QUERY), spaseq.Background.load({}), None, (), "stop", 2)
    events = rows.select("stream", "time", "event", "graph").mapInArrow(partial(sift, job, ticks=True), PACKED_DDL)
    marked = events.withWatermark("last", f"{lateness} microseconds").select("label", "events", "data").groupBy("label")
    return marked.transformWithStateInPandas(Counting("events"), COUNTED, "append", "eventtime")


def by_key(rows: DataFrame) -> DataFrame:
    """The rows themselves, counted where their key is."""
    keyed = rows.withWatermark("time", "0 seconds").groupBy("company")
    return keyed.transformWithStateInPandas(Counting(), COUNTED, "append", "eventtime")
