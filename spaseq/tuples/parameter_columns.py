"""Results of several rows of parameters: in one order, with the constants that SELECT shows as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow

from spaseq.pattern.formulas.parameters import ConstantRow, ConstantValue, Parameters
from spaseq.pattern.formulas.predicates import Constant
from spaseq.pattern.formulas.printing import print_value
from spaseq.tuples.selection.picks import free

OF_SELECTION, OF_AGGREGATES = ("start", "end", "positions"), ("end",)  # what results have beside what SELECT shows


@dataclass(frozen=True)
class ParameterColumns:
    """The columns that show constants of ``rows``; ``own`` are the names that results have themselves."""

    given: Parameters
    rows: Sequence[ConstantRow]
    own: tuple[str, ...]

    def beside(self, batch: pyarrow.RecordBatch, places: np.ndarray[Any, Any]) -> pyarrow.RecordBatch:
        """Results with these columns; ``places`` say of which row each is."""
        names, columns = list(batch.schema.names), list(batch.columns)
        for shown, (place, values) in zip(self.given.shown, self.values, strict=True):
            names.insert(len(self.own) + place, shown.name)
            columns.insert(len(self.own) + place, values.take(pyarrow.array(places)))
        names[: len(self.own)] = [free(name, names[len(self.own) :]) for name in self.own]
        return pyarrow.RecordBatch.from_arrays(columns, names=names)

    @property
    def values(self) -> list[tuple[int, pyarrow.Array]]:
        """The constants of all rows for each column, and its place behind those of results themselves."""
        names = self.given.names
        return [
            (shown.place, column_of([row[names.index(shown.parameter)] for row in self.rows]))
            for shown in self.given.shown
        ]

    def schema(self, of_member: pyarrow.Schema) -> pyarrow.Schema:
        """That of results, which for one row have a schema."""
        empty = pyarrow.RecordBatch.from_pylist([], of_member)
        return self.beside(empty, np.empty(0, np.int64)).schema


def column_of(values: Sequence[ConstantValue]) -> pyarrow.Array:
    """Constants as integers, doubles or truth values if all are that, else as texts; none at all as NULL."""
    kinds = {type(value) for value in values}
    if kinds <= {bool}:
        return pyarrow.array(values, pyarrow.bool_() if values else pyarrow.null())
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in values if isinstance(value, int)):
        return pyarrow.array(values, pyarrow.int64())
    if kinds <= {int, float}:
        return column_as(values, pyarrow.float64())
    return column_as(values, pyarrow.string())


def column_as(values: Sequence[ConstantValue], type_: pyarrow.DataType) -> pyarrow.Array:
    """Some of the constants for which ``column_of`` has this type."""
    if pyarrow.types.is_string(type_):
        values = [value if isinstance(value, str) else print_value(Constant(value)) for value in values]
    return pyarrow.array(map(float, values) if pyarrow.types.is_floating(type_) else values, type_)


# ── one order ────────────────────────────────────────────────────────────────────────────────────────────
class Placed(NamedTuple):
    """Results with the places of their rows (m), by their ends, those of one end by their places."""

    batch: pyarrow.RecordBatch
    places: np.ndarray[Any, Any]

    def part(self, begin: int, end: int) -> Placed:
        """Some of them."""
        return Placed(self.batch.slice(begin, end - begin), self.places[begin:end])


@dataclass(slots=True)
class _Head:
    """What is to be taken next of a source; ``more`` are the results behind them, looked at in advance."""

    source: Iterator[Placed]
    first: Placed | None = None
    more: Placed | None = None

    def fill(self) -> bool:
        """Get results if nothing is left; False at the end."""
        if self.first is None:
            self.first = self._next() if self.more is None else self.more
            self.more = None if self.first is None else self._next()
        return self.first is not None

    def _next(self) -> Placed | None:
        return next((one for one in self.source if len(one.places)), None)

    def take(self, until: tuple[int, int] | None, end: int) -> Placed:
        """Those up to an end and a place; None: all."""
        assert self.first is not None
        found, count = self.first, len(self.first.places)
        if until is not None:
            ends = _ends(found, end)
            begin, behind = np.searchsorted(ends, until[0], "left"), np.searchsorted(ends, until[0], "right")
            count = int(begin + np.searchsorted(found.places[begin:behind], until[1], "right"))
        self.first = found.part(count, len(found.places)) if count < len(found.places) else None
        return found.part(0, count)


def in_one_order(sources: Sequence[Iterator[Placed]], end: int) -> Iterator[Placed]:
    """Results of several sources by their ends (a column), those of one end in the order of rows."""
    heads = [_Head(source) for source in sources]
    while heads := [head for head in heads if head.fill()]:
        until = _until(heads, end)
        yield _sorted_by_end([head.take(until, end) for head in heads], end)


def _until(heads: Sequence[_Head], end: int) -> tuple[int, int] | None:
    """The end and place before which all is known; None: everything is."""
    firsts = [head.first for head in heads if head.more is not None]
    return min(((int(_ends(one, end)[-1]), int(one.places[-1])) for one in firsts if one is not None), default=None)


def _ends(results: Placed, end: int) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = results.batch.column(end).to_numpy()
    return found


def _sorted_by_end(parts: Sequence[Placed], end: int) -> Placed:
    if len(parts) == 1:
        return parts[0]
    (whole,) = pyarrow.Table.from_batches([one.batch for one in parts]).combine_chunks().to_batches()
    places = np.concatenate([one.places for one in parts])
    order = np.lexsort((places, whole.column(end).to_numpy()))
    return Placed(whole.take(pyarrow.array(order)), places[order])
