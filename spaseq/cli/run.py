"""``spaseq run``."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TextIO

import click

from spaseq.cli.allocator import give_back_large_blocks
from spaseq.cli.checkpoint import Checkpoints, check_format, check_without, restoring
from spaseq.cli.failures import FAILED, INTERRUPTED
from spaseq.cli.interrupts import Interrupts
from spaseq.cli.late import late_file
from spaseq.cli.notes import notes_options, tell_losses, tell_why
from spaseq.cli.options import (
    Duration,
    checkpoint_options,
    declared_types,
    format_option,
    gpm_option,
    hints_with_options,
    limit_option,
    output_option,
)  # fmt: skip
from spaseq.cli.output import (
    check_declared,
    check_not_read,
    check_times,
    choose_format,
    columns_for,
    open_output,
    shown_queries,
)
from spaseq.cli.progress import Progress, Reached, pace_of
from spaseq.cli.queries import read_queries, show_warnings
from spaseq.cli.sources import background_sources, background_warnings, entailed_graphs, stream_sources
from spaseq.cli.standard import silence_output
from spaseq.engine.run import Run
from spaseq.languages.spaseq import ParsedQuery
from spaseq.languages.spaseq.tree import Prefix
from spaseq.results.formats import FRAMES, WRITERS, Layout, Writer, open_writer
from spaseq.results.table import MatchTable
from spaseq.streams.sources import expand
from spaseq.streams.timestamps import UNITS
from spaseq.streams.wire import TIME_PROPERTIES, WireOptions

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_unit", "idle", "idle_advance", "follow", "format",
)  # fmt: skip


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@click.option(
    "--stream", "streams", metavar="NAME_OR_IRI=PATH", multiple=True,
    help="Where a stream of FROM STREAM comes from: a file (N-Quads or TriG, maybe .gz), a folder, a glob, or - for "
    "standard input.  Repeat it for every stream.",
)  # fmt: skip
@click.option(
    "--kb", "background", metavar="IRI=PATH", multiple=True,
    help="A knowledge graph (RDF in any syntax) that GRAPH <IRI> reads.  Repeat it for every graph.",
)  # fmt: skip
@click.option(
    "--entail", metavar="rdfs[=IRI]", multiple=True,
    help="Events and knowledge graphs have what the knowledge graph IRI (repeatable; without it: all of them) entails "
    "by RDFS: classes, properties, domains and ranges.",
)  # fmt: skip
@format_option(WRITERS)
@output_option
@click.option("--times", is_flag=True, help="csv, tsv, json and xml begin with the times of each match.")
@click.option(
    "--declare", "declared", metavar="VARIABLE=TYPE", multiple=True,
    help="The type of a column of parquet: string, dictionary, int64, double, decimal(p,s), boolean, timestamp or "
    "date.  Repeatable.  [default: one that fits its first 65,536 values]",
)  # fmt: skip
@click.option(
    "--lateness", type=Duration(), default="0s", show_default=True,
    help="How much older than the newest event of its stream an event may be: 500ms, 5s, 2m, 1h.",
)  # fmt: skip
@click.option(
    "--late", type=click.Path(dir_okay=False, path_type=Path),
    help="Write events that came too late to this N-Quads file.",
)  # fmt: skip
@click.option(
    "--idle", type=Duration(),
    help="An event of a pipe, or of a file that is followed, is complete when nothing came for so long.  "
    "[default: that of --idle-advance, else when the next one begins]",
)  # fmt: skip
@click.option(
    "--idle-advance", type=Duration(),
    help="A stream from which nothing came for so long promises the time of the others, so that they go on.",
)  # fmt: skip
@click.option("--follow", is_flag=True, help="Read files on as they grow, and those that replace them, until Ctrl-C.")
@checkpoint_options
@limit_option
@click.option("--count", is_flag=True, help="Print the number of results alone.")
@click.option("--stats", is_flag=True, help="Print statistics as JSON on standard error: also why nothing matched.")
@click.option(
    "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
    help="What a malformed event does: stop the run, or be skipped and counted.",
)  # fmt: skip
@click.option(
    "--time-property", "time_properties", metavar="IRI", multiple=True,
    help="Property that gives an event its time.  Repeatable.  [default: prov:generatedAtTime, sosa:resultTime, "
    "as:published]",
)  # fmt: skip
@click.option(
    "--time-unit", type=click.Choice(list(UNITS)), default="us", show_default=True,
    help="Unit of times that are integers.",
)  # fmt: skip
@gpm_option
@notes_options
@click.pass_context
def run(
    ctx: click.Context,
    queries: tuple[str, ...],
    streams: tuple[str, ...],
    background: tuple[str, ...],
    entail: tuple[str, ...],
    format: str | None,
    output: Path | None,
    times: bool,
    declared: tuple[str, ...],
    lateness: timedelta,
    late: Path | None,
    idle: timedelta | None,
    idle_advance: timedelta | None,
    follow: bool,
    checkpoint: Path | None,
    checkpoint_every: timedelta,
    limit: int | None,
    count: bool,
    stats: bool,
    on_error: str,
    time_properties: tuple[str, ...],
    time_unit: str,
    gpm: str,
    quiet: bool,
    strict: bool,
) -> None:
    """Run queries on streams and print every match as it is decided.

    A query's CONSTRUCT may supply the streams of another.
    """
    give_back_large_blocks()
    parsed = read_queries(queries)
    checked = [each.query for each in parsed]
    properties = tuple(map(_plain_iri, time_properties)) or TIME_PROPERTIES
    options = WireOptions(properties, UNITS[time_unit], on_error == "skip")
    graphs = background_sources(background, checked)
    ontologies = entailed_graphs(entail)
    sources = stream_sources(streams, checked)
    read = [*queries, *graphs.values(), *(file for path in sources.values() for file in expand(path))]
    check_not_read({"--output": output, "--late": late, "--checkpoint": checkpoint}, read)
    checkpoints = None
    if checkpoint is not None:
        check_without({"--limit": limit is not None, "--count": count, "--times": times, "--declare": bool(declared)})
        same = {f"--{name.replace('_', '-')}": ctx.params[name] for name in SAME} | {"--time-property": properties}
        checkpoints = Checkpoints(checkpoint, checkpoint_every, same, sources)
    if not quiet:
        _warn(parsed, background_warnings(graphs, checked, ontologies))
    goes_on = checkpoints is not None and checkpoints.found is not None
    with late_file(late, goes_on) as on_late, open_output(output, goes_on) as text, hints_with_options(), restoring():
        running = Run(
            checked, sources, graphs, lateness, on_late, options, count and limit is None, gpm, ontologies, idle,
            idle_advance, follow, state=None if checkpoints is None else checkpoints.state,
            on_step=None if checkpoints is None else checkpoints.step,
        )  # fmt: skip
        if checkpoints is not None:
            format = format or "jsonl"
            check_format(format, WRITERS)
            late_output = None if on_late is None else on_late.file
            checkpoints.begin(running, {"--late": late_output, "--output": text if output else None})
        running.warns = False
        drain = (
            ResultCounter(limit)
            if count
            else _printer(parsed, format, text, limit, times, declared_types(declared), running)
        )
        hidden = quiet or (text.isatty() and not count)
        try:
            with Progress(lambda: _reached(running, drain), hidden, pace_of(ctx)):
                interrupted = _drain(running, drain)
        finally:
            if checkpoints is not None:
                checkpoints.finish()
            losses = _losses(running, late is not None)
            tell_losses(losses, quiet, strict)
            if stats:
                click.echo(json.dumps(running.statistics(), indent=2, ensure_ascii=False), err=True)
        if count:
            text.write(f"{drain.counted(running)}\n")
    if not (drain.counted(running) or drain.full or quiet or stats):
        tell_why(_why(running), losses, "--stats tells more")
    if interrupted or (losses and strict):
        ctx.exit(INTERRUPTED if interrupted else FAILED)


class ResultCounter:
    """Counts results, up to a limit."""

    def __init__(self, limit: int | None) -> None:
        self.results = 0
        self._limit = limit

    def counted(self, running: Run) -> int:
        """The number of results so far; without a limit, those that nobody made count as well."""
        return self.results if self._limit is not None else sum(running.counts().values())

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self._limit is not None and self.results >= self._limit

    def take(self, table: MatchTable) -> None:
        """Count what the limit allows, and show it."""
        if self._limit is not None:
            table = table[: self._limit - self.results]
        self.results += len(table)
        self.show(table)

    def show(self, table: MatchTable) -> None:
        """Nothing to show."""

    def close(self) -> None:
        """Nothing to end."""


class Printer(ResultCounter):
    """Writes results and hands them on at once."""

    def __init__(self, limit: int | None, writer: Writer, flush: Callable[[], None], shown: frozenset[str]) -> None:
        super().__init__(limit)
        self._writer = writer
        self._flush = flush
        self._shown = shown

    def counted(self, running: Run) -> int:
        """The number of results that were written."""
        return self.results

    def take(self, table: MatchTable) -> None:
        """Write the results of the queries that are shown."""
        if table.query in self._shown:
            super().take(table)

    def show(self, table: MatchTable) -> None:
        """Write and flush."""
        self._writer.write(table)
        self._flush()

    def close(self) -> None:
        """Write what stands at the end."""
        self._writer.close()
        self._flush()


def _printer(
    parsed: list[ParsedQuery], wanted: str | None, output: TextIO, limit: int | None,
    times: bool, types: dict[str, str], running: Run,
) -> Printer:  # fmt: skip
    format = choose_format(wanted, output)
    check_times(format, times)
    check_declared(format, types)
    shown = shown_queries(format, [each.query for each in parsed])
    layout = Layout(columns_for(format, shown), len(parsed) > 1, _prefixes(parsed), times, types)
    writer = open_writer(format, output, layout)
    if format in FRAMES:
        writer.write(running.empty(shown[0].name))  # which columns there are, should there be no match
    return Printer(limit, writer, output.flush, frozenset(query.name for query in shown))


def _drain(running: Run, drain: ResultCounter) -> bool:
    """Take results until there are no more, or enough; whether Ctrl-C ended it.  What is decided gets out anyway."""
    interrupts = Interrupts(running)
    try:
        with interrupts.handled():
            for table in running.tables() if not drain.full else ():
                with interrupts.writing():
                    drain.take(table)
                if drain.full or interrupts.late:
                    break
    finally:
        if interrupts.torn:
            silence_output()  # its reader does not take it
        else:
            drain.close()
    return interrupts.came


def _reached(running: Run, drain: ResultCounter) -> Reached:
    time = running.time if running.events else None
    names = {stream.iri: stream.name for query in running.engine.queries.values() for stream in query.streams}
    slowest = names.get(running.held_back_by or "")
    return Reached(running.events, drain.counted(running), time, running.groups, slowest)


def _prefixes(parsed: list[ParsedQuery]) -> dict[str, str]:
    """The prefixes that the queries declare with absolute IRIs; of two with one name the first counts."""
    found: dict[str, str] = {}
    for declared in (part for each in parsed for part in each.tree.prologue if isinstance(part, Prefix)):
        iri = declared.iri.text.removeprefix("<").removesuffix(">")
        if ":" in iri:
            found.setdefault(declared.name, iri)
    return found


def _warn(parsed: list[ParsedQuery], more: list[str]) -> None:
    for each in parsed:
        show_warnings(each, err=True)
    for text in more:
        click.echo(f"warning: {text}", err=True)


def _losses(running: Run, late_file: bool) -> list[str]:
    """What was dropped, but for late events that are in a file."""
    return [loss.line("--{}") for loss in running.losses() if not (late_file and loss.is_late)]


def _why(running: Run) -> list[str]:
    """Why the queries without results have none."""
    return [reason for query in running.statistics()["queries"].values() for reason in query["why"]]


def _plain_iri(text: str) -> str:
    return text.removeprefix("<").removesuffix(">")
