"""Snapshots whose digest was made anew: refused, or an engine that can be used.

Values of the header are changed, bytes anywhere, and numbers in the stores of each part (``tests.snapshots.forger``).
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from functools import cache
from typing import Any

import spaseq
from spaseq import SnapshotError
from spaseq.runtime.snapshot.container import GRAPHS
from tests.fuzz.door import Door
from tests.fuzz.mutate import mutated
from tests.snapshots.forger import forged_archive

DIGEST = 32
STREAMS = "FROM STREAM s <urn:s>"
A, B = "DEFINE GPM A ON s { ?x <urn:p> ?a }", "DEFINE GPM B ON s { ?x <urn:q> ?b }"
QUERIES = {
    "next": f"""SELECT ?a ?b WITHIN 10 SECONDS SLIDING {STREAMS} WHERE {{
        SEQ(A ; B) {A} DEFINE GPM B ON s {{ ?x <urn:q> ?b FILTER(?b > ?a) }} }}""",
    "counted": f"SELECT ?x (COUNT(*) AS ?n) WITHIN 10 SECONDS {STREAMS} WHERE {{ SEQ(A ; B) {A} {B} }} GROUP BY ?x",
    "nested": f"""SELECT ?a (SUM(?b) AS ?n) WITHIN 10 EVENTS {STREAMS} FROM STREAM t <urn:t> WHERE {{
        SEQ(A ; (B ; C)+ ; D!) {A} {B}
        DEFINE GPM C ON s {{ ?x <urn:p> ?c }} DEFINE GPM D ON t {{ ?x <urn:p> ?d }} }}""",
    "distinct": f"SELECT DISTINCT ?x WITHIN 5 SECONDS {STREAMS} WHERE {{ SEQ(A : B:+ , A!) {A} {B} }}",
    "apart": f"SELECT ?x ?a WITHIN 4 EVENTS {STREAMS} PARTITION BY ?x WHERE {{ SEQ(A , B?) {A} {B} }}",
}  # fmt: skip
ONE_A, ONE_B, ONE_C, ONE_N = (  # which have one row for an event
    f"DEFINE GPM {name} ON s {{ ?x <urn:{path}> ?{name.lower()} FILTER({condition}) }}"
    for name, path, condition in (("A", "p", "?a >= 0"), ("B", "q", "?b >= 0"), ("C", "p", "?a + ?b < ?c"),
                                  ("N", "q", "?n < ?b"))
)  # fmt: skip
MORE = {  # than in snapshots that were kept before these: sides, steps that wait, negations that are judged at once
    "sides": f"SELECT ?a ?b ?c WITHIN 9 SECONDS SLIDING {STREAMS} WHERE {{ SEQ(A ; (B:+ && C)) {A} {B} {ONE_C} }}",
    "waiting": f"SELECT ?b WITHIN 8 SECONDS SLIDING {STREAMS} WHERE {{ SEQ(A : B : C) {ONE_A} {ONE_B} {ONE_C} }}",
    "judged": f"SELECT ?a WITHIN 20 EVENTS SLIDING {STREAMS} WHERE {{ SEQ(A : N! : B) {ONE_A} {ONE_N} {ONE_B} }}",
}
VALUES = (
    0,
    1,
    -1,
    2,
    2**31,
    2**32,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64,
    10**30,
    1.5,
    1e308,
    True,
    None,
    "",
    "x",
    [],
    {},
    [0],
    "urn:s",
)


def enter(data: bytes) -> str:
    """Restore and go on."""
    body, queries = data[:-DIGEST], _queries_of(data)
    engine = spaseq.Engine.restore(body + hashlib.sha256(body).digest(), queries)
    engine.statistics()
    found = [engine.push(stream, _event(number), 3_000_000 + number) for number, stream in enumerate("stsst")]
    again = spaseq.Engine.restore(engine.snapshot(), queries)
    return f"{sum(map(len, found)).bit_length()} {len(again.close()).bit_length()}"


def _queries_of(data: bytes) -> dict[str, Any]:
    """Those that its header may name."""
    names = QUERIES if b'"sides"' not in data else QUERIES | MORE
    return {name: _parsed()[name] for name in names}


@cache
def _parsed() -> dict[str, Any]:
    return {name: spaseq.parse(text) for name, text in (QUERIES | MORE).items()}


def _event(number: int) -> bytes:
    return f'<urn:x{number % 3}> <urn:{"pq"[number % 2]}> {number}, "t{number}" .'.encode()


def changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """Values of the header or bytes of a section changed, or bytes of it all."""
    try:
        body = data[:-DIGEST]
        header, sections = GRAPHS.unpack(body + hashlib.sha256(body).digest())
    except SnapshotError:
        return mutated(data, other, words, choose)
    kind = choose.randrange(5)
    if kind == 0:
        return mutated(data, other, words, choose)
    for _ in range(choose.choice((1, 1, 2, 4))):
        if kind < 3:
            _change_value(header, choose)
        elif sections:
            name = choose.choice(sorted(sections))
            changes = _forged if choose.randrange(4) else _changed_section
            sections[name] = changes(sections[name], choose)
    return GRAPHS.pack(header, sections)


def _forged(data: bytes, choose: random.Random) -> bytes:
    """The stores of a section with other numbers, or another length."""
    try:
        return forged_archive(data, choose)
    except ValueError:  # it was changed before, or has no stores
        return _changed_section(data, choose)


def _changed_section(data: bytes, choose: random.Random) -> bytes:
    """Another number somewhere, or any other damage."""
    if choose.randrange(2) or len(data) < 8:
        return mutated(data, data, (), choose)
    size = choose.choice((1, 2, 4, 8))
    place = choose.randrange(len(data) // size) * size
    number = choose.choice(
        (0, 1, 2, 3, 255, 2 ** (8 * size - 1), 2 ** (8 * size) - 1, choose.randrange(2 ** (8 * size)))
    )
    return data[:place] + (number % 2 ** (8 * size)).to_bytes(size, "little") + data[place + size :]


def _change_value(holder: Any, choose: random.Random) -> None:
    """Another value somewhere in a JSON value, or one less."""
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            return
        key = choose.choice(keys)
        if isinstance(holder[key], dict | list) and holder[key] and choose.randrange(8):
            holder = holder[key]
            continue
        if choose.randrange(6) == 0:
            del holder[key]
        elif choose.randrange(4) == 0 and isinstance(holder, list):
            holder.append(json.loads(json.dumps(holder[key])))
        else:
            holder[key] = json.loads(json.dumps(choose.choice(VALUES)))
        return


def seeds() -> list[bytes]:
    """Snapshots after a few events, with and without some that wait, also of steps."""
    sizes = ((0, 0), (3, 0), (30, 0), (30, 1_000_000))
    return [*(_snapshot(count, lateness, "auto") for count, lateness in sizes), _snapshot(30, 0, "lazy")]


def _snapshot(count: int, lateness: int, evaluation: str) -> bytes:
    engine = spaseq.Engine(lateness=lateness, evaluation=evaluation)
    for name, query in _parsed().items():
        engine.register(query, name)
    for number in range(count):
        engine.push("st"[number % 7 == 6], _event(number), number * 100_000)
    return engine.snapshot()


DOOR = Door("snapshots", enter, seeds, mutate=changed)
