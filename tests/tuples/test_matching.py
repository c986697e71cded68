"""``match``: from tables to results, against the oracle, and on the sample of real stock events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations, islice
from pathlib import Path

import pyarrow
import pyarrow.csv
import pytest

from spaseq.errors import QueryError
from spaseq.tuples import match
from tests.data import folder
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import random_pair
from tests.tuples.tables import answers

STOCK = folder("stock") / "stock_50k.csv"
P3 = """
    SELECT * FROM Stock
    WHERE SELL AS intc ; BUY AS rimm ; BUY AS qqq
    FILTER intc[name = 'INTC'] AND rimm[name = 'RIMM'] AND qqq[name = 'QQQ']
    WITHIN 9999 MILLISECONDS
"""


@pytest.mark.parametrize("start", range(0, 600, 100))
def test_tables_give_what_the_definition_says(start: int) -> None:
    for seed in range(start, start + 100):
        pair = random_pair(seed)
        if not pair.query.aggregates:
            assert disagreement(pair.query, pair.events, answers(pair)) is None, seed


def test_two_other_engines_agree_on_this_number(tmp_path: Path) -> None:
    """The first 20,000 events of the sample; matches of at most 9,999 ms."""
    some = tmp_path / "some.csv"
    with STOCK.open("rb") as file:
        some.write_bytes(b"".join(islice(file, 20_001)))
    assert match(P3, some, type="event_type", time="stock_time", unit="ms").count() == 25_258


def test_batches_are_given_as_they_are_found() -> None:
    """The first match of the sample needs its first events alone."""
    table = pyarrow.csv.read_csv(STOCK)
    read = []

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for batch in table.to_batches(max_chunksize=1000):
            read.append(batch.num_rows)
            yield batch

    source = pyarrow.RecordBatchReader.from_batches(table.schema, batches())
    found = next(match(P3, source, type="event_type", time="stock_time", unit="ms"))
    assert found.column("positions")[0].as_py() == [60, 64, 109]
    assert sum(read) < 10_000


def test_variables_are_columns() -> None:
    rows = [{"type": kind, "price": price} for kind, price in [("A", 1), ("B", 2), ("B", 3)]]
    query = "SELECT * FROM S WHERE A AS first ; B+ AS rest"
    table = match(query, rows).to_arrow()
    assert table.column_names == ["start", "end", "positions", "first", "rest"]
    assert sorted(table.column("rest").to_pylist()) == [[1], [1, 2], [2]]
    assert set(map(tuple, table.column("first").to_pylist())) == {(0,)}
    only = match("SELECT rest FROM S WHERE A AS first ; B+ AS rest", rows).to_arrow()
    assert only.column_names == ["start", "end", "positions", "rest"]
    assert only.column("positions") == only.column("rest")


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("SELECT * FROM S, T WHERE A", "FROM names several streams"),
    ],
)
def test_what_is_not_supported_is_named(query: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        match(query, [{"type": "A", "price": 1}])


def test_a_later_beginning_is_not_lost_behind_an_earlier_one() -> None:
    """(A ; B)+ comes back to A with matches that began before those which begin there."""
    chance = random.Random(3)
    for _ in range(40):
        types = [chance.choice("AB") for _ in range(14)]
        window = chance.randrange(3, 9)
        query = f"SELECT * FROM S WHERE (A ; B)+ WITHIN {window} EVENTS"
        found = {
            tuple(picks)
            for batch in match(query, [{"type": type_} for type_ in types])
            for picks in batch.column("positions").to_pylist()
        }
        some = (picks for size in (2, 4, 6, 8) for picks in combinations(range(14), size))
        assert found == {
            picks
            for picks in some
            if picks[-1] - picks[0] <= window and all(types[at] == "AB"[i % 2] for i, at in enumerate(picks))
        }
