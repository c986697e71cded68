"""Negations whose filters read what comes later: a sample of random pairs against the oracle, in several ways."""

from __future__ import annotations

import pytest

from tests.agreement.any_order import WAYS, way_of
from tests.agreement.harness import plan_for
from tests.oracle.negated import negated_pair
from tests.oracle.text import to_text

CASES = 240


@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: WAYS[way].__name__)
def test_random_pairs(way: int) -> None:
    for number in range(way, CASES, len(WAYS)):
        assert not way_of(number)(negated_pair(number)), number


@pytest.mark.parametrize("way", range(len(WAYS)), ids=lambda way: WAYS[way].__name__)
def test_random_partitions(way: int) -> None:
    for number in range(way, CASES // 4, len(WAYS)):
        assert not way_of(number)(negated_pair(number, partitioned=True)), number


def test_most_have_a_first_chance() -> None:
    plans = [plan_for(to_text(negated_pair(number).query)).explain("text") for number in range(CASES)]
    assert sum("looked for when the next step comes" in plan for plan in plans) > CASES / 3
