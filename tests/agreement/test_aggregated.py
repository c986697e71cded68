"""Random queries with HAVING, DISTINCT in aggregates, STDEV, VARIANCE, MEDIAN, and aggregates of expressions: the
engine against the oracle."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.agreement import harness, partitions
from tests.oracle.aggregated import aggregated_pair, make_aggregated
from tests.oracle.expressed import expressed_pair, make_expressed
from tests.oracle.generate import Pair
from tests.oracle.strategies import Drawn


def difference(pair: Pair, seed: int) -> str:
    """Of the engine's parts, or of an engine with snapshots if the query has partitions."""
    if pair.query.partition is not None:
        return partitions.difference(pair, seed)
    return harness.difference(pair.query, pair.events, [len(pair.events) // 2])


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("start", range(0, 200, 100))
def test_random_pairs(start: int, partitioned: bool) -> None:
    for number in range(start, start + 100):
        assert not difference(aggregated_pair(number, partitions.SIZE, partitioned), number), number


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("start", range(10_000, 10_120, 60))
def test_random_pairs_with_expressions(start: int, partitioned: bool) -> None:
    for number in range(start, start + 60):
        assert not difference(expressed_pair(number, partitions.SIZE, partitioned), number), number


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    make = draw(st.sampled_from((make_aggregated, make_expressed)))
    return make(Drawn(draw), partitions.SIZE, draw(st.booleans()))


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs())
def test_hypothesis_examples(pair: Pair) -> None:
    assert not difference(pair, 1)
