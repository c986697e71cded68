# ruff: noqa: N802  (names of methods are Spark's interface)
"""What jobs leave out, counted in all workers: a job can be asked where the logs of workers are far away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow
from pyspark.accumulators import AccumulatorParam

from spaseq.errors import OptionError
from spaseq.spark.jobs import Batches, EngineJob
from spaseq.spark.map_stage import NOBODY

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COUNTED = ("skipped", "dropped", "misfits")


class Sums(AccumulatorParam[dict[str, int]]):
    """Numbers by name, added up."""

    def zero(self, value: dict[str, int]) -> dict[str, int]:
        """Nothing was counted."""
        return {}

    def addInPlace(self, value1: dict[str, int], value2: dict[str, int]) -> dict[str, int]:
        """The sums."""
        return {name: value1.get(name, 0) + value2.get(name, 0) for name in {**value1, **value2}}


class Losses:
    """Counts what the jobs that it is given to leave out, each time that they are worked out.

    OptionError: the session is one of Spark Connect, which counts nothing.
    """

    def __init__(self, spark: SparkSession) -> None:
        from pyspark.errors import PySparkException

        try:
            context = spark.sparkContext
        except PySparkException:
            raise OptionError("a session of Spark Connect does not count what workers leave out") from None
        self._sums = context.accumulator({}, Sums())

    @property
    def counts(self) -> dict[str, int]:
        """By now: rows that were ``skipped`` as no events and ``dropped`` as no query needs them, ``misfits`` of types.

        Actions that are over are in it.  An action that works a job out again counts again.
        """
        return dict.fromkeys(COUNTED, 0) | self._sums.value

    def add(self, **counts: int) -> None:
        """Count more of these: in a worker."""
        self._sums.add(counts)


def sift_counted(job: EngineJob, losses: Losses, batches: Iterable[pyarrow.RecordBatch]) -> Batches:
    """As ``job.sift``; what is left out is counted."""
    for rows in job.sift(batches, ticks=True):
        if rows["label"][0].as_py() == NOBODY:
            losses.add(**{name: rows[name][0].as_py() for name in ("skipped", "dropped")})
        else:
            yield rows
