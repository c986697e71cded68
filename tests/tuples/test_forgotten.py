"""Partitions of which nothing is left are forgotten, and come back as new ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pyarrow
import pytest

from spaseq.tuples import match
from spaseq.tuples.encoding import encoder
from spaseq.tuples.encoding.partitions import Partitions
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.generate import Pair, joined, random_pair
from tests.oracle.ceql.labels import labels_of
from tests.tuples.tables import answers


@pytest.mark.parametrize("start", range(0, 900, 300))
def test_the_definition(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "MANY", 1)
    for seed in range(start, start + 300):
        drawn, chance = random_pair(seed), Random(seed)
        query = replace(
            drawn.query, aggregates=(), group_by=(), partition_by=chance.choice([("name",), ("volume", "name")])
        )
        query = joined(query, chance) if chance.random() < 0.5 else query
        pair = Pair(query, drawn.events, labels_of(query, drawn.events))
        assert disagreement(query, pair.events, answers(pair, chance.randrange(1, 4))) is None, seed


def keys(number: int, rows: int) -> pyarrow.RecordBatch:
    numbers = np.arange(number * rows, (number + 1) * rows) // 2  # two events a key, and never again
    columns = {"id": numbers, "text": numbers.astype(str), "time": numbers}
    return pyarrow.record_batch({name: pyarrow.array(column) for name, column in columns.items()})


@pytest.mark.parametrize("by", ["id", "text", "id, text"])
@pytest.mark.parametrize("formula", ["Q AS a ; Q AS b", "Q AS a ; Q AS b FILTER b[time >= a.time]"])
def test_many_keys_one_after_the_other(by: str, formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "MANY", 100)
    query = f"SELECT * FROM S WHERE {formula} PARTITION BY [{by}] WITHIN 1 SECONDS"
    matches = match(query, (keys(number, 100) for number in range(100)), relation="Q", time="time", unit="s")
    assert matches.count() == 5000
    assert matches.statistics()["partitions"] <= 200


def test_numbers_of_what_is_kept() -> None:
    schema = pyarrow.schema({"a": pyarrow.string(), "b": pyarrow.int64()})
    partitions = Partitions(["a", "b"], schema)
    pairs = pyarrow.record_batch({"a": ["x", "x", "y", None, "z"], "b": [1, 2, 1, 1, 3]}, schema)
    assert partitions.number(pairs).tolist() == [0, 1, 2, 0xFFFFFFFF, 3]
    partitions.keep(np.array([1, 3], np.uint32))
    assert len(partitions) == 2
    assert partitions.number(pairs).tolist() == [2, 0, 3, 0xFFFFFFFF, 1]
