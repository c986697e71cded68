"""Queries on sources go on where another run of them was (``spaseq tuples --checkpoint``), and that once more."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq.tuples.feeding import SourceFeed
from spaseq.tuples.matching import resumed
from spaseq.tuples.queries import ReadingOptions

READING = ReadingOptions(time="time", unit="ms", skip=True)
QUERIES = {
    "pairs": "SELECT * FROM S, T WHERE (S>A AS a : T>A AS b) WITHIN 9 SECONDS",
    "rising": "SELECT x.v, y.v FROM S WHERE (A AS x ; A AS y) FILTER y[v > x.v] WITHIN 4 EVENTS",
    "counts": "SELECT COUNT(*), SUM(b.v) FROM T WHERE (A AS b ; A) WITHIN 3 EVENTS",
}
IN_SQL = {
    **QUERIES,
    "falls": "SELECT * FROM S MATCH_RECOGNIZE (ORDER BY time, v MEASURES A.v AS a, LAST(B.v) AS b, "
    "NEXT(LAST(B.v)) AS c PATTERN (A B+) DEFINE B AS B.v <= PREV(B.v))",
    "above": "SELECT * FROM T MATCH_RECOGNIZE (ORDER BY time MEASURES CLASSIFIER() AS c ALL ROWS PER MATCH "
    "PATTERN (A+ B? $?) DEFINE B AS B.v > AVG(A.v))",
}  # fmt: skip
Row = tuple[str, ...]


def table(seed: int) -> pyarrow.Table:
    """Events in batches of a few; times may be equal, and some fall."""
    chance, time, batches = Random(seed), 0, []
    for _ in range(5):
        rows = []
        for _ in range(chance.randrange(1, 5)):
            time += chance.choice((0, 0, 700, 2_000))
            rows.append({"type": "A", "v": chance.randrange(9), "time": time - chance.choice((0, 0, 0, 3_000))})
        batches.append(pyarrow.RecordBatch.from_pylist(rows))
    return pyarrow.Table.from_batches(batches)


def run(
    sources: Mapping[str, Any], state: bytes | None, texts: Mapping[str, str] = QUERIES
) -> tuple[list[Row], list[tuple[bytes, int]], dict[str, int]]:
    """The results after a state, states between steps with the number of results before each, what was left out."""
    found: list[Row] = []
    states: list[tuple[bytes, int]] = []
    feeds: list[SourceFeed] = []

    def step(feed: SourceFeed) -> float:
        states.append((feed.state(), len(found)))
        feeds.append(feed)
        return math.inf

    for name, batch in resumed(texts, sources, READING, step, state):
        found += [(name, *map(str, row.values())) for row in batch.to_pylist()]
    return found, states, {name: timed.skipped for name, timed in feeds[-1].timed.items()}


@pytest.mark.parametrize("texts", [QUERIES, IN_SQL], ids=["CEQL", "SQL, too"])
@pytest.mark.parametrize("seed", range(6))
def test_runs_go_on_at_any_step_and_once_more(seed: int, texts: Mapping[str, str]) -> None:
    sources = {"S": table(seed), "T": table(100 + seed)}
    whole, states, skipped = run(sources, None, texts)
    assert any(skipped.values())
    for state, before in states:
        found, later, again = run(sources, state, texts)
        assert (found, again) == (whole[before:], skipped)
        for next_state, more in later[:3]:
            assert run(sources, next_state, texts)[::2] == (whole[before + more :], skipped)
