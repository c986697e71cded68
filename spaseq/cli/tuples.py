"""``spaseq tuples``."""

from __future__ import annotations

import csv
import json
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
from spaseq.cli.languages import reads_as
from spaseq.cli.options import declared_types, hints_with_options
from spaseq.cli.output import check_not_read, choose_format, open_output
from spaseq.cli.queries import about, read_text, show_warnings
from spaseq.errors import OptionError, QuerySyntaxError
from spaseq.languages.ceql import ParsedQuery, parse
from spaseq.languages.spaseq import parse as parse_spaseq

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import Aggregates, Matches

Rows = Iterator[dict[str, Any]]
Layout = tuple[Sequence[str], Callable[[dict[str, Any]], list[str]]]
_FIRST_ROWS, _WIDEST, _GAP = 1000, 40, "   "  # of a table


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
def tuples(
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
) -> None:
    """Run a CEQL query on a table of events and print every match, or its aggregates.

    Positions in results count the events of the table from 0.
    """
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
    show_warnings(parsed, err=True)
    with _told(name), _ended_by_sigterm():
        matches = match(
            parsed, sources, type=type_, relation=relation, time=time, unit=time_unit or "us",
            types=declared_types(declared), csv=csv_format(columns, separator, nulls), stream=stream, on_error=on_error,
        )  # fmt: skip
        with open_output(output) as out:
            if count:
                out.write(f"{_count(matches, limit)}\n")
            else:
                WRITERS[choose_format(format, out)](out, _layout(matches), _rows(matches, limit))
    _sum_up(matches, show_why=not count and limit != 0)


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
    with hints_with_options(), about(name):
        yield


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


def _sum_up(matches: Matches | Aggregates, show_why: bool) -> None:
    if matches.skipped:
        events = "event was" if matches.skipped == 1 else "events were"
        click.echo(f"warning: {matches.skipped:,} {events} left out, whose time falls or is missing", err=True)
    if show_why and not matches.found:
        why = f": no event fits {' or '.join(matches.unmatched)}" if matches.unmatched else ""
        click.echo(f"no results{why}", err=True)


def _count(matches: Matches | Aggregates, limit: int | None) -> int:
    return matches.count() if limit is None else sum(1 for _ in _rows(matches, limit))


def _layout(matches: Matches | Aggregates) -> Layout:
    """The heads of the columns, and for each result their texts."""
    from spaseq.tuples import Aggregates

    if isinstance(matches, Aggregates):
        return matches.schema.names, lambda row: ["" if value is None else str(value) for value in row.values()]
    variables = matches.variables
    return ["start", "end", *variables], lambda row: [str(row["start"]), str(row["end"]), *_cells(row, variables)]


def _rows(matches: Matches | Aggregates, limit: int | None) -> Rows:
    """One result after the other, as it is written in JSON."""
    from spaseq.tuples import Aggregates

    left = limit
    for batch in matches if limit != 0 else ():
        some = batch if left is None else batch.slice(0, left)
        yield from some.to_pylist() if isinstance(matches, Aggregates) else _of_batch(some)
        left = None if left is None else left - some.num_rows
        if left == 0:
            return


def _of_batch(batch: pyarrow.RecordBatch) -> Rows:
    for row in batch.to_pylist():
        (_, start), (_, end), _, *picked = row.items()
        yield {"start": start, "end": end, "picked": {name: held for name, held in picked if held}}


def _write_lines(output: TextIO, layout: Layout, rows: Rows) -> None:
    for row in rows:
        output.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        output.flush()


def _write_csv(output: TextIO, layout: Layout, rows: Rows) -> None:
    heads, cells = layout
    writer = csv.writer(output)
    writer.writerow(heads)
    writer.writerows(map(cells, rows))


def _write_table(output: TextIO, layout: Layout, rows: Rows) -> None:
    """Columns as wide as the first rows want; later ones follow under the same head."""
    heads, cells = layout
    lines = map(cells, rows)
    begin = list(islice(lines, _FIRST_ROWS))
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


WRITERS: dict[str, Callable[[TextIO, Layout, Rows], None]] = {
    "table": _write_table,
    "jsonl": _write_lines,
    "csv": _write_csv,
}
