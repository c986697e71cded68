"""A sample of the long comparison (``make check-deep`` runs all of it)."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings

from tests.agreement.harness import difference
from tests.oracle.exhaustive import pairs as all_pairs
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.strategies import pairs as drawn_pairs
from tests.slices import first


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawn_pairs(Size()))
def test_hypothesis_examples(pair: Pair) -> None:
    assert not difference(pair.query, pair.events)


@pytest.mark.parametrize("start", range(8))
def test_small_worlds(start: int) -> None:
    """Every 400th pair of a pattern of at most two operators and a stream of at most three events."""
    for pair in islice(all_pairs(), start * 50, None, 400):
        assert not difference(pair.query, pair.events)


@pytest.mark.parametrize("start", first(4, range(0, 1200, 100)))
def test_random_pairs(start: int) -> None:
    for number in range(start, start + 100):
        pair = random_pair(number, Size(4, 5, 3, 4))
        assert not difference(pair.query, pair.events), number
