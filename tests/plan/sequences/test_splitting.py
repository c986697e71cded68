"""Where queries over graphs may be cut, with the reason, and which of them stay together."""

from __future__ import annotations

import pytest

import spaseq
from gpm.evaluator import Evaluator
from nfa_native.terms.dictionary import Terms
from spaseq.plan.sequences import Plan, compile_plan
from spaseq.plan.sequences.partitioning import components, split_natively, split_of

GPMS = "DEFINE GPM A ON s { ?a <urn:A> ?k ; <urn:p> ?va } DEFINE GPM B ON s { ?b <urn:B> ?k }"


def plan(seq: str, select: str = "*", head: str = "", gpms: str = GPMS, tail: str = "") -> Plan:
    text = f"SELECT {select} {head} FROM STREAM s <urn:s> WHERE {{ SEQ({seq}) {gpms} }} {tail}"
    return compile_plan(spaseq.parse(text).query)


@pytest.mark.parametrize(
    "seq", ["A ; B", "A : B", "A ; B! ; A", "A? ; B", "A | B", "A & B", "A ; B;+", "B ; A:* ; A"]
)  # fmt: skip
def test_by_a_variable_that_joins_all(seq: str) -> None:
    assert plan(seq).split.keys == ("k",)


@pytest.mark.parametrize(
    ("seq", "more", "why"),
    [
        ("A , B", {}, "“,” asks for the very next event"),
        ("A ; B,+", {}, "“,” asks for the very next event"),
        ("A ; B", {"head": "WITHIN 3 EVENTS"}, "the window counts all events"),
        ("A;+", {}, "no variable that every GPM binds"),  # a group variable: iterations do not join
        ("A;+ ; B!", {}, "no variable that every GPM binds"),
        ("A ; B", {"gpms": GPMS.replace("?b <urn:B> ?k", "?b <urn:B> ?c")}, "no variable that every GPM binds"),
        ("A ; B", {"gpms": GPMS.replace("?b <urn:B> ?k", "?b <urn:B> ?c OPTIONAL { ?b <urn:C> ?k }")}, "no variable"),
        ("A ; B", {"select": "DISTINCT ?va"}, "DISTINCT compares the rows of all ?k: SELECT would keep them apart"),
        ("A ; B", {"select": "(COUNT(*) AS ?n)"}, "aggregates are over the matches of all ?k: GROUP BY would"),
        ("A ; B", {"select": "DISTINCT (COUNT(*) AS ?n)", "tail": "GROUP BY ?k"}, "DISTINCT compares the rows"),
    ],
)
def test_nowhere(seq: str, more: dict[str, str], why: str) -> None:
    found = plan(seq, **more).split
    assert not found.keys and why in found.why


def partitioned(seq: str, select: str = "*") -> Plan:
    text = f"SELECT {select} FROM STREAM s <urn:s> PARTITION BY ?k WHERE {{ SEQ({seq}) {GPMS} }}"
    return compile_plan(spaseq.parse(text).query)


@pytest.mark.parametrize("seq", ["A , B", "A;+ ; B", "A"])
def test_partitions_are_streams_of_their_own(seq: str) -> None:
    assert partitioned(seq).split.keys == ("k",)
    assert partitioned(seq).split.shown
    assert not partitioned(seq, "?va").split.shown


def test_distinct_is_over_all_partitions() -> None:
    assert "SELECT ?k" in partitioned("A", "DISTINCT ?va").split.why
    assert partitioned("A", "DISTINCT ?va ?k").split.keys == ("k",)


def test_distinct_and_groups_that_show_the_key() -> None:
    assert plan("A ; B", "DISTINCT ?k").split.keys == ("k",)
    assert plan("A ; B", "(COUNT(*) AS ?n)", tail="GROUP BY ?k").split.keys == ("k",)


def test_keys_are_found_natively() -> None:
    def natively(condition: str) -> tuple[str, ...]:
        planned = plan("A ; B", gpms=GPMS.replace("?a <urn:A> ?k", condition))
        return split_natively(planned.split, planned.atoms, Evaluator(Terms())).keys

    assert natively('?a <urn:A> ?k FILTER(REGEX(STR(?a), "x")) ?a <urn:q> ?q') == ("k",)
    assert natively("?a <urn:A>+ ?k") == ()


def test_queries_linked_by_a_stream_stay_together() -> None:
    def query(source: str, into: str = "") -> str:
        form = f"CONSTRUCT {{ ?a <urn:B> ?k }} INTO STREAM <{into}>" if into else "SELECT *"
        return f"{form} FROM STREAM s <{source}> WHERE {{ SEQ(A) DEFINE GPM A ON s {{ ?a <urn:A> ?k }} }}"

    texts = [query("urn:s"), query("urn:t"), query("urn:s", "urn:t"), query("urn:s", "urn:u"), query("urn:t", "urn:v")]
    queries = [spaseq.parse(text).query for text in texts]
    assert components(queries) == [[0], [1, 2, 4], [3]]
    assert "linked with other queries" in split_of(queries[1], False, 3).why
