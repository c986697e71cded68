"""How the rows of a data frame are read as events of a query in CEQL, with fields of structs as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow

from spaseq.errors import OptionError
from spaseq.runtime.soundness import Soundness
from spaseq.sources.tables.columns import path_of
from spaseq.sources.tables.frames import ArrowSource
from spaseq.sources.tables.types import ValueKind, kind_of_type, usual, usual_schema
from spaseq.tuples.columns.schema import ColumnTypes
from spaseq.tuples.encoding.batches import Roles, check_roles, existing, type_column_of
from spaseq.tuples.encoding.times import Clock
from spaseq.tuples.kind import TableKind
from spaseq.tuples.queries import Prepared
from spaseq.tuples.query import TupleQuery
from spaseq.tuples.streams import ReadingOptions, with_times

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType


def with_struct_fields(columns: StructType, wanted: Iterable[str]) -> StructType:
    """The columns, and those of the ``wanted`` ones that are fields of structs."""
    from pyspark.sql.types import StructField, StructType

    found = {name: _type(columns, name) for name in dict.fromkeys(wanted) if name not in columns.names}
    more = [StructField(name, type_) for name, type_ in found.items() if type_ is not None]
    return StructType([*columns.fields, *more])


def selected(df: DataFrame, names: Sequence[str]) -> DataFrame:
    """The columns of these names, and fields of structs, each under its ``handed_name``."""
    from pyspark.sql import functions

    known = df.columns
    paths = ((name,) if name in known else path_of(name, known) or (name,) for name in names)
    quoted = [".".join(f"`{part.replace('`', '``')}`" for part in path) for path in paths]
    return df.select(*(functions.col(path).alias(handed_name(name)) for name, path in zip(names, quoted, strict=True)))


def handed_name(name: str) -> str:
    """What a column is called on its way to a worker: Spark finds none again whose name has dots or backquotes."""
    return name.replace(".", "\n").replace("`", "\r")


def _type(columns: StructType, name: str) -> DataType | None:
    from pyspark.sql.types import StructType

    path = path_of(name, columns.names)
    type_: DataType = columns
    for part in path or ():
        if not isinstance(type_, StructType) or part not in type_.names:
            return None
        type_ = type_[part].dataType
    return type_ if path else None


TIME = "time\n"  # the time of a packed row: no query can mean it
ROW = "row\n"  # the number of a row in its engine
INSTANT = pyarrow.timestamp("us", "UTC")
ONLY = ""  # the stream that has no name


@dataclass(frozen=True)
class TableReading:
    """How the columns ``given`` (in the types of Spark) are read for a query; ``options`` say what they are for.

    ``late``: rows that are late are shown, too.
    """

    query: Prepared
    options: ReadingOptions
    given: pyarrow.Schema
    late: bool = False

    @property
    def time(self) -> str:
        """The column with the times."""
        assert self.options.time is not None
        return self.options.time

    @property
    def shows_rows(self) -> bool:
        """Whether results show all columns of rows."""
        query = self.query.query
        return self.late or (
            not query.aggregates and (not query.columns or any(isinstance(one, str) for one in query.columns))
        )

    @cached_property
    def asked(self) -> tuple[str, ...]:
        """The columns that engines read."""
        options = self.options
        own = (None if options.relation is not None else options.type or "type", options.stream)
        return existing((*own, *self.query.columns), self.given.names)

    @cached_property
    def packed(self) -> pyarrow.Schema:
        """The columns of packed rows: the time as such, and what engines read or results show."""
        names = self.given.names if self.shows_rows else self.asked
        is_time = self.given.field(self.time).type == INSTANT
        rest = [self.given.field(name) for name in names if not (is_time and name == self.time)]
        return pyarrow.schema([pyarrow.field(TIME, INSTANT), *rest])

    @property
    def usual(self) -> pyarrow.Schema:
        """The columns that engines read, in the types in which they do."""
        fields = (self.given.field(name) for name in self.asked)
        read = [field.with_type(pyarrow.timestamp("us")) if self._is_read(field.name) else field for field in fields]
        return usual_schema(pyarrow.schema(read))

    def _is_read(self, name: str) -> bool:
        """Whether the column has times that are texts: engines have them as times."""
        return name == self.time and kind_of_type(self.given.field(name).type) is ValueKind.TEXT

    def place(self, name: str) -> str:
        """Where packed rows have a column."""
        return name if name in self.packed.names else TIME

    def types(self) -> ColumnTypes:
        """The types of columns for an engine."""
        own = {TIME: pyarrow.timestamp("us"), **dict.fromkeys(self.kept, pyarrow.int64())}
        return ColumnTypes({field.name: field.type for field in self.usual} | own)

    def tables(self) -> TableKind:
        """What runs the query, which is still to be registered."""
        setting = replace(self.options, time=TIME, form=None).setting(has_names=False)
        return TableKind(setting, self.types(), Soundness("this engine"))

    def begun(self) -> tuple[TableKind, TupleQuery]:
        """The query at work; QueryError: it makes no sense for the columns that there are."""
        tables = self.tables()
        query = tables.query(ONLY, self.query, extra=self.kept)
        tables.register(query)
        tables.check_named_columns()
        tables.core.clock(ONLY)
        tables.begin(query, tables.input_of(query))
        return tables, query

    @property
    def kept(self) -> tuple[str, ...]:
        """What an engine remembers of rows that are in matches."""
        return () if self.query.query.aggregates else (ROW,)

    def batch(self, rows: pyarrow.Table, numbers: pyarrow.Array | None) -> pyarrow.RecordBatch:
        """Packed rows, which have these numbers if some are ``kept``, as an engine reads them."""
        places = {name: TIME if self._is_read(name) else self.place(name) for name in self.usual.names}
        columns = {field.name: usual(_whole(rows[places[field.name]]), field.type) for field in self.usual}
        columns[TIME] = _whole(rows[TIME]).cast(pyarrow.timestamp("us"))
        return pyarrow.RecordBatch.from_pydict(columns | dict.fromkeys(self.kept, numbers))


def table_reading(query: Prepared, options: ReadingOptions, columns: StructType, late: bool = False) -> TableReading:
    """How a data frame with these columns is read.

    QueryError, OptionError: the query or the options make no sense for it, or a column has a type that Arrow has not.
    """
    roles = Roles(options.type, options.relation, time=options.time, unit=options.unit, stream_column=options.stream)
    check_roles(roles, columns.names)
    columns = with_struct_fields(columns, query.columns)
    own = (type_column_of(roles, columns.names), options.stream, options.time)
    names = existing((*own, *query.columns), columns.names)
    reading = TableReading(query, options, _schema(columns, names), late)
    if reading.shows_rows:
        reading = replace(reading, given=_schema(columns, existing(columns.names, columns.names)))
    _check_time(reading)
    reading.begun()
    return reading


def _check_time(reading: TableReading) -> None:
    """OptionError, QueryError: the column with the times has none."""
    source = with_times(ArrowSource(reading.given, iter(()), {}), reading.options)
    Clock(reading.time, reading.options.unit, source.choose([reading.time]))


def _schema(columns: StructType, names: Sequence[str]) -> pyarrow.Schema:
    return pyarrow.schema(list(_fields(columns, names)))


def _fields(columns: StructType, names: Sequence[str]) -> Iterator[pyarrow.Field]:
    """Some columns as Arrow has them; OptionError for a type that it has not."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import to_arrow_type

    for name in names:
        type_ = columns[name].dataType
        try:
            yield pyarrow.field(name, to_arrow_type(type_, timezone="UTC"))
        except PySparkException:
            raise OptionError(f"the column {name} is of type {type_.simpleString()}, which Arrow has not") from None


def _whole(column: pyarrow.ChunkedArray) -> pyarrow.Array:
    found = column.combine_chunks()
    return found.chunk(0) if isinstance(found, pyarrow.ChunkedArray) else found
