"""SQL on data frames of Spark: what is asked of ``match_tuples`` with a query in SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spaseq.errors import OptionError
from spaseq.spark.tuples.results import row_type
from spaseq.spark.tuples.row_pattern_batch import match_whole_partitions
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


def match_row_pattern(df: DataFrame, query: PreparedRowPattern, how: RowPatternOptions) -> DataFrame:
    """The results of a query in SQL in the rows of ``df``; errors as of ``match_tuples``."""
    how.check(query)
    if df.isStreaming:
        raise OptionError("row patterns in SQL are matched in bounded data frames so far")
    reading = row_pattern_reading(query, df.schema, how.reading.time)
    results = _results(reading, df.schema, how.late)
    return match_whole_partitions(df, reading, results, 1 if how.whole else how.partitions)


def _results(reading: RowPatternReading, columns: StructType, late: bool) -> StructType:
    """The columns of results; ``late`` is one more, and has an underscore where the query has its name."""
    from pyspark.sql.types import StructField, StructType

    own = sql_result_types(reading, columns)
    more = [StructField(free("late", [field.name for field in own]), row_type(columns))] if late else []
    return StructType([*own, *more])
