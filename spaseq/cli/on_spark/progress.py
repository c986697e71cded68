"""How far a job is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pyspark.sql.streaming.listener import StreamingQueryListener

from spaseq.spark.streaming import OBSERVED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
    )


@dataclass(frozen=True, slots=True)
class TasksDone:
    """Of the stages at work so many tasks, of which so many are done; results so far."""

    done: int
    all: int
    results: int

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        return f"{self.done:,} of {self.all:,} tasks · {self.results:,} results · {seconds:,.0f} s"


@dataclass(frozen=True, slots=True)
class BatchesDone:
    """So many microbatches are done."""

    done: int
    events: int
    results: int
    watermark: str

    def line(self, seconds: float) -> str:
        """The line after so many seconds."""
        told = [f"{self.events:,} events", f"{self.events / max(seconds, 1e-3):,.0f}/s"]
        told += [self.watermark] if self.watermark else []
        return " · ".join([*told, f"{self.results:,} results", f"{self.done:,} batches"])


@dataclass(slots=True)
class Metrics(StreamingQueryListener):
    """The sums of what the progress of a query tells: of engines by their names, of rows behind ``rows``."""

    sums: Counter[str] = field(default_factory=Counter)
    batches: int = 0
    watermark: str = ""

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802
        """See Spark."""

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802
        """Add what a batch tells."""
        progress = event.progress
        self.batches += 1
        self.watermark = str(progress.eventTime.get("watermark", ""))
        for kind, metrics in (progress.observedMetrics or {}).items():
            behind = "" if kind == OBSERVED else "rows "
            self.sums.update({behind + name: value or 0 for name, value in metrics.asDict().items()})

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """See Spark."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """See Spark."""

    def left_out(self, counts: Mapping[str, int]) -> None:
        """Add what a bounded job left out."""
        self.sums.update({f"rows {name}": counts[name] for name in ("skipped", "dropped")})

    def reached(self, results: int) -> BatchesDone:
        """How far the query is."""
        return BatchesDone(self.batches, self.sums["events"], results, self.watermark)


def tasks(session: SparkSession, results: int) -> TasksDone:
    """How far the stages at work are."""
    tracker = session.sparkContext.statusTracker()
    stages = [found for stage in tracker.getActiveStageIds() if (found := tracker.getStageInfo(stage))]
    return TasksDone(sum(one.numCompletedTasks for one in stages), sum(one.numTasks for one in stages), results)
