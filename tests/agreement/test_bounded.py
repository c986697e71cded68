"""What is found where work is bounded is part of what there is, the same however the input is cut."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agreement.bounded import NEVER_MET, RECKLESS, bounded, differences, pairs
from tests.slices import first

SLICE = 25


@pytest.mark.parametrize("start", first(4, range(0, 200, SLICE)))
def test_part_of_what_there_is(start: int) -> None:
    for seed, pair in pairs(range(start, start + SLICE)):
        assert not list(differences(seed, pair))


def test_much_is_dropped() -> None:
    found: Counter[float] = Counter()
    for _, pair in pairs(range(40)):
        found.update({bound: bounded(pair, bound).dropped > 0 for bound in (RECKLESS, 0.001, NEVER_MET)})
    assert found[RECKLESS] > 10
    assert found[0.001] > 5
    assert not found[NEVER_MET]
