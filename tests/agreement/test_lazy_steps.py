"""Steps that wait until a later event asks for them: the same results as when they are made at once."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.agreement.lazy_steps import differing, lazy_pairs

PAIRS = 50


def test_seeded_pairs() -> None:
    for pair in islice(lazy_pairs(range(10_000)), PAIRS):
        assert not (told := differing(pair)), told


@pytest.mark.deep
@pytest.mark.parametrize("first", range(20_000, 60_000, 10_000))
def test_more_pairs(first: int) -> None:
    for pair in lazy_pairs(range(first, first + 4_000)):
        assert not (told := differing(pair)), told
