"""Streaming queries that are watched: after each microbatch what Spark tells of it, and what all processes took."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)

from benchmarks.spark.processes import memory, seconds, workers


@dataclass(frozen=True, slots=True)
class Told:
    """After a microbatch: CPU seconds of all processes so far, MB of the largest Python worker, Spark's progress."""

    seconds: float
    memory: float
    progress: Any


@dataclass(slots=True)
class Watched(StreamingQueryListener):
    """Notes the microbatches of one query that have rows."""

    told: list[Told] = field(default_factory=list)

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        self.told.clear()

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        if event.progress.numInputRows:
            self.told.append(Told(seconds(), largest(), event.progress))

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        pass

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        pass


def largest() -> float:
    """MB of the largest Python worker."""
    return max((memory(one.number) for one in workers()), default=0.0)


def drained(session: SparkSession, found: DataFrame, checkpoint: Path, watched: Watched) -> list[Told]:
    """Run a query until its input ends, its results thrown away; what was told."""
    writing = found.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    writing.trigger(availableNow=True).start().awaitTermination()
    session.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return list(watched.told)
