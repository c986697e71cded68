"""The generators with `&&`: valid pairs, the same for the same seed, that cover what they should and often match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings

from tests.oracle import evaluate, exhaustive, exhaustive_partitions, to_text
from tests.oracle.across import filters_across
from tests.oracle.aggregated import aggregated_pair
from tests.oracle.expressed import expressed_pair
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.given import random_case
from tests.oracle.partitions import partitioned_pair
from tests.oracle.plan import plan_of
from tests.oracle.sequences import has_any_order, is_valid
from tests.oracle.strategies import pairs
from tests.oracle.text import sequence_text

SIZE = Size(4, 7, 1, 3, any_order=True)
COVERED = {
    *("operator &&", "&& of 2 sides", "&& of 3 sides", "&& with a BOp", "&& with a Kleene", "&& with a Seq"),
    *("&& with a Or", "&& with a AnyOrder", "&& in |", "&& under a quantifier"),
    *(f"&& {place} {sign}" for place in ("before", "after") for sign in ",;:"),
    *("filter across", "filter across in a Kleene", "filter across with history", "filter across of an outer &&"),
    *("filter of what another side has too", "filter stateful in a negated atom", "GPM twice", "iteration default"),
    *("negation start", "negation middle", "negation end", "window tumbling", "window sliding", "window none"),
    *("window events tumbling", "window events sliding", "simultaneous events", "several mappings", "streams 2"),
    *("select *", "select items", "select DISTINCT", "select COUNT(*)", "select GROUP BY"),
}


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    return [random_pair(seed, SIZE) for seed in range(1000)]


def test_all_have_an_any_order_or_none(sample: list[Pair]) -> None:
    assert all(has_any_order(pair.query.sequence) and is_valid(pair.query.sequence) for pair in sample)
    without = replace(SIZE, any_order=False)
    assert not any(has_any_order(random_pair(seed, without).query.sequence) for seed in range(300))


def test_they_cover_the_operator(sample: list[Pair]) -> None:
    counts = Counter(label for pair in sample for label in pair.labels)
    assert {label for label in COVERED if counts[label] < 10} == set()


def test_they_often_match(sample: list[Pair]) -> None:
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in sample) > 0.35 * len(sample)
    across = [pair for pair in sample if "filter across" in pair.labels]
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in across) > 0.2 * len(across)


def test_they_depend_on_the_seed_alone(sample: list[Pair]) -> None:
    assert all(random_pair(seed, SIZE) == sample[seed] for seed in range(100))
    assert len({to_text(pair.query) for pair in sample}) > 0.9 * len(sample)


MAKERS: list[Callable[[int], Pair]] = [
    lambda seed: partitioned_pair(seed, SIZE),
    lambda seed: aggregated_pair(seed, SIZE, seed % 2 > 0),
    lambda seed: expressed_pair(seed, SIZE, seed % 2 > 0),
]


@pytest.mark.parametrize("make", MAKERS, ids=["partitioned", "aggregated", "expressed"])
def test_other_generators_have_it_too(make: Callable[[int], Pair]) -> None:
    found = [make(seed) for seed in range(200)]
    assert all("operator &&" in pair.labels for pair in found)
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in found) > 20


def test_parameters() -> None:
    cases = [random_case(seed, SIZE) for seed in range(60)]
    assert all("&&" in case.text for case in cases)
    assert sum(bool(rows) for case in cases for rows in case.wanted()) > 10


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(pairs(Size(operators=3, events=5, any_order=True)))
def test_hypothesis_pairs_evaluate(pair: Pair) -> None:
    results = evaluate(pair.query, pair.events)
    assert len({(result.identity, result.decided) for result in results}) == len(results)
    assert has_any_order(pair.query.sequence)


def test_exhaustive_worlds() -> None:
    texts = [sequence_text(node) for node in exhaustive.sequences(any_order=True)]
    assert len(texts) == len(set(texts)) == 134
    assert {"A && A", "A && B", "A ; A && B", "A && B && C", "A && (B && C)", "A && B | C", "A && B & C"} <= set(texts)
    assert {"A+ && B", "A && (B ; C)", "A , B && A", "A && B : C", "(A | B) && C", "A && B{2}"} <= set(texts)
    assert not {"(A && B)+", "A* && B", "A? && B", "A! && B", "(A && B) & C", "(A && B)!"} & set(texts)
    assert not any("&&" in sequence_text(node) for node in exhaustive.sequences())
    found = islice(exhaustive.pairs(any_order=True), 0, None, 20)
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in found) > 100
    found = islice(exhaustive_partitions.pairs(any_order=True), 0, None, 100)
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in found) > 100


def test_exhaustive_filters_across() -> None:
    queries = list(exhaustive.queries_across())
    assert all(sum(map(len, filters_across(plan_of(query)).values())) == 1 for query in queries)
    assert {sequence_text(query.sequence) for query in queries} >= {"A && B", "A && B && C", "A ; B && C", "A && B{2}"}
    found = islice(exhaustive.pairs_of(queries), 0, None, 20)
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in found) > 60
