"""Results of a query in CEQL as rows, and the rows of the input that they show, as long as one may."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow
import pyarrow.compute

from nfa_native.events.recognizer import ComplexEvents
from spaseq.pattern.formulas.predicates import Attribute
from spaseq.spark.tuples.map_stage import INSTANT, ROW, TIME, TableReading, with_struct_fields
from spaseq.tuples.aggregates.aggregation import AggregatingQuery
from spaseq.tuples.encoding.batches import EncodedBatch
from spaseq.tuples.parameter_columns import ParameterColumns, column_as
from spaseq.tuples.parametric_tuple_query import AnyTupleQuery, ParametricTupleQuery, formula_query
from spaseq.tuples.queries import Prepared
from spaseq.tuples.selection.picks import ResultColumn, free, without_nan
from spaseq.tuples.selection.selection import SelectionQuery
from spaseq.tuples.tuple_query import TupleQuery

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType


Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Rows that came together: the number of the first one, and the latest of their times (µs)."""

    first: int
    last: int
    rows: pyarrow.Table


class RowStore:
    """Packed rows, numbered in the order in which they come; ``following`` is the number of the next one."""

    def __init__(self, following: int = 0) -> None:
        self.following = following
        self._parts: deque[_Part] = deque()

    def add(self, rows: pyarrow.Table) -> pyarrow.Array:
        """Rows came, at least one; gives their numbers."""
        first, self.following = self.following, self.following + len(rows)
        times = rows[TIME].cast(pyarrow.int64()).to_numpy()
        self._parts.append(_Part(first, int(times.max()), rows))
        return pyarrow.array(np.arange(first, self.following))

    def take(self, numbers: Rows, names: Sequence[str]) -> pyarrow.Table:
        """Some columns of the rows with these numbers (n), which may come often; all are there."""
        unique, places = np.unique(numbers, return_inverse=True)
        firsts = np.array([part.first for part in self._parts])
        edges = np.append(np.searchsorted(unique, firsts), len(unique))
        found = [
            part.rows.select(names).take(pyarrow.array(unique[begin:end] - part.first))
            for part, begin, end in zip(self._parts, edges[:-1], edges[1:], strict=True)
            if begin < end
        ]
        rows = pyarrow.concat_tables(found).combine_chunks() if found else self._parts[0].rows.select(names).slice(0, 0)
        return rows.take(pyarrow.array(places))

    def forget(self, before: int) -> None:
        """Rows before this time (µs) are in no result that is still to come; parts that have no others go."""
        self._parts = deque(part for part in self._parts if part.last >= before)

    def rows(self) -> list[tuple[int, pyarrow.Table]]:
        """All that are there, each part with the number of its first row."""
        return [(part.first, part.rows) for part in self._parts]

    def restore(self, first: int, rows: pyarrow.Table) -> None:
        """Rows that were there, from this number on."""
        following, self.following = self.following, first
        self.add(rows)
        self.following = following


Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ShownConstants:
    """What results show of the constants of some rows, which have numbers: columns with their places behind the times.

    Of a query without parameters nothing is shown.
    """

    columns: Sequence[tuple[int, pyarrow.Array]] = ()

    @staticmethod
    def of(query: AnyTupleQuery, member: TupleQuery, fields: Sequence[pyarrow.Field]) -> ShownConstants:
        """Those of the rows that a member of the query runs, as these columns behind the times."""
        if not isinstance(query, ParametricTupleQuery):
            return ShownConstants()
        rows, names = [query.constants[key] for key in query.keys_of(member)], query.given.names
        shown = ((one.place, names.index(one.parameter)) for one in query.given.shown)
        return ShownConstants(
            [(place, column_as([row[number] for row in rows], fields[place].type)) for place, number in shown]
        )

    def among(
        self, columns: list[pyarrow.Array], times: int, rows: npt.NDArray[np.uint32] | None
    ) -> list[pyarrow.Array]:
        """The columns of results, of which so many are times, with those of constants among them.

        ``rows`` says of which row each result is (m); None: all are of the one that there is.
        """
        found = list(columns)
        numbers = np.zeros(len(columns[0]), np.uint32) if rows is None else rows
        for place, values in self.columns:
            found.insert(times + place, values.take(pyarrow.array(numbers)))
        return found

    def others(self, fields: Sequence[pyarrow.Field]) -> list[pyarrow.Field]:
        """Those of the columns behind the times that are of events."""
        places = {place for place, _ in self.columns}
        return [one for place, one in enumerate(fields) if place not in places]


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Results of a query that selects, found in a ``batch``."""

    found: ComplexEvents
    batch: EncodedBatch
    running: SelectionQuery
    store: RowStore
    reading: TableReading
    schema: pyarrow.Schema
    constants: ShownConstants

    def rows(self) -> pyarrow.RecordBatch:
        """As rows of the job's results."""
        positions = self.running.positions_of(self.found)
        held = dict(zip(self.running.held, positions.columns[3:], strict=True))
        shown = [
            self._column(column, held[column.variable], field.type)
            for column, field in zip(self.running.columns, self.constants.others(list(self.schema)[2:]), strict=False)
        ]
        times = [self._times(positions.column(0)), self._times(positions.column(1))]
        return _filled(self.constants.among([*times, *shown], 2, self.found.rules), self.schema)

    def _numbers(self, positions: pyarrow.Array) -> Rows:
        """The numbers of the rows at some positions."""
        found: Rows = self.running.past.values(ROW, positions).to_numpy()
        return found

    def _times(self, positions: pyarrow.Array) -> pyarrow.Array:
        return _array(self.store.take(self._numbers(positions), [TIME])[TIME])

    def _column(self, column: ResultColumn, positions: pyarrow.ListArray, type_: pyarrow.DataType) -> pyarrow.Array:
        """A column of results whose variable holds these positions."""
        numbers = self._numbers(positions.flatten())
        lengths = pyarrow.compute.list_value_length(positions).to_numpy()
        offsets: Offsets = np.append(0, np.cumsum(lengths))
        if column.attribute is None:
            values = self._structs(numbers, type_.value_type)
        else:
            place = self.reading.place(column.attribute)
            values = without_nan(_array(self.store.take(numbers, [place])[place]))
        if column.several:
            return pyarrow.ListArray.from_arrays(pyarrow.array(offsets.astype(np.int32)), values, type=type_)
        return values.take(pyarrow.array(offsets[:-1], mask=lengths == 0))

    def _structs(self, numbers: Rows, type_: pyarrow.StructType) -> pyarrow.StructArray:
        """Rows with all of their columns."""
        names = dict.fromkeys(self.reading.place(field.name) for field in type_)
        return _structs(self.store.take(numbers, list(names)), self.reading, type_)


