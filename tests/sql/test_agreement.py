"""Random queries on random tables, whole ones and rows that are pushed: what the engine finds, the oracle finds."""

from __future__ import annotations

import pytest

from tests.oracle.sql.generate import random_pair
from tests.sql.compared import disagreement
from tests.sql.streamed import difference, streamed_pair

PAIRS, STREAMED, SLICES = 1_500, 400, 10


@pytest.mark.parametrize("slice_", range(SLICES))
def test_the_engine_agrees_with_the_oracle(slice_: int) -> None:
    for seed in range(slice_, PAIRS, SLICES):
        assert disagreement(random_pair(seed)) is None, seed


@pytest.mark.parametrize("slice_", range(SLICES))
def test_rows_that_are_pushed_give_what_the_oracle_finds(slice_: int) -> None:
    """Cut into pieces in two ways, as Arrow and as dictionaries, with promises between them."""
    for seed in range(slice_, STREAMED, SLICES):
        assert difference(streamed_pair(seed), seed) is None, seed
