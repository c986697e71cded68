"""Queries that keep their state in each of the ways there are, and events for them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import spaseq

FROM = "FROM STREAM s <urn:s>"
A, B, C = (
    f"DEFINE GPM {name} ON s {{ ?{name.lower()}e <urn:{name.lower()}> ?{name.lower()} ; <urn:of> ?k }}"
    for name in "ABC"
)  # fmt: skip
HIGHER = "DEFINE GPM B ON s { ?be <urn:b> ?b ; <urn:of> ?k FILTER(?b > ?a) }"
LOWER = "DEFINE GPM C ON s { ?ce <urn:c> ?c ; <urn:of> ?k FILTER(?c < ?b) }"
LOOSE = "DEFINE GPM B ON s { ?be <urn:b> ?b FILTER(?b > ?a) }"
SOME = "DEFINE GPM A ON s { ?ae <urn:a> ?a OPTIONAL { ?ae <urn:c> ?o } }"
SELECTED = {
    "v shape": f"SELECT ?k ?a ?b ?c WITHIN 9 SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; B ; C) {A} {HIGHER} {LOWER} }}",
    "views": f"SELECT ?k ?a ?b ?c WITHIN 4 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : B : C) {A} {HIGHER} {LOWER} }}",
    "kleene": f"SELECT ?k (SUM(?b) AS ?n) WITHIN 3 SECONDS {FROM} WHERE {{ SEQ(A ; B+ ; C) {A} {B} {C} }}",
    "absence": f"SELECT ?k ?a WITHIN 5 SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; B ; C!) {A} {B} {C} }}",
    "negated": f"SELECT ?k ?a ?c WITHIN 5 SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; B! ; C) {A} {HIGHER} {C} }}",
    "both": f"SELECT DISTINCT ?k ?a WITHIN 30 EVENTS {FROM} WHERE {{ SEQ((A & C) ; B) {A} {B} {C} }}",
    "twice": f"SELECT ?a ?b WITHIN 4 SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; B? ; (B | C)) {A} {B} {C} }}",
    "rows": f"SELECT ?a ?o ?b WITHIN 4 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : B) {SOME} {LOOSE} }}",
    "strict": f"SELECT ?k ?a ?b WITHIN 9 EVENTS SLIDING {FROM} PARTITION BY ?k WHERE {{ SEQ(A , B) {A} {B} }}",
    "apart": f"SELECT ?k ?a WITHIN 7 EVENTS {FROM} PARTITION BY ?k WHERE {{ SEQ(A ; B ; C!) {A} {B} {C} }}",
    "counted": f"SELECT ?k (COUNT(*) AS ?n) (SUM(?b) AS ?m) WITHIN 5 SECONDS {FROM} WHERE {{ SEQ(A : B) {A} {B} }} "
    "GROUP BY ?k",
    "averaged": f"SELECT ?k (AVG(?b) AS ?n) WITHIN 5 SECONDS {FROM} WHERE {{ SEQ(A : B) {A} {HIGHER} }} GROUP BY ?k",
    "over": f"SELECT ?a WITHIN 5 SECONDS {FROM} WHERE {{ SEQ(A ; B) {A} {B} }}",
}  # fmt: skip
ABOVE = "DEFINE GPM A ON s { ?ae <urn:a> ?a ; <urn:of> ?k FILTER(?a > ?l) }"
BELOW = "DEFINE GPM B ON s { ?be <urn:b> ?b ; <urn:of> ?k FILTER(?b < ?a + ?l) }"
OF_KEY = "DEFINE GPM C ON s { ?ce <urn:c> ?c ; <urn:of> ?q FILTER(?c > ?l) }"
WITH_ROWS = {  # which run together
    "limits": f"SELECT ?l ?k ?a ?b WITHIN ?w SECONDS SLIDING {FROM} GIVEN (?l ?w) {{ (1 9) (2 5) (4 4) (6 9) }} "
    f"WHERE {{ SEQ(A ; B) {ABOVE} {BELOW} }}",
    "keys": f"SELECT ?q ?l ?b ?c WITHIN 9 SECONDS {FROM} GIVEN (?q ?l) {{ (<urn:k0> 1) (<urn:k1> 2) (<urn:k0> 3) }} "
    f"WHERE {{ SEQ(B+ ; C) {B} {OF_KEY} }}",
    "left": f"SELECT ?l ?a ?b WITHIN 5 SECONDS SLIDING {FROM} GIVEN ?l {{ 0 3 8 }} WHERE {{ SEQ(A : B ; C!) "
    f"{ABOVE} {B} {C} }}",
}  # fmt: skip
FAMILY = {  # queries that differ only in constants
    f"family{n}": f"SELECT ?k ?a ?b ({n % 4} AS ?n) WITHIN {4 + n % 3} SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; B) "
    f"DEFINE GPM A ON s {{ ?ae <urn:a> ?a ; <urn:of> ?k FILTER(?a > {n % 5}) }} {B} }}"
    for n in range(9)
}
ANY_ORDER = {  # sides that wait for each other
    "free": f"SELECT ?k ?a ?b ?c WITHIN 4 SECONDS SLIDING {FROM} WHERE {{ SEQ(A && B && C) {A} {HIGHER} {C} }}",
    "each next": f"SELECT ?k ?a ?b WITHIN 9 SECONDS SLIDING {FROM} WHERE {{ SEQ(C ; (A ; B && B) ; C!) "
    f"{A} {LOOSE} {C} }}",
    "each later": f"SELECT ?k (SUM(?b) AS ?n) ?c WITHIN 6 SECONDS {FROM} WHERE {{ SEQ(A : (B;+ && C)) {A} {B} {C} }}",
    "at once": f"SELECT ?k ?a ?c WITHIN 9 EVENTS SLIDING {FROM} PARTITION BY ?k WHERE {{ SEQ(A , (B && C)) "
    f"{A} {B} {C} }}",
    "one of both": f"SELECT ?a ?b ?c WITHIN 3 SECONDS SLIDING {FROM} WHERE {{ SEQ(A ; (B && C | A)) "
    f"{SOME} {LOOSE} {LOWER} }}",
}  # fmt: skip
OVER = "DEFINE GPM C ON s { ?ce <urn:c> ?c ; <urn:of> ?k FILTER(?a + ?b < ?c) }"
UNDER = "DEFINE GPM B ON s { ?be <urn:b> ?b ; <urn:of> ?k FILTER(?b < ?c) }"
STEPS = {  # that may wait, and one that looks for what is negated
    "sum": f"SELECT ?k ?a ?b ?c WITHIN 8 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : B : C) {A} {B} {OVER} }}",
    "judged": f"SELECT ?a ?c WITHIN 8 SECONDS SLIDING {FROM} WHERE {{ SEQ(A : B! : C) {A} {UNDER} {C} }}",
}
KNOWLEDGE = {"urn:kb": b"<urn:k0> <urn:in> <urn:x> ."}
OTHERS = WITH_ROWS | FAMILY | ANY_ORDER | STEPS  # than those of the snapshots that are kept
STEP = 250_000  # microseconds from one event to the next


@cache
def queries() -> dict[str, Any]:
    """The queries, parsed."""
    return {name: spaseq.parse(text) for name, text in SELECTED.items()}


@cache
def queries_with_rows() -> dict[str, Any]:
    """All queries, with those whose rows run together, those that run together themselves, with `&&`, with steps that
    may wait."""
    return queries() | {name: spaseq.parse(text) for name, text in OTHERS.items()}


def started_with_rows(lateness: int, evaluation: str = "auto") -> spaseq.Engine:
    """An engine with all of them."""
    engine = started(lateness, evaluation)
    for name in OTHERS:
        engine.register(queries_with_rows()[name], name, max_results=5 if name == "family3" else None)
    return engine


def started(lateness: int = 1_000_000, evaluation: str = "auto") -> spaseq.Engine:
    """An engine with all of the queries."""
    engine = spaseq.Engine(KNOWLEDGE, lateness=lateness, evaluation=evaluation)
    for name, query in queries().items():
        engine.register(query, name, max_results=3 if name == "over" else None)
    return engine


def event(number: int) -> tuple[str, bytes, int]:
    """The stream, the triples and the time of an event: some of one time, some late by less than the lateness."""
    kind, key, value = "abcabbcac"[number % 9], number % 3, number * 7 % 11
    more = f' <urn:e{number}> <urn:c> "two", {value} .' if number % 5 == 0 else ""
    time = (number // 2 * 2 + (3 if number % 7 == 0 else 0)) * STEP
    return "s", f"<urn:e{number}> <urn:{kind}> {value} ; <urn:of> <urn:k{key}> .{more}".encode(), time


def push(engine: spaseq.Engine, numbers: Iterable[int]) -> list[str]:
    """What some events give, as text."""
    return [text for number in numbers for text in texts(engine.push(*event(number)))]


def texts(matches: Iterable[spaseq.Match]) -> list[str]:
    """Each result as text."""
    return [f"{match.query} {match.to_dict()}" for match in matches]
