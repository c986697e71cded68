"""Batches and snapshots anywhere change nothing; counting counts what would be listed; snapshots are deterministic."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from spaseq.errors import SnapshotError
from tests.kernel.driver import Driver, plan_of
from tests.kernel.worlds import QUERIES, random_events

each = pytest.mark.parametrize("spec", QUERIES.values(), ids=QUERIES.keys())


@each
def test_cutting_anywhere_changes_nothing(spec: dict[str, Any]) -> None:
    plan = plan_of(**spec)
    matched = 0
    for seed in range(4):
        events = random_events(seed, 24)
        whole = Driver(plan).run(events)
        matched += len(whole)
        cuts: list[list[int]] = [[cut] for cut in range(len(events))] + [list(range(1, len(events)))]
        for places in cuts:
            assert Driver(plan).run(events, places) == whole
    assert matched


@each
def test_restoring_anywhere_changes_nothing(spec: dict[str, Any]) -> None:
    plan = plan_of(**spec)
    for seed in range(4):
        events = random_events(seed, 24)
        places = sorted(random.Random(seed).sample(range(1, 24), 12))
        assert Driver(plan).run(events, places, restore=True) == Driver(plan).run(events)


@each
@pytest.mark.parametrize("most_rows", [1, 2])
def test_counting_counts_what_would_be_listed(spec: dict[str, Any], most_rows: int) -> None:
    plan = plan_of(**spec)
    for seed in range(6):
        events = random_events(seed, 24, most_rows)
        counting = Driver(plan)
        counting.matcher.count_only = True
        assert counting.run(events) == []
        assert counting.matcher.count == len(Driver(plan).run(events))


@each
def test_the_same_state_gives_the_same_bytes(spec: dict[str, Any]) -> None:
    plan = plan_of(**spec)
    events = random_events(7, 30)
    once, cut = Driver(plan), Driver(plan)
    once.feed(events)
    for event in events:
        cut.feed([event])
    once.matcher.take()
    cut.matcher.take()
    data = once.matcher.snapshot()
    assert once.matcher.snapshot() == data
    assert cut.matcher.snapshot() == data, "batches leave no trace"
    once.restore()
    assert once.matcher.snapshot() == data
    held = once.matcher.trace()
    assert (np.diff(held.astype(object)) > 0).all() and 0 not in held


def test_results_must_be_taken_before_a_snapshot() -> None:
    driver = Driver(plan_of("A"))
    driver.feed([(0, {"A": [{"a": 1, "va": 1}]})])
    with pytest.raises(ValueError, match="take the results"):
        driver.matcher.snapshot()


@each
def test_damaged_snapshots_are_refused(spec: dict[str, Any]) -> None:
    plan = plan_of(**spec)
    driver = Driver(plan)
    driver.feed(random_events(3, 24))
    driver.matcher.take()
    data = driver.matcher.snapshot()
    for length in (0, 1, len(data) // 3, len(data) - 30):
        with pytest.raises(SnapshotError):
            plan.restore(driver.terms, data[:length], lambda words: words)
    chance = random.Random(5)
    for _ in range(25):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            plan.restore(driver.terms, bytes(changed), lambda words: words)
        except SnapshotError:
            continue  # a bit that the container does not look at does no harm


def test_a_snapshot_of_another_query_is_refused() -> None:
    driver = Driver(plan_of("A"))
    driver.feed(random_events(3, 24))
    driver.matcher.take()
    for seq in ("A ; B ; C", "A ; N! ; B"):
        with pytest.raises(SnapshotError):
            plan_of(seq).restore(driver.terms, driver.matcher.snapshot(), lambda words: words)
