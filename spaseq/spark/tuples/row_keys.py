"""Rows of parameters that lie where their events go: all events of a match equal one of the row's constants."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow
from pyarrow import types

from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue
from spaseq.plan.description import Partitioning
from spaseq.plan.formulas.automaton import split
from spaseq.plan.formulas.rule_conditions import joined_by
from spaseq.spark.tuples.map_stage import TableReading, buckets_of
from spaseq.tuples.queries import Prepared

_TESTS = (types.is_string, types.is_int64, types.is_float64, types.is_boolean)


@dataclass(frozen=True)
class RowKeys:
    """The ``attribute`` (of that type) that equals the ``parameter`` of each row of the ``query``."""

    attribute: str
    parameter: str
    type: pyarrow.DataType
    query: Prepared

    @staticmethod
    def of(reading: TableReading) -> RowKeys | None:
        """Those of a query that is cut by nothing else; None: there are none."""
        query, plan = reading.query, reading.query.plan_for(reading.usual)
        joined = None if query.rows is None or split(query.query, plan).keys else joined_by(query.query, plan)
        if joined is None:
            return None
        type_ = reading.usual.field(joined[0]).type
        type_ = type_.value_type if types.is_dictionary(type_) else type_
        return RowKeys(*joined, type_, query) if any(test(type_) for test in _TESTS) else None

    @property
    def partitioning(self) -> Partitioning:
        """By what the query is cut."""
        return Partitioning((self.attribute,), f"all events of a match equal ${self.parameter} in it", True)

    @cached_property
    def values(self) -> pyarrow.Array:
        """That of each row as one of the attribute; NULL: no event has it."""
        assert self.query.query.given is not None
        number = self.query.query.given.names.index(self.parameter)
        return pyarrow.array([_as(row[number], self.type) for row in self.query.rows or ()], self.type)

    def rows(self, bucket: int, buckets: int) -> tuple[ConstantRow, ...]:
        """The rows whose events go to a bucket."""
        places = np.flatnonzero(self.values.is_valid().to_numpy(zero_copy_only=False))
        own = places[buckets_of([self.values.drop_null()], buckets) == bucket]
        return tuple(self._rows(own.tolist()))

    def _rows(self, places: list[int]) -> Iterator[ConstantRow]:
        rows = self.query.rows or ()
        return (rows[place] for place in places)


def _as(constant: ConstantValue, type_: pyarrow.DataType) -> ConstantValue | None:
    """A constant that compares with values of a type, as one of them; None: none of them equals it."""
    if types.is_string(type_) or types.is_boolean(type_) or isinstance(constant, bool | str):
        return constant
    if types.is_int64(type_):
        return int(constant) if constant == int(constant) and -(2**63) <= constant < 2**63 else None
    return float(constant) if abs(constant) <= sys.float_info.max and float(constant) == constant else None
