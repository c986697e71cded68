"""``spaseq generate``."""

from __future__ import annotations

from pathlib import Path

import click

from spaseq.datasets import Workload, workloads
from spaseq.errors import OptionError
from spaseq.languages.problem import did_you_mean


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
def generate(workload: str, events: int | None, seed: int, out: Path) -> None:
    """Write the streams and the background knowledge of WORKLOAD, and show the commands that query them."""
    chosen = _workload(workload)
    try:
        files = chosen.write(out, events, seed)
    except OSError as error:
        raise OptionError(f"cannot write to {error.filename or out}: {error.strerror}") from None
    for path in files.values():
        click.echo(f"wrote {path}")
    for query in chosen.queries:
        click.echo(chosen.command(query, files))


def _workload(name: str) -> Workload:
    known = workloads()
    if name not in known:
        listed = ", ".join(known)
        raise OptionError(f"no workload is called {name}; {did_you_mean(name, known)} ({listed})")
    return known[name]
