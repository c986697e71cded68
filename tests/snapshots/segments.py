"""Queries whose steps wait in columns, one whose sets are merged by their values, and events for them."""

from __future__ import annotations

from functools import cache
from typing import Any

import spaseq
from tests.snapshots.running import FROM, texts

A, B = (f"DEFINE GPM {name.upper()} ON s {{ ?{name}e <urn:{name}> ?{name} ; <urn:of> ?k }}" for name in "ab")
SOME = "DEFINE GPM A ON s { ?ae <urn:a> ?a OPTIONAL { ?ae <urn:o> ?o } }"
OVER = "DEFINE GPM C ON s { ?ce <urn:c> ?c ; <urn:of> ?k FILTER(?a + ?b < ?c) }"
SELECTED = {
    "sum": f"SELECT ?k ?a ?b ?c WITHIN 4 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : B : C) {A} {B} {OVER} }}",
    "squares": f"SELECT ?a ?b ?c WITHIN 5 SECONDS {FROM} WHERE {{ SEQ(A : B : C) {A} {B} "
    "DEFINE GPM C ON s { ?ce <urn:c> ?c FILTER(?a * ?a + ?b * ?b < ?c) } }",
    "deeper": f"SELECT ?d ?a ?b ?c WITHIN 3 SECONDS SLIDING {FROM} WHERE {{ SEQ(D : A : B : C) "
    f"DEFINE GPM D ON s {{ ?de <urn:c> ?d }} {A} {B} {OVER} }}",
    "rows": f"SELECT ?a ?o ?b ?c WITHIN 40 EVENTS SLIDING {FROM} WHERE {{ SEQ(A : B : C) {SOME} {B} "
    "DEFINE GPM C ON s { ?ce <urn:c> ?c FILTER(?o + ?b < ?c || ?a = ?b) } }",
    "merged": f"SELECT ?a ?e WITHIN 30 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : E) {A} "
    "DEFINE GPM E ON s { ?ee <urn:e> ?e FILTER(?e > ?a) } }",
}  # fmt: skip
AT_ONCE = 16  # events of a number
STEP = 50_000  # microseconds from one event to the next


@cache
def queries() -> dict[str, Any]:
    """The queries, parsed."""
    return {name: spaseq.parse(text) for name, text in SELECTED.items()}


def started(lateness: int) -> spaseq.Engine:
    """An engine in which what may wait does."""
    engine = spaseq.Engine(lateness=lateness, evaluation="lazy")
    for name, query in queries().items():
        engine.register(query, name)
    return engine


def push(engine: spaseq.Engine, number: int) -> list[str]:
    """What the events of a number give, as text."""
    events = [_event(number * AT_ONCE + place) for place in range(AT_ONCE)]
    return texts(match for graph, time in events for match in engine.push("s", graph, time))


def _event(number: int) -> tuple[bytes, int]:
    """Its triples and its time: A mostly, every fourth one B, few C, and E now and then."""
    kind = "e" if number % 320 == 7 else "c" if number % 48 == 5 else "b" if number % 4 == 1 else "a"
    value = {"a": number * 7 % 10, "b": number * 11 % 31, "c": number % 7 + 4, "e": 1}[kind]
    more = f" ; <urn:o> {number % 5}, {number % 3}.5" if number % 6 == 0 else ""
    time = (number - 9 * (number % 13 == 0)) * STEP
    return f"<urn:e{number}> <urn:{kind}> {value} ; <urn:of> <urn:k{number % 3}>{more} .".encode(), time + 10 * STEP
