"""Partitions: equal values have equal numbers, from batch to batch."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pyarrow
import pytest
from hypothesis import given, strategies as st

from spaseq.errors import QueryError
from spaseq.sources.tables.types import CODED_TEXT, usual, usual_type
from spaseq.tuples import NO_PARTITION, Partitions


def batch(**columns: Any) -> pyarrow.RecordBatch:
    arrays = {
        name: values if isinstance(values, pyarrow.Array) else pyarrow.array(values) for name, values in columns.items()
    }
    return pyarrow.record_batch({name: usual(each, usual_type(each.type)) for name, each in arrays.items()})


def test_numbers_are_dense_and_stay() -> None:
    first = batch(name=["x", "y", "x"], volume=[1, 1, 2])
    partitions = Partitions(("name", "volume"), first.schema)
    assert partitions.number(first).tolist() == [0, 1, 2]
    assert partitions.number(batch(name=["z", "x", "y"], volume=[1, 2, 1])).tolist() == [3, 2, 1]
    assert len(partitions) == 4


def test_null_is_in_no_partition() -> None:
    rows = batch(name=["x", None, "x"], price=[1.0, 2.0, math.nan])
    partitions = Partitions(("name", "price"), rows.schema)
    assert partitions.number(rows).tolist() == [0, NO_PARTITION, NO_PARTITION]
    assert (
        Partitions(("nothing",), pyarrow.schema([("nothing", pyarrow.null())]))
        .number(batch(nothing=[None, None]))
        .tolist()
        == [NO_PARTITION] * 2
    )


def test_numbers_are_equal_by_value() -> None:
    partitions = Partitions(("x",), batch(x=[1.0]).schema)
    assert partitions.number(batch(x=[1.0, 0.0, -0.0])).tolist() == [0, 1, 1]
    assert partitions.number(batch(x=[1, 2])).tolist() == [0, 2]
    assert partitions.number(batch(x=[2**53, 2**53 + 1])).tolist() == [3, 4]


DAY = datetime.date(2025, 1, 31)
COLUMNS = [
    ["a", "b", "a"],
    [1, 2, 1],
    [1.5, 2.5, 1.5],
    [True, False, True],
    [DAY, DAY + datetime.timedelta(1), DAY],
    [datetime.datetime(2025, 1, 1), datetime.datetime(2025, 1, 2), datetime.datetime(2025, 1, 1)],
    [Decimal("1.5"), Decimal("2.5"), Decimal("1.5")],
    pyarrow.array([2**64 - 1, 0, 2**64 - 1], pyarrow.uint64()),
    pyarrow.array(["a", "b", "a"], CODED_TEXT),
    pyarrow.array([7, 8, 7]).dictionary_encode(),
    pyarrow.DictionaryArray.from_arrays([2, 1, 3], pyarrow.array(["unused", "b", "a", "a"])),
    pyarrow.array(["a", "b", "a"], pyarrow.large_string()),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: str(pyarrow.array(column).type))
def test_columns_of_all_types(column: Any) -> None:
    rows = batch(x=column)
    assert Partitions(("x",), rows.schema).number(rows).tolist() == [0, 1, 0]


def test_an_unknown_attribute() -> None:
    with pytest.raises(QueryError, match=r"no attribute nam\n.*did you mean name"):
        Partitions(("nam",), batch(name=["a"]).schema)


KEYS = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([0, 1, 2, None]), st.sampled_from([0.5, 1.0, None]))


@given(st.lists(st.lists(KEYS, max_size=6), max_size=4), st.integers(1, 3), st.booleans())
def test_all_batches_agree(batches: list[list[tuple[Any, ...]]], width: int, coded: bool) -> None:
    types = (CODED_TEXT if coded else pyarrow.string(), pyarrow.int64(), pyarrow.float64())
    schema = pyarrow.schema([(str(index), types[index]) for index in range(width)])
    partitions = Partitions(schema.names, schema)
    known: dict[tuple[Any, ...], int] = {}
    for rows in batches:
        keys = [row[:width] for row in rows]
        columns = [pyarrow.array([key[index] for key in keys], types[index]) for index in range(width)]
        found = partitions.number(pyarrow.record_batch(columns, schema=schema)).tolist()
        assert found == [NO_PARTITION if None in key else known.setdefault(key, len(known)) for key in keys]
    assert len(partitions) == len(known)
