"""``spaseq spark`` at work: a session, a job in it, and what is told in the end."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from spaseq.cli.failures import FAILED, INTERRUPTED
from spaseq.cli.late import late_file
from spaseq.cli.notes import tell_losses, tell_why
from spaseq.cli.on_spark.drain import Drain
from spaseq.cli.on_spark.job import SparkJob
from spaseq.cli.on_spark.kept import Kept
from spaseq.cli.on_spark.noise import Noise, together
from spaseq.cli.on_spark.options import SparkOptions
from spaseq.cli.on_spark.progress import Metrics, tasks
from spaseq.cli.on_spark.session import is_short, session
from spaseq.cli.on_spark.streaming import BatchWriter, start, wait
from spaseq.cli.options import declared_types
from spaseq.cli.output import open_output
from spaseq.cli.printing import ResultCounter, open_printer
from spaseq.cli.progress import Pace, Progress
from spaseq.cli.saying import say
from spaseq.cli.signals import ENDING, handled
from spaseq.graphs.background import Background
from spaseq.languages.spaseq import ParsedQuery
from spaseq.sources.rdf.files import expand
from spaseq.spark.batch import match_batch
from spaseq.spark.losses import Losses
from spaseq.spark.machine import PARTITIONS, shuffle_partitions
from spaseq.spark.matching import job_of
from spaseq.streams.losses import counted, were
from spaseq.text import json_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(slots=True)
class Command:
    """What was ``asked``, of which queries on which files by stream; ``kept`` is what the checkpoint says."""

    asked: SparkOptions
    parsed: Sequence[ParsedQuery]
    sources: Mapping[str, str]
    background: Background
    kept: Kept | None
    pace: Pace
    noise: Noise = field(default_factory=Noise)
    metrics: Metrics = field(default_factory=Metrics)

    def run(self) -> int:
        """Do it; gives the exit code."""
        asked, goes_on = self.asked, self.kept is not None
        with late_file(asked.late, goes_on) as late, open_output(asked.output, goes_on) as output:
            short = not asked.follow and is_short(file for path in self.sources.values() for file in expand(path))
            with session(asked.master, self._settings(), self.noise, short) as spark:
                job = self._job(spark)
                drain = Drain(self._counter(job, output), late)
                files: dict[str, IO[Any]] = {} if late is None else {"--late": late.file}
                if asked.output is not None:
                    files["--output"] = output
                hidden = asked.quiet or (output.isatty() and not asked.count)
                with handled(dict.fromkeys(ENDING, drain.end)):
                    self._work(job, drain, files, hidden)
            if asked.count:
                output.write(f"{drain.results}\n")
        return self._tell(drain)

    def _settings(self) -> dict[str, str]:
        """The settings of Spark; a checkpoint keeps its number of partitions."""
        kept = {} if self.kept is None else {PARTITIONS: str(self.kept.partitions)}
        return self.asked.spark_settings() | kept

    def _job(self, spark: SparkSession) -> SparkJob:
        asked, partitions = self.asked, shuffle_partitions(spark)
        queries = [each.query for each in self.parsed]
        late = asked.late is not None
        job = job_of(queries, self.background, asked.buckets, asked.whole, asked.on_error, partitions, late=late)
        return SparkJob(spark, job, self.sources, asked.reading())

    def _counter(self, job: SparkJob, output: TextIO) -> ResultCounter:
        asked = self.asked
        if asked.count:
            return ResultCounter(asked.limit)
        wanted = asked.format if asked.checkpoint is None else asked.format or "jsonl"
        types = declared_types(asked.declared)
        return open_printer(list(self.parsed), wanted, output, asked.limit, asked.times, types, job.empty)

    def _work(self, job: SparkJob, drain: Drain, files: Mapping[str, IO[Any]], hidden: bool) -> None:
        try:
            if self.asked.is_unbounded:
                self._in_batches(job, drain, files, hidden)
            else:
                self._as_a_whole(job, drain, hidden)
        finally:
            drain.shown.close()

    def _as_a_whole(self, job: SparkJob, drain: Drain, hidden: bool) -> None:
        """All that is there, in one job."""
        losses = Losses(job.session)
        with Progress(lambda: tasks(job.session, drain.results), hidden, self.pace):
            for piece in job.results(match_batch(job.bounded(), job.job, losses)):
                drain.take(piece)
                if drain.full:
                    break
        self.metrics.left_out(losses.counts)

    def _in_batches(self, job: SparkJob, drain: Drain, files: Mapping[str, IO[Any]], hidden: bool) -> None:
        """What is there and, if files are followed, what comes; else then what the end of the input decides."""
        asked, every = self.asked, self.asked.checkpoint_every.total_seconds()
        with tempfile.TemporaryDirectory() as temporary:
            folder = asked.checkpoint or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            kept = self.kept or Kept(asked.same(self.sources), job.job.partitions)
            writer = BatchWriter(job, folder, kept, drain.take, files)
            writer.begin()
            with Progress(lambda: self.metrics.reached(drain.results), hidden, self.pace):
                wait(start(writer, self.metrics, asked.delay, asked.follow, every), lambda: drain.full)
                if not (asked.follow or drain.full):
                    writer.end(str(folder))

    def _tell(self, drain: Drain) -> int:
        """Say what was dropped, and what there is to say; gives the exit code."""
        asked, told = self.asked, self.metrics.sums
        losses = [*together(self.noise.told), *self._far(told), *self._late(told)]
        tell_losses(losses, asked.quiet, asked.strict)
        if asked.stats:
            say(json_text({"results": drain.results, **told, "told": together(self.noise.told)}, indent=2))
        elif not (drain.results or drain.full or asked.quiet):
            tell_why([], losses)
        if drain.ended:
            return INTERRUPTED
        return FAILED if losses and asked.strict else 0

    def _far(self, told: Mapping[str, int]) -> list[str]:
        """What workers have in logs that are far away."""
        skipped = told.get("rows skipped", 0)
        if not skipped or self.asked.is_local:
            return []
        return [f"{counted(skipped, 'row')} {were(skipped)} skipped as no events: the logs of the workers say why"]

    def _late(self, told: Mapping[str, int]) -> list[str]:
        late = told.get("late", 0)
        if not late or self.asked.late is not None:
            return []
        return [f"{counted(late, 'event')} came late and {were(late)} dropped: give more --lateness, or --late FILE"]
