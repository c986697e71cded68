"""``spaseq spark`` at work: a session, a job in it, and what is told in the end."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from spaseq.cli import checkpoint, options, printer, sources
from spaseq.cli.execution import Execution
from spaseq.cli.interrupts import StepInterrupts
from spaseq.cli.on_spark import progress, session
from spaseq.cli.on_spark.checkpoint import Kept, folder_held, kept_files, read_kept
from spaseq.cli.on_spark.job import BatchWriter, ResultPiece, SparkJob, start, wait
from spaseq.cli.output import LateFile
from spaseq.cli.queries import read_queries
from spaseq.errors import OptionError
from spaseq.graphs.background import read_background
from spaseq.results.formats import WRITERS
from spaseq.results.table import MergedTables
from spaseq.sources.rdf.files import expand
from spaseq.spark import machine
from spaseq.spark.batch import match_batch
from spaseq.spark.losses import Losses
from spaseq.spark.matching import job_of
from spaseq.streams.losses import counted, were
from spaseq.streams.timestamps import duration_microseconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_properties", "time_unit", "format", "buckets", "whole",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SparkOptions(options.GraphOptions):
    """What ``spaseq spark`` is asked."""

    master: str
    settings: tuple[str, ...]
    buckets: int | None
    whole: tuple[str, ...]

    @property
    def is_unbounded(self) -> bool:
        """Whether it is a job in batches."""
        return self.follow or self.checkpoint is not None

    @property
    def is_local(self) -> bool:
        """Whether workers are of this machine, and what they write comes here."""
        return self.master.startswith("local")

    @property
    def delay(self) -> int:
        """The lateness in microseconds."""
        return duration_microseconds(self.lateness)

    def check(self) -> None:
        """OptionError: some do not go together."""
        if self.checkpoint is not None:
            without = {"--limit": self.limit is not None, "--count": self.count, "--times": self.times}
            checkpoint.check_without({**without, "--declare": bool(self.declared)})
            checkpoint.check_format(self.format or "jsonl", WRITERS)
        elif self.late is not None and not self.follow:
            raise OptionError("--late goes with --checkpoint or --follow: without, all is put in order first")
        if self.strict and not self.is_local:
            raise OptionError("--strict needs a local master: on a cluster, workers write what they drop to their logs")

    def kept(self, sources: Mapping[str, str]) -> Kept | None:
        """What the folder of --checkpoint says; None: the run begins, or has none.  OptionError: options differ."""
        return None if self.checkpoint is None else read_kept(self.checkpoint, self.same(sources))

    def same(self, sources: Mapping[str, str]) -> dict[str, str]:
        """What has to be equal for a run to go on."""
        options = {f"--{name.replace('_', '-')}": str(getattr(self, name)) for name in SAME}
        return options | {f"the files of <{iri}>": path for iri, path in sources.items()}

    def reading(self) -> dict[str, str]:
        """The options of ``rdfstream``."""
        properties = ",".join(one.removeprefix("<").removesuffix(">") for one in self.time_properties)
        found = {"timeUnit": self.time_unit, "onError": self.on_error}
        return found | ({"timeProperty": properties} if properties else {})

    def spark_settings(self) -> dict[str, str]:
        """What --conf has.  OptionError: it is written otherwise."""
        found = {}
        for one in self.settings:
            key, sign, value = one.partition("=")
            if not (sign and key.startswith("spark.")):
                raise OptionError(f"--conf {one}: write KEY=VALUE, as in spark.driver.memory=4g")
            found[key] = value
        return found


class SparkExecution(Execution[SparkOptions]):
    """Queries in SPAseq on streams of RDF, by Spark."""

    as_interrupts = ()  # until the job is made, SIGTERM ends the process
    kept: Kept | None = None  # what the folder of --checkpoint says
    late: LateFile | None = None
    counter: printer.TableCounter

    def prepare(self) -> None:
        """See ``Execution``."""
        asked = self.options
        self.interrupts = StepInterrupts()
        self.noise = session.Noise()
        self.metrics = progress.Metrics()
        self.parsed = read_queries(asked.queries)
        checked = [each.query for each in self.parsed]
        graphs = sources.background_sources(asked.background, checked)
        ontologies = sources.entailed_graphs(asked.entail)
        self.sources = sources.stream_sources(asked.streams, checked)
        self._check_files([*asked.queries, *graphs.values()])
        asked.check()
        if asked.checkpoint is not None:
            self.ctx.with_resource(folder_held(asked.checkpoint))
        self.kept = asked.kept(self.sources)
        self.hold_files()
        machine.check_java()
        self.warn(self.parsed, sources.background_warnings(graphs, checked, ontologies))
        self.background = read_background(graphs, ontologies)

    def _check_files(self, read: Sequence[str]) -> None:
        """OptionError: what is to be read is no file, or is written in the same run."""
        files = [file for path in self.sources.values() for file in expand(path)]
        for file in files:
            if file == "-" or not Path(file).is_file():
                raise OptionError(f"--stream: Spark reads files, not {'standard input' if file == '-' else file}")
        folder = self.options.checkpoint
        self.check_files([*read, *files], {} if folder is None else kept_files(folder))

    @property
    def goes_on(self) -> bool:
        """See ``Execution``."""
        return self.kept is not None

    def begin(self, late: LateFile | None, text: TextIO) -> None:
        """See ``Execution``."""
        self.late = late

    def write(self, text: TextIO) -> None:
        """See ``Execution``."""
        asked = self.options
        files = (file for path in self.sources.values() for file in expand(path))
        is_short = not asked.follow and session.is_short(files)
        with session.session(asked.master, self._settings(), self.noise, is_short) as spark:
            job = self._job(spark)
            self.counter = self._counter(job, text)
            with self.interrupts.handled():
                self._work(job, text)
        if asked.count:
            text.write(f"{self.counter.results}\n")

    def _settings(self) -> dict[str, str]:
        """The settings of Spark; a checkpoint keeps its number of partitions."""
        kept = {} if self.kept is None else {machine.PARTITIONS: str(self.kept.partitions)}
        return self.options.spark_settings() | kept

    def _job(self, spark: SparkSession) -> SparkJob:
        asked, partitions = self.options, machine.shuffle_partitions(spark)
        checked = [each.query for each in self.parsed]
        late = asked.late is not None
        job = job_of(checked, self.background, asked.buckets, asked.whole, asked.on_error, partitions, late=late)
        return SparkJob(spark, job, self.sources, asked.reading())

    def _counter(self, job: SparkJob, text: TextIO) -> printer.TableCounter:
        asked = self.options
        if asked.count:
            return printer.TableCounter(asked.limit)
        wanted = asked.format if asked.checkpoint is None else asked.format or "jsonl"
        types = options.declared_types(asked.declared)
        return printer.open_table_printer(self.parsed, wanted, text, asked.limit, asked.times, types, job.empty)

    def _work(self, job: SparkJob, text: TextIO) -> None:
        try:
            if self.options.is_unbounded:
                self._in_batches(job, text)
            else:
                self._as_a_whole(job, text)
        finally:
            self.counter.close()

    def _as_a_whole(self, job: SparkJob, text: TextIO) -> None:
        """All that is there, in one job."""
        losses = Losses(job.session)
        with self.progress(text, lambda: progress.tasks(job.session, self.counter.results)):
            for piece in job.results(match_batch(job.bounded(), job.job, losses)):
                self._take_piece(piece)
                if self._is_full:
                    break
        self.metrics.left_out(losses.counts)

    def _in_batches(self, job: SparkJob, text: TextIO) -> None:
        """What is there and, if files are followed, what comes; else then what the end of the input decides."""
        asked, every = self.options, self.options.checkpoint_every.total_seconds()
        with tempfile.TemporaryDirectory() as temporary:
            folder = asked.checkpoint or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            kept = self.kept or Kept(asked.same(self.sources), job.job.partitions)
            writer = BatchWriter(job, folder, kept, self._take_piece, self._files(text))
            writer.begin()
            with self.progress(text, lambda: self.metrics.reached(self.counter.results)):
                delay = duration_microseconds(asked.lateness)
                wait(start(writer, self.metrics, delay, asked.follow, every), lambda: self._is_full)
                if not (asked.follow or self._is_full):
                    writer.end(str(folder))

    def _files(self, text: TextIO) -> dict[str, IO[Any]]:
        """The files that are written, by option."""
        files: dict[str, IO[Any]] = {} if self.late is None else {"--late": self.late.file}
        return files | ({} if self.options.output is None else {"--output": text})

    def _take_piece(self, piece: ResultPiece) -> None:
        """Matches are printed or counted, late events go to their file."""
        for table in piece.tables:
            if not self._is_full:
                self.counter.take(MergedTables.of(table))
        for event in piece.late:
            assert self.late is not None
            self.late(event)

    @property
    def _is_full(self) -> bool:
        """Whether no more results are wanted."""
        return self.interrupts.came or self.counter.full

    def losses(self) -> list[str]:
        """See ``Execution``."""
        told = self.metrics.sums
        return [*session.together(self.noise.told), *self._far(told), *self._late(told)]

    def statistics(self) -> Mapping[str, Any]:
        """See ``Execution``."""
        return {"results": self.counter.results, **self.metrics.sums, "told": session.together(self.noise.told)}

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self._is_full or self.counter.results > 0

    def _far(self, told: Mapping[str, int]) -> list[str]:
        """What workers have in logs that are far away."""
        skipped = told.get("rows skipped", 0)
        if not skipped or self.options.is_local:
            return []
        return [f"{counted(skipped, 'row')} {were(skipped)} skipped as no events: the logs of the workers say why"]

    def _late(self, told: Mapping[str, int]) -> list[str]:
        late = told.get("late", 0)
        if not late or self.options.late is not None:
            return []
        return [f"{counted(late, 'event')} came late and {were(late)} dropped: give more --lateness, or --late FILE"]
