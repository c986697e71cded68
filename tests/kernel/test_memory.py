"""What the matcher holds depends on the window, not on how much has passed by."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gpm.rows import AtomRows
from tests.kernel.driver import Driver, Happening, plan_of

EVENTS, BATCH, KEYS = 200_000, 5_000, 16
RNG = 20_260_101

SLIDING: dict[str, dict[str, Any]] = {
    "next": {"seq": "A ; B ; C", "keyed": True},
    "strict": {"seq": "A , B , C"},
    "compared": {"seq": "A ; B", "gpm": {"A": "?a :A ?va ; :key ?k", "B": "?b :B ?vb ; :key ?k FILTER(?vb > ?va)"}},
    "viewed": {"seq": "A : B", "gpm": {"A": "?a :A ?va ; :key ?k", "B": "?b :B ?vb ; :key ?k FILTER(?vb > ?va)"}},
    "negated": {"seq": "A ; N! ; B", "keyed": True},
    "negated at start": {"seq": "N! ; A", "keyed": True},
    "negated at end": {"seq": "A ; N!", "keyed": True},
    "repeated": {"seq": "A,+ , B"},
    "conjunction": {"seq": "A & B ; C", "keyed": True},
    "optional": {"seq": "A ; B? ; C", "keyed": True},
}


def held(plan: Any, events: int = EVENTS) -> list[dict[str, int]]:
    """What the matcher holds after each batch of random events, two a millisecond."""
    driver = Driver(plan)
    driver.matcher.count_only = True
    chance = np.random.default_rng(RNG)
    names = [one.name for one in plan.atoms]
    found = []
    for start in range(0, events, BATCH):
        times = np.arange(start, start + BATCH, dtype=np.int64) // 2 * 1000
        kind = chance.integers(0, len(names) + 1, BATCH)  # some events match nothing
        rows = [random_rows(driver, number, np.flatnonzero(kind == number), chance) for number in range(len(names))]
        driver.matcher.feed(times, np.arange(start, start + BATCH, dtype=np.uint64), rows)
        statistics = driver.matcher.statistics()
        found.append(
            {name: statistics[name] for name in ("nodes", "stored_events")} | {"groups": driver.matcher.groups()}
        )
    assert driver.matcher.count
    return found


def random_rows(driver: Driver, atom: int, places: Any, chance: Any) -> AtomRows:
    words = np.array([driver.terms.integer(value) for value in range(KEYS)], np.uint64)
    variables = driver.plan.atoms[atom].variables
    columns = words[chance.integers(0, KEYS, (len(variables), len(places)))]
    return AtomRows(places.astype(np.uint32), np.ascontiguousarray(columns))


def test_partial_matches_that_nothing_asks_for_leave_with_the_window() -> None:
    """Every event has a key of its own, and nothing ever joins it."""
    driver = Driver(plan_of("A ; B", keyed=True, within="300 MILLISECONDS SLIDING"))
    for start in range(0, EVENTS, BATCH):
        numbers = np.arange(start, start + BATCH)
        words = np.array([driver.terms.integer(number) for number in numbers.tolist()], np.uint64)
        rows = AtomRows(np.arange(BATCH, dtype=np.uint32), np.array([words] * len(driver.plan.atoms[0].variables)))
        driver.matcher.feed(numbers * 1000, numbers.astype(np.uint64), [rows, None])
        assert driver.matcher.groups() <= 4_000


@pytest.mark.parametrize("spec", SLIDING.values(), ids=SLIDING.keys())
@pytest.mark.parametrize("within", ["300 MILLISECONDS SLIDING", "300 EVENTS"])
def test_memory_is_bounded_by_the_window(spec: dict[str, Any], within: str) -> None:
    found = held(plan_of(**spec, within=within))
    early, late = found[: len(found) // 4], found[len(found) // 2 :]
    for name in ("nodes", "stored_events", "groups"):
        most, before = max(one[name] for one in late), max(one[name] for one in early)
        assert most <= 1.5 * before + 100, f"{name} grew from {before} to {most}"
        assert most <= 20_000


@pytest.mark.parametrize("seq", ["A , B , C", "A,+ , B"])
def test_strict_contiguity_holds_one_tick(seq: str) -> None:
    """Without a window, too: what the next event does not continue is gone."""
    assert max(one["groups"] for one in held(plan_of(seq, keyed=True), 50_000)) <= 8


def test_the_state_fits_a_snapshot_of_its_size() -> None:
    """A snapshot holds what lives in the window, however long the stream was."""
    plan = plan_of("A ; B ; C", keyed=True, within="300 MILLISECONDS SLIDING")
    sizes = []
    for events in (20_000, 100_000):
        driver = Driver(plan)
        driver.matcher.count_only = True
        chance = np.random.default_rng(RNG)
        times = np.arange(events, dtype=np.int64) * 1000
        kind = chance.integers(0, 3, events)
        rows = [random_rows(driver, number, np.flatnonzero(kind == number), chance) for number in range(3)]
        driver.matcher.feed(times, np.arange(events, dtype=np.uint64), rows)
        sizes.append(len(driver.matcher.snapshot()))
    assert sizes[1] <= 1.2 * sizes[0]


@pytest.mark.parametrize("before", [0, 3000])
def test_a_waiting_match_can_look_back_however_much_was_stored(before: int) -> None:
    """N of the same key lies before A; many others lie between, and A waits for its window's edge."""
    driver = Driver(plan_of("N! ; A ; B*", keyed=True, within="2 SECONDS SLIDING"))
    events: list[Happening] = [(500_000, {"N": [{"n": 1, "k": 1}]})]
    events += [(600_000, {"N": [{"n": 2, "k": 9}]})] * before
    events += [(1_000_000, {"A": [{"a": 3, "k": key}]}) for key in (1, 2)]
    events += [(time, {"N": [{"n": 4, "k": 8}]}) for time in (3_000_000, 3_000_001, 3_000_002)]
    found = driver.run(events, range(len(events) - 6, len(events)))
    assert [picks for _, _, _, picks, _ in found] == [((picks_of(driver), before + 2),)]


def picks_of(driver: Driver) -> int:
    """The number of the atom A."""
    return [one.name for one in driver.plan.atoms].index("A")
