"""Resident memory while millions of trades go through a query in CEQL: P3 in a window of ten seconds.

Run: ``python -m benchmarks.memory_tuples [events]``; the exit code is 1 if memory grew by more than a tenth after the
warm-up; likewise with another query, in partitions of which each has one event.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

import pyarrow

from benchmarks.ceql import steps
from benchmarks.memory import resident
from spaseq.datasets import tables
from spaseq.tuples import match

WARM_UP, EVERY = 400_000, 1_000_000  # trades
WINDOW = " WITHIN 10 SECONDS"
PARTITIONED = "SELECT * FROM Stock WHERE SELL AS a ; BUY AS b PARTITION BY id" + WINDOW


def measured(events: int, every: int, sizes: list[float]) -> Iterator[pyarrow.RecordBatch]:
    """Trades; after every so many the memory is added to ``sizes`` and printed."""
    started, seen = time.monotonic(), 0
    for batch in tables()["trades"].batches(events, seed=1):
        seen += batch.num_rows
        yield batch
        if seen // every > len(sizes):
            sizes.append(resident(os.getpid()))
            print(f"  {seen:>12,} {sizes[-1]:8.1f}  {time.monotonic() - started:6.0f} s", flush=True)


def growth(title: str, query: str, events: int) -> float:
    """The most memory after the warm-up, by the most until then."""
    sizes: list[float] = []
    every = max(1, min(EVERY, events // 5))
    print(f"{title}, {events:,} trades; resident memory in MB")
    found = match(query, measured(events, every, sizes), type="event_type", time="stock_time", unit="ms").count()
    warm = max(1, min(WARM_UP // every, len(sizes) - 1))
    grown = max(sizes[warm:], default=sizes[0]) / max(sizes[:warm])
    print(f"  matches {found:,}; most after {warm * every:,} trades / most until then: {grown:.3f}")
    return grown


def main(events: int = 20_000_000) -> int:
    """Print the memory now and then; 0 if neither query needed more and more."""
    grown = growth("P3 in 10 s", steps(3) + WINDOW, events)
    apart = growth("partitions of one trade each", PARTITIONED, min(events, 2_000_000))
    return int(max(grown, apart) > 1.1)


if __name__ == "__main__":
    sys.exit(main(*(int(one) for one in sys.argv[1:])))
