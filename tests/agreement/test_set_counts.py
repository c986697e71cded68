"""Matches counted by sets and by totals are as many as those that are enumerated, and as the oracle says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.agreement.counting import counting_pair
from tests.agreement.counts import ALL, COUNT, SIZE, counted, counting, miscounted, totalled
from tests.agreement.harness import difference
from tests.oracle.generate import random_pair


@pytest.mark.parametrize("start", range(0, 200, 100))
def test_counting_only(start: int) -> None:
    for number in range(start, start + 100):
        pair = random_pair(number, SIZE)
        assert counted(pair, True, number % 7) == counted(pair, False, number % 5), number


@pytest.mark.parametrize("start", range(0, 200, 100))
def test_counting_by_totals(start: int) -> None:
    """Also where an event with several solutions makes enumeration necessary."""
    for number in range(start, start + 100):
        pair = counting_pair(number)
        pair = replace(pair, query=replace(pair.query, select=ALL))
        assert totalled(pair, number % 7) in (None, counted(pair, False, number % 5)), number


@pytest.mark.parametrize("start", range(0, 200, 100))
def test_count_of_all_matches(start: int) -> None:
    for number in range(start, start + 100):
        pair = random_pair(number, SIZE)
        assert not difference(replace(pair.query, select=COUNT), pair.events, [number % 6]), number


@pytest.mark.parametrize("start", range(0, 200, 100))
def test_every_way_to_count(start: int) -> None:
    for number in range(start, start + 100):
        assert not miscounted(counting(number), number), number
