"""Damaged snapshots are refused, also where someone made their digest anew; they never end the process."""

from __future__ import annotations

import hashlib
import random
from typing import Any

import numpy as np
import pytest

import spaseq
from spaseq import OptionError, SnapshotError
from spaseq.results import grouping as arrays
from spaseq.runtime.snapshot.container import GRAPHS

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


# ── a header of another shape, under a digest that fits ──────────────────────────────────────────────────
def change(snapshot: bytes, *path: str | int, value: Any = None) -> bytes:
    """The snapshot with another value in its header; without a value the key is missing."""
    header, sections = GRAPHS.unpack(snapshot)
    holder: Any = header
    for key in path[:-1]:
        holder = holder[key]
    if value is None:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return GRAPHS.pack(header, sections)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("background",), None),
        (("lateness",), -1),
        (("lateness",), "1"),
        (("clocks",), {}),
        (("clocks", 0, "iri"), "urn:other"),
        (("clocks", 0, "newest"), [0]),
        (("clocks", 0, "watermark"), 2**63),
        (("clocks", 0, "closed"), 1),
        (("scopes", "urn:s"), 1.5),
        (("scopes", "urn:more"), 1),
        (("queries", 0, "counters", "results"), True),
        (("queries", 0, "counters", "evaluated"), []),
        (("queries", 1, "name"), "next"),
        (("streamsets", 0, "queries"), []),
        (("streamsets", 0, "iris"), ["urn:s", "urn:s"]),
        (("streamsets", 0, "names", 0), 5),
        (("streamsets", 0, "first_name"), 10**9),
        (("streamsets", 0, "waiting", 0), "urn:t"),
        (("streamsets", 0, "waiting"), ["urn:s", "urn:s"]),
        (("streamsets", 0, "waiting"), [{"stream": "urn:s", "events": []}]),
        (("skipped",), {"urn:s": [-1, ""]}),
        (("skipped",), None),
    ],
    ids=str,
)
def test_a_header_of_another_shape(snapshot: bytes, path: tuple[str | int, ...], value: Any) -> None:
    with pytest.raises(SnapshotError, match="damaged"):
        spaseq.Engine.restore(change(snapshot, *path, value=value), QUERIES)


def test_a_header_of_brackets(snapshot: bytes) -> None:
    text = b"[" * 100_000
    body = snapshot[:12] + len(text).to_bytes(8, "little") + text
    with pytest.raises(SnapshotError, match="damaged"):
        spaseq.Engine.restore(body + hashlib.sha256(body).digest(), QUERIES)


def test_parts_that_are_cut(snapshot: bytes) -> None:
    header, sections = GRAPHS.unpack(snapshot)
    whole = GRAPHS.pack(header, sections)
    body = whole[:-40]
    with pytest.raises(SnapshotError, match="not all there"):
        spaseq.Engine.restore(body + hashlib.sha256(body).digest(), QUERIES)


@pytest.mark.parametrize("array", ["first", "words", "counts"])
def test_results_that_do_not_fit(snapshot: bytes, array: str) -> None:
    header, sections = GRAPHS.unpack(snapshot)
    results = arrays.unpack(sections["results counted"])
    results[f"grouping.{array}"] = np.zeros((1, 7), np.uint64)
    with pytest.raises(SnapshotError, match="results in the snapshot"):
        spaseq.Engine.restore(GRAPHS.pack(header, {**sections, "results counted": arrays.pack(results)}), QUERIES)
