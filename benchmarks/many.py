"""One V-shape query and a hundred of different thresholds and windows on one stream: cost per event of each.

Run: ``python -m benchmarks.many [events]``.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import interleaved
from spaseq.datasets import workloads
from spaseq.engine.run import Run

QUERY = """
PREFIX stock: <https://spaseq.org/ontology/stock#>
SELECT ?company ?p1 ?p2 ?p3
WITHIN {window} SECONDS SLIDING
FROM STREAM stock <https://spaseq.org/stream/stock>
WHERE {{
  SEQ(A ; B ; C)
  DEFINE GPM A ON stock {{ ?q1 stock:company ?company ; stock:price ?p1 . FILTER(?p1 > {threshold}) }}
  DEFINE GPM B ON stock {{ ?q2 stock:company ?company ; stock:price ?p2 . FILTER(?p2 > ?p1) }}
  DEFINE GPM C ON stock {{ ?q3 stock:company ?company ; stock:price ?p3 . FILTER(?p3 < ?p2 && ?p3 > {threshold}) }}
}}
"""


def queries(count: int) -> dict[str, str]:
    """V shapes above thresholds from 20 to 119, in windows from 20 to 59 seconds."""
    return {
        f"v{number}": QUERY.format(threshold=20 + number * 100 // count, window=20 + number % 40)
        for number in range(count)
    }


def job(stream: Path, count: int) -> Callable[[], int]:
    """Bytes to counted matches of so many queries."""

    def run() -> int:
        running = Run(queries(count), {"stock": str(stream)}, count_only=True)
        for _ in running.tables():
            pass
        return sum(running.counts().values())

    return run


def main(events: int = 50_000) -> None:
    """Print the cost of one and of a hundred."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), events, 1)["stock"]
        one, hundred = job(stream, 1), job(stream, 100)
        seconds = interleaved({"one": one, "hundred": hundred})
        print(f"V shapes over {events:,} events, bytes to matches, one process, CPU time")
        print(f"  one query            {seconds['one'] / events * 1e6:8.2f} µs an event, {one():,} matches")
        print(f"  a hundred queries    {seconds['hundred'] / events * 1e6:8.2f} µs an event, {hundred():,} matches")
        print(f"  a hundred / one      {seconds['hundred'] / seconds['one']:8.2f}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
