"""A matcher that pauses, after any number of steps or results, gives the same results in the same order."""

from __future__ import annotations

import random
import signal
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from spaseq.plan.sequences import Plan
from tests.kernel.driver import Driver, Found, Happening, plan_of, results
from tests.kernel.worlds import QUERIES, SECOND, random_events

each = pytest.mark.parametrize("spec", QUERIES.values(), ids=QUERIES.keys())
EVERYTHING = {**QUERIES, "late and repeated": {"seq": "A:+ : B ; N!", "within": "6 EVENTS SLIDING"}}


class Pausing(Driver):
    """A driver whose matcher pauses after so many steps, and when so many results, or picks and words, are held."""

    def __init__(self, plan: Plan, steps: int, most: int, most_held: int) -> None:
        super().__init__(plan)
        self.matcher.steps = steps
        self.matcher.bound(most, most_held)
        self.pauses = 0

    def taken(self) -> Found:
        """All results, with the pauses that lie between them."""
        found = results(self.matcher.take())
        while self.matcher.unfinished:
            self.pauses += 1
            self.matcher.go_on()
            found += results(self.matcher.take())
        return found

    def run(self, events: Sequence[Happening], cuts: Iterable[int] = (), restore: bool = False) -> Found:
        """As that of a driver, results taken whenever they are there."""
        found: Found = []
        for start, end in pairwise([0, *sorted(cuts), len(events)]):
            self.feed(events[start:end])
            found += self.taken()
            if restore:
                self.restore()
        self.matcher.finish()
        return found + self.taken()


@pytest.mark.parametrize("spec", EVERYTHING.values(), ids=EVERYTHING.keys())
@pytest.mark.parametrize(("steps", "most", "held"), [(1, 1, 1), (2, 3, 100), (1000, 2, 7)])
def test_pausing_anywhere_changes_nothing(spec: dict[str, Any], steps: int, most: int, held: int) -> None:
    plan = plan_of(**spec)
    pauses = 0
    for seed in range(4):
        events = random_events(seed, 24)
        wanted = Driver(plan).run(events)
        whole = Pausing(plan, steps, most, held)
        assert whole.run(events) == wanted
        cuts = random.Random(seed).sample(range(1, 24), 6)
        assert Pausing(plan, steps, most, held).run(events, cuts) == wanted
        assert Pausing(plan, steps, most, held).run(events, cuts, restore=True) == wanted
        pauses += whole.pauses
    assert pauses or most > 1


@each
@pytest.mark.parametrize("steps", [1, 3])
def test_counting_with_pauses(spec: dict[str, Any], steps: int) -> None:
    plan = plan_of(**spec)
    for seed in range(4):
        events = random_events(seed, 24)
        counting = Pausing(plan, steps, 1, 1)
        counting.matcher.count_only = True
        assert counting.run(events) == []
        assert counting.pauses == 0, "nothing is held"
        assert counting.matcher.count == len(Driver(plan).run(events))


@each
def test_what_comes_during_a_pause_waits_for_its_end(spec: dict[str, Any]) -> None:
    plan = plan_of(**spec)
    events = random_events(5, 24)
    driver, wanted = Pausing(plan, 1, 1, 1), Driver(plan)
    for event in events:
        driver.feed([event])
        wanted.feed([event])
    driver.matcher.finish()
    driver.matcher.complete()
    wanted.matcher.finish()
    assert results(driver.matcher.take()) == results(wanted.matcher.take())


def dense(count: int) -> list[Happening]:
    """Many Bs between an A and a C."""
    names = ["A", *"B" * count, "C"]
    return [(SECOND * at, {name: [{name.lower(): at, "v" + name.lower(): at}]}) for at, name in enumerate(names)]


def test_an_event_with_more_results_than_atoms_in_the_universe() -> None:
    """2³⁰⁰ − 1 matches end with the C: the first ones come at once, and no more are held than was said."""
    driver = Pausing(plan_of("A : B:+ : C"), 10_000, 50, 1 << 20)
    driver.feed(dense(300))
    found = []
    for _ in range(3):
        some = results(driver.matcher.take())
        assert len(some) == 50
        found += some
        driver.matcher.go_on()
    assert len({picks for _, _, _, picks, _ in found}) == 150
    assert driver.matcher.unfinished


def test_picks_and_words_are_bounded() -> None:
    driver = Pausing(plan_of("A : B:+ : C"), 10_000, 1 << 20, 2000)
    driver.feed(dense(300))
    raw = driver.matcher.take()
    assert 2000 <= len(raw.pick_events) + raw.words.size < 2000 + 400


def test_no_snapshot_in_a_pause() -> None:
    driver = Pausing(plan_of("A : B:+ : C"), 10_000, 50, 1 << 20)
    driver.feed(dense(20))
    driver.matcher.take()
    for refused in (driver.matcher.snapshot, driver.matcher.trace):
        with pytest.raises(ValueError, match="go on to the end"):
            refused()


def test_a_signal_is_heard_while_matches_are_counted() -> None:
    """What the handler raises ends the counting, which would not end by itself: each match is judged."""

    def ring(*_: object) -> None:
        raise TimeoutError

    driver = Driver(plan_of("D! : A : B:+ : C"))
    driver.matcher.count_only = True
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(TimeoutError):
            driver.feed(dense(300))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(("count", "matches"), [(20, 2**20 - 1), (63, 2**63 - 1)])
def test_sets_are_counted_without_visiting_matches(count: int, matches: int) -> None:
    driver = Driver(plan_of("A : B:+ : C"))
    driver.matcher.count_only = True
    driver.feed(dense(count))
    assert driver.matcher.count == matches


def test_a_number_of_matches_that_does_not_fit() -> None:
    driver = Driver(plan_of("A : B:+ : C"))
    driver.matcher.count_only = True
    with pytest.raises(OverflowError, match="more matches than 64 bits"):
        driver.feed(dense(65))


def test_negations_that_were_judged_on_the_way_visit_no_match() -> None:
    driver = Driver(plan_of("A : B:+ : D! : C"))
    driver.matcher.count_only = True
    driver.feed(dense(63))
    driver.matcher.finish()
    assert driver.matcher.count == 2**63 - 1
