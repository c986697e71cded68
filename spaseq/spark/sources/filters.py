"""Filters on streams and times that Spark leaves to the source."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pyarrow
from pyarrow import compute
from pyspark.sql import datasource

from spaseq.spark.packing import INSTANT

_Comparison = Callable[[Any, Any], Any]
_COMPARISONS: dict[type[datasource.Filter], tuple[_Comparison, _Comparison]] = {
    datasource.EqualTo: (operator.eq, compute.equal),
    datasource.GreaterThan: (operator.gt, compute.greater),
    datasource.GreaterThanOrEqual: (operator.ge, compute.greater_equal),
    datasource.LessThan: (operator.lt, compute.less),
    datasource.LessThanOrEqual: (operator.le, compute.less_equal),
}


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows of one stream are wanted: none, or those whose time passes all comparisons."""

    nothing: bool = False
    times: tuple[tuple[type[datasource.Filter], datetime], ...] = ()

    def rows(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """The rows of ``EVENT`` that are wanted."""
        for kind, time in self.times:
            batch = batch.filter(_COMPARISONS[kind][1](batch["time"], pyarrow.scalar(time, INSTANT)))
        return batch


def pushed(filters: list[datasource.Filter], stream: str) -> tuple[RowFilter, list[datasource.Filter]]:
    """What the source sees to, all rows of which are of ``stream``, and the filters that are left to Spark."""
    nothing, times, left = False, [], []
    for one in filters:
        column: Any = getattr(one, "attribute", None)
        value: Any = getattr(one, "value", None)
        if isinstance(one, datasource.IsNotNull) and column in (("stream",), ("time",)):
            continue
        if column == ("stream",) and isinstance(one, datasource.EqualTo | datasource.In):
            nothing |= stream not in (value if isinstance(one, datasource.In) else (value,))
        elif column == ("time",) and type(one) in _COMPARISONS and isinstance(value, datetime) and value.tzinfo:
            times.append((type(one), value))
        else:
            left.append(one)
    return RowFilter(nothing, tuple(times)), left
