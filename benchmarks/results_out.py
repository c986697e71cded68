"""Results out of an engine: CPU time of a match in frames, as types and as terms, of tables of several sizes.

Tables are new in each round, since their names are decoded once.  ``python -m benchmarks.results_out EVENTS CHECKOUT``
also measures what another checkout of this project has, which is built, in turns with this one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

import spaseq
from benchmarks.push import V_SHAPE, stock_events
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.results.table import MatchTable
from spaseq.streams import Event

STREAM = "https://spaseq.org/stream/stock"
BATCHES = (20_000, 3_000)  # events that are pushed together
Make = Callable[[MatchTable], object]
WAYS: dict[str, Make] = {
    "to_arrow()": lambda table: table.to_arrow(),
    'to_arrow(terms="ntriples")': lambda table: table.to_arrow(terms="ntriples"),
    "to_pandas()": lambda table: table.to_pandas(),
}
BEFORE = {name: "to_pandas()" if "pandas" in name else "to_arrow()" for name in WAYS}  # what it is compared with
Figures = dict[str, float]  # by way: microseconds of a match


def events(count: int) -> list[Event]:
    """Quotes with their names."""
    return [Event(STREAM, time, str(quads[0].graph_name)[1:-1], quads) for time, quads in stock_events(count)]


def tables_of(given: list[Event], batch: int) -> list[MatchTable]:
    """The tables of the V shape."""
    engine = spaseq.Engine()
    engine.register(V_SHAPE)
    starts = range(0, len(given), batch)
    return [table for start in starts for table in engine.push_events(given[start : start + batch])]


def ready(make: Make, given: list[Event], batch: int) -> Preparation:
    """New tables, made into something."""

    def prepared() -> Job:
        tables = tables_of(given, batch)
        return lambda: [make(table) for table in tables]

    return prepared


def measured(given: list[Event], batch: int, names: Iterable[str], rounds: int = 3) -> Figures:
    """The figures of some ways."""
    matches = sum(map(len, tables_of(given, batch)))
    seconds = interleaved({name: ready(WAYS[name], given, batch) for name in names}, rounds)
    return {name: each / matches * 1e6 for name, each in seconds.items()}


def elsewhere(checkout: Path, count: int) -> dict[int, Figures]:
    """The figures of another checkout, by size of batch."""
    own = checkout / ".venv" / "bin" / "python"
    command = [str(own) if own.exists() else sys.executable, __file__, str(count), "-"]
    found = subprocess.run(
        command, cwd=checkout, env={**os.environ, "PYTHONPATH": str(checkout)}, check=True, capture_output=True
    )
    return {int(batch): each for batch, each in json.loads(found.stdout).items()}


def main(count: int | str = 40_000, checkout: str = "") -> None:
    """Print all figures, and ratios to those of the other checkout."""
    given = events(int(count))
    if checkout == "-":  # asked by another one
        print(json.dumps({batch: measured(given, batch, {*BEFORE.values()}) for batch in BATCHES}))
        return
    before: list[dict[int, Figures]] = []
    found: dict[int, list[Figures]] = {batch: [] for batch in BATCHES}
    for _ in range(3 if checkout else 1):
        before += [elsewhere(Path(checkout).resolve(), int(count))] if checkout else []
        for batch in BATCHES:
            found[batch].append(measured(given, batch, list(WAYS)))
    for batch in BATCHES:
        _print(tables_of(given, batch), medians(found[batch]), medians([one[batch] for one in before]))


def medians(found: list[Figures]) -> Figures:
    """Of each way."""
    return {name: median(one[name] for one in found) for name in found[0]} if found else {}


def _print(tables: list[MatchTable], found: Figures, before: Figures) -> None:
    print(f"V shape, {sum(map(len, tables)):,} matches in {len(tables)} tables, CPU time of a match")
    for name, each in found.items():
        other = BEFORE[name]
        ratio = f"   {before[other]:.2f} µs of {other} there: {before[other] / each:.1f} times" if before else ""
        print(f"  {name:<30}{each:8.2f} µs{ratio}")


if __name__ == "__main__":
    main(*sys.argv[1:])
