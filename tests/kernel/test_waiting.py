"""Who waits for the next events: states with their youngest beginning, and keys."""

from __future__ import annotations

import numpy as np
import pytest

from nfa_native.joins.matcher import NOBODY
from tests.kernel.driver import Driver, Happening, plan_of
from tests.kernel.worlds import SECOND

KEYED = plan_of("A ; B", keyed=True, within="10 SECONDS SLIDING")


def came(atom: str, time: int, key: int | None = 1) -> Happening:
    """An event of an atom; without a key its ?k is unbound."""
    return time, {atom: [{atom.lower(): 1, f"v{atom.lower()}": 1} | ({} if key is None else {"k": key})]}


def waiting(driver: Driver) -> list[int]:
    """The beginnings of those that wait anywhere."""
    return [start for start in driver.matcher.waiting().tolist() if start != NOBODY]


def joined(driver: Driver, *keys: int) -> list[bool]:
    """Which keys may join something that waits for B."""
    automaton = driver.matcher.automaton
    step = next(one for one in automaton.transitions if one.step.joins)
    words = np.array([[driver.terms.integer(key) if key else 0 for key in keys]], np.uint64)
    return driver.matcher.may_join(step.source, step.index, words).tolist()


def test_nobody_waits_at_the_beginning() -> None:
    driver = Driver(KEYED)
    assert waiting(driver) == [] and joined(driver, 1, 2) == [False, False]
    assert driver.matcher.position == 0 and driver.matcher.open_tick is None


def test_matches_wait_as_soon_as_their_tick_is_open() -> None:
    driver = Driver(KEYED)
    driver.feed([came("A", 1), came("A", 1, 2)])
    assert driver.matcher.open_tick == 1 and driver.matcher.position == 2
    assert waiting(driver) == [1] and joined(driver, 1, 2, 3) == [True, True, False]
    driver.matcher.advance(2)
    assert driver.matcher.open_tick is None
    assert waiting(driver) == [1] and joined(driver, 1, 2, 3) == [True, True, False]


def test_those_that_went_on_or_left_the_window_do_not_wait() -> None:
    driver = Driver(KEYED)
    driver.feed([came("A", 1), came("A", 2, 2), came("B", 3, 2), (4, {})])
    assert joined(driver, 1, 2) == [True, False]
    driver.feed([(SECOND * 11, {})])
    assert waiting(driver) == [] and joined(driver, 1, 2) == [False, False]


def test_an_unbound_key_joins_everything() -> None:
    driver = Driver(KEYED)
    driver.feed([came("A", 1)])
    assert joined(driver, 1, 3, 0) == [True, False, True]
    driver.feed([came("A", 2, None)])
    assert joined(driver, 1, 3) == [True, True]
    driver.feed([(3, {})])
    assert joined(driver, 1, 3) == [True, True]


def test_windows_of_events_measure_positions() -> None:
    driver = Driver(plan_of("A ; B", keyed=True, within="10 EVENTS SLIDING"))
    driver.feed([(1, {}), (2, {}), came("A", 3), (4, {})])
    assert waiting(driver) == [2]


def test_a_restored_matcher_says_the_same() -> None:
    driver = Driver(KEYED)
    driver.feed([came("A", 1), came("A", 2, 2), came("A", 2, 3)])
    for _ in range(2):
        assert waiting(driver) == [2] and joined(driver, 1, 2, 3, 4) == [True, True, True, False]
        driver.restore()


def test_indexes_that_are_not_there() -> None:
    driver = Driver(KEYED)
    for state, index, columns in ((99, 0, 1), (1, 9, 1), (1, 0, 5)):
        with pytest.raises(ValueError):
            driver.matcher.may_join(state, index, np.zeros((columns, 1), np.uint64))
