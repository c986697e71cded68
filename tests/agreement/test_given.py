"""Queries with parameters against the oracle, each row by itself, and against the rows alone (semantics.md 3.7)."""

from __future__ import annotations

import pytest

from tests.agreement.given import difference
from tests.oracle.generate import Size
from tests.oracle.given import random_case
from tests.slices import first

SIZE = Size(4, 6, 2, 3)


@pytest.mark.parametrize("start", first(2, range(0, 160, 40)))
def test_random_cases(start: int) -> None:
    for number in range(start, start + 40):
        assert not difference(random_case(number, SIZE), number), number
