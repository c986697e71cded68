"""Snapshots of aggregators and aggregations: cut anywhere they change nothing; forged ones are refused or harmless."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from gpm.rows import AtomRows
from nfa_native.events.aggregates import Aggregator
from nfa_native.joins.totals import MatchedEvents, SemiringAggregation
from nfa_native.terms.dictionary import Terms
from tests.kernel.driver import Driver
from tests.kernel.test_totals import happening, plan_of
from tests.recognition.test_aggregates import KLEENE, PAIRS, World
from tests.snapshots.counts import (
    Case,
    Stream,
    aggregated,
    damaged,
    enter,
    forged,
    restore_aggregation,
    snapshots,
    totaller_of,
)

NUMBERS, CUTS = st.integers(0, 2**32), st.sets(st.integers(0, 1000), max_size=4)


@settings(max_examples=300, deadline=None)
@given(NUMBERS, CUTS)
def test_aggregators_go_on(number: int, cuts: set[int]) -> None:
    world = World(random.Random(number))
    places = [cut % (world.count + 1) for cut in cuts]
    assert aggregated(world, places, restores=True) == aggregated(world, places, restores=False)


@settings(max_examples=200, deadline=None)
@given(NUMBERS, CUTS)
def test_totallers_go_on(number: int, cuts: set[int]) -> None:
    stream = Stream(random.Random(number))
    places = [cut % (len(stream.events) + 1) for cut in cuts]
    assert stream.totals(places, restores=True) == stream.totals(places, restores=False)


def test_words_of_keys_are_renumbered() -> None:
    plan = plan_of("A : B", "?k (COUNT(*) AS ?n)", key="k")
    one, other = Terms(), Terms()
    other.intern(b"Iurn:shift")
    words = {one.intern(text): other.intern(text) for text in (b"Iurn:k0", b"Iurn:k1")}
    assert all(old != new for old, new in words.items())
    matcher = Driver(plan).matcher
    spec, slots = matcher._spec, matcher.automaton.slots
    first, second = (
        SemiringAggregation(matcher.automaton, terms, spec.keys, spec.quantities) for terms in (one, other)
    )
    first.feed(*pair(slots, 0, list(words)))
    second.restore(first.snapshot(), lambda old: np.array([words[word] for word in old.tolist()], np.uint64))
    second.feed(*pair(slots, 1, list(words.values())))
    second.close_tick()
    assert sorted(second.take().keys[:, 0].tolist()) == sorted(words.values())


def pair(slots: Sequence[int], atom: int, keys: list[int]) -> tuple[MatchedEvents, list[AtomRows | None]]:
    """Two events of an atom, at a time of its own, whose values are all a key's."""
    same = np.full(2, atom, np.int64)
    rows = [
        AtomRows(np.arange(2, dtype=np.uint32), np.array([keys] * width, np.uint64)) if at == atom else None
        for at, width in enumerate(slots)
    ]
    return MatchedEvents(same, same, same, same - 100), rows


def test_rows_are_taken_first() -> None:
    aggregator = Aggregator(PAIRS)
    aggregator.know_symbols([1, 2])
    times = np.arange(2)
    aggregator.feed(np.array([1, 2], np.uint32), times, times - 9)
    with pytest.raises(ValueError, match="take the rows before the snapshot"):
        aggregator.snapshot()
    driver = Driver(plan_of("A : B"))
    driver.feed([happening(0, "A"), happening(1, "B"), happening(2, "A")])
    with pytest.raises(ValueError, match="take the rows before the snapshot"):
        totaller_of(driver).snapshot()


def test_only_what_has_seen_nothing_is_restored() -> None:
    aggregator = Aggregator(PAIRS)
    data = aggregator.snapshot()
    aggregator.know_symbols([1])
    with pytest.raises(ValueError, match="only what has seen nothing"):
        aggregator.restore(data)
    with pytest.raises(ValueError, match="of another automaton"):
        Aggregator(KLEENE).restore(data)


def test_other_quantities() -> None:
    driver, other = Driver(plan_of("A : B")), Driver(plan_of("A : B", "(SUM(?a) AS ?n)"))
    with pytest.raises(ValueError, match="of other quantities"):
        restore_aggregation(other, totaller_of(driver).snapshot())


@pytest.mark.parametrize(("change", "refused"), [(forged, 200), (damaged, 100)])
def test_changed_ones(change: Callable[[Case, random.Random], Case], refused: int) -> None:
    choose = random.Random(1)
    found = Counter(enter(change(choose.choice(snapshots()), choose)) for _ in range(400))
    assert found["refused"] > refused
    assert found["used"] > 5


def test_sound_ones_are_used() -> None:
    assert {enter(case) for case in snapshots()} == {"used"}