@dataclass(frozen=True, slots=True)
class AggregatedRows:
    """Rows of aggregates whose ends are in a ``batch``."""

    found: pyarrow.RecordBatch
    batch: EncodedBatch
    schema: pyarrow.Schema
    constants: ShownConstants

    def rows(self) -> pyarrow.RecordBatch:
        """As rows of the job's results."""
        ends = self.found.column(0).to_numpy() - self.batch.first_position
        last = pyarrow.array(self.batch.times[ends]).cast(INSTANT)
        others = zip(self.found.columns[1:], self.constants.others(list(self.schema)[1:]), strict=False)
        columns = [last, *(column.cast(field.type) for column, field in others)]
        return _filled(self.constants.among(columns, 1, None), self.schema)


class PackedColumns(Protocol):
    """What knows packed rows."""

    def place(self, name: str) -> str:
        """Where they have a column."""


def late_rows(rows: pyarrow.Table, reading: PackedColumns, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Packed rows that are late, in the last column of results."""
    others = [pyarrow.nulls(len(rows), field.type) for field in list(schema)[:-1]]
    return _filled([*others, _structs(rows, reading, schema.types[-1])], schema)


def _structs(rows: pyarrow.Table, reading: PackedColumns, type_: pyarrow.StructType) -> pyarrow.StructArray:
    columns = [_array(rows[reading.place(field.name)]) for field in type_]
    return pyarrow.StructArray.from_arrays(columns, fields=list(type_))


def _filled(columns: list[pyarrow.Array], schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """The columns, those that are missing NULL."""
    more = [pyarrow.nulls(len(columns[0]), field.type) for field in list(schema)[len(columns) :]]
    return pyarrow.RecordBatch.from_arrays([*columns, *more], schema=schema)


def result_types(reading: TableReading, columns: StructType) -> StructType:
    """The columns of results for Spark; ``columns`` are all of the input.

    ``first``, ``last`` and ``late`` get underscores where the query has their names.
    """
    from pyspark.sql.types import StructField, StructType, TimestampType

    _, query = reading.begun()
    running = next(iter(formula_query(query).members)).at_work
    aggregates = isinstance(running, AggregatingQuery)
    own = list((_aggregated if aggregates else _selected)(running, reading, columns))
    for name, place, type_ in _constants(reading.query):
        own.insert(place, (name, type_))
    names = [name for name, _ in own]
    times = [(free(name, names), TimestampType()) for name in (["last"] if aggregates else ["first", "last"])]
    late = [(free("late", names), row_type(columns))] if reading.late else []
    return StructType([StructField(name, type_) for name, type_ in [*times, *own, *late]])


def _constants(query: Prepared) -> Iterator[tuple[str, int, DataType]]:
    """What is shown of the rows of parameters: names, places and types."""
    from pyspark.sql.pandas.types import from_arrow_type

    given = query.query.given
    if given is not None:
        shown = zip(given.shown, ParameterColumns(given, query.rows or (), ()).values, strict=True)
        yield from ((one.name, place, from_arrow_type(values.type)) for one, (place, values) in shown)


def _selected(running: Any, reading: TableReading, columns: StructType) -> Iterator[tuple[str, DataType]]:
    from pyspark.sql.types import ArrayType

    row = row_type(columns)
    columns = with_struct_fields(columns, reading.query.columns)
    for column in running.columns:
        type_ = row if column.attribute is None else columns[column.attribute].dataType
        yield column.name, ArrayType(type_) if column.several else type_


def row_type(columns: StructType) -> StructType:
    """The type of rows with these columns."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(one.name, one.dataType) for one in columns])


def _aggregated(running: Any, reading: TableReading, columns: StructType) -> Iterator[tuple[str, DataType]]:
    query = reading.query.query
    columns = with_struct_fields(columns, reading.query.columns)
    shown = [(key.name, key.attribute.name) for key in query.group_by if key.name is not None]
    plain = (each for each in query.aggregates if isinstance(each.value, Attribute) and each.function in MIN_MAX)
    of = {each.name: each.operand for each in plain}
    for field in list(running.schema)[1:]:
        name = dict(shown).get(field.name) or of.get(field.name)
        yield field.name, _type(field.type, None if name is None else columns[name].dataType)


MIN_MAX = ("MIN", "MAX")  # what is a value of a column


def _type(type_: pyarrow.DataType, column: DataType | None) -> DataType:
    """The type of values that are of a column of the input, or calculated: decimals are doubles."""
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import DecimalType

    return from_arrow_type(type_) if column is None or isinstance(column, DecimalType) else column


def _array(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    found = column.combine_chunks()
    return found.chunk(0) if isinstance(found, pyarrow.ChunkedArray) else found
