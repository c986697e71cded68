"""Random queries on random tables: what the engine finds is what the oracle finds."""

from __future__ import annotations

import pytest

from tests.oracle.sql.generate import random_pair
from tests.sql.compared import disagreement

PAIRS, SLICES = 1_500, 10


@pytest.mark.parametrize("slice_", range(SLICES))
def test_the_engine_agrees_with_the_oracle(slice_: int) -> None:
    for seed in range(slice_, PAIRS, SLICES):
        assert disagreement(random_pair(seed)) is None, seed
