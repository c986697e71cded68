"""The engine with graph patterns outside the native subset, which it evaluates only where they can matter."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace

from hypothesis import HealthCheck, given, settings, strategies as st

from tests.agreement.engines import ordered, run
from tests.oracle.evaluate import evaluate
from tests.oracle.generate import Pair, Size, random_pair
from tests.oracle.model import Gpm, Query
from tests.oracle.strategies import pairs
from tests.oracle.text import to_text

SIZE = Size(operators=4, events=8, least_events=4)
SEEDS = 100
some = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def dear(gpm: Gpm, way: int) -> Gpm:
    """The GPM as it is, or with a filter outside the native subset, or with a path outside of it."""
    match way:
        case 1:
            value = re.findall(r"\?\w+", gpm.pattern)[1]
            return replace(gpm, pattern=f'{gpm.pattern} FILTER(REGEX(STR({value}), "[12]"))')
        case 2:
            return replace(gpm, pattern=re.sub(r"(:\w+)", r"\1/:none*", gpm.pattern, count=1))
        case _:
            return gpm


def with_dear(query: Query, chance: random.Random) -> Query:
    """The query with some of its GPMs outside the native subset."""
    return replace(query, gpms=tuple(dear(gpm, chance.randint(0, 2)) for gpm in query.gpms))


def compare(pair: Pair, chance: random.Random) -> int:
    """Compare the engine with the oracle, and with itself when nothing is left out; the number of results."""
    query = with_dear(pair.query, chance)
    events = ordered(query, pair.events)
    wanted = Counter(evaluate(query, events))
    assert Counter(run(query, events, "auto", chance)) == wanted, to_text(query)
    assert Counter(run(query, events, "pyoxigraph", chance)) == wanted, to_text(query)
    return wanted.total()


def test_seeded_pairs() -> None:
    found = [compare(random_pair(seed, SIZE), random.Random(seed)) for seed in range(SEEDS)]
    assert sum(map(bool, found)) > SEEDS // 4


@some
@given(pairs(SIZE), st.randoms(use_true_random=False))
def test_drawn_pairs(pair: Pair, chance: random.Random) -> None:
    compare(pair, chance)
