"""Laws of jobs with queries in CEQL, no Java needed: cutting, packing, and engines that are lost change nothing."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest

from spaseq.tuples.queries import prepare
from tests.oracle.ceql.generate import Pair, Size, random_pair
from tests.oracle.ceql.text import to_text
from tests.spark.tuples.jobs import (
    EXAMPLES,
    JobCluster,
    counted,
    in_batch,
    in_process,
    job_of,
    query_of,
    table_of,
    trades,
)
from tests.tuples.aggregated import pair_of
from tests.tuples.test_engine_agreement import joined_pair

LONG = Size(events=14, least_events=7)
DELAY = 2_000_000  # µs by which rows may be disordered


def pairs_of(seed: int) -> tuple[Pair, ...]:
    """A query that selects, one that aggregates, and one that compares events."""
    return random_pair(seed, LONG), pair_of(seed), joined_pair(seed)


# ── batch ────────────────────────────────────────────────────────────────────────────────────────────────
def check_batch(pair: Pair, buckets: int, chance: random.Random) -> str:
    """A query on its rows."""
    return check_batch_of(query_of(pair), table_of(pair), buckets, chance)


def check_batch_of(text: str, table: pyarrow.Table, buckets: int, chance: random.Random) -> str:
    """Rows in several tasks, of which none comes back to the times of another, give what they give in process."""
    table = table.sort_by("time") if len(set(table["time"].to_pylist())) == len(table) else table
    size, job = chance.randrange(1, len(table) + 1), job_of(text, buckets=buckets)
    times = table["time"].to_pylist()
    while size < len(table) and times[size - 1] == times[size]:
        size += 1
    found = in_batch(job, [table.slice(0, size), table.slice(size)])
    assert counted(found, prepare(text)) == in_process(text, table), text
    return "cut" if job.split.keys else "whole"


@pytest.mark.parametrize("buckets", [1, 3, 8])
def test_batches(buckets: int) -> None:
    ways = Counter(check_batch(pair, buckets, random.Random(seed)) for seed in range(40) for pair in pairs_of(seed))
    assert ways["cut"] > 10 and ways["whole"] > 10, ways


@pytest.mark.deep
@pytest.mark.parametrize("buckets", [1, 3, 8])
def test_many_batches(buckets: int) -> None:
    for seed in range(40, 400):
        for pair in pairs_of(seed):
            check_batch(pair, buckets, random.Random(seed))


# ── streaming ────────────────────────────────────────────────────────────────────────────────────────────
def check_stream(pair: Pair, chance: random.Random) -> Counter[str]:
    """A query on its rows."""
    return check_stream_of(query_of(pair), table_of(pair), chance)


def check_stream_of(text: str, table: pyarrow.Table, chance: random.Random) -> Counter[str]:
    """What five microbatches with disorder give, and the end of the input; how engines came to be."""
    times = table["time"].to_pylist()
    delays = {time: chance.randrange(DELAY) for time in times}  # those of one time stay in order
    coming = table.take(sorted(range(len(table)), key=lambda place: times[place] + delays[times[place]]))
    cluster, found, seen = JobCluster(job_of(text), chance), [], -(2**60)
    size = max(1, -(-len(table) // 5))
    for start in range(0, len(table), size):
        batch = coming.slice(start, size)
        found += cluster.batch(batch, seen - DELAY)
        seen = max(seen, *batch["time"].to_pylist())
    found += cluster.batch(table.slice(0, 0), seen - DELAY)
    found += cluster.finish()
    assert not cluster.late
    assert counted(found, prepare(text)) == in_process(text, table), text
    return Counter(cluster.how)


def streamed(seeds: range) -> Counter[str]:
    """Queries with a window in time."""
    some = ((seed, pair) for seed in seeds for pair in pairs_of(seed) if "SECONDS" in query_of(pair))
    return sum((check_stream(pair, random.Random(seed)) for seed, pair in some), Counter[str]())


def test_streams() -> None:
    how = streamed(range(120))
    assert min(how[way] for way in ("new", "hit", "catch-up", "rebuilt")) > 20, how


@pytest.mark.deep
def test_many_streams() -> None:
    streamed(range(120, 1500))


def test_logs_that_end_in_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is consumed reaches back for ever."""
    monkeypatch.setattr("spaseq.spark.log.LEAST_SNAPSHOT", 100)
    some = [pair for seed in range(300) for pair in pairs_of(seed) if "CONSUME BY" in query_of(pair)]
    timed = [pair for pair in some if "SECONDS" in query_of(pair) and "BY NONE" not in query_of(pair)]
    how = sum((check_stream(pair, random.Random(7)) for pair in timed), Counter[str]())
    assert how["rebuilt"] > 20, how


# ── examples, and attributes ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    for buckets in (1, 3, 8):
        check_batch_of(path.read_text(), trades(), buckets, random.Random(buckets))
        check_stream_of(path.read_text(), trades(), random.Random(buckets))


def with_attributes(pair: Pair) -> str:
    """The query with attributes instead of its variables."""
    shown = [f"{name}.{each} AS {each}_of_{name}" for name in pair.query.select or () for each in ("id", "name")]
    return to_text(replace(pair.query, select=tuple(shown)))


def test_attributes() -> None:
    selecting = [pair for seed in range(300) for pair in (random_pair(seed, LONG),) if pair.query.select]
    for number, pair in enumerate(selecting):
        text, chance = with_attributes(pair), random.Random(number)
        check_batch_of(text, table_of(pair), 3, chance)
        if " SECONDS" in text:
            check_stream_of(text, table_of(pair), chance)
    assert len(selecting) > 50
