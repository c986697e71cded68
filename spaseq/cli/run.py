"""``spaseq run``."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click

from spaseq.cli.checkpoint import Checkpoints, check_format, check_without, restoring
from spaseq.cli.failures import FAILED, INTERRUPTED
from spaseq.cli.interrupts import Interrupts
from spaseq.cli.late import late_file
from spaseq.cli.locks import outputs_held
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
from spaseq.cli.output import check_not_read, open_output
from spaseq.cli.printing import ResultCounter, open_printer
from spaseq.cli.progress import Progress, Reached, pace_of
from spaseq.cli.queries import read_queries, show_warnings
from spaseq.cli.resuming import checkpoint_files, checkpoint_held
from spaseq.cli.saying import say
from spaseq.cli.sources import background_sources, background_warnings, entailed_graphs, stream_sources
from spaseq.cli.standard import silence_output
from spaseq.cli.stream_options import (
    count_option,
    declare_option,
    entail_option,
    follow_option,
    idle_option,
    kb_option,
    late_option,
    lateness_option,
    on_error_option,
    stats_option,
    stream_option,
    time_property_option,
    time_unit_option,
    times_option,
)
from spaseq.graphs.graph_run import Run
from spaseq.languages.spaseq import ParsedQuery
from spaseq.memory import give_back_large_blocks
from spaseq.results.formats import WRITERS
from spaseq.sources.rdf.files import expand
from spaseq.sources.rdf.wire import TIME_PROPERTIES, WireOptions
from spaseq.streams.timestamps import UNITS
from spaseq.text import json_text

SAME = (  # options of which a run that goes on must have those of before
    "lateness", "late", "output", "on_error", "entail", "time_unit", "idle", "idle_advance", "follow", "format",
)  # fmt: skip


@click.command()
@click.argument("queries", metavar="QUERY...", nargs=-1, required=True)
@stream_option
@kb_option
@entail_option
@format_option(WRITERS)
@output_option
@times_option
@declare_option
@lateness_option
@late_option
@idle_option("that of --idle-advance, else when the next one begins")
@click.option(
    "--idle-advance", type=Duration(),
    help="A stream from which nothing came for so long promises the time of the others, so that they go on.",
)  # fmt: skip
@follow_option
@checkpoint_options
@limit_option
@count_option
@stats_option
@on_error_option
@time_property_option
@time_unit_option
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
    check_not_read({"--output": output, "--late": late, **checkpoint_files(checkpoint)}, read)
    checkpoints = None
    if checkpoint is not None:
        check_without({"--limit": limit is not None, "--count": count, "--times": times, "--declare": bool(declared)})
        ctx.with_resource(checkpoint_held(checkpoint))
        same = {f"--{name.replace('_', '-')}": ctx.params[name] for name in SAME} | {"--time-property": properties}
        checkpoints = Checkpoints(checkpoint, checkpoint_every, same, sources)
    if not quiet:
        _warn(parsed, background_warnings(graphs, checked, ontologies))
    goes_on = checkpoints is not None and checkpoints.found is not None
    ctx.with_resource(outputs_held({"--output": output, "--late": late}))
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
            else open_printer(parsed, format, text, limit, times, declared_types(declared), running.empty)
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
                say(json_text(running.statistics(), indent=2))
        if count:
            text.write(f"{drain.counted(running.counts)}\n")
    if not (drain.counted(running.counts) or drain.full or quiet or stats):
        tell_why(_why(running), losses, "--stats tells more")
    if interrupted or (losses and strict):
        ctx.exit(INTERRUPTED if interrupted else FAILED)


def _drain(running: Run, drain: ResultCounter) -> bool:
    """Take results until there are no more, or enough; whether Ctrl-C ended it.  What is decided gets out anyway."""
    interrupts = Interrupts(running)
    try:
        with interrupts.handled():
            for some in running.merged() if not drain.full else ():
                with interrupts.writing():
                    drain.take(some)
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
    return Reached(running.events, drain.counted(running.counts), time, running.groups, slowest)


def _warn(parsed: list[ParsedQuery], more: list[str]) -> None:
    for each in parsed:
        show_warnings(each, err=True)
    for text in more:
        say(f"warning: {text}")


def _losses(running: Run, late_file: bool) -> list[str]:
    """What was dropped, but for late events that are in a file."""
    return [loss.line("--{}") for loss in running.losses() if not (late_file and loss.is_late)]


def _why(running: Run) -> list[str]:
    """Why the queries without results have none."""
    return [reason for query in running.statistics()["queries"].values() for reason in query["why"]]


def _plain_iri(text: str) -> str:
    return text.removeprefix("<").removesuffix(">")
