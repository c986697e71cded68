"""One job of ``spaseq spark``: what it reads, its results as tables, and batches, each of which is written once."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import pyarrow

from spaseq.cli import output
from spaseq.cli.on_spark.checkpoint import Kept, keep
from spaseq.cli.on_spark.progress import Metrics
from spaseq.pattern.sequences import Query, Selection
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable
from spaseq.sources.rdf.files import expand, is_plain_nquads
from spaseq.spark.finishing import finished
from spaseq.spark.job import Job
from spaseq.spark.packing import RESULT, packed, unpacked
from spaseq.spark.streaming import match_streaming
from spaseq.spark.tables import derived_events, match_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


class ResultPiece(NamedTuple):
    """A piece of what a job gives."""

    tables: list[MatchTable]
    late: Sequence[DerivedEvent]


@dataclass(frozen=True, slots=True)
class SparkJob:
    """A ``job`` over files by the IRI of their stream, read with ``reading`` (options of ``rdfstream``)."""

    session: SparkSession
    job: Job
    sources: Mapping[str, str]
    reading: Mapping[str, str] = field(default_factory=dict)

    def bounded(self) -> list[DataFrame]:
        """All that is there, a data frame for each stream."""
        reader = self.session.read.format("rdfstream").options(**self.reading)
        return [reader.option("stream", iri).load(path) for iri, path in self.sources.items()]

    def unbounded(self) -> list[DataFrame]:
        """What is there and what comes; files of N-Quads may grow."""
        frames = []
        for iri, path in self.sources.items():
            follow = str(all(map(is_plain_nquads, expand(path)))).lower()
            reader = self.session.readStream.format("rdfstream").options(**self.reading, stream=iri, follow=follow)
            frames.append(reader.load(path))
        return frames

    def empty(self, query: str) -> MatchTable:
        """A table of a query without results."""
        engine, _ = self.job.reader()
        return engine.core.query_named(query).empty()

    def results(self, rows: DataFrame) -> Iterator[ResultPiece]:
        """What is in rows of results, in order of their last and first times; they come to the driver by pieces."""
        from pyspark.sql import functions

        columns = {plan.query.name: _variables(plan.query) for plan in self.job.plans}
        # Not orderBy: to find how to part the rows, that would do the whole job twice.
        others = ("map_values(events)", "map_values(bindings)", "query")  # so that no order is left to chance
        order = [functions.expr(one) for one in ("last", "first", *others)]
        ordered = rows.select(*RESULT.names).repartition(1).sortWithinPartitions(*order)
        for piece in ordered.mapInArrow(pack, "data binary").toLocalIterator():
            found = unpacked(bytes(piece["data"]))
            late = found.filter(found["query"].is_null())
            yield ResultPiece(list(match_tables(found, columns)), derived_events(late["derived"]))


def pack(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """Each batch as one value."""
    for batch in batches:
        yield pyarrow.RecordBatch.from_arrays([pyarrow.array([packed(batch)], pyarrow.binary())], ["data"])


def _variables(query: Query) -> tuple[str, ...]:
    return tuple(item.name for item in query.form.projections) if isinstance(query.form, Selection) else ()


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
            self._write(finished(self.spark.session, checkpoint, self.spark.job))
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
