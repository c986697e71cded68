"""Ticks drawn by chance: which results begin in them, and that a matcher finds just these if it is to."""

from __future__ import annotations

from collections import Counter

import pytest

from nfa_native.joins.history import LONG_AGO
from nfa_native.joins.matcher import Matcher
from tests.agreement.bounded import pairs
from tests.agreement.harness import Run
from tests.oracle.evaluate import Result, streamset
from tests.oracle.generate import Pair

PART, SLICE = 0.5, 25


def sampled(pair: Pair, seed: int, alone: bool, count_only: bool = False) -> tuple[Counter[Result], dict[int, float]]:
    """The results, and how many begin in each of the ticks that are drawn."""
    run = Run(pair.query, enumerates=True)
    assert isinstance(run.matcher, Matcher)
    run.matcher.count_only = count_only
    run.matcher.sample_ticks(seed, PART, LONG_AGO, alone)
    run.feed(streamset(pair.query, list(pair.events)))
    results = Counter(run.finish())
    times, counts = run.matcher.take_begun()
    return results, dict(zip(times.tolist(), counts.tolist(), strict=True))


def may_be_sampled(pair: Pair) -> bool:
    return not (pair.query.select.distinct or Run(pair.query).plan.analysis.graph.junctions)


@pytest.mark.parametrize("start", range(0, 200, SLICE))
def test_just_those_that_begin_in_ticks_that_are_drawn(start: int) -> None:
    for seed, pair in pairs(range(start, start + SLICE)):
        if not may_be_sampled(pair):
            continue
        results, begun = sampled(pair, seed, alone=False)
        drawn = Counter({one: count for one, count in results.items() if one.first in begun})
        first = Counter[int | None]()
        for one, count in drawn.items():
            first[one.first] += count
        assert begun == first
        assert sampled(pair, seed, alone=True) == (drawn, begun)
        assert sampled(pair, seed, alone=True, count_only=True)[1] == begun
        assert sampled(pair, seed, alone=False, count_only=True)[1] == begun


def test_about_half_is_drawn() -> None:
    counts = Counter[bool]()
    for seed, pair in pairs(range(80)):
        if may_be_sampled(pair):
            results, begun = sampled(pair, seed, alone=False)
            counts.update(first in begun for first in {one.first for one in results})
    assert 0.35 < counts[True] / counts.total() < 0.65
    assert counts.total() > 100
