"""The laws of the short way: an engine gives the same for events one by one as for one batch of them.

Several queries at a time, so that most events do not concern most of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import pytest

import spaseq
from spaseq.streams import Event
from tests.agreement.test_metamorphic import SIZE, arriving, plain, said
from tests.oracle.generate import random_pair
from tests.oracle.text import to_text

Engine = spaseq.Engine
QUERIES = 3


class World:
    """Some random queries, and the events of all of them in order of time."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        pairs = [random_pair(QUERIES * seed + n, SIZE) for n in range(QUERIES)]
        self.queries = {f"q{n}": to_text(pair.query) for n, pair in enumerate(pairs)}
        events = [(*event[:2], f"{event[2]}of{n}", event[3]) for n, pair in enumerate(pairs) for event in plain(pair)]
        self.events = sorted(arriving(events), key=lambda event: event.timestamp)

    def engine(self, lateness: int = 0) -> Engine:
        engine = Engine(lateness=lateness)
        for name, query in self.queries.items():
            engine.register(query, name)
        return engine

    def disordered(self, lateness: int) -> list[Event]:
        """The events in an order in which none is late, or hardly one."""
        return sorted(self.events, key=lambda event: event.timestamp + self.chance.randint(0, lateness))


def batch(engine: Engine, events: Sequence[Event]) -> list[Any]:
    return [match for table in engine.push_events(events) for match in table]


def push(engine: Engine, event: Event) -> list[Any]:
    return engine.push(event.stream, list(event.triples), event.timestamp, event.name)


def one_by_one(engine: Engine, events: Sequence[Event]) -> list[Any]:
    return [match for event in events for match in push(engine, event)]


def assert_same(found: list[Any], wanted: list[Any]) -> None:
    """The same matches; those of each query in order of decision."""
    assert sorted(said(found)) == sorted(said(wanted))
    for name in {match.query for match in found}:
        times = [match.microseconds.decided for match in found if match.query == name]
        assert times == sorted(times)


@pytest.mark.parametrize("few", [3, 1024])
def test_one_by_one(few: int) -> None:
    matches = 0
    with patch("spaseq.engine.streamset.FEW", few):
        for seed in range(120):
            world = World(seed)
            whole, single = world.engine(), world.engine()
            wanted, found = batch(whole, world.events), one_by_one(single, world.events)
            assert counters(single) == counters(whole), world.queries
            assert_same(found + single.close(), wanted + whole.close())
            matches += len(found)
    assert matches > 100


def counters(engine: Engine) -> dict[str, Any]:
    """What both ways count alike, after the same events: all but when the past was forgotten."""
    found = engine.statistics()
    del found["terms"]
    for query in found["queries"].values():
        del query["stored_events"]
    return found


def test_one_by_one_with_lateness() -> None:
    for seed in range(120):
        world = World(seed)
        events = world.disordered(3)
        whole, single = world.engine(lateness=2), world.engine(lateness=2)
        wanted, found = batch(whole, events), one_by_one(single, events)
        assert single.statistics()["streams"] == whole.statistics()["streams"]
        assert_same(found + single.close(), wanted + whole.close())


# ── walks ────────────────────────────────────────────────────────────────────────────────────────────────
def restored(engine: Engine, world: World) -> Engine:
    queries = {name: world.queries.get(name, OTHER) for name in engine.queries}
    return Engine.restore(engine.snapshot(), queries)


def with_statistics(engine: Engine, world: World) -> Engine:
    engine.statistics()
    return engine


def with_another_query(engine: Engine, world: World) -> Engine:
    if "other" in engine.queries:
        engine.unregister("other")
    else:
        engine.register(OTHER, "other")
    return engine


OTHER = """SELECT ?a FROM STREAM s <http://example.org/stream/s> FROM STREAM t <http://example.org/stream/t>
    WHERE { SEQ(A , B) DEFINE GPM A ON s { ?a ?b ?c } DEFINE GPM B ON t { ?a ?d ?e } }"""
DISTURBANCES: list[Callable[[Engine, World], Engine]] = [restored, with_statistics, with_another_query]


def steps(events: Sequence[Event], chance: random.Random) -> Iterator[Sequence[Event]]:
    """The events one by one or a few at a time."""
    at = 0
    while at < len(events):
        size = chance.choice((1, 1, 1, 2, 3))
        yield events[at : at + size]
        at += size


def test_whatever_comes_between() -> None:
    for seed in range(120):
        world = World(seed)
        lateness = world.chance.choice((0, 0, 2))
        events = world.disordered(lateness)
        whole, engine = world.engine(lateness), world.engine(lateness)
        wanted = batch(whole, events) + whole.close()
        found = []
        for some in steps(events, world.chance):
            found += one_by_one(engine, some) if len(some) == 1 else batch(engine, some)
            if world.chance.random() < 0.3:
                engine = world.chance.choice(DISTURBANCES)(engine, world)
            if world.chance.random() < 0.2 and not lateness:
                found += engine.advance(some[-1].timestamp)
        found += engine.close()
        assert_same([match for match in found if match.query != "other"], wanted)
