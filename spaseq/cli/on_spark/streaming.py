"""``spaseq spark --checkpoint``: microbatches, each written once, and what the end of the input decides."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spaseq.cli.on_spark.job import ResultPiece, SparkJob
from spaseq.cli.on_spark.kept import Kept, keep
from spaseq.cli.on_spark.progress import Metrics
from spaseq.cli.resuming import cut
from spaseq.cli.resuming import kept as bytes_kept
from spaseq.spark.finishing import finished
from spaseq.spark.streaming import match_streaming

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

LOOK = 0.5  # seconds between two looks whether Ctrl-C came


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
            cut(file, (self.kept.outputs or {}).get(option, 0), option)
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
            self._write(finished(self.spark.session, checkpoint, self.spark.job))
            self._keep(replace(self.kept, ended=self.kept.batch, outputs=self._sizes()))

    def _write(self, rows: DataFrame) -> None:
        for piece in self.spark.results(rows):
            self.take(piece)

    def _sizes(self) -> dict[str, int]:
        return {option: bytes_kept(file) for option, file in self.outputs.items()}

    def _keep(self, kept: Kept) -> None:
        self.kept = kept
        keep(self.folder, kept)


def start(writer: BatchWriter, metrics: Metrics, lateness: int, follow: bool, every: float) -> StreamingQuery:
    """The query of a job, at work: on what is there, or (``follow``) for ever, with a batch every so many seconds."""
    spark = writer.spark
    spark.session.streams.addListener(metrics)
    found = match_streaming(spark.unbounded(), spark.job, lateness, secrets.token_hex(8))
    writing = found.writeStream.foreachBatch(writer.batch).option("checkpointLocation", str(writer.folder))
    writing = writing.trigger(processingTime=f"{every} seconds") if follow else writing.trigger(availableNow=True)
    return writing.start()


def wait(query: StreamingQuery, stopped: Callable[[], bool]) -> None:
    """Until the query ends, or is stopped."""
    while not query.awaitTermination(LOOK):  # type: ignore[arg-type]
        if stopped():
            query.stop()
            return
