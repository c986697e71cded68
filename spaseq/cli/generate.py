"""``spaseq generate``."""

from __future__ import annotations

from pathlib import Path

import click

from spaseq.cli.failures import cannot_be_written
from spaseq.cli.saying import say
from spaseq.datasets import Table, Workload, tables, workloads
from spaseq.datasets.tables import TABLE_FORMATS
from spaseq.errors import OptionError
from spaseq.text import did_you_mean


@click.command()
@click.argument("workload")
@click.option("--events", type=click.IntRange(min=0), help="Events of all streams together.  [default: 10000]")
@click.option("--seed", type=int, default=0, show_default=True, help="Equal seeds give equal events.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Directory for the files; made if absent.",
)
@click.option("--format", type=click.Choice(TABLE_FORMATS), help="Format of a table.  [default: csv]")
def generate(workload: str, events: int | None, seed: int, out: Path, format: str | None) -> None:
    """Write the streams and the background knowledge of WORKLOAD, or its table, and show the commands that query it."""
    chosen = _workload(workload)
    try:
        files = _write(chosen, out, events, seed, format)
    except OSError as error:
        if cannot_be_written(error):
            raise
        raise OptionError(f"cannot write to {error.filename or out}: {error.strerror}") from None
    for path in files.values():
        say(f"wrote {path}", err=False)
    for query in chosen.queries:
        say(chosen.command(query, files), err=False)


def _write(chosen: Workload | Table, out: Path, events: int | None, seed: int, format: str | None) -> dict[str, Path]:
    if isinstance(chosen, Table):
        return chosen.write(out, events, seed, format or "csv")
    if format is not None:
        raise OptionError(f"{chosen.name} is written as N-Quads; --format {format} is for {', '.join(tables())}")
    return chosen.write(out, events, seed)


def _workload(name: str) -> Workload | Table:
    known: dict[str, Workload | Table] = {**workloads(), **tables()}
    if name not in known:
        listed = ", ".join(known)
        raise OptionError(f"no workload is called {name}; {did_you_mean(name, known)} ({listed})")
    return known[name]
