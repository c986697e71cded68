"""Rows in a batch: arrays shared between atoms, long stretches without any, and what filters compare."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest

from gpm.rows import AtomRows
from nfa_native.terms.dictionary import Terms
from tests.kernel.driver import Driver, Happening, plan_of, results
from tests.kernel.worlds import SECOND

SAME = {name: f"?{name.lower()} :price ?v{name.lower()} ; :key ?k" for name in "ABC"}


def prices(terms: Terms, seed: int, events: int) -> AtomRows:
    """A row for one event in three: event, price and key."""
    chance = np.random.default_rng(seed)
    places = np.flatnonzero(chance.integers(0, 3, events) == 0).astype(np.uint32)
    words = np.array([terms.integer(number) for number in range(9)], np.uint64)
    return AtomRows(places, words[chance.integers(0, 9, (3, len(places)))])


@pytest.mark.parametrize("seq", ["A ; B ; C", "A & B ; C", "A , B"])
def test_atoms_may_share_their_arrays(seq: str) -> None:
    """The same matches and the same snapshot, whether equal rows come in the same arrays or in copies."""
    plan = plan_of(seq, gpm={name: SAME[name] for name in SAME if name in seq}, within="20 EVENTS SLIDING")
    apart, shared = Driver(plan), Driver(plan)
    times = np.arange(300, dtype=np.int64)
    handles = np.arange(300, dtype=np.uint64)
    one = prices(shared.terms, 1, 300)
    copies = [AtomRows(one.row_event.copy(), one.columns.copy()) for _ in plan.atoms]
    shared.matcher.feed(times, handles, [one] * len(plan.atoms))
    apart.matcher.feed(times, handles, copies)
    found = results(shared.matcher.take())
    assert found and found == results(apart.matcher.take())
    assert shared.matcher.snapshot() == apart.matcher.snapshot()


def test_ticks_without_rows_end_what_strict_contiguity_ends() -> None:
    """Within one batch: a single tick between A and B, or a thousand, or other events at A's own time."""
    plan = plan_of("A , B")

    def matches(between: list[int]) -> int:
        events: list[Happening] = [(SECOND, {"A": [{"a": 1, "va": 1}]})]
        events += [(time, {}) for time in between]
        events += [(9 * SECOND, {"B": [{"b": 2, "vb": 2}]})]
        return len(Driver(plan).run(events))

    assert matches([]) == matches([SECOND] * 5) == matches([9 * SECOND] * 5) == 1
    assert matches([2 * SECOND]) == matches([SECOND, 2 * SECOND]) == matches(list(range(SECOND, SECOND + 1000))) == 0


def test_events_without_rows_fill_windows_of_events() -> None:
    plan = plan_of("A ; B", within="5 EVENTS SLIDING")
    for gap, count in ((3, 1), (4, 0)):
        events: list[Happening] = [(1, {"A": [{"a": 1, "va": 1}]})]
        events += [(2 + i // 2, {}) for i in range(gap)]
        events += [(9, {"B": [{"b": 2, "vb": 2}]})]
        assert len(Driver(plan).run(events)) == count


def test_nothing_to_take_is_the_same_nothing_each_time() -> None:
    driver = Driver(plan_of("A ; B"))
    nothing = driver.matcher.take()
    assert nothing is driver.matcher.take()
    assert results(nothing) == [] and not any(column.flags.writeable for column in nothing)


NUMBERS = [(-5, 0), (-45, 1), (0, 0), (1, 18), (5, 0), (51, 1), (505, 2), (-1, 18), (2**54 - 1, 0), (2**54 - 1, 18)]


@pytest.mark.parametrize(("sign", "holds"), [("<", (-1,)), ("<=", (-1, 0)), (">", (1,)), (">=", (0, 1))])
def test_decimals_and_integers_compare_by_value(sign: str, holds: tuple[int, ...]) -> None:
    """Whatever their scales, and whichever side of the comparison the event is on."""
    for left, right in (("?va", "?vb"), ("?vb", "?va")):
        plan = plan_of("A ; B", gpm={"B": f"?b :B ?vb FILTER({left} {sign} {right})"})
        for a, b in product(NUMBERS, NUMBERS):
            x, y = (value(a), value(b)) if left == "?va" else (value(b), value(a))
            assert joined(Driver(plan), a, b) == ((x > y) - (x < y) in holds), (sign, left, a, b)


def value(number: tuple[int, int]) -> Decimal:
    """Mantissa and scale as one number."""
    return Decimal(number[0]).scaleb(-number[1])


def joined(driver: Driver, a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether A with the number a, then B with the number b, match."""
    for time, numbers in enumerate((a, b)):
        rows: list[AtomRows | None] = [None, None]
        variables = driver.plan.atoms[time].variables
        word = driver.terms.integer(numbers[0]) if numbers[1] == 0 else driver.terms.decimal(*numbers)
        columns = np.full((len(variables), 1), driver.terms.integer(7), np.uint64)
        columns[[name.startswith("v") for name in variables]] = word
        rows[time] = AtomRows(np.zeros(1, np.uint32), columns)
        driver.matcher.feed(np.array([time], np.int64), np.array([time], np.uint64), rows)
    return bool(len(driver.matcher.take().first))
