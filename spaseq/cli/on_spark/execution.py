"""``spaseq spark`` at work: a session, a job in it, and what is told in the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spaseq.cli import (
    bounds,
    checkpoint,
    execution,
    interrupts,
    mappings,
    options,
    parameters,
    printer,
    queries,
    sources,
)
from spaseq.cli.on_spark import job, session
from spaseq.cli.on_spark.checkpoint import Kept, folder_held, kept_files, read_kept
from spaseq.errors import OptionError
from spaseq.graphs.background import read_background
from spaseq.results.formats import WRITERS
from spaseq.results.table import MergedTables
from spaseq.sources.source import is_url
from spaseq.spark import cluster, engine_stage, map_stage, matching
from spaseq.streams.losses import counted, left_out, were
from spaseq.streams.timestamps import duration_microseconds

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spaseq.languages.mappings import ParsedMapping

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_properties", "time_unit", "format", "buckets", "whole",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SparkOptions(mappings.MappingOptions, options.GraphOptions):
    """What ``spaseq spark`` is asked."""

    master: str
    settings: tuple[str, ...]
    buckets: int | None
    whole: tuple[str, ...]
    work_bound: float | None = None
    priorities: tuple[str, ...] = ()

    @property
    def is_unbounded(self) -> bool:
        """Whether it is a job in batches."""
        return self.follow or self.checkpoint is not None

    @property
    def is_local(self) -> bool:
        """Whether workers are of this cluster, and what they write comes here."""
        return self.master.startswith("local")

    @property
    def delay(self) -> int:
        """The lateness in microseconds."""
        return duration_microseconds(self.lateness)

    def check(self) -> None:
        """OptionError: some do not go together."""
        if self.checkpoint is not None:
            checkpoint.check_without(self.unresumable)
            checkpoint.check_format(self.wanted or "", WRITERS)
        elif self.late is not None and not self.follow:
            raise OptionError("--late goes with --checkpoint or --follow: without, all is put in order first")
        if self.strict and not self.is_local:
            raise OptionError("--strict needs a local master: on a cluster, workers write what they drop to their logs")

    def kept(self, same: Mapping[str, str]) -> Kept | None:
        """What the folder of --checkpoint says; None: the run begins, or has none.  OptionError: options differ."""
        return None if self.checkpoint is None else read_kept(self.checkpoint, same)

    def same(self, sources: Mapping[str, str], digests: str = "") -> dict[str, str]:
        """What has to be equal for a run to go on; ``digests`` are those of the mappings."""
        options = {f"--{name.replace('_', '-')}": str(getattr(self, name)) for name in SAME}
        if self.work_bound is not None:
            options |= {"--work-bound": str(self.work_bound), "--priority": str(self.priorities)}
        if self.mappings:
            options |= {"--map": str(self.mappings), "--map with the texts": digests}
            options |= {"--columns": str(self.columns), "--separator": str(self.separator), "--null": str(self.nulls)}
        return options | {f"the files of <{iri}>": path for iri, path in sources.items()}

    def reading(self) -> dict[str, str]:
        """The options of ``rdfstream``."""
        properties = ",".join(one.removeprefix("<").removesuffix(">") for one in self.time_properties)
        found = {"timeUnit": self.time_unit, "onError": self.on_error}
        return found | ({"timeProperty": properties} if properties else {})

    def tables(self, read: Mapping[str, ParsedMapping]) -> dict[str, dict[str, str]]:
        """More options of ``rdfstream``, by the stream of each mapping.  OptionError: CSV cannot be written so."""
        if not read:
            return {}
        sources.csv_format(self.columns, self.separator, self.nulls)
        given = {
            "columns": self.columns or "",
            "separator": self.separator or "",
            "nulls": mappings.as_line(self.nulls),
        }
        written = {name: text for name, text in given.items() if text}
        return {iri: {"mapping": one.source.path, **written} for iri, one in read.items()}

    def spark_settings(self) -> dict[str, str]:
        """What --conf has.  OptionError: it is written otherwise."""
        found = {}
        for one in self.settings:
            key, sign, value = one.partition("=")
            if not (sign and key.startswith("spark.")):
                raise OptionError(f"--conf {key}{sign and '=…'}: write KEY=VALUE, as in spark.driver.memory=4g")
            found[key] = value
        return found


class SparkExecution(execution.Execution[SparkOptions]):
    """Queries in SPAseq on streams of RDF, by Spark."""

    as_interrupts = ()  # until the job is made, SIGTERM ends the process
    kept: Kept | None = None  # what the folder of --checkpoint says
    counter: printer.TableCounter

    def prepare(self) -> None:
        """See ``Execution``."""
        asked = self.options
        self.interrupts = interrupts.StepInterrupts()
        self.noise = session.Noise()
        self.metrics = job.Metrics()
        self.bound = bounds.bound_of(asked.work_bound, None, asked.priorities)
        self.parsed = queries.read_queries(asked.queries)
        checked = [each.query for each in self.parsed]
        tables = parameters.given_tables(asked.given, parameters.of_graphs(checked))
        graphs = sources.background_sources(asked.background, checked)
        ontologies = sources.entailed_graphs(asked.entail)
        self.mappings = asked.read_mappings(checked)
        self.sources = sources.stream_sources(asked.streams, checked, self.mappings)
        mappings.check_tables(self.sources, self.mappings)
        self.tables = asked.tables(self.mappings)
        mapped = [one.source.path for one in self.mappings.values()]
        self._check_files([*asked.queries, *tables.values(), *graphs.values(), *mapped])
        self.rows = parameters.given_rows(tables, checked)
        asked.check()
        if asked.checkpoint is not None:
            self.ctx.with_resource(folder_held(asked.checkpoint))
        self.same = asked.same(self.sources, mappings.texts_of(self.mappings))
        self.kept = asked.kept(self.same)
        self.hold_files()
        cluster.check_java()
        self.warn(self.parsed, sources.background_warnings(graphs, checked, ontologies))
        self.background = read_background(graphs, ontologies)

    def _check_files(self, read: Sequence[str]) -> None:
        """OptionError: what is to be read is no file, or is written in the same run."""
        files = self._files()
        for file in files:
            if file == "-" or not (is_url(file) or Path(file).is_file()):
                raise OptionError(f"--stream: Spark reads files, not {'standard input' if file == '-' else file}")
        folder = self.options.checkpoint
        self.check_files([*read, *files], {} if folder is None else kept_files(folder))

    def _files(self) -> list[str]:
        """All files that are there."""
        return [file for iri, path in self.sources.items() for file in sources.files_at(path, iri in self.mappings)]

    @contextmanager
    def errors(self) -> Iterator[None]:
        """See ``Execution``."""
        with options.hints_with_options():
            yield

    @property
    def goes_on(self) -> bool:
        """See ``Execution``."""
        return self.kept is not None

    def write(self) -> None:
        """See ``Execution``."""
        asked = self.options
        is_short = not asked.follow and session.is_short(self._files())
        with session.session(asked.master, self._settings(), self.noise, is_short) as spark:
            self.job = self._job(spark)
            self.counter = printer.open_counter(asked, self.parsed, self.text, self.job.empty)
            with self.interrupts.handled():
                self._work()
        if asked.count:
            self.text.write(f"{self.counter.results}\n")

    def _settings(self) -> dict[str, str]:
        """The settings of Spark; a checkpoint keeps its number of partitions."""
        kept = {} if self.kept is None else {cluster.PARTITIONS: str(self.kept.partitions)}
        return self.options.spark_settings() | kept

    def _job(self, spark: SparkSession) -> job.SparkJob:
        asked, partitions = self.options, cluster.shuffle_partitions(spark)
        checked = [each.query for each in self.parsed]
        known = matching.job_of(
            checked, self.background, asked.buckets, asked.whole, asked.on_error, partitions,
            late=asked.late is not None, given=self.rows, sharing=asked.sharing, bound=self.bound,
        )  # fmt: skip
        return job.SparkJob(spark, known, self.sources, asked.reading(), self.tables)

    def _work(self) -> None:
        try:
            if self.options.is_unbounded:
                self._in_batches()
            else:
                self._as_a_whole()
        finally:
            self.counter.close()

    def _as_a_whole(self) -> None:
        """All that is there, in one job."""
        work = self.job
        lost = map_stage.Losses(work.session)
        with self.progress(lambda: job.tasks(work.session, self.counter.results)):
            for piece in work.results(engine_stage.match_batch(work.bounded(), work.job, lost)):
                self._take_piece(piece)
                if self._is_full:
                    break
        self.metrics.left_out(lost.counts, self.options.is_local)

    def _in_batches(self) -> None:
        """What is there and, if files are followed, what comes; else then what the end of the input decides."""
        asked, every = self.options, self.options.checkpoint_every.total_seconds()
        with tempfile.TemporaryDirectory() as temporary:
            folder = asked.checkpoint or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            kept = self.kept or Kept(self.same, self.job.job.partitions)
            writer = job.BatchWriter(self.job, folder, kept, self._take_piece, self.files)
            writer.begin()
            with self.progress(lambda: self.metrics.reached(self.counter.results)):
                delay = duration_microseconds(asked.lateness)
                job.wait(job.start(writer, self.metrics, delay, asked.follow, every), lambda: self._is_full)
                if not (asked.follow or self._is_full):
                    writer.end(str(folder))

    def _take_piece(self, piece: job.ResultPiece) -> None:
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
        return [*session.together(self.noise.told), *self._far(told), *self._late(told), *self._left_out(told)]

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

    def _left_out(self, told: Mapping[str, int]) -> list[str]:
        count = told.get("left_out", 0)
        return [left_out(count)] if count else []
