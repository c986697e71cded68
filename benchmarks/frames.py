"""Matches as Arrow tables and data frames: CPU time a match, beside running the query and beside objects.

The V shape over 100 companies (``benchmarks.v_shape``): a company, three prices and three events a match.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.timing import Job, Preparation, interleaved
from benchmarks.v_shape import EXAMPLES
from spaseq.datasets import workloads
from spaseq.graphs.graph_run import Run
from spaseq.results.frames import all_to_arrow, to_pandas, to_polars
from spaseq.results.table import MatchTable


def matched(stream: Path) -> list[MatchTable]:
    """The tables of a run."""
    return list(Run((EXAMPLES / "v_shape.spaseq").read_text(), {"stock": str(stream)}).tables())


def jobs(stream: Path, tables: list[MatchTable]) -> dict[str, Preparation]:
    """What is measured, by name."""
    frame = all_to_arrow(tables)

    def ready(job: Job) -> Preparation:
        return lambda: job

    return {
        "the run itself, events to tables": ready(lambda: matched(stream)),
        "to_arrow, of all tables": ready(lambda: all_to_arrow(tables)),
        "to_arrow, table by table": ready(lambda: [table.to_arrow() for table in tables]),
        "to_pandas, beyond to_arrow": ready(lambda: to_pandas(frame)),
        "to_polars, beyond to_arrow": ready(lambda: to_polars(frame)),
        "Match objects, with bindings and events": ready(lambda: objects(tables)),
    }


def objects(tables: list[MatchTable]) -> None:
    """Look at every match."""
    for table in tables:
        for match in table:
            _ = match.first, match.bindings, match.events


def main(events: int = 100_000) -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), events, 1)["stock"]
        tables = matched(stream)
        matches = sum(map(len, tables))
        seconds = interleaved(jobs(stream, tables), rounds=5)
        print(f"V shape, {events:,} events, {matches:,} matches in {len(tables)} tables, CPU time of a match")
        for name, each in seconds.items():
            print(f"  {name:<42}{each / matches * 1e6:8.2f} µs")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
