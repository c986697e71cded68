"""``spaseq tuples``."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from spaseq.cli.checkpoint import restoring
from spaseq.cli.events import csv_format, event_sources
from spaseq.cli.failures import FAILED
from spaseq.cli.languages import reads_as
from spaseq.cli.locks import outputs_held
from spaseq.cli.misplaced import STDIN
from spaseq.cli.notes import notes_options, tell_losses, tell_why
from spaseq.cli.options import (
    checkpoint_options,
    declared_types,
    format_option,
    hints_with_options,
    limit_option,
    output_option,
)  # fmt: skip
from spaseq.cli.output import check_not_read, choose_format, open_output
from spaseq.cli.progress import Progress, Reached, pace_of
from spaseq.cli.queries import about, each_query, read_text, show_warnings
from spaseq.cli.resuming import checkpoint_files, checkpoint_held
from spaseq.cli.signals import handled
from spaseq.cli.tuple_output import limited, write_results
from spaseq.cli.tuple_run import Resumable, check_options
from spaseq.errors import LocatedError, Location, OptionError, QuerySyntaxError
from spaseq.languages.ceql import ParsedFormulaQuery, parse
from spaseq.languages.spaseq import parse as parse_spaseq
from spaseq.memory import give_back_large_blocks
from spaseq.results.formats import BLOCKS
from spaseq.text import on_one_line

if TYPE_CHECKING:
    from spaseq.tuples import ManyMatches
    from spaseq.tuples.streams import ReadingOptions


@click.command()
@click.argument("queries", metavar="QUERY.ceql...", nargs=-1, required=True)
@click.option(
    "--events", metavar="[STREAM=]PATH", required=True, multiple=True,
    help="The events in their order: a CSV file (maybe .gz) with a header, a Parquet file, or - for CSV from standard "
    "input.  Repeat it for every stream of FROM, with its name; they are merged by time.",
)  # fmt: skip
@click.option("--type", "type_", metavar="COLUMN", help="The column with the types of the events.  [default: type]")
@click.option("--relation", metavar="TYPE", help="All events are of this type; there is no such column.")
@click.option(
    "--columns", metavar="NAME,NAME,…", help="The columns of a CSV file; its first line is an event, too.",
)  # fmt: skip
@click.option(
    "--separator",
    metavar="CHARACTER",
    help="What separates the values of a CSV file: tab, or a character.  [default: ,]",
)
@click.option(
    "--null", "nulls", metavar="TEXT", multiple=True,
    help="An unquoted value of a CSV file that is NULL.  Repeatable.  [default: the empty one]",
)  # fmt: skip
@click.option("--stream", metavar="COLUMN", help="The column with the streams of the events.")
@click.option("--time", metavar="COLUMN", help="The column with their times, for windows of time.")
@click.option(
    "--time-unit", type=click.Choice(["us", "ms", "s"]), help="Unit of times that are numbers.  [default: us]",
)  # fmt: skip
@click.option(
    "--time-format", metavar="FORM",
    help='The form of times that are texts, as Python\'s strptime has it: "%d.%m.%Y %H:%M".',
)  # fmt: skip
@click.option(
    "--declare", "declared", metavar="COLUMN=TYPE", multiple=True,
    help="The type of a column: int64, double, string, bool or timestamp.  Repeatable.  "
    "[default: that of its first rows]",
)  # fmt: skip
@format_option(BLOCKS)
@click.option(
    "--totals", type=click.Choice(["int64", "decimal", "double"]), default="int64", show_default=True,
    help="The type of COUNT, and of SUM of integers: decimal has 38 digits, double is not exact.",
)  # fmt: skip
@output_option
@limit_option
@click.option("--count", is_flag=True, help="Print the number of results alone; of several queries a line each.")
@click.option(
    "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
    help="What an event does whose time falls, is missing or malformed: stop the run, or be left out and counted.",
)  # fmt: skip
@checkpoint_options
@notes_options
@click.pass_context
def tuples(
    ctx: click.Context,
    queries: tuple[str, ...],
    events: tuple[str, ...],
    type_: str | None,
    relation: str | None,
    columns: str | None,
    separator: str | None,
    nulls: tuple[str, ...],
    stream: str | None,
    time: str | None,
    time_unit: str | None,
    time_format: str | None,
    declared: tuple[str, ...],
    format: str | None,
    totals: str,
    output: Path | None,
    limit: int | None,
    count: bool,
    on_error: str,
    checkpoint: Path | None,
    checkpoint_every: timedelta,
    quiet: bool,
    strict: bool,
) -> None:
    """Run CEQL queries on a table of events and print every match, or its aggregates.

    Positions in results count the events of the table from 0.  Several queries read the events once.
    """
    give_back_large_blocks()
    from spaseq.sources.files import may_fall_silent
    from spaseq.tuples.streams import ReadingOptions

    _check_times(time, time_unit, time_format)
    parsed = each_query(queries, _read)
    files = {name: STDIN if path == "-" else path for name, path in zip(parsed, queries, strict=True)}
    sources = event_sources(events, [stream for each in parsed.values() for stream in each.query.streams])
    paths = [sources] if isinstance(sources, str) else list(sources.values())
    if [*queries, *paths].count("-") > 1:
        raise OptionError("the query and the events cannot both come from standard input, nor can several streams")
    check_not_read({"--output": output, **checkpoint_files(checkpoint)}, [*queries, *paths])
    for each in parsed.values() if not quiet else ():
        show_warnings(each, err=True)
    reading = ReadingOptions(
        type_, relation, time, time_unit or "us", declared_types(declared), csv_format(columns, separator, nulls),
        on_error == "skip", time_format, stream, totals,
    )  # fmt: skip
    resumable = None
    if checkpoint is not None:
        check_options(format, limit, count)
        format = "jsonl"
        ctx.with_resource(checkpoint_held(checkpoint))
        same = {
            "--type": type_, "--relation": relation, "--columns": columns, "--separator": separator, "--null": nulls,
            "--stream": stream, "--time": time, "--time-unit": time_unit, "--time-format": time_format,
            "--declare": declared, "--on-error": on_error, "--totals": totals, "--output": output,
        }  # fmt: skip
        resumable = Resumable(checkpoint, checkpoint_every, same, sources)
    goes_on = resumable is not None and resumable.goes_on
    ctx.with_resource(outputs_held({"--output": output}))
    with _told(files), handled({signal.SIGTERM: signal.default_int_handler}), restoring():  # SIGTERM is what Ctrl-C is
        matches = _matches(parsed, sources, reading, resumable)
        with (
            open_output(output, goes_on) as out,
            _written(resumable, matches, out if output else None),
            _progress(ctx, matches, quiet or (out.isatty() and not count)),
        ):
            if count:
                out.write(_counts(matches, limit))
            else:
                write_results(choose_format(format, out), out, matches, limit, any(map(may_fall_silent, paths)))
    _sum_up(ctx, matches, quiet, strict, asked=limit != 0)


def _matches(
    parsed: Mapping[str, ParsedFormulaQuery],
    sources: str | dict[str, str],
    reading: ReadingOptions,
    resumable: Resumable | None,
) -> ManyMatches:
    """The results, from the beginning or from the checkpoint on."""
    from spaseq.tuples import match

    if resumable is not None:
        return resumable.matches(parsed, reading)
    return match(
        parsed, sources, type=reading.type, relation=reading.relation, time=reading.time, unit=reading.unit,
        time_format=reading.form, types=reading.types, csv=reading.csv, stream=reading.stream,
        on_error="skip" if reading.skip else "stop", totals=reading.totals,
    )  # fmt: skip


def _written(resumable: Resumable | None, matches: ManyMatches, output: TextIO | None) -> AbstractContextManager[None]:
    """Within, results are written, and checkpoints if they are asked for."""
    return nullcontext() if resumable is None else resumable.written(matches, output)


def _progress(ctx: click.Context, matches: ManyMatches, hidden: bool) -> Progress:
    return Progress(lambda: Reached(matches.events, matches.found, matches.time), hidden, pace_of(ctx))


def _check_times(time: str | None, unit: str | None, form: str | None) -> None:
    for option, value in (("--time-unit", unit), ("--time-format", form)):
        if value is not None and time is None:
            raise OptionError(f"{option} {value} is about times: --time says which column has them")
    if unit is not None and form is not None:
        raise OptionError("times are integers (--time-unit) or texts (--time-format), not both")


def _read(path: str) -> ParsedFormulaQuery:
    text, name = read_text(path)
    try:
        return parse(text, name)
    except QuerySyntaxError:
        if reads_as(parse_spaseq, text):
            raise OptionError(f"{name} is a query in SPAseq, for streams of graphs: try spaseq run") from None
        raise


@contextmanager
def _told(files: Mapping[str, str]) -> Iterator[None]:
    """Within, errors about queries name their files, and their hints have options instead of arguments."""
    (first, *others) = files.values()
    with hints_with_options(), _about_files(files), nullcontext() if others else about(first):
        yield


@contextmanager
def _about_files(files: Mapping[str, str]) -> Iterator[None]:
    """Within, errors about queries by name are about their files."""
    try:
        yield
    except LocatedError as error:
        if not error.line and error.location.path in files:
            error.location = Location(files[error.location.path])
        raise


def _sum_up(ctx: click.Context, matches: ManyMatches, quiet: bool, strict: bool, asked: bool) -> None:
    """Say what was dropped, and why there is no result if one was ``asked`` for."""
    losses = list(dict.fromkeys(loss.line("--{}") for name in matches.forms for loss in matches.losses(name)))
    tell_losses(losses, quiet, strict)
    if asked and not matches.found and not quiet:
        missing = [matches.unmatched(name) for name in matches.forms]
        tell_why(f"no event fits {' or '.join(names)}" for names in missing if names)
    if losses and strict:
        ctx.exit(FAILED)


def _counts(matches: ManyMatches, limit: int | None) -> str:
    """The number of results; of several queries a line each."""
    counts = matches.counts() if limit is None else _limited_counts(matches, limit)
    if len(counts) == 1:
        return "".join(f"{count}\n" for count in counts.values())
    return "".join(f"{on_one_line(name)} {count}\n" for name, count in counts.items())


def _limited_counts(matches: ManyMatches, limit: int) -> dict[str, int]:
    counts = dict.fromkeys(matches.forms, 0)
    for name, batch in limited(matches, limit):
        counts[name] += batch.num_rows
    return counts
