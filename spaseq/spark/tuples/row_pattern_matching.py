"""SQL on data frames of Spark: what is asked of ``match_tuples`` with a query in SQL."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from spaseq.errors import OptionError, QueryError
from spaseq.spark.tuples.results import row_type
from spaseq.spark.tuples.row_pattern_batch import match_whole_partitions
from spaseq.spark.tuples.row_pattern_job import RowPatternJob, RowPatternStreamReading
from spaseq.spark.tuples.row_pattern_reading import RowPatternReading, row_pattern_reading, sql_result_types
from spaseq.tuples.matching import without_types
from spaseq.tuples.queries import ReadingOptions, check_order
from spaseq.tuples.row_patterns.prepared import PreparedRowPattern
from spaseq.tuples.selection.picks import free

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType


@dataclass(frozen=True)
class RowPatternOptions:
    """How a data frame is read, and a query in SQL is cut; the names are those of ``match_tuples``."""

    reading: ReadingOptions
    buckets: int
    partitions: int
    whole: bool = False
    late: bool = False
    max_steps: int = 0

    def check(self, query: PreparedRowPattern) -> None:
        """OptionError for what makes no sense in SQL.  QueryError: ORDER BY begins with another column than time."""
        check_flags(whole=self.whole, late=self.late)
        without_types({"": query}, self.reading)
        usual = ReadingOptions()
        for what, instead in _FOR_CEQL.items():
            if getattr(self.reading, what) != getattr(usual, what):
                raise OptionError(f"{_CALLED.get(what, what)} is for CEQL: {instead}")
        if self.reading.time is not None:
            check_order(query, self.reading.time)


_CALLED = {"form": "time_format"}
_FOR_CEQL = {
    "stream": "a query in SQL is about one table; filter the data frame",
    "unit": "times are timestamps in SQL; timestamp_micros, _millis and _seconds make them of numbers",
    "form": "times are timestamps in SQL; to_timestamp makes one of a text",
    "totals": "COUNT is a BIGINT in SQL, and SUM has the type of what is added up; CAST makes something else of it",
}


def check_flags(**given: object) -> None:
    """OptionError: one is neither True nor False."""
    for what, value in given.items():
        if not isinstance(value, bool):
            raise OptionError(f"{what} is True or False, not {value!r:.80}")


def match_row_pattern(
    df: DataFrame, query: PreparedRowPattern, how: RowPatternOptions, lateness: int, name: str
) -> DataFrame:
    """The results of a query in SQL in the rows of ``df``; errors as of ``match_tuples``."""
    how.check(query)
    if df.isStreaming:
        from spaseq.spark.engine_stage import match_streaming

        job = row_pattern_job(df.schema, query, how)
        return match_streaming([job.reading.read.selected(df)], job, lateness, secrets.token_hex(8), name)
    reading = row_pattern_reading(query, df.schema, how.reading.time)
    results = _results(reading, df.schema, how.late)
    return match_whole_partitions(df, reading, results, 1 if how.whole else how.partitions, how.max_steps)


def row_pattern_job(columns: StructType, query: PreparedRowPattern, how: RowPatternOptions) -> RowPatternJob:
    """The job of a stream with these columns; errors as of ``match_tuples``."""
    how.check(query)
    check_unbounded(query, how.whole)
    read = row_pattern_reading(query, columns, how.reading.time, everything=how.late)
    time = read.meaning.order[0].column
    check_order(query, time)
    read = replace(read, time=time)
    options = replace(without_types({"": query}, how.reading), time=time)
    results = _results(read, columns, how.late)
    return RowPatternJob(
        RowPatternStreamReading(read, options, how.max_steps), results, how.buckets, how.partitions, how.whole, how.late
    )


def check_unbounded(query: PreparedRowPattern, whole: bool = False) -> None:
    """QueryError: rows of a stream would matter for ever, or all are in one engine, though nobody asked for that."""
    with query.parsed.about("PATTERN"):
        if query.query.within is None:
            told = "a query on a stream has WITHIN: without it rows would be kept for ever"
            raise QueryError(told, hint="write WITHIN INTERVAL '1' HOUR behind PATTERN (…)")
        if not (query.query.partition or whole):
            told = "a query on a stream has PARTITION BY: by its columns the stream is cut into engines"
            raise QueryError(told, hint="write PARTITION BY; or whole=True, which keeps all rows in one engine")


def _results(reading: RowPatternReading, columns: StructType, late: bool) -> StructType:
    """The columns of results; ``late`` is one more, and has an underscore where the query has its name."""
    from pyspark.sql.types import StructField, StructType

    own = sql_result_types(reading, columns)
    more = [StructField(free("late", [field.name for field in own]), row_type(columns))] if late else []
    return StructType([*own, *more])
