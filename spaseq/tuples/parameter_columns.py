"""Results of several rows of parameters: in one order, with the constants that SELECT shows as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
        for shown in self.given.shown:
            names.insert(len(self.own) + shown.place, shown.name)
            values = column_of([row[self.given.names.index(shown.parameter)] for row in self.rows])
            columns.insert(len(self.own) + shown.place, values.take(pyarrow.array(places)))
        names[: len(self.own)] = [free(name, names[len(self.own) :]) for name in self.own]
        return pyarrow.RecordBatch.from_arrays(columns, names=names)

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
        return pyarrow.array([float(value) for value in values], pyarrow.float64())
    return pyarrow.array([value if isinstance(value, str) else print_value(Constant(value)) for value in values])


# ── one order ────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(slots=True)
class _Head:
    """What is to be taken next of the results of a row; ``more`` are those behind them, looked at in advance."""

    place: int
    source: Iterator[pyarrow.RecordBatch]
    batch: pyarrow.RecordBatch | None = None
    more: pyarrow.RecordBatch | None = None

    def fill(self) -> bool:
        """Get results if nothing is left; False at the end."""
        if self.batch is None:
            self.batch = self._next() if self.more is None else self.more
            self.more = None if self.batch is None else self._next()
        return self.batch is not None

    def _next(self) -> pyarrow.RecordBatch | None:
        return next((batch for batch in self.source if batch.num_rows), None)


def in_one_order(
    sources: Mapping[int, Iterator[pyarrow.RecordBatch]], end: int, is_there: Callable[[int], bool]
) -> Iterator[tuple[pyarrow.RecordBatch, np.ndarray[Any, Any]]]:
    """Results by their ends (a column), those of one end in the order of rows, and the places of these.

    ``sources`` are by place; what is of a row that ``is_there`` no more is left out.
    """
    heads = [_Head(place, source) for place, source in sources.items()]
    while heads := [head for head in heads if head.fill() and is_there(head.place)]:
        yield _sorted_by_end(list(_parts(heads, end)), end)


def _parts(heads: Sequence[_Head], end: int) -> Iterator[tuple[int, pyarrow.RecordBatch]]:
    """Of each row the results that come before all that is not known yet."""
    unknown = [(_ends(head.batch, end)[-1], head.place) for head in heads if head.more is not None]
    until = min(unknown, default=None)
    for head in heads:
        batch = head.batch
        assert batch is not None
        count = batch.num_rows
        if until is not None:
            # At that end itself its row may go on, before those of later rows.
            count = int(np.searchsorted(_ends(batch, end), until[0], "right" if head.place <= until[1] else "left"))
        head.batch = batch.slice(count) if count < batch.num_rows else None
        if count:
            yield head.place, batch.slice(0, count)


def _ends(batch: pyarrow.RecordBatch | None, end: int) -> np.ndarray[Any, Any]:
    assert batch is not None
    found: np.ndarray[Any, Any] = batch.column(end).to_numpy()
    return found


def _sorted_by_end(
    parts: Sequence[tuple[int, pyarrow.RecordBatch]], end: int
) -> tuple[pyarrow.RecordBatch, np.ndarray[Any, Any]]:
    places = np.repeat([place for place, _ in parts], [batch.num_rows for _, batch in parts])
    if len(parts) == 1:
        return parts[0][1], places
    (whole,) = pyarrow.Table.from_batches([batch for _, batch in parts]).combine_chunks().to_batches()
    order = np.argsort(_ends(whole, end), kind="stable")
    return whole.take(pyarrow.array(order)), places[order]
