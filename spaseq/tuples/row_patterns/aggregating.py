"""Aggregates over the rows of matches, up to each row that is shown, or over whole matches."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc
from numpy.typing import NDArray

from nfa_native.row_patterns.sweeps import running_least, running_real_sums, running_sums
from spaseq.pattern.rows.expressions import Aggregated
from spaseq.pattern.rows.types import SqlKind
from spaseq.tuples.row_patterns.arrow_types import arrow_type
from spaseq.tuples.row_patterns.casts import within_digits
from spaseq.tuples.row_patterns.faults import ValueFault, faults_at
from spaseq.tuples.row_patterns.matched import Places, ShownRows

ValuesAt = Callable[[Places], pyarrow.Array]  # of an aggregate, at labels of matches


def aggregated(expression: Aggregated, shown: ShownRows, values_at: ValuesAt) -> pyarrow.Array:
    """An aggregate by shown row; ValueFault: it is beyond its type."""
    hits, low, high = shown.hits(expression.variables, expression.final)
    if expression.value is not None:
        values = values_at(hits)
        if expression.function != "ARRAY_AGG" and values.null_count:
            known = values.is_valid().to_numpy(zero_copy_only=False)
            before = np.concatenate([[0], np.cumsum(known)])
            hits, values, low, high = hits[known], values.filter(pyarrow.array(known)), before[low], before[high]
    if expression.function == "COUNT":
        return pyarrow.array(high - low)
    if expression.function == "ARRAY_AGG":
        return _lists(values, low, high)
    begins = _begins(shown, hits)
    with faults_at(shown.found.rows()[hits]):
        running = _running(expression, values, begins, shown)
    there = high > low
    return _taken(running, np.where(there, high - 1, 0), there)


def _begins(shown: ShownRows, hits: Places) -> NDArray[np.uint8]:
    """By hit: 1 where it is the first one of its match."""
    matches = np.searchsorted(shown.found.begins[1:], hits, side="right")
    return np.concatenate([[1], np.diff(matches) != 0]).astype(np.uint8)[: len(hits)]


def _taken(column: pyarrow.Array, places: Places, there: NDArray[np.bool_]) -> pyarrow.Array:
    return column.take(pyarrow.array(places, mask=~there))


def _running(
    expression: Aggregated, values: pyarrow.Array, begins: NDArray[np.uint8], shown: ShownRows
) -> pyarrow.Array:
    """The aggregate up to each value of its match."""
    if pyarrow.types.is_null(values.type) or not len(values):
        return pyarrow.nulls(len(values), arrow_type(expression.type))
    if expression.function in ("MIN", "MAX"):
        way = "ascending" if expression.function == "MIN" else "descending"
        return values.take(pyarrow.array(running_least(_ranks(values, way), begins)))
    sums = _sums(expression, values, begins)
    if expression.function == "SUM":
        return sums
    counts = _places_in(begins) + 1
    if expression.type.kind is SqlKind.DECIMAL:
        quotients = [
            within_digits(a / Decimal(int(n)), expression.type) for a, n in zip(sums.to_pylist(), counts, strict=True)
        ]
        return pyarrow.array(quotients, arrow_type(expression.type))
    return pc.divide(sums.cast(pyarrow.float64(), safe=False), pyarrow.array(counts.astype(np.float64)))


def _ranks(values: pyarrow.Array, way: str) -> NDArray[np.uint64]:
    """NaN is the greatest number."""
    ranks: NDArray[np.uint64] = pc.rank(values, "ascending", tiebreaker="dense").to_numpy()
    return ranks if way == "ascending" else np.uint64(len(values)) - ranks


def _places_in(begins: NDArray[np.uint8]) -> Places:
    """By hit: how many of its match come before it."""
    places = np.arange(len(begins))
    return places - np.maximum.accumulate(np.where(begins, places, 0))


def _sums(expression: Aggregated, values: pyarrow.Array, begins: NDArray[np.uint8]) -> pyarrow.Array:
    if pyarrow.types.is_floating(values.type):
        return pyarrow.array(running_real_sums(values.to_numpy(), begins))
    if pyarrow.types.is_decimal(values.type):
        return _exact_sums(values.to_pylist(), begins, arrow_type(expression.type), Decimal(0))
    if expression.function == "AVG":
        return _exact_sums(values.to_pylist(), begins, pyarrow.decimal128(38, 0), 0)
    try:
        return pyarrow.array(running_sums(values.to_numpy(), begins))
    except OverflowError as error:
        raise ValueFault("overflow: the sum is beyond BIGINT", int(error.args[0]), "SUM") from None


def _exact_sums(values: list[Any], begins: NDArray[np.uint8], type_: pyarrow.DataType, zero: Any) -> pyarrow.Array:
    pairs = zip(values, begins.tolist(), strict=True)
    sums = accumulate(pairs, lambda total, pair: pair[0] if pair[1] else total + pair[0], initial=zero)
    next(sums)
    return pyarrow.array(map(Decimal, sums), type_)


def _lists(values: pyarrow.Array, low: Places, high: Places) -> pyarrow.Array:
    """The values of each as a list; NULL where there is none."""
    lengths = high - low
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(low - offsets[:-1], lengths) + np.arange(offsets[-1])
    begins = pyarrow.array(offsets.astype(np.int32), mask=np.append(lengths == 0, False))
    return pyarrow.ListArray.from_arrays(begins, values.take(pyarrow.array(places)))
