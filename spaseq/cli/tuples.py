"""``spaseq tuples``."""

from __future__ import annotations

import csv
import json
import re
import shlex
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
from rich.cells import cell_len

from spaseq.cli.events import csv_format, event_sources
from spaseq.cli.failures import FAILED
from spaseq.cli.languages import reads_as
from spaseq.cli.notes import notes_options, tell_losses, tell_why
from spaseq.cli.output import check_not_read, choose_format, open_output
from spaseq.cli.progress import Progress, Reached, pace_of
from spaseq.cli.queries import about, read_text, show_warnings
from spaseq.errors import LocatedError, OptionError, QuerySyntaxError
from spaseq.languages.ceql import ParsedQuery, parse
from spaseq.languages.spaseq import parse as parse_spaseq

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import Aggregates, Matches

Rows = Iterator[dict[str, Any]]
Layout = tuple[Sequence[str], Callable[[dict[str, Any]], list[str]]]
_FIRST_ROWS, _WIDEST, _GAP = 1000, 40, "   "  # of a table
_DECLARATION = re.compile(r'\{"(.*?)": "(\w+)"\}')  # as hints write it for Python


@click.command()
@click.argument("query", metavar="QUERY.ceql")
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
    "--time-unit", type=click.Choice(["us", "ms", "s"]), help="Unit of times that are integers.  [default: us]",
)  # fmt: skip
@click.option(
    "--declare", "declared", metavar="COLUMN=TYPE", multiple=True,
    help="The type of a column: int64, double, string, bool or timestamp.  Repeatable.  "
    "[default: that of its first rows]",
)  # fmt: skip
@click.option(
    "--format", type=click.Choice(["table", "jsonl", "csv"]),
    help="Format of the results.  [default: table on a terminal, else jsonl]",
)  # fmt: skip
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the results to this file.")
@click.option("--limit", type=click.IntRange(min=0), help="Stop after this many results.")
@click.option("--count", is_flag=True, help="Print the number of results alone.")
@click.option(
    "--on-error", type=click.Choice(["stop", "skip"]), default="stop", show_default=True,
    help="What an event does whose time falls or is missing: stop the run, or be left out and counted.",
)  # fmt: skip
@notes_options
@click.pass_context
def tuples(
    ctx: click.Context,
    query: str,
    events: tuple[str, ...],
    type_: str | None,
    relation: str | None,
    columns: str | None,
    separator: str | None,
    nulls: tuple[str, ...],
    stream: str | None,
    time: str | None,
    time_unit: str | None,
    declared: tuple[str, ...],
    format: str | None,
    output: Path | None,
    limit: int | None,
    count: bool,
    on_error: str,
    quiet: bool,
    strict: bool,
) -> None:
    """Run a CEQL query on a table of events and print every match, or its aggregates.

    Positions in results count the events of the table from 0.
    """
    from spaseq.streams.sources import may_fall_silent
    from spaseq.tuples import match

    if time_unit is not None and time is None:
        raise OptionError(f"--time-unit {time_unit} is about times: --time says which column has them")
    text, name = read_text(query)
    parsed = _parse(text, name)
    sources = event_sources(events, parsed.query.streams)
    paths = [sources] if isinstance(sources, str) else list(sources.values())
    if [query, *paths].count("-") > 1:
        raise OptionError("the query and the events cannot both come from standard input, nor can several streams")
    check_not_read({"--output": output}, [query, *paths])
    if not quiet:
        show_warnings(parsed, err=True)
    with _told(name), _ended_by_sigterm():
        matches = match(
            parsed, sources, type=type_, relation=relation, time=time, unit=time_unit or "us", types=_types(declared),
            csv=csv_format(columns, separator, nulls), stream=stream, on_error=on_error,
        )  # fmt: skip
        with open_output(output) as out, _progress(ctx, matches, quiet or (out.isatty() and not count)):
            if count:
                out.write(f"{_count(matches, limit)}\n")
            else:
                first = 1 if any(map(may_fall_silent, paths)) else _FIRST_ROWS
                WRITERS[choose_format(format, out)](out, _layout(matches), _rows(matches, limit, out.flush), first)
    _sum_up(ctx, matches, quiet, strict, asked=limit != 0)


