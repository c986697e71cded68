"""The generators make valid pairs, the same for the same seed, that cover what they should and often match."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import HealthCheck, find, given, settings

from . import agrees, evaluate, exhaustive, rows, to_csv, to_text
from .generate import ATTRIBUTES, Pair, Size, most_held, pairs, random_pair
from .model import STRATEGIES, Filter, Relation, filters_in, variables, walk_formulas
from .predicates import names
from .text import formula_text

COVERED = {
    *("relation", "AS", "AS of a formula", "FILTER", "FILTER in FILTER", "filter AND", "filter OR", "correlated"),
    *(";", ":", "OR", "+", ":+", "FILTER in Kleene", "; in Kleene", ": in Kleene", "OR in Kleene", "+ in Kleene"),
    *("comparison", "predicate AND", "predicate OR", "predicate NOT", "LIKE", "IN", "RANGE", "IS NULL"),
    *("arithmetic", "division", "select *", "select variables", "COUNT(*)", "COUNT(…)", "SUM(…)", "AVG(…)"),
    *("MIN(…)", "MAX(…)", "group by 0", "group by 1", "group by 2", "limit", *(f"strategy {s}" for s in STRATEGIES)),
    *("strategy default", "consume default", "consume NONE", "consume ANY", "consume PARTITION"),
    *("window none", "window SECONDS", "window MILLISECONDS", "window EVENTS", "window clock", "window price"),
    *("partition by 0", "partition by 1", "partition by 2", "equal times", "NULL"),
}


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    return [random_pair(seed) for seed in range(1000)]


def has_results(pair: Pair) -> bool:
    return bool(rows(pair.query, pair.events) if pair.query.aggregates else evaluate(pair.query, pair.events))


def test_random_pairs_often_match(sample: list[Pair]) -> None:
    assert sum(map(has_results, sample)) >= 0.4 * len(sample)


def test_random_pairs_cover_the_language(sample: list[Pair]) -> None:
    counts = Counter(label for pair in sample for label in pair.labels)
    assert {label for label in COVERED if counts[label] < 10} == set()


def test_random_pairs_depend_on_the_seed_alone(sample: list[Pair]) -> None:
    assert all(random_pair(seed) == sample[seed] for seed in range(100))
    assert len({to_text(pair.query) for pair in sample}) > 0.9 * len(sample)
    assert all(to_csv(pair.events, ATTRIBUTES).count("\n") == len(pair.events) + 1 for pair in sample)


def test_random_pairs_respect_their_size() -> None:
    for seed in range(200):
        assert 4 <= len(random_pair(seed, Size(events=5, least_events=4)).events) <= 5


def test_filters_name_variables_of_their_scope(sample: list[Pair]) -> None:
    for pair in sample:
        for part in walk_formulas(pair.query.formula):
            if isinstance(part, Filter):
                for single in filters_in(part.condition):
                    assert {single.variable, *names(single.predicate)} - {None} <= variables(part.body)


def test_groups_are_of_single_members(sample: list[Pair]) -> None:
    for pair in sample:
        assert all(most_held(pair.query.formula, attribute.variable) == 1 for attribute in pair.query.group_by)


def test_streams_are_in_order_of_time(sample: list[Pair]) -> None:
    for pair in sample:
        times = [event.time for event in pair.events]
        clocks = [clock for event in pair.events if isinstance(clock := event.attributes["clock"], int)]
        assert times == sorted(times)
        assert clocks == sorted(clocks)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(pairs(Size(operators=3, events=5)))
def test_hypothesis_pairs_agree_with_themselves(pair: Pair) -> None:
    if pair.query.strategy == "ANY" or pair.query.limit:
        return
    if pair.query.aggregates:
        assert agrees(
            pair.query, pair.events, [row for (only,) in rows(pair.query, pair.events).values() for row in only]
        )
    else:
        found = evaluate(pair.query, pair.events)
        assert agrees(pair.query, pair.events, found)
        assert not agrees(pair.query, pair.events, [*found, *found[:1]]) or not found
        assert not agrees(pair.query, pair.events, found[1:]) or not found


@pytest.mark.deep
def test_hypothesis_pairs_shrink() -> None:
    def has_two_results(pair: Pair) -> bool:
        return not pair.query.aggregates and len(evaluate(pair.query, pair.events)) >= 2

    quick = settings(max_examples=1000, deadline=None, database=None, derandomize=True)
    smallest = find(pairs(), has_two_results, settings=quick)
    assert len(smallest.events) <= 2
    assert isinstance(smallest.query.formula, Relation)


def test_small_worlds() -> None:
    texts = [formula_text(formula) for formula in exhaustive.formulas()]
    assert len(texts) == len(set(texts)) == 121
    assert {"A", "(A ; B)", "(A : A)", "((A OR B)):+", "((A ; B) : A)", "(A ; (B)+)"} <= set(texts)
    assert len(list(exhaustive.queries(exhaustive.formulas(1)))) == 9 * 12
    assert len(list(exhaustive.streams(2, values=(0, 1), gaps=(1, 0)))) == 4 + 4 * 8
    filtered = {formula_text(formula) for formula in exhaustive.correlated(1)}
    assert "(((A AS x) ; (B AS y)) FILTER x[value < y.value])" in filtered
