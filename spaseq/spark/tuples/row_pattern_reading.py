"""How rows of a data frame are read for a query in SQL, and the columns of its results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow

from spaseq.errors import OptionError
from spaseq.pattern.rows.expressions import Field, everything
from spaseq.pattern.rows.query import RowOrder, RowPatternQuery, ShownColumn
from spaseq.sources.tables.types import column_named, exact_name, exact_type, usual
from spaseq.spark.tuples.map_stage import arrow_schema, cast
from spaseq.text import did_you_mean
from spaseq.tuples.encoding.batches import existing
from spaseq.tuples.row_patterns.arrow_types import arrow_type
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructField, StructType


@dataclass(frozen=True)
class RowPatternReading:
    """A query in SQL on a table with columns of these ``names``.

    Those that are of use are ``given`` in Spark's types: what it reads, and the one with the ``time`` of rows, if any.
    """

    query: PreparedRowPattern
    names: tuple[str, ...]
    given: pyarrow.Schema
    time: str | None = None

    @cached_property
    def meaning(self) -> RowPatternQuery:
        """What the query means here.  QueryError: nothing."""
        fields = [(exact_name(field.name), exact_type(field.type)) for field in self.given]
        return self.query.on(self.names, pyarrow.schema(fields))

    @property
    def order(self) -> tuple[RowOrder, ...]:
        """The order of rows: that of the query, else that of their times, if they have some."""
        return self.meaning.order or (() if self.time is None else (RowOrder(self.time),))

    def column(self, name: str) -> str:
        """What Spark calls a column on its way: names may differ in case alone, or have dots."""
        return f"c{self.names.index(name)}"

    def selected(self, df: DataFrame) -> DataFrame:
        """What is given of a data frame, each under its name on the way.  Texts compare by their code points."""
        from pyspark.sql import functions
        from pyspark.sql.types import StringType

        def column(name: str) -> Column:
            type_, found = df.schema[self.names.index(name)].dataType, functions.col(self.column(name))
            is_plain = not isinstance(type_, StringType) or type_.isUTF8BinaryCollation()
            return found if is_plain else functions.collate(found, "UTF8_BINARY").alias(self.column(name))

        return df.toDF(*map(self.column, self.names)).select(*map(column, self.given.names))

    def known(self, batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
        """A batch as given: Spark may have its times in another zone, longer texts."""
        columns = [cast(batch[self.column(field.name)], field.type) for field in self.given]
        return pyarrow.RecordBatch.from_arrays(columns, schema=self.given)

    @cached_property
    def read(self) -> tuple[str, ...]:
        """The columns that the query reads."""
        return tuple(map(column_named, self.query.asked(self.names)))

    def exact(self, column: pyarrow.Array, name: str) -> pyarrow.Array:
        """The column of that name, as it is ``given``, in the type in which values stay as they are."""
        return usual(column, exact_type(self.given.field(name).type))


def row_pattern_reading(
    query: PreparedRowPattern, columns: StructType, time: str | None, everything: bool = False
) -> RowPatternReading:
    """How a data frame with these columns is read, of which one has the ``time`` of rows; ``everything``: all are.

    QueryError: the query reads a column that is not there.  OptionError: there is no such column, or one has a type
    that Arrow has not.
    """
    names = tuple(columns.names)
    if time is not None and time not in names:
        raise OptionError(f"there is no column {time} for the times; {did_you_mean(time, names)}")
    asked = names if everything else [*map(column_named, query.asked(names)), *(() if time is None else (time,))]
    return RowPatternReading(query, names, arrow_schema(columns, existing(asked, names)), time)


# ── results ──────────────────────────────────────────────────────────────────────────────────────────────
def sql_result_types(reading: RowPatternReading, columns: StructType) -> list[StructField]:
    """The columns of results for Spark.

    A TIMESTAMP is a ``timestamp`` where it is made of a column of such, else a ``timestamp_ntz``.
    """
    from pyspark.sql.pandas.types import from_arrow_type
    from pyspark.sql.types import StructField, TimestampType

    def field(shown: ShownColumn) -> StructField:
        of = (columns[name].dataType for name in _sources(reading.meaning, shown))
        is_instant = any(isinstance(type_, TimestampType) for type_ in of)
        return StructField(shown.name, from_arrow_type(arrow_type(shown.type), prefer_timestamp_ntz=not is_instant))

    return [field(shown) for shown in reading.meaning.columns or ()]


def _sources(query: RowPatternQuery, shown: ShownColumn) -> Iterable[str]:
    """The columns that a column of results is made of."""
    if not shown.is_measure:
        return (shown.source,)
    return (each.column for each in everything(query.measures[shown.source]) if isinstance(each, Field))


def sql_results(found: pyarrow.Table | pyarrow.RecordBatch, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    """Results as rows with this ``schema``, whose columns behind theirs are NULL."""
    table = pyarrow.Table.from_batches([found]) if isinstance(found, pyarrow.RecordBatch) else found
    fields = list(schema)
    own = table.cast(pyarrow.schema(fields[: table.num_columns])).combine_chunks()
    arrays = [pyarrow.concat_arrays(column.chunks) if column.num_chunks else pyarrow.array([], column.type)
              for column in own.columns]  # fmt: skip
    more = [pyarrow.nulls(len(table), field.type) for field in fields[table.num_columns :]]
    return pyarrow.RecordBatch.from_arrays([*arrays, *more], schema=schema)
