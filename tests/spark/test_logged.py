"""The law of the log: an engine that is thrown away, or set back some batches, after any batch changes nothing."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pyoxigraph
import pytest

import spaseq
from spaseq.errors import StreamError
from spaseq.graphs.queries import AnyQuery
from spaseq.sources.parameter_rows import RowSources
from spaseq.sources.rdf.events import Event
from tests.agreement.test_metamorphic import arriving, plain
from tests.cases.loader import cases
from tests.oracle.text import to_text
from tests.slices import one_of
from tests.spark.streaming import Cluster
from tests.spark.test_cut import pair_of
from tests.spark.whole_suite import OwnCase, counted, in_process, table_of

CASES = [OwnCase(case) for case in cases()]
DELAY = 2_000_000  # µs by which events may be disordered


def in_batches(
    queries: Mapping[str, AnyQuery], background: Mapping[str, Any], events: Sequence[Event], buckets: int, seed: int,
    whole: Sequence[str] = (), given: RowSources = None,
) -> tuple[Counter[Any], Counter[str]]:  # fmt: skip
    """What five microbatches with disorder give, and the end of all streams; and how their engines came to be."""
    chance = random.Random(seed)
    cluster = Cluster(queries, background, buckets, chance, whole, given=given)
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
    return counted(found, {name: spaseq.prepare(query) for name, query in queries.items()}), Counter(cluster.how)


@pytest.mark.parametrize("own", one_of(2, CASES), ids=lambda own: own.case.label)
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
    with patch("spaseq.spark.log.LEAST_SNAPSHOT", 100 if seed % 4 < 2 else 1 << 20):
        try:
            found, how = in_batches(queries, {}, events, 3, seed)
        except StreamError:
            found, how = in_batches(queries, {}, events, 3, seed, ["query"])
    assert found == wanted, seed
    return how


def test_random_queries() -> None:
    how = sum((of_seed(seed) for seed in range(60)), Counter[str]())
    assert min(how[way] for way in ("new", "hit", "catch-up", "rebuilt")) > 20, how


PAIRS = """SELECT ?k WITHIN 5 SECONDS FROM STREAM s <urn:s> WHERE { SEQ(A ; B)
    DEFINE GPM A ON s { ?k <urn:A> ?v } DEFINE GPM B ON s { ?k <urn:B> ?v } }"""


def pair_event(number: int, time: int) -> Event:
    words = (f"k{number % 3}", "AB"[number % 2], "v")
    triple = pyoxigraph.Triple(*(pyoxigraph.NamedNode(f"urn:{word}") for word in words))
    return Event("urn:s", time, f"urn:e{number}", (triple,))


def test_lateness_is_that_of_one_engine_where_each_event_is_a_microbatch() -> None:
    """Whatever engine an event is for, and also for one that gets its first event."""
    chance, lateness = random.Random(7), 2_000_000
    times = [(number + chance.randrange(-6, 1)) * 1_000_000 for number in range(300)]
    events = [pair_event(number, max(time, 0)) for number, time in enumerate(times)]
    queries = {"q": spaseq.prepare(PAIRS)}
    cluster, found, newest = Cluster(queries, {}, 4, chance), [], -(2**60)
    for event in events:
        found += [row for table in cluster.batch([event], newest - lateness) for row in table.to_pylist()]
        newest = max(newest, event.timestamp)
    found += [row for table in cluster.finish() for row in table.to_pylist()]
    engine = spaseq.Engine(lateness=timedelta(seconds=2))
    engine.register(queries["q"], "q")
    wanted = [match for one in events for match in engine.push("urn:s", one.triples, one.timestamp, one.name)]
    wanted += engine.close()
    assert cluster.late == engine.statistics()["streams"]["urn:s"]["late"] > 30
    pairs = [(str(match.events["A"][0]), str(match.events["B"][0])) for match in wanted]
    assert sorted((*dict(row["events"])["A"], *dict(row["events"])["B"]) for row in found) == sorted(pairs)
    assert len(pairs) > 20


def test_the_state_of_an_engine_is_flat_over_hundreds_of_batches() -> None:
    cluster, sizes = Cluster({"q": spaseq.prepare(PAIRS)}, {}, 4, random.Random(3)), []
    for batch in range(400):
        events = [pair_event(number, number * 500_000) for number in range(batch * 10, batch * 10 + 10)]
        deque(cluster.batch(events, batch * 5_000_000 - 2_000_000), maxlen=0)
        sizes.append(sum(store.size for store in cluster.stores.values()))
    assert max(sizes[200:]) <= 1.02 * max(sizes[20:200])


@pytest.mark.deep
def test_many_random_queries() -> None:
    for seed in range(60, 800):
        of_seed(seed)
