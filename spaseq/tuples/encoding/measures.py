"""The attribute by which a window is measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow

from spaseq.errors import QueryError
from spaseq.sources.tables.types import Kind, check_attribute, shown
from spaseq.tuples.columns.few import Rows
from spaseq.tuples.columns.predicates import vector
from spaseq.tuples.columns.vectors import Column, Mask


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """Values of an attribute, int64 or float64 (n); ``valid`` is False where it is NULL, None if it nowhere is."""

    values: Column
    valid: Mask | None = None

    @property
    def missing(self) -> Mask:
        """Which events have no value: NULL or NaN."""
        absent = np.zeros(len(self.values), np.bool_) if self.valid is None else ~self.valid
        return absent | np.isnan(self.values) if self.values.dtype == np.float64 else absent


def check_measure(name: str, schema: pyarrow.Schema) -> None:
    """QueryError if the attribute is unknown, or neither a number nor a time."""
    kind = check_attribute(name, schema)
    if kind not in (Kind.NUMBER, Kind.TIME, Kind.NULL):
        raise QueryError(
            f"the window's attribute {name} is of type {shown(schema.field(name).type)}: it needs a number"
        )


def measure(name: str, batch: Rows) -> Measure:
    """The attribute of a batch's events; times in microseconds, integers beyond 64 bits as doubles."""
    found = vector(batch.column(name))
    values = found.values if found.values.dtype != object else found.values.astype(np.float64)
    return Measure(values, found.valid)
