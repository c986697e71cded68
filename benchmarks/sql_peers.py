"""Row patterns in SQL beside Trino and Flink, on the same rows, with the same query.

Both are fetched by Maven (:mod:`benchmarks.peers`), and named as missing where that cannot be.  They get so many rows
that a run takes some seconds, and we get the same.  A peer's time is the least of some runs in a process that is warm,
and the fewer of its CPU seconds and those on the clock; ours is a median of CPU seconds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow
import pyarrow.compute

from benchmarks.peers.installing import MissingPeerError, Peer, install
from benchmarks.peers.running import Failed
from benchmarks.peers.shapes import FLINK, TRINO, Matched, run_shapes
from benchmarks.peers.tables import missing
from benchmarks.sql_ticks import KEYS, V_SHAPE, engine, ticks
from benchmarks.timing import interleaved
from spaseq import tuples

# Flink has neither PREV nor a greedy quantifier at the end: D ends the shape, and the next one may begin there.
V_THEN_D = """SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY k ORDER BY t
    MEASURES A.v AS top, LAST(B.v) AS bottom, LAST(C.v) AS last AFTER MATCH SKIP TO LAST D PATTERN (A B+ C+ D)
    DEFINE B AS (LAST(B.v, 1) IS NULL AND B.v < A.v) OR B.v < LAST(B.v, 1),
        C AS (LAST(C.v, 1) IS NULL AND C.v > LAST(B.v)) OR C.v > LAST(C.v, 1), D AS D.v <= LAST(C.v))"""
READING = "SELECT count(*), sum(k), sum(v), sum(EXTRACT(SECOND FROM t)) FROM ticks"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A peer, what both are asked, on how many rows at most; how often the peer is, and what only reads its rows."""

    peer: Peer
    shape: str
    query: str
    most: int
    times: int
    reading: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The peer with its version."""
        return f"{self.peer.title} {self.peer.version}"


COMPARISONS = (
    Comparison(TRINO, "V shape", V_SHAPE, most=2_500_000, times=4),
    Comparison(FLINK, "V shape with a row behind it", V_THEN_D, most=250_000, times=4, reading=(READING,)),
)


def beside_others(rows: int) -> Iterator[str]:
    """A line for each of the peers."""
    for one in COMPARISONS:
        try:
            classes = install(one.peer)
        except MissingPeerError as error:
            yield missing(one.title, error)
        else:
            yield _compared(one, classes, ticks(max(min(rows, one.most), KEYS * 3)))


def _compared(one: Comparison, classes: str, table: pyarrow.Table) -> str:
    theirs = run_shapes(one.peer, classes, [one.query, *one.reading], table, one.times)
    if isinstance(theirs, Failed):
        return f"{one.title}: {theirs.reason}"
    assert agree(theirs, tuples.match(one.query, table).to_arrow())
    own = interleaved({"own": engine(one.query, table)}, 5)["own"]
    return line(one, table.num_rows, theirs, own)


def agree(theirs: Matched, ours: pyarrow.Table) -> bool:
    """Whether there are as many matches, with measures of the same sums."""
    sums = [pyarrow.compute.sum(ours[name]).as_py() or 0 for name in ("top", "bottom", "last")]
    close = (math.isclose(a or 0, b, rel_tol=1e-9) for a, b in zip(theirs.sums, sums, strict=True))
    return theirs.matches == ours.num_rows and all(close)


def line(one: Comparison, rows: int, theirs: Matched, own: float) -> str:
    """The ratio, and below it the seconds."""
    ratio = f"{one.shape}, {rows:,} rows sorted: {theirs.seconds / own:.1f} times as fast as {one.title}"
    seconds = f"{own:.3f} s; {theirs.cpu:.2f} s of CPU, {theirs.clock:.2f} s on the clock"
    without = ", without reading the rows" if one.reading else ""
    return f"{ratio}, {theirs.matches:,} matches each\n    {seconds}{without}"
