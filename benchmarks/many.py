"""One V-shape query and a hundred of different thresholds and windows on one stream: cost per event of each.

Run: ``python -m benchmarks.many [events]``.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from spaseq.datasets import workloads
from spaseq.graphs.graph_run import Run
from spaseq.languages.spaseq import parse
from spaseq.pattern.sequences import Query

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


def queries(count: int) -> dict[str, Query]:
    """V shapes above thresholds from 41 to 160, evenly over all prices, in windows from 20 to 59 seconds."""
    return {
        f"v{number}": parse(QUERY.format(threshold=41 + number * 119 / count, window=20 + number % 40)).query
        for number in range(count)
    }


def seconds(stream: Path, count: int) -> tuple[float, int]:
    """CPU seconds from bytes to counted matches of so many queries, which are registered before; and the matches."""
    running = Run(queries(count), {"stock": str(stream)}, count_only=True)
    started = time.process_time()
    for _ in running.tables():
        pass
    return time.process_time() - started, sum(running.counts().values())


def main(events: int = 50_000, rounds: int = 3) -> None:
    """Print the cost of one and of a hundred: medians of runs in turn."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["stocks"].write(Path(folder), events, 1)["stock"]
        runs = [(seconds(stream, 1), seconds(stream, 100)) for _ in range(rounds)]
        one, hundred = (statistics.median(run[which][0] for run in runs) / events * 1e6 for which in (0, 1))
        print(f"V shapes over {events:,} events, bytes to matches, one process, CPU time")
        print(f"  one query            {one:8.2f} µs an event, {runs[0][0][1]:,} matches")
        print(f"  a hundred queries    {hundred:8.2f} µs an event, {runs[0][1][1]:,} matches")
        print(f"  a hundred / one      {hundred / one:8.2f}")


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
