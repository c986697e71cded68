"""Which part of all results was found, as sums over a sample of ticks tell it."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.joins.sampled_matcher import SampleSums
from spaseq.runtime.recall import Recall, recall_of


def told(found: list[float], all: list[float]) -> Recall | None:
    return recall_of(*astuple(SampleSums.of(np.array([found, all], np.float64).T)))


def test_few_ticks_tell_nothing() -> None:
    assert told([1.0] * 29, [2.0] * 29) is None
    assert told([1.0] * 29 + [0.0], [2.0] * 29 + [0.0]) is None  # nothing begins in the last one
    assert told([1.0] * 30, [2.0] * 30) is not None


def test_where_all_or_nothing_was_found_of_each() -> None:
    """As of a proportion of 0 in n trials, whose bound is about 3 / n."""
    everything, nothing = told([1.0] * 100, [1.0] * 100), told([0.0] * 100, [1.0] * 100)
    assert everything is not None and nothing is not None
    assert (everything.estimate, everything.high) == (1, 1)
    assert everything.low == pytest.approx(0.97, abs=0.001)
    assert (nothing.estimate, nothing.low) == (0, 0)
    assert nothing.high == pytest.approx(0.03, abs=0.001)


def test_as_of_a_proportion() -> None:
    some = told([1.0] * 300 + [0.0] * 700, [1.0] * 1000)
    assert some is not None
    assert some.estimate == 0.3
    assert (some.low, some.high) == (pytest.approx(0.277, abs=0.002), pytest.approx(0.325, abs=0.002))


def test_weights_say_the_same_of_one_sample() -> None:
    sums = SampleSums.of(np.array([[3.0, 4], [0, 1], [5, 5]] * 20))
    once, often = recall_of(*astuple(sums)), recall_of(*astuple(sums.weighted(50)))
    assert once is not None and often is not None
    assert astuple(once) == pytest.approx(astuple(often))


# ── the interval has the truth ───────────────────────────────────────────────────────────────────────────
def ticks(kind: str, chance: np.random.Generator) -> NDArray[np.float64]:
    """What was found, and all, of 20,000 ticks; few have most of it."""
    everything = np.ceil(chance.lognormal(2, 1.2, 20_000))
    lost = {
        "in any tick": chance.random(20_000) < 0.3,
        "in the largest": everything > np.quantile(everything, 0.99),
        "in few, at one time": np.arange(20_000) < 200,
        "hardly any": chance.random(20_000) < 0.0005,
        "in nearly all": chance.random(20_000) < 0.95,
    }[kind]
    return np.stack([np.where(lost, np.floor(everything / 3), everything), everything], axis=1)


@pytest.mark.parametrize("part", [0.02, 0.1])
@pytest.mark.parametrize(
    "kind", ["in any tick", "in the largest", "in few, at one time", "hardly any", "in nearly all"]
)
def test_eight_of_ten_intervals_have_the_truth(kind: str, part: float) -> None:
    chance, held = np.random.default_rng(3), 0
    each = ticks(kind, chance)
    truth = each[:, 0].sum() / each[:, 1].sum()
    for _ in range(300):
        recall = recall_of(*astuple(SampleSums.of(each[chance.random(len(each)) < part])))
        assert recall is not None
        held += recall.low <= truth <= recall.high
    assert held >= 240
