"""The laws of the short way: an engine gives the same for events one by one as for one batch of them.

Several queries at a time, so that most events do not concern most of them.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any
from unittest.mock import patch

import pyoxigraph
import pytest

import spaseq
from spaseq.streams import Event
from tests.agreement.test_metamorphic import SIZE, arriving, plain
from tests.oracle.generate import random_pair
from tests.oracle.text import to_text

Engine = spaseq.Engine
QUERIES = 3
EXAMPLES = int(os.environ.get("SPASEQ_EXAMPLES", "25"))


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
    assert Counter(found) == Counter(wanted)
    for name in {match.query for match in found}:
        times = [match.microseconds.decided for match in found if match.query == name]
        assert times == sorted(times)


@pytest.mark.parametrize("few", [3, 1024])
def test_one_by_one(few: int) -> None:
    matches = 0
    with patch("spaseq.graphs.graph_input.FEW", few):
        for seed in range(EXAMPLES):
            world = World(seed)
            whole, single = world.engine(), world.engine()
            wanted, found = batch(whole, world.events), one_by_one(single, world.events)
            assert counters(single) == counters(whole), world.queries
            assert_same(found + single.close(), wanted + whole.close())
            matches += len(found)
    assert matches > EXAMPLES


def counters(engine: Engine) -> dict[str, Any]:
    """What both ways count alike, after the same events: all but when the past was forgotten."""
    found = engine.statistics()
    del found["terms"]
    for query in found["queries"].values():
        del query["stored_events"]
    return found


def test_one_by_one_with_lateness() -> None:
    for seed in range(EXAMPLES):
        world = World(seed)
        events = world.disordered(3)
        whole, single = world.engine(lateness=2), world.engine(lateness=2)
        wanted, found = batch(whole, events), one_by_one(single, events)
        assert single.statistics()["streams"] == whole.statistics()["streams"]
        assert_same(found + single.close(), wanted + whole.close())


@pytest.mark.parametrize("few", [0, 2, 64])
def test_batches_of_a_stream(few: int) -> None:
    with patch("spaseq.graphs.graph_engine.FEW_EVENTS", few):
        for seed in range(EXAMPLES):
            world = World(seed)
            events = world.disordered(3)
            several, single = world.engine(lateness=2), world.engine(lateness=2)
            found = [match for some in runs(events) for match in several.push_batch(*some)]
            wanted = one_by_one(single, events)
            assert several.statistics()["streams"] == single.statistics()["streams"]
            assert_same(found + several.close(), wanted + single.close())


def runs(events: Sequence[Event]) -> Iterator[tuple[str, list[tuple[int, Any, str]]]]:
    """Those of a stream that follow each other."""
    for stream, some in groupby(events, key=lambda event: event.stream):
        yield stream, [(event.timestamp, list(event.triples), event.name) for event in some]


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
    for seed in range(EXAMPLES):
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


# ── derived streams, aggregates, knowledge ───────────────────────────────────────────────────────────────
PREFIX = "PREFIX : <http://example.org/>"
S, T, D, KB = (f"http://example.org/{name}" for name in ("s", "t", "d", "kb"))
MORE = {
    "drops": f"""{PREFIX} CONSTRUCT {{ [] :v ?v ; :from ?x }} INTO STREAM <{D}> WITHIN 9 SECONDS SLIDING
        FROM STREAM s <{S}> WHERE {{ SEQ(A ; B)
        DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?z :r ?b ; :p ?v }} }}""",
    "derived": f"""{PREFIX} SELECT ?v ?n WITHIN 9 SECONDS SLIDING FROM STREAM d <{D}> FROM STREAM t <{T}> WHERE {{
        SEQ(A ; B!) DEFINE GPM A ON d {{ ?n :v ?v }} DEFINE GPM B ON t {{ ?y :q ?v }} }}""",
    "counted": f"""{PREFIX} SELECT ?v ?w WITHIN 3 EVENTS SLIDING FROM STREAM s <{S}> WHERE {{
        SEQ(A , B!) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?y :q ?w . FILTER(?w != ?v) }} }}""",
    "totals": f"""{PREFIX} SELECT ?v (COUNT(*) AS ?n) WITHIN 6 SECONDS SLIDING FROM STREAM s <{S}> WHERE {{
        SEQ(A ; B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?x :r ?w }} }} GROUP BY ?v""",
    "silence": f"""{PREFIX} SELECT ?x WITHIN 4 SECONDS SLIDING FROM STREAM s <{S}> FROM STREAM t <{T}> WHERE {{
        SEQ(A ; B!) DEFINE GPM A ON s {{ ?x :q ?v }} DEFINE GPM B ON t {{ ?x :q ?w }} }}""",
    "parted": f"""{PREFIX} SELECT ?x ?v ?w WITHIN 3 EVENTS SLIDING FROM STREAM s <{S}> PARTITION BY ?x WHERE {{
        SEQ(A , B) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?x :q ?w }} }}""",
    "parted quiet": f"""{PREFIX} SELECT ?x ?v WITHIN 2 EVENTS FROM STREAM s <{S}> PARTITION BY ?x WHERE {{
        SEQ(A ; B!) DEFINE GPM A ON s {{ ?x :p ?v }} DEFINE GPM B ON s {{ ?x :q ?w }} }}""",
    "known": f"""{PREFIX} SELECT ?x ?k ?l WITHIN 8 SECONDS SLIDING FROM STREAM s <{S}> WHERE {{ SEQ(A ; B)
        DEFINE GPM A ON s {{ ?x :p ?v . GRAPH <{KB}> {{ ?v :of ?k }} FILTER(?k != :k1) }}
        DEFINE GPM B ON s {{ ?y :p ?v . GRAPH <{KB}> {{ ?v :of ?k }}
                            OPTIONAL {{ GRAPH <{KB}> {{ ?k :in ?l }} }} }} }}""",
    "dear": f"""{PREFIX} SELECT ?x ?w WITHIN 8 SECONDS SLIDING FROM STREAM s <{S}> WHERE {{ SEQ(A ; B)
        DEFINE GPM A ON s {{ ?x :q ?v }} DEFINE GPM B ON s {{ ?x :r ?w . FILTER(REGEX(STR(?w), "[13]$")) }} }}""",
}  # fmt: skip
KNOWN = b"""@prefix : <http://example.org/> .
    :v1 :of :k1, :k2 . :v2 :of :k3 . :k2 :in :l1, :l2 ."""


def moving(chance: random.Random, count: int) -> list[Event]:
    """Random events of two streams."""
    events = []
    for number in range(count):
        nodes = [f":{kind}{chance.randint(1, 3)}" for kind in "xyv"]
        lines = [f"{chance.choice(nodes)} :{chance.choice('pqr')} :v{chance.randint(1, 3)} ." for _ in range(3)]
        quads = triples_of(f"@prefix : <http://example.org/> . {' '.join(lines)}")
        events.append(Event(chance.choice((S, S, T)), 1_000_000 * number, f"urn:e{number}", quads))
    return events


def triples_of(turtle: str) -> list[Any]:
    return list(pyoxigraph.parse(turtle, pyoxigraph.RdfFormat.TURTLE))


@pytest.mark.parametrize("gpm", ["auto", "pyoxigraph"])
@pytest.mark.parametrize("left_out", ["", "dear"])
def test_derived_streams_aggregates_and_knowledge(gpm: str, left_out: str) -> None:
    found_of: Counter[str] = Counter()
    for seed in range(12):
        events = moving(random.Random(seed), 40)
        engines = [Engine({KB: KNOWN}, gpm=gpm), Engine({KB: KNOWN}, gpm=gpm)]
        for engine in engines:
            for name, query in MORE.items():
                if name != left_out:
                    engine.register(query, name)
        wanted, found = batch(engines[0], events), one_by_one(engines[1], events)
        counted = [counters(engine) for engine in engines]
        for one in counted:  # when dear patterns are evaluated, and substreams forgotten, depends on the batches
            for name in ("dear", "parted", "parted quiet"):
                one["queries"].pop(name, None)
        assert counted[0] == counted[1]
        found_of.update(match.query for match in found)
        assert_same(found + engines[1].close(), wanted + engines[0].close())
    assert min(found_of[name] for name in MORE if name != left_out) > 3, found_of
