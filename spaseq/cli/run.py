"""``spaseq run``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from pathlib import Path
from typing import IO, Any

import click

from spaseq.cli import (
    bounds,
    checkpoint,
    config,
    dead_letters,
    execution,
    interrupts,
    mappings,
    options,
    parameters,
    printer,
    progress,
    queries,
    sources,
    spools,
    targets,
)
from spaseq.graphs.graph_run import Run
from spaseq.plan.description import EVALUATIONS
from spaseq.results.formats import WRITERS
from spaseq.runtime.run import RunState

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_unit", "idle", "idle_advance", "follow", "format",
    "dead_letters", "work_bound", "latency_bound", "priorities", "recall_sample", "mappings", "columns", "separator",
    "nulls",
)  # fmt: skip


@click.command(cls=config.ConfiguredCommand)
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@options.stream_option
@options.map_option
@options.csv_options
@options.kb_option
@options.entail_option
@parameters.given_option
@parameters.sharing_option
@options.format_option(WRITERS)
@targets.target_option
@options.times_option
@options.declare_option
@options.lateness_option
@options.late_option
@options.idle_option("that of --idle-advance, else when the next one begins")
@click.option(
    "--idle-advance", type=options.Duration(),
    help="A stream from which nothing came for so long promises the time of the others, so that they go on.",
)  # fmt: skip
@options.follow_option
@options.checkpoint_options
@options.spool_option
@options.limit_option
@options.count_option
@options.stats_option
@dead_letters.letters_options
@options.time_property_option
@options.time_unit_option
@options.gpm_option
@click.option(
    "--evaluation", type=click.Choice(list(EVALUATIONS)), default="auto", show_default=True,
    help="When steps under “:” are made that keep values of several events: at once (eager), when a later event asks "
    "for them (lazy), or as it takes less (auto).",
)  # fmt: skip
@bounds.work_bound_options
@bounds.latency_option
@bounds.sample_option
@options.notes_options
@click.pass_context
def run(ctx: click.Context, /, **given: Any) -> None:
    """Run queries on streams and print every match as it is decided.

    A query's CONSTRUCT may supply the streams of another.
    """
    GraphExecution(ctx, options.asked(ctx, LiveOptions)).run()


@dataclass(frozen=True, kw_only=True)
class LiveOptions(mappings.MappingOptions, options.GraphOptions):
    """What ``spaseq run`` is asked."""

    idle: timedelta | None
    idle_advance: timedelta | None
    gpm: str
    evaluation: str = "auto"
    work_bound: float | None = None
    latency_bound: timedelta | None = None
    recall_sample: float | None = None
    priorities: tuple[str, ...] = ()
    dead_letters: Path | str | None = None


class GraphExecution(execution.Execution[LiveOptions]):
    """Queries in SPAseq on streams of RDF."""

    as_interrupts = ()  # before events are read, SIGTERM ends the process
    tells_after_errors = True
    more_reasons = "--stats tells more"
    free = {"--on-error": "stop", "--dead-letters": ""}  # noqa: RUF012 - what is malformed may have ended a run
    running: Run
    counter: printer.TableCounter
    letters: dead_letters.DeadLetters | None = None

    def prepare(self) -> None:
        """See ``Execution``."""
        asked = self.options
        dead_letters.check_letters(asked.on_error, asked.dead_letters)
        spools.check_spool(asked.spool, asked.checkpoint)
        self.bound = bounds.bound_of(asked.work_bound, asked.latency_bound, asked.priorities, asked.recall_sample)
        self.parsed = queries.read_queries(asked.queries)
        self.checked = [each.query for each in self.parsed]
        tables = parameters.given_tables(asked.given, parameters.of_graphs(self.checked))
        self.graphs = sources.background_sources(asked.background, self.checked)
        self.ontologies = sources.entailed_graphs(asked.entail)
        self.mappings = asked.read_mappings(self.checked)
        self.sources = sources.stream_sources(asked.streams, self.checked, self.mappings)
        mappings.check_tables(self.sources, self.mappings)
        files = {iri: sources.files_at(path, iri in self.mappings) for iri, path in self.sources.items()}
        read = [*asked.queries, *tables.values(), *self.graphs.values(), *chain(*files.values())]
        read += [one.source.path for one in self.mappings.values()]
        letters = asked.dead_letters if isinstance(asked.dead_letters, Path) else None
        self.check_files(read, {"--dead-letters": letters, **checkpoint.checkpoint_files(asked.checkpoint)})
        self.rows = parameters.given_rows(tables, self.checked)
        if asked.checkpoint is not None:
            checkpoint.check_without(asked.unresumable)
            same = self.given(SAME) | {"--time-property": asked.wire.time_properties}
            same["--map with the texts"] = mappings.texts_of(self.mappings)
            self.keep_checkpoints(asked.checkpoint, same, files)
        self.warn(self.parsed, sources.background_warnings(self.graphs, self.checked, self.ontologies))
        self.hold_files({"--dead-letters": letters})

    @contextmanager
    def errors(self) -> Iterator[None]:
        """See ``Execution``."""
        with options.hints_with_options(), checkpoint.restoring():
            yield

    def begin(self) -> None:
        """See ``Execution``."""
        asked, kept = self.options, self.checkpoints
        streams = asked.mapped({**self.sources, **self.spools}, self.mappings)
        self.running = Run(
            self.checked, streams, self.graphs, asked.lateness, self.late, asked.wire,
            asked.count and asked.limit is None, asked.gpm, self.ontologies, asked.idle, asked.idle_advance,
            asked.follow, state=None if kept is None else kept.state, on_step=None if kept is None else kept.step,
            given=self.rows, sharing=asked.sharing, evaluation=asked.evaluation, bound=self.bound,
        )  # fmt: skip
        self.ctx.call_on_close(self.running.close)  # behind the last checkpoint
        self.running.warns = False
        self.letters = self.ctx.with_resource(dead_letters.open_letters(asked.dead_letters, self.goes_on))
        if self.letters is not None:
            for iri, report in self.running.reports.items():
                comes_again = spools.read_again(iri, self.sources.get(iri, ""), self.spools)
                report.on_skip = self.letters.of(iri, self.goes_on and comes_again)
        self.interrupts = interrupts.RunInterrupts(self.running)
        if asked.checkpoint is not None and asked.sink is None:
            checkpoint.check_format(asked.wanted or "", WRITERS)
        self.begin_checkpoints(self)
        self.counter = printer.open_counter(asked, self.parsed, self.text, self.running.empty)

    def write(self) -> None:
        """See ``Execution``."""
        with self.progress(lambda: _reached(self.running, self.counter)):
            self.take(self.running.merged(), self.counter)

    @property
    def files(self) -> dict[str, IO[Any]]:
        """See ``Execution``."""
        letters = None if self.letters is None else self.letters.file
        return super().files | ({} if letters is None else {"--dead-letters": letters})

    def losses(self) -> list[str]:
        """What was dropped, but for late events that are in a file."""
        has_file = self.options.late is not None
        return [loss.line("--{}") for loss in self.running.losses() if not (has_file and loss.is_late)]

    def statistics(self) -> Mapping[str, Any]:
        """See ``Execution``."""
        return self.running.statistics()

    def end(self) -> None:
        """See ``Execution``."""
        if self.options.count:
            self.text.write(f"{self.counter.counted(self.running.counts)}\n")

    def has_results(self) -> bool:
        """See ``Execution``."""
        return self.counter.full or bool(self.counter.counted(self.running.counts))

    def reasons(self) -> list[str]:
        """Why the queries without results have none."""
        return [reason for query in self.running.statistics()["queries"].values() for reason in query["why"]]

    # ── what a checkpoint asks for ───────────────────────────────────────────────────────────────────────────
    def done(self) -> tuple[int, int]:
        """See ``Checkpointed``."""
        left_out = 0 if self.letters is None else self.letters.count
        return self.running.events + left_out, sum(self.running.counts().values())

    @property
    def can_tell_state(self) -> bool:
        """See ``Checkpointed``."""
        return self.running.can_tell_state

    def state(self) -> RunState:
        """See ``Checkpointed``."""
        if self.letters is not None:
            self.letters.flush()
        return self.running.state()

    def release(self) -> None:
        """See ``Checkpointed``."""
        self.running.release()


def _reached(running: Run, counter: printer.TableCounter) -> progress.Reached:
    time = running.time if running.events else None
    names = {stream.iri: stream.name for query in running.engine.queries.values() for stream in query.streams}
    slowest = names.get(running.held_back_by or "")
    return progress.Reached(running.events, counter.counted(running.counts), time, running.groups, slowest)
