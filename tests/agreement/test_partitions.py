"""A sample of the long comparison of partitioned queries (``python -m tests.agreement.deep --only partitions``)."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.agreement.partitions import SIZE, difference
from tests.oracle.exhaustive_partitions import pairs as all_pairs
from tests.oracle.generate import Pair
from tests.oracle.model import Window
from tests.oracle.partitions import make_partitioned, partitioned_pair
from tests.oracle.strategies import Drawn
from tests.slices import first


@pytest.mark.parametrize("start", first(2, range(0, 400, 100)))
def test_random_pairs(start: int) -> None:
    for number in range(start, start + 100):
        assert not difference(partitioned_pair(number, SIZE), number), number


@pytest.mark.parametrize("using", [False, True])
def test_small_worlds(using: bool) -> None:
    """Every 1,200th pair of a pattern of at most two operators and a stream of at most three events of two keys."""
    window = Window(2, "EVENTS", sliding=True) if using else None
    for pair in islice(all_pairs(using=using, window=window), 0, None, 1200):
        assert not difference(pair)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    return make_partitioned(Drawn(draw), SIZE)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs(), st.integers(0, 9))
def test_hypothesis_examples(pair: Pair, seed: int) -> None:
    assert not difference(pair, seed)
