"""Columns of all types become columns of a few."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow
import pytest

from spaseq.sources.tables.types import CODED_TEXT, INSTANT, usual, usual_type

NOON = datetime(2025, 1, 1, 12)
TEXTS = pyarrow.array(["a", None, "a"])
VIEW = pyarrow.string_view()
CASES: list[tuple[Any, pyarrow.DataType, list[Any]]] = [
    (pyarrow.array([1, None], pyarrow.int8()), pyarrow.int64(), [1, None]),
    (pyarrow.array([1, None], pyarrow.uint32()), pyarrow.int64(), [1, None]),
    (pyarrow.array([2**64 - 1], pyarrow.uint64()), pyarrow.uint64(), [2**64 - 1]),
    (pyarrow.array(np.array([1.5], np.float16)), pyarrow.float64(), [1.5]),
    (pyarrow.array([1.5], pyarrow.float32()), pyarrow.float64(), [1.5]),
    (pyarrow.array([Decimal("1.50")]), pyarrow.float64(), [1.5]),
    (pyarrow.array([Decimal("1.50")], pyarrow.decimal256(50, 2)), pyarrow.float64(), [1.5]),
    (pyarrow.array([True, None]), pyarrow.bool_(), [True, None]),
    (TEXTS.cast(pyarrow.large_string()), pyarrow.string(), ["a", None, "a"]),
    (TEXTS.cast(pyarrow.string_view()), pyarrow.string(), ["a", None, "a"]),
    (TEXTS.dictionary_encode(), CODED_TEXT, ["a", None, "a"]),
    (
        TEXTS.dictionary_encode().cast(pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
        CODED_TEXT,
        ["a", None, "a"],
    ),
    (TEXTS.cast(pyarrow.large_string()).dictionary_encode(), CODED_TEXT, ["a", None, "a"]),
    (
        pyarrow.DictionaryArray.from_arrays(
            pyarrow.array([1, None, 0], pyarrow.uint32()), pyarrow.array(["a", "b"], pyarrow.string_view())
        ),
        CODED_TEXT,
        ["b", None, "a"],
    ),
    (pyarrow.array([1, 2, 1]).dictionary_encode(), pyarrow.int64(), [1, 2, 1]),
    (pyarrow.array([1.5, None], pyarrow.float32()).dictionary_encode(), pyarrow.float64(), [1.5, None]),
    (pyarrow.array([date(2025, 1, 1)]), INSTANT, [datetime(2025, 1, 1)]),
    (pyarrow.array([date(2025, 1, 1)], pyarrow.date64()), INSTANT, [datetime(2025, 1, 1)]),
    (pyarrow.array([NOON], pyarrow.timestamp("s")), INSTANT, [NOON]),
    (pyarrow.array([NOON.replace(tzinfo=UTC)], pyarrow.timestamp("ms", "Europe/Paris")), INSTANT, [NOON]),
    (pyarrow.array([1_000], pyarrow.timestamp("ns")), INSTANT, [datetime(1970, 1, 1, 0, 0, 0, 1)]),
    (pyarrow.array([-1_000], pyarrow.timestamp("ns")), INSTANT, [datetime(1969, 12, 31, 23, 59, 59, 999_999)]),
    (pyarrow.nulls(2), pyarrow.null(), [None, None]),
    (pyarrow.array([[1]]), pyarrow.list_(pyarrow.int64()), [[1]]),
    (pyarrow.array([["a"], None], pyarrow.list_(VIEW)), pyarrow.list_(pyarrow.string()), [["a"], None]),
    (pyarrow.array([["a"]], pyarrow.large_list(VIEW)), pyarrow.large_list(pyarrow.string()), [["a"]]),
    (pyarrow.array([["a"]], pyarrow.list_(VIEW, 1)), pyarrow.list_(pyarrow.string(), 1), [["a"]]),
    (pyarrow.array([{"t": "a"}], pyarrow.struct({"t": VIEW})), pyarrow.struct({"t": pyarrow.string()}), [{"t": "a"}]),
]


@pytest.mark.parametrize(("column", "type_", "values"), CASES, ids=lambda each: str(getattr(each, "type", "")))
def test_usual(column: pyarrow.Array, type_: pyarrow.DataType, values: list[Any]) -> None:
    assert usual_type(column.type) == type_
    found = usual(column, type_)
    assert found.type == type_
    assert found.to_pylist() == values
    assert usual(column.slice(1), type_).to_pylist() == values[1:]
