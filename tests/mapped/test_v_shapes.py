"""A V shape in CEQL on a table, and in SPAseq over its mapping, picks the same rows: 2,000 random tables."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq import Mapped, prepare, tuples
from spaseq.graphs.graph_run import Run

CEQL = """SELECT * FROM Ticks WHERE T AS a ; T AS b ; T AS c
FILTER b[price > a.price AND name = a.name] AND c[price < b.price AND name = a.name] WITHIN 6 SECONDS"""
SPASEQ = prepare("""SELECT ?n WITHIN 6 SECONDS SLIDING FROM STREAM s <urn:s> WHERE {
  SEQ(A : B : C)
  DEFINE GPM A ON s { ?q1 <urn:of> ?n ; <urn:price> ?p1 }
  DEFINE GPM B ON s { ?q2 <urn:of> ?n ; <urn:price> ?p2 FILTER(?p2 > ?p1) }
  DEFINE GPM C ON s { ?q3 <urn:of> ?n ; <urn:price> ?p3 FILTER(?p3 < ?p2) }
}""")
MAPPING = """EVENT <urn:row:{?row}> AT ?time UNIT s
CONSTRUCT { <urn:row:{?row}> a <urn:T> ; <urn:of> <urn:{?name}> ; <urn:price> ?price }"""
TOGETHER = 8
PRICES: dict[str, list[Any]] = {
    "integers": [1, 2, 3, -4, None],
    "doubles": [0.5, -0.0, 0.0, 1e300, float("nan"), None],
    "decimals": [Decimal("1.50"), Decimal("1.5"), Decimal("-0.01"), None],
}


def tables_of(draw: Random, prices: list[Any]) -> pyarrow.Table:
    """Some tables in one, so far apart that no match has rows of two; NULLs and NaN are in no V."""
    rows: list[dict[str, Any]] = []
    for begin in range(0, TOGETHER * 100, 100):
        for time in sorted(draw.sample(range(20), draw.randint(3, 12))):
            values = {"name": draw.choice(["a", "b c", None]), "price": draw.choice(prices)}
            rows.append({"row": len(rows), "time": begin + time, **values})
    return pyarrow.Table.from_pylist(rows)


@pytest.mark.parametrize("kind", PRICES)
def test_random_tables(kind: str) -> None:
    draw, found = Random(kind), 0
    query = tuples.prepare(CEQL)
    for _ in range(2000 // TOGETHER // len(PRICES) + 1):
        table = tables_of(draw, PRICES[kind])
        events = Run(SPASEQ, {"s": Mapped(table, MAPPING)})
        rows = sorted(tuple(int(match.events[name][0].rpartition(":")[2]) for name in "ABC") for match in events)
        matches = tuples.match(query, table, relation="T", time="time", unit="s")
        picked = [row for batch in matches for row in batch.to_pylist()]
        assert rows == sorted(tuple(row["positions"]) for row in picked)
        found += len(rows)
    assert found > 10
