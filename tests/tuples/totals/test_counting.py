"""``count`` gives as many results as there are, by totals of partial matches where they tell it."""

from __future__ import annotations

from dataclasses import replace

import pyarrow
import pytest

from spaseq.errors import StreamError
from spaseq.tuples import match
from spaseq.tuples.matching import Matches
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text
from tests.tuples.tables import table_of


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_random_pairs(start: int) -> None:
    for seed in range(start, start + 100):
        pair = random_pair(seed)
        query = replace(pair.query, aggregates=(), group_by=(), strategy=None if seed % 2 else pair.query.strategy)
        table = table_of(pair, 1 + seed % 5)
        found = match(to_text(query), table, time="time")
        assert found.count() == match(to_text(query), table, time="time").to_arrow().num_rows, seed
        assert found.count() == 0  # none are left


def test_more_matches_than_could_be_enumerated() -> None:
    table = pyarrow.table({"type": ["A", *"B" * 60, "C"]})
    found = match("SELECT * FROM S WHERE A ; B+ ; C", table)
    assert (found.count(), found.found) == (2**60 - 1, 2**60 - 1)


def test_more_matches_than_64_bits_can_count() -> None:
    table = pyarrow.table({"type": ["A", *"B" * 100, "C"]})
    query = "SELECT * FROM S WHERE A ; B+ ; C"
    assert match(query, table, totals="decimal").count() == 2**100 - 1
    assert match(query, table, totals="double").count() == 2**100
    with pytest.raises(StreamError, match="does not fit in 64 bits"):
        match(query, table).count()


def test_what_was_taken_does_not_count() -> None:
    found = match("SELECT * FROM S WHERE A ; B", pyarrow.table({"type": list("AABBB")}))
    assert isinstance(found, Matches)
    found._repr_html_()
    assert found.count() == 6
    assert found.found == 6
