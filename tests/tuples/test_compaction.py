"""Long streams of filters that compare events: nodes, groups and views that nothing needs any more are let go of."""

from __future__ import annotations

from random import Random

import pyarrow
import pytest

from spaseq.tuples import Matches, match

ROWS = 4000
FORMULAS = {
    "views": "Q AS a ; Q AS b ; Q AS c FILTER b[v > a.v] AND c[v < b.v]",
    "groups": "Q AS a ; Q AS b ; Q AS c FILTER c[v > a.v]",
    "two bounds": "Q AS a ; Q AS b FILTER b[v > a.v AND w < a.w]",
    "kleene": "Q AS a ; Q+ AS b ; Q AS c FILTER b[v > a.v] AND c[v < a.v]",
    "contiguous": "Q AS a : Q AS b ; Q AS c FILTER b[v > a.v] AND c[v > b.v]",
    "asked": "Q AS a ; Q AS b ; Q AS c FILTER c.v > a.v + b.v",
    "keys": "Q AS a ; Q AS b ; Q AS c FILTER b[w = a.w]",
}


def stream(keys: int) -> pyarrow.Table:
    chance = Random(keys)
    rows = [{"k": number % keys, "v": chance.randrange(100), "w": chance.randrange(3)} for number in range(ROWS * keys)]
    return pyarrow.Table.from_pylist(rows)


def found(matches: Matches) -> set[tuple[int, ...]]:
    return {tuple(row["positions"]) for batch in matches for row in batch.to_pylist()}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS.keys())
def test_windows_of_events_in_partitions(formula: str) -> None:
    """They do not end together; in each partition the matches are those of a stream of its own."""
    rest = "WITHIN 4 EVENTS"
    apart = match(f"SELECT * FROM S WHERE {formula} PARTITION BY [k] {rest}", stream(2), relation="Q")
    together = found(apart)
    assert apart.statistics()["room"] <= 1 << 13
    for key in range(2):
        alone = match(f"SELECT * FROM S WHERE {formula} {rest}", stream(2)[key::2], relation="Q")
        assert {tuple(position * 2 + key for position in one) for one in found(alone)} == {
            one for one in together if one[0] % 2 == key
        }


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS.keys())
def test_what_is_consumed_without_a_window(formula: str) -> None:
    query = f"SELECT * FROM S WHERE {formula} CONSUME BY ANY"
    matches = match(query, stream(1), relation="Q")
    for one in found(matches):
        assert one[-1] - one[0] < 200
    assert matches.found > ROWS // 12
    assert matches.statistics()["room"] <= 1 << 13


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS.keys())
def test_what_partitions_consume_without_a_window(formula: str) -> None:
    """Of one partition nothing is ever consumed: it has one event, and its match at the end."""
    table = stream(2)
    waits = pyarrow.Table.from_pylist([{"k": 7, "v": 50, "w": 0}], schema=table.schema)
    query = f"SELECT * FROM S WHERE {formula} PARTITION BY [k] CONSUME BY PARTITION"
    matches = match(query, pyarrow.concat_tables([waits, table]), relation="Q")
    both = found(matches)
    assert matches.statistics()["room"] <= 1 << 13
    for key in range(2):
        alone = match(f"SELECT * FROM S WHERE {formula} CONSUME BY ANY", table[key::2], relation="Q")
        assert {tuple(1 + position * 2 + key for position in one) for one in found(alone)} == {
            one for one in both if (one[0] - 1) % 2 == key
        }
