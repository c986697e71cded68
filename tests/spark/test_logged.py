"""The law of the log: an engine that is thrown away, or set back some batches, after any batch changes nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from unittest.mock import patch

import pytest

import spaseq
from spaseq.engine.prepared import Prepared
from spaseq.errors import StreamError
from spaseq.streams.event import Event
from tests.agreement.test_metamorphic import arriving, plain
from tests.cases.loader import cases
from tests.oracle.text import to_text
from tests.spark.streaming import Cluster
from tests.spark.test_cut import pair_of
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

CASES = [OwnCase(case) for case in cases()]
DELAY = 2_000_000  # µs by which events may be disordered


def in_batches(
    queries: Mapping[str, Prepared], background: Mapping[str, Any], events: Sequence[Event], buckets: int, seed: int,
    whole: Sequence[str] = (),
) -> tuple[Counter[Any], Counter[str]]:  # fmt: skip
    """What five microbatches with disorder give, and the end of all streams; and how their engines came to be."""
    chance = random.Random(seed)
    cluster = Cluster(queries, background, buckets, chance, whole)
    delays = {event.timestamp: chance.randrange(DELAY) for event in events}  # those of one time stay in order
    coming = sorted(events, key=lambda event: event.timestamp + delays[event.timestamp])
    found, seen, size = [], -(2**60), max(1, -(-len(coming) // 5))
    for start in range(0, len(coming), size):
        batch = coming[start : start + size]
        found += [row for table in cluster.batch(batch, seen - DELAY) for row in table.to_pylist()]
        seen = max(seen, *(event.timestamp for event in batch))
    found += [row for table in cluster.batch([], seen - DELAY) for row in table.to_pylist()]
    found += [row for table in cluster.finish() for row in table.to_pylist()]
    assert not cluster.late
    return counted(found, queries), Counter(cluster.how)


@pytest.mark.parametrize("own", CASES, ids=lambda own: own.case.label)
def test_cases(own: OwnCase) -> None:
    whole = list(own.queries) if own.has_several_keys(2) else []
    found, _ = in_batches(own.queries, own.background, own.events, 2, own.case.number, whole)
    assert found == in_process(own.queries, own.background, table_of(own.events))


def of_seed(seed: int) -> Counter[str]:
    """A random query on its events; logs that reach back for ever end in snapshots soon, for every other one."""
    pair = pair_of(seed)
    queries = {"query": spaseq.prepare(to_text(pair.query))}
    events = sorted(arriving(plain(pair)), key=lambda event: event.timestamp)
    wanted = in_process(queries, {}, table_of(events))
    with patch("spaseq.spark.logged.LEAST_SNAPSHOT", 100 if seed % 4 < 2 else 1 << 20):
        try:
            found, how = in_batches(queries, {}, events, 3, seed)
        except StreamError:
            found, how = in_batches(queries, {}, events, 3, seed, ["query"])
    assert found == wanted, seed
    return how


def test_random_queries() -> None:
    how = sum((of_seed(seed) for seed in range(60)), Counter[str]())
    assert min(how[way] for way in ("new", "hit", "catch-up", "rebuilt")) > 20, how


@pytest.mark.deep
def test_many_random_queries() -> None:
    for seed in range(60, 2000):
        of_seed(seed)