def _progress(ctx: click.Context, matches: Matches | Aggregates, hidden: bool) -> Progress:
    return Progress(lambda: Reached(matches.events, matches.found, matches.time), hidden, pace_of(ctx))


def _parse(text: str, name: str) -> ParsedQuery:
    try:
        return parse(text, name)
    except QuerySyntaxError:
        if reads_as(parse_spaseq, text):
            raise OptionError(f"{name} is a query in SPAseq, for streams of graphs: try spaseq run") from None
        raise


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Within, errors are about the query of that name, and their hints have options instead of arguments."""
    try:
        with about(name):
            yield
    except LocatedError as error:
        error.hint = _DECLARATION.sub(lambda found: "--declare " + shlex.quote(f"{found[1]}={found[2]}"), error.hint)
        raise


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Within, SIGTERM is what Ctrl-C is."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are none of this thread's business
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _sum_up(ctx: click.Context, matches: Matches | Aggregates, quiet: bool, strict: bool, asked: bool) -> None:
    """Say what was dropped, and why there is no result if one was ``asked`` for."""
    losses = [loss.line("--{}") for loss in matches.losses()]
    tell_losses(losses, quiet, strict)
    if asked and not matches.found and not quiet:
        tell_why([f"no event fits {' or '.join(matches.unmatched)}"] if matches.unmatched else [])
    if losses and strict:
        ctx.exit(FAILED)


def _types(declared: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in declared:
        column, sign, type_ = one.rpartition("=")
        if not (sign and column and type_):
            raise OptionError(f"--declare {one}: write COLUMN=TYPE, as in price=double")
        found[column] = type_
    return found


def _count(matches: Matches | Aggregates, limit: int | None) -> int:
    return matches.count() if limit is None else sum(1 for _ in _rows(matches, limit, lambda: None))


def _layout(matches: Matches | Aggregates) -> Layout:
    """The heads of the columns, and for each result their texts."""
    from spaseq.tuples import Aggregates

    if isinstance(matches, Aggregates):
        return matches.schema.names, lambda row: ["" if value is None else str(value) for value in row.values()]
    variables = matches.variables
    return ["start", "end", *variables], lambda row: [str(row["start"]), str(row["end"]), *_cells(row, variables)]


def _rows(matches: Matches | Aggregates, limit: int | None, flush: Callable[[], None]) -> Rows:
    """One result after the other, as it is written in JSON; what is written is flushed before events are read."""
    from spaseq.tuples import Aggregates

    left = limit
    for batch in matches if limit != 0 else ():
        some = batch if left is None else batch.slice(0, left)
        yield from some.to_pylist() if isinstance(matches, Aggregates) else _of_batch(some)
        left = None if left is None else left - some.num_rows
        if left == 0:
            return
        flush()


def _of_batch(batch: pyarrow.RecordBatch) -> Rows:
    for row in batch.to_pylist():
        (_, start), (_, end), _, *picked = row.items()
        yield {"start": start, "end": end, "picked": {name: held for name, held in picked if held}}


def _write_lines(output: TextIO, layout: Layout, rows: Rows, first: int) -> None:
    for row in rows:
        output.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        output.flush()


def _write_csv(output: TextIO, layout: Layout, rows: Rows, first: int) -> None:
    heads, cells = layout
    writer = csv.writer(output)
    writer.writerow(heads)
    writer.writerows(map(cells, rows))


def _write_table(output: TextIO, layout: Layout, rows: Rows, first: int) -> None:
    """Columns as wide as the ``first`` rows want; later ones follow under the same head."""
    heads, cells = layout
    lines = map(cells, rows)
    begin = list(islice(lines, first))
    if not begin:
        return
    widths = [min(_WIDEST, max(map(cell_len, column))) for column in zip(heads, *begin, strict=True)]
    output.write(_line(heads, widths) + "─" * (sum(widths) + len(_GAP) * (len(widths) - 1)) + "\n")
    for line in chain(begin, lines):
        output.write(_line(line, widths))


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True))
    return _GAP.join(padded).rstrip() + "\n"


def _cells(row: dict[str, Any], variables: Sequence[str]) -> list[str]:
    return [" ".join(map(str, row["picked"].get(name, ()))) for name in variables]


WRITERS: dict[str, Callable[[TextIO, Layout, Rows, int], None]] = {
    "table": _write_table,
    "jsonl": _write_lines,
    "csv": _write_csv,
}
