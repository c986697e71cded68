"""Zone maps: what a search finds is what a look at each group finds, and it looks at few."""

from __future__ import annotations

import ctypes
import random

import pytest
from hypothesis import given, strategies as st

from tests.core.harness import Native

GONE = -(1 << 63)
EDGES = [0, 1, 31, 32, 33, 63, 1023, 1024, 1025, 1056, 32767, 32768, 32769]
Group = tuple[int, int]


def before(native: Native, end: int, floor: int, bound: int, first: int = 0) -> tuple[int, int]:
    """The place that is found, and how many groups and zones were looked at."""
    scanned = ctypes.c_uint64()
    return native.before(first, end, floor, bound, ctypes.byref(scanned)), scanned.value


def expected(groups: list[Group], end: int, floor: int, bound: int, first: int = 0) -> int:
    fit = [place for place in range(first, end) if groups[place][0] >= floor and groups[place][1] < bound]
    return max(fit, default=-1)


def made(groups: list[Group]) -> Native:
    native = Native("zones")
    for group in groups:
        native.add(*group)
    return native


def drawn(count: int, seed: int, spread: int) -> list[Group]:
    chance = random.Random(seed)
    return [(chance.randrange(100), 1000 + chance.randrange(spread)) for _ in range(count)]


@given(
    st.integers(0, 1200), st.integers(0, 1 << 20), st.sampled_from([2, 50, 5000]),
    st.lists(st.tuples(st.integers(0, 1 << 12), st.integers(0, 110), st.integers(990, 6100)), min_size=1, max_size=12),
)  # fmt: skip
def test_finds_what_a_look_at_each_finds(count: int, seed: int, spread: int, asked: list[tuple[int, int, int]]) -> None:
    groups = drawn(count, seed, spread)
    native = made(groups)
    for end, floor, bound in asked:
        first = end * 7 % (count + 1)
        end %= count + 1
        assert before(native, end, floor, bound, first)[0] == expected(groups, end, floor, bound, first)


STEPS = st.one_of(
    st.tuples(st.just("add"), st.integers(1, 70)),
    st.tuples(st.just("strike"), st.integers(0, 999)),
    st.tuples(st.just("ask"), st.integers(990, 1010)),
)


@given(st.lists(STEPS, max_size=25), st.integers(0, 99))
def test_groups_come_and_go(steps: list[tuple[str, int]], seed: int) -> None:
    chance = random.Random(seed)
    groups: list[Group] = []
    native = Native("zones")
    for what, number in steps:
        if what == "add":
            for group in [(chance.randrange(5), 1000 + chance.randrange(9)) for _ in range(number)]:
                groups.append(group)
                native.add(*group)
        elif what == "strike" and groups:
            place = number % len(groups)
            groups[place] = (GONE, groups[place][1])
            native.strike(place)
        for floor in (0, 4):
            found = before(native, len(groups), floor, number)[0]
            assert found == expected(groups, len(groups), floor, number)


@pytest.mark.parametrize("count", EDGES)
def test_zones_at_their_edges(count: int) -> None:
    """The last, the first and no group hold what is asked for; zones are there when full, those of level 0 always."""
    groups = [(1, 5)] * count
    native = made(groups)
    native.know(count)
    assert [native.size(level) for level in range(3)] == [-(-count // 32), count // 1024, count // 32768]
    assert before(native, count, 0, 5)[0] == -1
    assert before(native, count, 2, 9)[0] == -1
    assert before(native, count, 0, 6)[0] == count - 1
    for place in {0, count // 2, count - 1} if count else ():
        changed = made([(1, 4 if at == place else 5) for at in range(count)])
        found, scanned = before(changed, count, 0, 5)
        assert found == place
        assert scanned <= 32 * 5
        assert before(changed, place, 0, 5)[0] == -1


def test_a_search_that_finds_nothing_looks_at_few_zones() -> None:
    count = 3 * 32768 + 5000
    native = made(drawn(count, 1, 50))
    found, scanned = before(native, count, 0, 1000)
    assert found == -1 and scanned < 80


def test_zones_of_struck_groups_are_dead() -> None:
    count = 1024 + 40
    native = made([(3, place) for place in range(count)])
    native.know(count)
    out = (ctypes.c_int64 * 2)()
    for place in range(31, -1, -1):
        assert native.zone(0, 5, out) and tuple(out) == (3, 0)
        native.strike(place)
    assert native.zone(0, 5, out) and out[0] == GONE
    assert native.zone(1, 5, out) and out[0] == 3
    for place in range(32, 1024):
        native.strike(place)
    assert native.zone(1, 5, out) and out[0] == GONE
    assert before(native, count, 3, 2000) == (count - 1, 2)
    assert before(native, 1024, 3, 2000)[0] == -1
