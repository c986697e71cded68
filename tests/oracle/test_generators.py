"""The generators make valid pairs, the same for the same seed, that cover what they should and often match."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, find, given, settings

from . import evaluate, exhaustive, to_text
from .generate import Pair, Size, random_pair
from .plan import plan_of
from .strategies import pairs
from .text import sequence_text

COVERED = {
    *("operator ,", "operator ;", "operator :", "operator &", "operator |", "operator | of sequences"),
    *("quantifier +", "quantifier *", "quantifier ?", "quantifier {2}", "quantifier {1,2}", "quantifier {0,2}"),
    *("iteration default", "iteration ,", "iteration ;", "iteration :", "nested Kleene", "group on the right"),
    *("negation start", "negation middle", "negation end", "negation of a BOp", "GPM twice"),
    *("window none", "window tumbling", "window sliding", "window events tumbling", "window events sliding"),
    *("window origin", "streams 1", "streams 2", "simultaneous events", "several mappings"),
    *("filter local", "filter stateful", "filter stateful in a negated atom", "filter PREV", "filter FIRST"),
    *("filter COUNT", "filter SUM", "filter COALESCE", "filter BOUND", "filter IF"),
    *("pattern OPTIONAL", "pattern UNION", "select *", "select DISTINCT", "select COUNT(*)", "select GROUP BY"),
    *("select COUNT", "select SUM", "select GROUP_CONCAT"),
}


@pytest.fixture(scope="module")
def sample() -> list[Pair]:
    return [random_pair(seed) for seed in range(1500)]


def test_random_pairs_often_match(sample: list[Pair]) -> None:
    assert sum(bool(evaluate(pair.query, pair.events)) for pair in sample) >= 0.4 * len(sample)


def test_random_pairs_cover_the_language(sample: list[Pair]) -> None:
    counts = Counter(label for pair in sample for label in pair.labels)
    assert {label for label in COVERED if counts[label] < 15} == set()


def test_random_pairs_respect_their_size() -> None:
    for seed in range(300):
        pair = random_pair(seed, Size(operators=4, events=5, least_operators=3, least_events=4))
        assert 4 <= len(pair.events) <= 5


def test_random_pairs_depend_on_the_seed_alone(sample: list[Pair]) -> None:
    assert all(random_pair(seed) == sample[seed] for seed in range(100))
    assert len({to_text(pair.query) for pair in sample}) > 0.9 * len(sample)


def test_declared_variables_are_those_in_scope(sample: list[Pair]) -> None:
    patterns = {(gpm.pattern, gpm.variables) for pair in sample for gpm in pair.query.gpms}
    for pattern, variables in patterns:
        found = ox.Store().query(f"PREFIX : <http://example.org/> SELECT * WHERE {{ {pattern} }}")
        assert isinstance(found, ox.QuerySolutions)
        assert {variable.value for variable in found.variables} == set(variables)


def test_events_arrive_in_order_of_time(sample: list[Pair]) -> None:
    for pair in sample:
        times = [event.time for event in pair.events]
        assert times == sorted(times)
        assert len({event.name for event in pair.events}) == len(times)
        assert all(event.triples for event in pair.events)


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(pairs())
def test_hypothesis_pairs_evaluate(pair: Pair) -> None:
    results = evaluate(pair.query, pair.events)
    assert len({(result.identity, result.decided) for result in results}) == len(results)
    assert all(set(dict(r.row)) <= set(plan_of(pair.query).visible()) for r in results if not pair.query.select.items)


@pytest.mark.deep
def test_hypothesis_pairs_shrink() -> None:
    def has_two_results(pair: Pair) -> bool:
        return len(evaluate(pair.query, pair.events)) >= 2

    smallest = find(
        pairs(), has_two_results, settings=settings(max_examples=1000, deadline=None, database=None, derandomize=True)
    )
    assert len(smallest.events) <= 2
    assert len(smallest.query.gpms) <= 3
    assert not any(gpm.filters for gpm in smallest.query.gpms)


def test_exhaustive_worlds() -> None:
    texts = [sequence_text(node) for node in exhaustive.sequences()]
    assert len(texts) == len(set(texts)) == 813
    assert {"A", "A! ; B", "A+", "A:+", "A;+{2}", "(A ; B),+", "A , B | C", "A* | B"} <= set(texts)
    assert not {"A!", "A!+", "A! & B", "A+ & B", "A! | B", "A? | B"} & set(texts)
    # One type, one key: one event; two, simultaneous or not; three with two gaps.
    assert len(list(exhaustive.streams("A", keys=1))) == 1 + 2 + 4
    matching = sum(bool(evaluate(pair.query, pair.events)) for pair in islice(exhaustive.pairs(), 0, None, 50))
    assert matching > 200
