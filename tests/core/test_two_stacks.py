"""The window of totals by two stacks, against a list of all partial matches that began in the window."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from hypothesis import given, strategies as st

from tests.core.harness import Native

SLOTS, GROUPS = 3, 2
NOTHING = (1 << 63) - 1
NO_START = -(1 << 63)
Totals = list[dict[tuple[int, int], tuple[int, int]]]  # by slot, start and group: how many, and their least value


@dataclass(frozen=True)
class Step:
    """An event: by how many ways a partial match comes from slot to slot, its value, and what it starts."""

    ways: tuple[int, ...]
    value: int
    group: int | None
    passes: int  # time since the step before
    reaches: int  # how far the window goes back at most


STEPS = st.builds(
    Step,
    st.tuples(*[st.sampled_from([0, 0, 1, 2])] * SLOTS**2),
    st.integers(-9, 9),
    st.one_of(st.none(), st.integers(0, GROUPS - 1)),
    st.integers(0, 3),
    st.integers(0, 12),
)


def stepped(totals: Totals, step: Step, now: int) -> Totals:
    """All partial matches after an event."""
    after: Totals = [{} for _ in range(SLOTS)]
    for number, ways in enumerate(step.ways):
        source, target = divmod(number, SLOTS)
        for key, (count, least) in totals[source].items():
            if ways:
                join(after[target], key, count * ways, min(least, step.value))
    if step.group is not None:
        join(after[0], (now, step.group), 1, step.value)
    return after


def join(totals: dict[tuple[int, int], tuple[int, int]], key: tuple[int, int], count: int, least: int) -> None:
    """Add more partial matches."""
    before, value = totals.get(key, (0, NOTHING))
    totals[key] = before + count, min(value, least)


def in_window(totals: Totals, slot: int, group: int, least: int) -> tuple[int, int]:
    """How many there are, and their least value."""
    some = [total for (start, of), total in totals[slot].items() if of == group and start >= least]
    return sum(count for count, _ in some), min((value for _, value in some), default=NOTHING)


def found(window: Native, slot: int, group: int, least: int) -> tuple[int, int]:
    """The same of the window."""
    value = ctypes.c_int64()
    return window.total(slot, group, least, ctypes.byref(value)), value.value


@given(st.lists(STEPS, max_size=24), st.sets(st.integers(0, 23), max_size=2))
def test_a_window_has_what_began_in_it(steps: list[Step], cleared: set[int]) -> None:
    """Neither time nor the window moves back; now and then all is forgotten."""
    window, totals, now, least = Native("sliding", SLOTS), [{} for _ in range(SLOTS)], 0, NO_START + 1
    for number, step in enumerate(steps):
        if number in cleared:
            window.clear()
            totals = [{} for _ in range(SLOTS)]
        now += step.passes
        least = max(least, now - step.reaches)
        window.expire(least)
        start = NO_START if step.group is None else now
        window.feed((ctypes.c_uint64 * SLOTS**2)(*step.ways), step.value, start, step.group or 0)
        totals = stepped(totals, step, now)
        for slot in range(SLOTS):
            for group in range(GROUPS):
                assert found(window, slot, group, least) == in_window(totals, slot, group, least)


def test_what_is_kept_is_of_the_window() -> None:
    """A log of two windows at most, and the starts of one."""
    window, stays = Native("sliding", SLOTS), (ctypes.c_uint64 * SLOTS**2)(1)
    for now in range(5000):
        window.expire(now - 99)
        window.feed(stays, 1, now, 0)
        assert window.count() <= 200
        assert window.used() <= 100
        assert found(window, 0, 0, now - 99) == (min(now + 1, 100), 1)
    window.expire(10_000)
    assert (window.count(), window.used()) == (0, 0)
