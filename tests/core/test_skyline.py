"""Skyline: the youngest start below a bound, of all pairs that were given."""

from __future__ import annotations

from hypothesis import given, strategies as st

from tests.core.harness import Native

NEVER, NO_VALUE = -(1 << 63), (1 << 63) - 1
PAIRS = st.tuples(st.one_of(st.integers(-9, 9), st.just(NO_VALUE)), st.integers(-6, 6))


def youngest(pairs: list[tuple[int, int]], bound: int, least: int) -> int:
    return max([start for value, start in pairs if value < bound and start >= least], default=NEVER)


@given(st.lists(st.tuples(PAIRS, st.booleans(), st.integers(-6, 6)), max_size=40))
def test_the_youngest_below_a_bound(steps: list[tuple[tuple[int, int], bool, int]]) -> None:
    """Starts come in any order; now and then what is before a start is dropped, and is not asked for again."""
    skyline, pairs, dropped = Native("skyline"), [], NEVER
    for pair, drops, least in steps:
        if drops and least > dropped:
            dropped = least
            skyline.drop(dropped)
        skyline.add(*pair)
        pairs.append(pair)
        for bound in (-10, -3, 0, 4, 10, NO_VALUE):
            for asked in (dropped, max(dropped, 0), max(dropped, 5)):
                assert skyline.below_(bound, asked) == youngest(pairs, bound, asked)


@given(st.lists(st.integers(0, 1 << 40), min_size=1, max_size=400), st.integers(1, 200))
def test_a_window_that_moves_on(values: list[int], window: int) -> None:
    """As events come: starts rise by one, and what left the window is dropped.  No step is kept in vain."""
    skyline = Native("skyline")
    pairs = []
    for now, value in enumerate(values):
        skyline.drop(now - window)
        skyline.add(value, now)
        pairs.append((value, now))
        for bound in (value, value + 1, 1 << 39):
            assert skyline.below_(bound, now - window) == youngest(pairs[-window - 1 :], bound, now - window)
    last = pairs[-window - 1 :]
    kept = [value for at, (value, _) in enumerate(last) if all(value < later for later, _ in last[at + 1 :])]
    assert skyline.count() == len(kept)
