"""Doors into an engine: CPU of the same events as rows of Arrow and as items of a batch, and of making such rows.

Events of six triples as ``spaseq generate stocks`` makes them, the V shape of examples/stocks.  Ratios within one run,
medians of interleaved rounds.  Run: ``python -m benchmarks.doors [events]``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pyarrow

import spaseq
from benchmarks.push import V_SHAPE, as_bytes, stock_events
from benchmarks.timing import Job, Preparation, interleaved
from spaseq.graphs.arrow_rows import read_rows

Items = list[tuple[int, bytes, str]]  # time, triples and name of each event


def into(push: Callable[[spaseq.Engine], int]) -> Preparation:
    """Push to a fresh engine, and count the matches."""

    def prepare() -> Job:
        engine = spaseq.Engine()
        engine.register(V_SHAPE)
        return lambda: push(engine)

    return prepare


def rows(items: Items) -> pyarrow.Table:
    """The events as rows."""
    times, graphs, names = zip(*items, strict=True)
    return pyarrow.table({"stream": ["stock"] * len(items), "time": times, "event": names, "graph": graphs})


def encoded(table: pyarrow.Table) -> Preparation:
    """Rows of events that are there as columns, pruned."""

    def prepare() -> Job:
        engine = spaseq.Engine()
        engine.register(V_SHAPE)
        (events,) = read_rows(engine.core, table, False)
        return lambda: (events.to_arrow(), engine)

    return prepare


def jobs(items: Items) -> dict[str, Preparation]:
    """What is measured, by its name."""
    table, batch = rows(items), [*items]
    return {
        "Events.to_arrow, pruned": encoded(table),
        "push_batch": into(lambda engine: len(engine.push_batch("stock", batch))),
        "push_arrow": into(lambda engine: sum(map(len, engine.push_arrow(table)))),
    }


def main(events: int = 20_000) -> None:
    """Print all figures."""
    quads: Any = stock_events(events)
    items = [(time, as_bytes(quad.triple for quad in some), some[0].graph_name.value) for time, some in quads]
    size = sum(len(graph) for _, graph, _ in items) / events
    seconds = interleaved(jobs(items))
    print(f"doors into an engine, {events:,} events of 6 triples and {size:.0f} bytes, CPU time")
    for name, one in seconds.items():
        ratio = seconds["push_batch"] / one
        print(f"  {name:<46}{one / events * 1e6:8.2f} µs an event{ratio:8.1f} times as fast as push_batch")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
