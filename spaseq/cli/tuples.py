"""``spaseq tuples``."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from spaseq.cli.output import check_not_read, choose_format, open_output
from spaseq.cli.queries import read_text, show_warnings
from spaseq.errors import OptionError
from spaseq.languages.ceql import parse

if TYPE_CHECKING:
    import pyarrow

    from spaseq.tuples import Matches

Rows = Iterator[dict[str, Any]]


@click.command()
@click.argument("query", metavar="QUERY.ceql")
@click.option(
    "--events", metavar="PATH", required=True,
    help="The events in their order: a CSV file (maybe .gz) with a header, or a Parquet file.",
)  # fmt: skip
@click.option("--type", "type_", metavar="COLUMN", help="The column with the types of the events.  [default: type]")
@click.option("--relation", metavar="TYPE", help="All events are of this type; there is no such column.")
@click.option("--time", metavar="COLUMN", help="The column with their times.  [default: their positions]")
@click.option(
    "--time-unit", type=click.Choice(["us", "ms", "s"]), default="us", show_default=True,
    help="Unit of times that are integers.",
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
    help="What an event whose time falls does: stop the run, or be left out and counted.",
)  # fmt: skip
def tuples(
    query: str,
    events: str,
    type_: str | None,
    relation: str | None,
    time: str | None,
    time_unit: str,
    declared: tuple[str, ...],
    format: str | None,
    output: Path | None,
    limit: int | None,
    count: bool,
    on_error: str,
) -> None:
    """Run a CEQL query on a table of events and print every match.

    Positions in results count the events of the table from 0.
    """
    from spaseq.tuples import match

    text, name = read_text(query)
    parsed = parse(text, name)
    check_not_read({"--output": output}, [query, events])
    show_warnings(parsed, err=True)
    matches = match(
        parsed, events, type=type_, relation=relation, time=time, unit=time_unit, types=_types(declared),
        on_error=on_error,
    )  # fmt: skip
    with open_output(output) as out:
        if count:
            out.write(f"{_count(matches, limit)}\n")
        else:
            WRITERS[choose_format(format, out)](out, matches.variables, _rows(matches, limit))
    if matches.skipped:
        click.echo(f"warning: {matches.skipped:,} events were left out, since their time falls", err=True)


def _types(declared: Sequence[str]) -> dict[str, str]:
    found = {}
    for one in declared:
        column, sign, type_ = one.rpartition("=")
        if not sign:
            raise OptionError(f"--declare {one}: write COLUMN=TYPE, as in price=double")
        found[column] = type_
    return found


def _count(matches: Matches, limit: int | None) -> int:
    return matches.count() if limit is None else sum(1 for _ in _rows(matches, limit))


def _rows(matches: Matches, limit: int | None) -> Rows:
    """One result after the other."""
    left = limit
    for batch in matches if limit != 0 else ():
        some = batch if left is None else batch.slice(0, left)
        yield from _of_batch(some)
        left = None if left is None else left - some.num_rows
        if left == 0:
            return


def _of_batch(batch: pyarrow.RecordBatch) -> Rows:
    for row in batch.to_pylist():
        start, end = row.pop("start"), row.pop("end")
        row.pop("positions")
        yield {"start": start, "end": end, "picked": {name: held for name, held in row.items() if held}}


def _write_lines(output: TextIO, variables: Sequence[str], rows: Rows) -> None:
    for row in rows:
        output.write(json.dumps(row, ensure_ascii=False) + "\n")
        output.flush()


def _write_csv(output: TextIO, variables: Sequence[str], rows: Rows) -> None:
    writer = csv.writer(output)
    writer.writerow(["start", "end", *variables])
    for row in rows:
        writer.writerow([row["start"], row["end"], *_cells(row, variables)])


def _write_table(output: TextIO, variables: Sequence[str], rows: Rows) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("start", "end", *variables, box=None, pad_edge=False)
    for row in rows:
        table.add_row(str(row["start"]), str(row["end"]), *_cells(row, variables))
    Console(file=output, highlight=False).print(table)


def _cells(row: dict[str, Any], variables: Sequence[str]) -> list[str]:
    return [" ".join(map(str, row["picked"].get(name, ()))) for name in variables]


WRITERS: dict[str, Callable[[TextIO, Sequence[str], Rows], None]] = {
    "table": _write_table,
    "jsonl": _write_lines,
    "csv": _write_csv,
}
