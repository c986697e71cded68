"""Snapshot and restore anywhere change nothing; foreign and damaged snapshots are refused."""

from __future__ import annotations

import random

import pytest

import spaseq
from spaseq.errors import SnapshotError
from spaseq.streams import Event
from tests.graphs.standin import StandInPlan, query
from tests.graphs.test_watermarks import A, B, C, graph

QUERIES = {"plain": query(A, B), "edge": query(B, A, delay=30, into=C), "derived": query(C, delay=5)}
BACKGROUND = {"urn:kb": b"<urn:a> <urn:b> <urn:c> ."}


def started() -> spaseq.Engine:
    engine = spaseq.Engine(BACKGROUND, lateness=4)
    for name, one in QUERIES.items():
        engine.register(one, name)
    return engine


def some_events() -> list[Event]:
    generator = random.Random(3)
    return [Event(generator.choice((A, B)), time + generator.randint(0, 4), "", graph(time)) for time in range(100)]


def content(matches: list[spaseq.Match]) -> list[str]:
    return [str(match.to_dict()) for match in matches]


def test_restoring_anywhere_changes_nothing(plans: list[StandInPlan]) -> None:
    events = some_events()
    found = []
    for restored in (False, True):
        engine, matches = started(), []
        for number, event in enumerate(events):
            matches += content([match for table in engine.push_events([event]) for match in table])
            if restored and number % 7 == 0:
                data = engine.snapshot()
                assert data == engine.snapshot()
                engine = spaseq.Engine.restore(data, QUERIES, BACKGROUND)
        found.append(matches + content(engine.close()))
    assert found[0] == found[1]
    assert len(found[0]) > 100


def test_foreign_snapshots_are_refused(plans: list[StandInPlan]) -> None:
    engine = started()
    for _ in engine.push_events(some_events()):
        pass
    data = engine.snapshot()
    changed = bytearray(data)
    changed[len(data) // 2] ^= 1
    other = dict(QUERIES, edge=query(B, A, delay=31, into=C))
    cases = [
        (b"", QUERIES, "no snapshot"),
        (b"x" * 100, QUERIES, "no snapshot"),
        (data[:8] + b"\x0a" + data[9:], QUERIES, "has version 10; this program reads versions 8 to 9"),
        (bytes(changed), QUERIES, "is damaged"),
        (data[:-1], QUERIES, "is damaged"),
        (data, other, 'with another query "edge"'),
        (data, {"plain": QUERIES["plain"]}, "is of the queries"),
        (data, [QUERIES["plain"]], "is of 3 queries"),
    ]
    for bad, queries, message in cases:
        with pytest.raises(SnapshotError, match=message):
            spaseq.Engine.restore(bad, queries, BACKGROUND)
    with pytest.raises(SnapshotError, match="other background knowledge"):
        spaseq.Engine.restore(data, QUERIES)
    assert list(spaseq.Engine.restore(data, list(QUERIES.values()), BACKGROUND).queries) == list(QUERIES)
