"""Matches counted by sets are as many as those that are enumerated, and as the oracle says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.agreement.counting import counting_pair
from tests.agreement.harness import Run, difference
from tests.oracle.evaluate import streamset
from tests.oracle.expressions import Aggregate
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.model import Column, Select

SIZE = Size(events=10)


def counted(pair: Pair, by_sets: bool, cut: int) -> int:
    """How many results the matcher counts; the events come in two batches."""
    ordered = streamset(pair.query, list(pair.events))
    one = Run(pair.query, enumerates=True)
    one.matcher.count_only = by_sets
    one.feed(ordered[:cut])
    one.feed(ordered[cut:])
    one.finish()
    return one.matcher.count


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_counting_only(start: int) -> None:
    for number in range(start, start + 100):
        pair = random_pair(number, SIZE)
        assert counted(pair, True, number % 7) == counted(pair, False, number % 5), number


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_counting_by_totals(start: int) -> None:
    """Also where an event with several solutions makes enumeration necessary."""
    for number in range(start, start + 100):
        pair = counting_pair(number)
        pair = replace(pair, query=replace(pair.query, select=Select()))
        one = Run(pair.query)
        counter = one.plan.counter(one.terms, one.matcher.automaton)
        if counter is None:
            continue
        one.matcher = counter
        ordered = streamset(pair.query, list(pair.events))
        one.feed(ordered[: number % 7])
        one.feed(ordered[number % 7 :])
        one.finish()
        assert counter.count == counted(pair, False, number % 5), number


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_count_of_all_matches(start: int) -> None:
    for number in range(start, start + 100):
        pair = random_pair(number, SIZE)
        query = replace(pair.query, select=Select((Column(Aggregate("COUNT", None), "n"),)))
        assert not difference(query, pair.events, [number % 6]), number
