"""Language, plan and recognizer against the oracle: random pairs, and all small formulas on all small streams."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.exhaustive import formulas, queries, streams
from tests.oracle.ceql.generate import Pair, pairs, random_pair
from tests.oracle.ceql.model import Query
from tests.oracle.ceql.text import to_text
from tests.recognition.harness import is_recognized, run

CUTS = st.lists(st.integers(1, 8), max_size=3)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(pairs(), CUTS, st.sampled_from([1, 2, 1000]))
def test_any_pair(pair: Pair, cuts: list[int], most: int) -> None:
    """However the stream is cut into batches, and however few results are taken at once."""
    if is_recognized(pair.query):
        assert disagreement(pair.query, pair.events, run(to_text(pair.query), pair.events, cuts, most)) is None


@pytest.mark.parametrize("start", range(0, 1500, 100))
def test_random_pairs(start: int) -> None:
    for seed in range(start, start + 100):
        pair, chance = random_pair(seed), random.Random(seed)
        if is_recognized(pair.query):
            cuts = [chance.randrange(1, 9) for _ in range(2)]
            answers = run(to_text(pair.query), pair.events, cuts, chance.choice([1, 2, 1000]))
            assert disagreement(pair.query, pair.events, answers) is None, seed


def small_queries() -> list[Query]:
    return list(queries(formulas(2), consume=("NONE", "ANY")))


@pytest.mark.parametrize("part", range(4))
def test_small_worlds(part: int) -> None:
    """Every 40th pair of a formula of at most two operators and a stream of a few events."""
    worlds = [tuple(stream) for stream in streams()]
    some = ((query, stream) for query in small_queries() for stream in worlds)
    for query, stream in islice(some, part * 10, None, 400):
        assert disagreement(query, stream, run(to_text(query), stream)) is None, (to_text(query), stream)
