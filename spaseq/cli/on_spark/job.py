"""One job of ``spaseq spark``: what it reads, its results, batches that are written once each, and how far it is."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pyarrow
from pyspark.sql.streaming.listener import StreamingQueryListener

from spaseq.cli import output
from spaseq.cli.on_spark.checkpoint import Kept, keep
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.files import expand, is_plain_nquads
from spaseq.spark import engine_stage, matching, packing, results
from spaseq.spark.job import Job

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
    )
    from pyspark.sql.streaming.query import StreamingQuery

LOOK = 0.5  # seconds between two looks whether Ctrl-C came


class ResultPiece(NamedTuple):
    """A piece of what a job gives."""

    tables: list[MatchTable]
    late: Sequence[DerivedEvent]


@dataclass(frozen=True, slots=True)
class SparkJob:
    """A ``job`` over files by the IRI of their stream, read with ``reading`` (options of ``rdfstream``).

    Some are ``tables``, read with more of them.
    """

    session: SparkSession
    job: Job
    sources: Mapping[str, str]
    reading: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def bounded(self) -> list[DataFrame]:
        """All that is there, a data frame for each stream."""
        reader = self.session.read.format("rdfstream")
        return [reader.options(**self._options(iri)).load(path) for iri, path in self.sources.items()]

    def unbounded(self) -> list[DataFrame]:
        """What is there and what comes; files of N-Quads may grow."""
        frames = []
        for iri, path in self.sources.items():
            grows = iri not in self.tables and all(map(is_plain_nquads, expand(path)))
            reader = self.session.readStream.format("rdfstream").options(**self._options(iri))
            frames.append(reader.option("follow", str(grows).lower()).load(path))
        return frames

    def _options(self, iri: str) -> dict[str, str]:
        return {**self.reading, **self.tables.get(iri, {}), "stream": iri}

    def empty(self, query: str) -> MatchTable:
        """A table of a query without results."""
        return self.job.empty(query)

    def results(self, rows: DataFrame) -> Iterator[ResultPiece]:
        """What is in rows of results, in order of their last and first times; they come to the driver by pieces."""
        from pyspark.sql import functions

        columns = {name: shown for one in self.job.queries for name, shown in one.columns().items()}
        # Not orderBy: to find how to part the rows, that would do the whole job twice.
        others = ("map_values(events)", "map_values(bindings)", "query")  # so that no order is left to chance
        order = [functions.expr(one) for one in ("last", "first", *others)]
        ordered = rows.select(*packing.RESULT.names).repartition(1).sortWithinPartitions(*order)
        for piece in ordered.mapInArrow(pack, "data binary").toLocalIterator():
            found = packing.unpacked(bytes(piece["data"]))
            late = found.filter(found["query"].is_null())
            yield ResultPiece(list(results.match_tables(found, columns)), results.derived_events(late["derived"]))


def pack(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Each batch as one value."""
    for batch in batches:
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([packing.packed(batch)], pyarrow.binary())], ["data"])


@dataclass(slots=True)
class BatchWriter:
    """Writes the results of each batch once: ``take`` writes a piece, ``outputs`` are the files by option."""

    spark: SparkJob
    folder: Path
    kept: Kept
    take: Callable[[ResultPiece], object]
    outputs: Mapping[str, IO[Any]]

    def begin(self) -> None:
        """Cut off what was written and is not known to be.  OptionError: a file is shorter than it was."""
        for option, file in self.outputs.items():
            output.cut(file, (self.kept.outputs or {}).get(option, 0), option)
        keep(self.folder, self.kept)

    def batch(self, rows: DataFrame, number: int) -> None:
        """Write a batch, and say so; one that was written is only worked out, for its state."""
        if number <= self.kept.batch:
            rows.write.format("noop").mode("append").save()
            return
        self._write(rows)
        self._keep(replace(self.kept, batch=number, outputs=self._sizes()))

    def end(self, checkpoint: str) -> None:
        """Write what the end of the input decides, unless that was done and nothing came since."""
        if self.kept.ended != self.kept.batch:
            self._write(matching.finished(self.spark.session, checkpoint, self.spark.job))
            self._keep(replace(self.kept, ended=self.kept.batch, outputs=self._sizes()))

    def _write(self, rows: DataFrame) -> None:
        for piece in self.spark.results(rows):
            self.take(piece)

    def _sizes(self) -> dict[str, int]:
        return {option: output.kept_bytes(file) for option, file in self.outputs.items()}

    def _keep(self, kept: Kept) -> None:
        self.kept = kept
        keep(self.folder, kept)


def start(writer: BatchWriter, metrics: Metrics, lateness: int, follow: bool, every: float) -> StreamingQuery:
    """The query of a job, at work: on what is there, or (``follow``) for ever, with a batch every so many seconds."""
    spark = writer.spark
    spark.session.streams.addListener(metrics)
    found = engine_stage.match_streaming(spark.unbounded(), spark.job, lateness, secrets.token_hex(8))
    writing = found.writeStream.foreachBatch(writer.batch).option("checkpointLocation", str(writer.folder))
    writing = writing.trigger(processingTime=f"{every} seconds") if follow else writing.trigger(availableNow=True)
    return writing.start()


def wait(query: StreamingQuery, stopped: Callable[[], bool]) -> None:
    """Until the query ends, or is stopped."""
    while not query.awaitTermination(LOOK):  # type: ignore[arg-type]
        if stopped():
            query.stop()
            return


# ── how far it is ────────────────────────────────────────────────────────────────────────────────────────
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
            behind = "" if kind == engine_stage.OBSERVED else "rows "
            self.sums.update({behind + name: value or 0 for name, value in metrics.asDict().items()})

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802
        """See Spark."""

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802
        """See Spark."""

    def left_out(self, counts: Mapping[str, int], is_local: bool) -> None:
        """Add what a bounded job left out; of steps local workers have told already."""
        self.sums.update({f"rows {name}": counts[name] for name in ("skipped", "dropped")})
        if not is_local:
            self.sums["left_out"] += counts.get("left_out", 0)

    def reached(self, results: int) -> BatchesDone:
        """How far the query is."""
        return BatchesDone(self.batches, self.sums["events"], results, self.watermark)


def tasks(session: SparkSession, results: int) -> TasksDone:
    """How far the stages at work are."""
    tracker = session.sparkContext.statusTracker()
    stages = [found for stage in tracker.getActiveStageIds() if (found := tracker.getStageInfo(stage))]
    return TasksDone(sum(one.numCompletedTasks for one in stages), sum(one.numTasks for one in stages), results)
