"""The normal form of a formula means what the formula means, and has the shape that it promises."""

from __future__ import annotations

from random import Random

import pytest

from spaseq.languages.ceql.normal_form import normal_form
from spaseq.pattern.formulas.query import (
    Alternation,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Pick,
    Sequencing,
    Unordered,
    bound,
    parts,
)
from tests.language.ceql.meaning import ways, written
from tests.language.ceql.random_formulas import random_formula, random_stream


@pytest.mark.parametrize("seed", range(20))
def test_meaning_is_kept(seed: int) -> None:
    rng = Random(seed)
    for _ in range(100):
        formula = random_formula(rng, rng.randrange(1, 5))
        rewritten = normal_form(formula)
        check_shape(rewritten)
        for _ in range(3):
            stream = random_stream(rng)
            assert written(ways(rewritten, stream)) == ways(formula, stream), (formula, stream)


def check_shape(formula: Formula) -> None:
    for part in parts(formula):
        assert isinstance(part, Pick | Alternation | Sequencing | Unordered | Iteration | Filtered)
        if isinstance(part, Filtered):
            assert isinstance(part.body, Sequencing | Unordered | Iteration | Filtered)
            assert isinstance(part.filter, ForAll) and len(part.filter.variables) > 1
            assert set(part.filter.variables) <= bound(part.body)


def test_cases_are_not_all_alike() -> None:
    rng = Random(1)
    formulas = [random_formula(rng, 4) for _ in range(500)]
    found = [list(parts(normal_form(formula))) for formula in formulas]
    correlated = sum(any(isinstance(part, Filtered) for part in each) for each in found)
    renamed = sum(any("\n" in name for part in each for name in bound(part)) for each in found)
    unordered = sum(any(isinstance(part, Unordered) for part in each) for each in found)
    results = sum(bool(ways(formula, random_stream(rng))) for formula in formulas)
    assert correlated > 60 and renamed > 5 and unordered > 60 and results > 60
