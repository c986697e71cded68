"""Numbers by their distinct ones, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from nfa_native.core.coding import coded


def check(numbers: np.ndarray) -> None:
    known: dict[int, int] = {}
    wanted = [known.setdefault(number, len(known)) for number in numbers.tolist()]
    found, codes = coded(numbers)
    assert (found.tolist(), codes.tolist()) == (list(known), wanted)
    assert (found.dtype, codes.dtype) == (np.uint64, np.int32)


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**64 - 1)), max_size=40))
def test_few(numbers: list[int]) -> None:
    check(np.array(numbers, np.uint64))


@pytest.mark.parametrize("distinct", [1, 20, 3_000, 100_000])
def test_many(distinct: int) -> None:
    chance = np.random.default_rng(distinct)
    for size in (100, 20_000, 120_000):
        check(chance.integers(0, distinct, size, np.uint64) << np.uint64(40))


def test_every_other_one() -> None:
    check(np.arange(20, dtype=np.uint64)[::2] // np.uint64(3))
