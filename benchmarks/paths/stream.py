"""Path queries on a stream of edges, beside evaluating anew: ``python -m benchmarks.paths.stream [ARRIVALS [WINDOW]]``.

A window of the last 100,000 edges, under a million arrivals, given as tables of 1,000 rows (``EdgeStream.push_table``):
every path that appears is found.  The other side makes a graph of the rows in the window each 1,000 arrivals
(``Graph.from_table``) and asks for all paths.  It is asked at 100 moments; there the results must be equal.  CPU time
of one thread; the ratio is that for the same arrivals.  Of an arrival's microseconds some are for reading its names,
some for keeping window and results up to date; what is left is for giving what has appeared.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from spaseq.paths import EdgeStream, Graph, Paths
from spaseq.sources.rdf.events import Events

NODES, PREDICATES = 20_000, 5
BATCH, MOMENTS = 1000, 100


@dataclass(frozen=True)
class Case:
    """A query, and from how many nodes it starts."""

    name: str
    query: str
    starts: int = 1


CASES = (
    Case("all walks of 3 steps, 2,000 starts", "ALL WALK :p0/^:p1/:p2", 2000),
    Case("all trails of 1 to 4 steps, 2,000 starts", "ALL TRAIL (:p0|^:p1){1,4}", 2000),
    Case("all shortest walks of 1 to 4, 2,000", "ALL SHORTEST WALK (:p0|^:p1){1,4}", 2000),
    Case("a shortest walk of 1 to 4, 2,000", "ANY SHORTEST WALK (:p0|^:p1){1,4}", 2000),
    Case("3 shortest walks of 1 to 4, 200", "SHORTEST 3 WALK (:p0|^:p1){1,4}", 200),
    Case("a walk to each node that one reaches", "ANY WALK (:p0|^:p1|:p2)+"),
    Case("a shortest one to each of them", "ANY SHORTEST WALK (:p0|^:p1|:p2)+"),
)


class TimedStream(EdgeStream):
    """A stream that knows the CPU seconds for reading tables, and for keeping window and results up to date."""

    reading = 0.0
    keeping = 0.0

    def _table_events(self, times: Any, data: Any, columns: tuple[str, str, str] | None) -> Events:
        began = time.process_time()
        events = super()._table_events(times, data, columns)
        self.reading += time.process_time() - began
        return events

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        setattr(self._query, "_advanced", self._timed(self._query._advanced))  # noqa: B010  (a method of one object)

    def _timed(self, advanced: Callable[..., int]) -> Callable[..., int]:
        def timed(*some: Any) -> int:
            began = time.process_time()
            next_event = advanced(*some)
            self.keeping += time.process_time() - began
            return next_event

        return timed


@dataclass
class Measured:
    """CPU seconds of both sides, how often the graph was made anew, and what differed."""

    stream: float = 0.0
    reading: float = 0.0  # of those of the stream
    keeping: float = 0.0  # likewise
    anew: float = 0.0
    moments: int = 0
    appeared: int = 0
    results: int = 0
    wrong: list[int] = field(default_factory=list)


def edge_rows(count: int, seed: int = 1) -> pyarrow.Table:
    """Edges between nodes and along predicates that are drawn evenly, by their names."""
    chooser = np.random.default_rng(seed)
    nodes, relations = (
        pyarrow.array([f"{kind}{number}" for number in range(size)]) for kind, size in (("n", NODES), ("p", PREDICATES))
    )
    columns = {
        "subject": nodes.take(chooser.integers(0, NODES, count)),
        "relation": relations.take(chooser.integers(0, PREDICATES, count)),
        "object": nodes.take(chooser.integers(0, NODES, count)),
    }
    return pyarrow.table(columns)


def batches(stream: EdgeStream, rows: pyarrow.Table) -> Iterator[tuple[int, int, float]]:
    """Push all rows; after each batch how many came, how many paths appeared, and the seconds that took."""
    for first in range(0, rows.num_rows, BATCH):
        some: NDArray[np.int64] = np.arange(first, min(first + BATCH, rows.num_rows))
        part = rows.slice(first, BATCH)
        began = time.process_time()
        found = len(stream.push_table(some, part))
        yield first + len(some), found, time.process_time() - began


def measured(case: Case, rows: pyarrow.Table, window: int) -> Measured:
    text = f"QUERY q {case.query}"
    starts = [f"n{number}" for number in range(case.starts)]
    stream, found = TimedStream(text, window - 1, starts, named=True), Measured()
    every = max(1, rows.num_rows // BATCH // MOMENTS)
    for came, appeared, seconds in batches(stream, rows):
        found.stream += seconds
        found.appeared += appeared
        if came // BATCH % every == 0:
            alive = rows.slice(max(0, came - window), min(window, came))
            began = time.process_time()
            paths = Graph.from_table(alive).match(text, starts)
            found.anew += time.process_time() - began
            found.moments += 1
            found.results += len(paths)
            found.wrong += [] if lengths(paths) == lengths(stream.current()) else [came]
    found.reading, found.keeping = stream.reading, stream.keeping
    return found


def lengths(paths: Paths) -> Counter[tuple[str, str, int]]:
    """How many paths of each length each pair of nodes has."""
    first, last = paths.end_points()
    steps = np.diff(paths.columns.ends.astype(np.int64), prepend=0)
    texts = {vertex: paths.graph.terms.value(vertex).text for vertex in {*first.tolist(), *last.tolist()}}
    rows = zip(first.tolist(), last.tolist(), steps.tolist(), strict=True)
    return Counter((texts[one], texts[other], length) for one, other, length in rows)


def main(count: int = 1_000_000, window: int = 100_000) -> None:
    rows = edge_rows(count)
    print(f"{count:,} arrivals, a window of {window:,} edges, {NODES:,} nodes, {PREDICATES} predicates")
    head = f"µs an arrival: reading keeping giving  paths appeared  anew, each {BATCH:,}: ms  results  ratio  equal"
    print(f"{'':40}  {head}")
    for case in CASES:
        one = measured(case, rows, window)
        anew = one.anew / one.moments
        ratio = anew / BATCH / (one.stream / count)
        giving = one.stream - one.reading - one.keeping
        split = "".join(f"{part / count * 1e6:8.2f}" for part in (one.reading, one.keeping, giving))
        print(
            f"{case.name:40}  {one.stream / count * 1e6:13.2f}{split}  {one.appeared:14,}  {anew * 1e3:19.1f}"
            f"  {one.results // one.moments:7,}  {ratio:5.1f}  {one.moments - len(one.wrong)} of {one.moments}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
