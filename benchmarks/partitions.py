"""PARTITION BY: runs of rising amounts per card, from N-Quads to matches, beside the same with ``?card = PREV(?card)``.

``SEQ(Rise;{3,})`` on generated purchases, and on purchases each of which has a card of its own: then memory, counted
as what the matcher keeps, must not grow with the stream.  Prints events a second, and what is kept.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import spaseq
from benchmarks.patterns import parse_alone
from benchmarks.timing import Job, Preparation, interleaved, rate
from spaseq.datasets import workloads
from spaseq.graphs.graph_run import Run

BOUND = 100_000  # events a second
GROWS = "?amount > PREV(?amount)"
WAYS = {
    "PARTITION BY ?card": ("PARTITION BY ?card", f"!BOUND(PREV(?amount)) || {GROWS}", "1 HOUR SLIDING", ";"),
    "?card = PREV(?card)": ("", f"!BOUND(PREV(?amount)) || (?card = PREV(?card) && {GROWS})", "1 HOUR SLIDING", ";"),
    "PARTITION BY, the very next": ("PARTITION BY ?card", f"!BOUND(PREV(?amount)) || {GROWS}", "1 HOUR SLIDING", ","),
    "PARTITION BY, EVENTS": ("PARTITION BY ?card", f"!BOUND(PREV(?amount)) || {GROWS}", "10 EVENTS SLIDING", ";"),
}


def query(partition: str, condition: str, window: str, operator: str) -> str:
    """Three or more purchases with one card, each dearer than the one before."""
    return f"""PREFIX card: <https://spaseq.org/ontology/card#>
        SELECT ?card (COUNT(?amount) AS ?times) WITHIN {window}
        FROM STREAM purchases <https://spaseq.org/stream/card/purchases> {partition}
        WHERE {{ SEQ(Rise{operator}{{3,}}) DEFINE GPM Rise ON purchases {{
            ?purchase card:card ?card ; card:amount ?amount FILTER({condition}) }} }}"""


def prepared(text: str, stream: Path, kept: dict[str, Any]) -> Preparation:
    """Bytes to counted matches; the query is registered before."""

    def prepare() -> Job:
        run = Run(spaseq.parse(text), {"purchases": str(stream)}, count_only=True)

        def job() -> int:
            for _ in run.tables():
                pass
            kept.update(next(iter(run.statistics()["queries"].values())))
            return sum(run.counts().values())

        return job

    return prepare


def measure(stream: Path, events: int, rounds: int) -> dict[str, float]:
    """Events a second of each way, printed."""
    kept: dict[str, dict[str, Any]] = {name: {} for name in WAYS}
    jobs = {name: prepared(query(*way), stream, kept[name]) for name, way in WAYS.items()}
    seconds = interleaved({"pyoxigraph.parse": parse_alone(stream.read_bytes()), **jobs}, rounds)
    for name, taken in seconds.items():
        counted = kept.get(name)
        found = "" if not counted else f"; {counted['results']:,} matches, {counted['stored_events']:,} events kept"
        print(f"  {name}: {rate(events, taken)} ({seconds['pyoxigraph.parse'] / taken:.1f} × parse){found}")
    return {name: events / taken for name, taken in seconds.items()}


def main(events: int = 100_000, rounds: int = 3) -> None:
    """Print both tables; exit code 1 if PARTITION BY is slower than the bound."""
    with tempfile.TemporaryDirectory() as folder:
        stream = workloads()["cards"].write(Path(folder), events, 1)["purchases"]
        print(f"rising amounts per card, {events:,} purchases")
        reached = measure(stream, events, rounds)["PARTITION BY ?card"]
        own = re.compile(rb"(purchase/(\d+)> <[^>]*#card> <[^>]*/card/)\d+>")
        lines = own.sub(rb"\1\2>", stream.read_bytes()).splitlines(keepends=True)
        fresh = Path(folder) / "fresh.nq"
        for some in (events // 4, events):
            fresh.write_bytes(b"".join(lines[: len(lines) * some // events]))
            print(f"a card of its own for each of {some:,} purchases")
            measure(fresh, some, 1)
    if reached < BOUND:
        sys.exit(f"{reached:,.0f} events/s: the bound is {BOUND:,}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
