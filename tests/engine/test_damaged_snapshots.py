"""Damaged snapshots are refused, also where someone made their digest anew; they never end the process."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import pytest

import spaseq
from spaseq import OptionError, SnapshotError

QUERIES = {
    "next": """SELECT ?a ?b WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
        SEQ(A ; B) DEFINE GPM A ON s { ?x <urn:p> ?a } DEFINE GPM B ON s { ?x <urn:q> ?b FILTER(?b > ?a) } }""",
    "counted": """SELECT ?x (COUNT(*) AS ?n) WITHIN 10 SECONDS FROM STREAM s <urn:s> WHERE {
        SEQ(A ; B) DEFINE GPM A ON s { ?x <urn:p> ?a } DEFINE GPM B ON s { ?x <urn:q> ?b } } GROUP BY ?x""",
    "nested": """SELECT ?a (SUM(?b) AS ?n) WITHIN 10 EVENTS FROM STREAM s <urn:s> FROM STREAM t <urn:t> WHERE {
        SEQ(A ; (B ; C)+ ; D!)
        DEFINE GPM A ON s { ?x <urn:p> ?a } DEFINE GPM B ON s { ?x <urn:q> ?b }
        DEFINE GPM C ON s { ?x <urn:p> ?c } DEFINE GPM D ON t { ?x <urn:p> ?d } }""",
}


@pytest.fixture(scope="module")
def snapshot() -> bytes:
    engine = spaseq.Engine(lateness=1_000_000)
    for name, text in QUERIES.items():
        engine.register(text, name)
    for i in range(30):
        engine.push("s", f'<urn:x{i % 3}> <urn:{"pq"[i % 2]}> {i}, "t{i}" .'.encode(), i * 100_000)
    return engine.snapshot()


def damaged(data: bytes, choose: random.Random) -> bytes:
    place = choose.randrange(len(data))
    kind = choose.randrange(4)
    if kind == 0:
        return data[:place] + bytes([data[place] ^ 1 << choose.randrange(8)]) + data[place + 1 :]
    if kind == 1:
        return data[:place] + data[place + choose.choice([1, 8, 100]) :]
    if kind == 2:
        return data[:place] + choose.randbytes(choose.choice([1, 8])) + data[place:]
    return data[:place]


def test_every_damage_is_noticed(snapshot: bytes) -> None:
    choose = random.Random(1)
    for _ in range(500):
        with pytest.raises(SnapshotError):
            spaseq.Engine.restore(damaged(snapshot, choose), QUERIES)


def test_damage_with_a_new_digest_is_no_crash(snapshot: bytes) -> None:
    choose, refused = random.Random(2), 0
    for _ in range(150):
        body = damaged(snapshot[:-32], choose)
        try:
            spaseq.Engine.restore(body + hashlib.sha256(body).digest(), QUERIES)
        except SnapshotError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("data", [None, 5, "SPASEQ", []])
def test_what_is_no_snapshot(data: Any) -> None:
    with pytest.raises(OptionError, match="a snapshot is bytes"):
        spaseq.Engine.restore(data, QUERIES)


@pytest.mark.parametrize("queries", [None, 5])
def test_what_are_no_queries(snapshot: bytes, queries: Any) -> None:
    with pytest.raises(OptionError, match="queries are given"):
        spaseq.Engine.restore(snapshot, queries)
