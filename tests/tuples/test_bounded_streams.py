"""Laws on CEQL queries with a bound, on streams that are long enough to learn from: cut anywhere, restored anywhere."""

from __future__ import annotations

from random import Random

import pyarrow
import pytest

from spaseq import Bound
from spaseq.tuples import match
from tests.tuples.bounded import in_parts

QUERIES = (
    "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[a.v + b.v < c.v * 0.5]",
    "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c ; D AS d FILTER a[v < b.v] AND b[b.v + c.v < d.v]",
    "SELECT * FROM S WHERE A AS a ; B AS b ; C AS c FILTER a[k = c.k] AND a[a.v + b.v < c.v]",
    "SELECT * FROM S WHERE A AS a : B AS b ; C AS c FILTER a[a.v + b.v < c.v * 1.5]",
    "SELECT * FROM S WHERE A AS a ; (B AS b OR C AS b) ; D AS d FILTER a[v < b.v] AND b[b.v * 2 < d.v + a.v]",
    "SELECT * FROM S WHERE A AS a ; B+ AS b ; C AS c FILTER a[v < b.v] AND b[v < c.v]",
    "SELECT * FROM S WHERE A AS a ; B+ AS b ; C AS c FILTER a[a.v + b.v < 300] AND b[v < c.v]",
    "SELECT * FROM S WHERE (A AS a ; B AS b)+ ; C AS c FILTER a[v < b.v] AND b[v < c.v]",
    "SELECT a FROM S WHERE A AS a ; B+ AS b ; C AS c FILTER a[v < b.v] AND b[r < c.r] AND a[a.r * b.r < c.r * 3]",
)
EVENTS = 2500


def events(chance: Random) -> pyarrow.Table:
    """Some at the same time, some without a number."""
    return pyarrow.table(
        {
            "type": [chance.choice("ABCD") for _ in range(EVENTS)],
            "v": [chance.randint(1, 300) for _ in range(EVENTS)],
            "r": [None if chance.random() < 0.05 else 9 * chance.random() for _ in range(EVENTS)],
            "k": [chance.randint(1, 4) for _ in range(EVENTS)],
            "time": sorted(chance.randint(0, 40 * EVENTS) for _ in range(EVENTS)),
        }
    )


def random_query(chance: Random) -> str:
    query, kind = chance.choice(QUERIES), chance.randrange(5)
    length = chance.choice([20, 40] if "+" in query else [30, 60, 150])
    if kind < 2:
        return f"{query} PARTITION BY [k] WITHIN {80 * length} MILLISECONDS"
    return f"{query} WITHIN {length} EVENTS" if kind < 4 else f"{query} WITHIN {20 * length} MILLISECONDS"


def check(seed: int) -> bool:
    """Whether something was left out, where the law holds."""
    chance = Random(seed)
    query, rows = random_query(chance), events(chance)
    bound = Bound(chance.choice([1, 8, 30, 100]), sample=chance.choice([0, 0.05, 0.5]))
    whole = match(query, rows, time="time", unit="ms", bound=bound)
    found = whole.to_arrow().to_pylist()
    exact = match(query, rows, time="time", unit="ms", evaluation="eager").to_arrow().to_pylist()
    given, wanted = {repr(row) for row in found}, {repr(row) for row in exact}
    assert given <= wanted and len(given) == len(found), seed
    assert found == exact or not whole.complete, seed
    assert in_parts(query, rows, bound, chance, "ms") == (found, whole.statistics()["bound"]), seed
    return not whole.complete


@pytest.mark.parametrize("start", [0, 8])
def test_streams(start: int) -> None:
    assert sum(map(check, range(start, start + 8))) >= 2


@pytest.mark.deep
@pytest.mark.parametrize("start", [100, 200])
def test_more_streams(start: int) -> None:
    assert sum(map(check, range(start, start + 100))) > 30
