"""``match_tuples``: CEQL and SQL on data frames of Spark."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from spaseq.errors import OptionError
from spaseq.pattern.formulas.query import AttributeWindow, EventWindow, TimeWindow
from spaseq.sources.tables.source import check_texts
from spaseq.sources.tables.types import integers_of
from spaseq.spark.cluster import shuffle_partitions
from spaseq.spark.data_frames import check_losses, data_frame
from spaseq.spark.engine_stage import match_batch
from spaseq.spark.matching import checked_buckets, finished, partitions_of
from spaseq.spark.tuples.job import TupleJob
from spaseq.spark.tuples.map_stage import selected, table_reading
from spaseq.spark.tuples.results import result_types
from spaseq.spark.tuples.row_pattern_matching import (
    RowPatternOptions,
    check_flags,
    match_row_pattern,
    row_pattern_job,
)
from spaseq.streams.timestamps import UNITS, duration_microseconds
from spaseq.tuples.parameter_rows import with_table
from spaseq.tuples.queries import AnyQuery, Prepared, ReadingOptions, prepare, steps_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    from spaseq.sources.parameter_tables import RowSource
    from spaseq.spark.map_stage import Losses


def match_tuples(
    df: DataFrame,
    query: AnyQuery,
    *,
    time: str | None = None,
    type: str | None = None,
    relation: str | None = None,
    stream: str | None = None,
    unit: str = "us",
    time_format: str | None = None,
    totals: str = "int64",
    lateness: timedelta | int = timedelta(0),
    buckets: int | None = None,
    whole: bool = False,
    on_error: str = "stop",
    late: bool = False,
    name: str = "spaseq",
    losses: Losses | None = None,
    given: RowSource | None = None,
    sharing: bool = True,
    max_steps: int | None = None,
) -> DataFrame:
    """The results of a query in CEQL or SQL in the rows of ``df``, bounded or streaming.

    In SQL (MATCH_RECOGNIZE) what comes back has the columns of SELECT.  Bounded rows are sorted, so that ``time`` need
    not be given: if it is, ORDER BY begins with it, or there is none.  Keys of PARTITION BY are assigned to the
    partitions of Spark by how many rows they have.  A streaming ``df`` needs PARTITION BY and WITHIN, and is cut into
    ``buckets``.  ``max_steps`` is as of ``spaseq.tuples.match``.  What says how CEQL takes its rows is refused there
    (OptionError).  The rest is about CEQL.

    ``time``, ``type``, ``relation``, ``stream``, ``unit``, ``time_format`` and ``totals`` are as of
    ``spaseq.tuples.match``; rows are in the order of their times.  What comes back has ``first`` and ``last``, the
    times of the first and the last row of a result (of aggregates ``last`` alone), and the columns of SELECT: a
    variable is an array of the rows that it holds, as structs, an attribute a value (or an array, under a ``+``) of the
    column's type.

    A query that may be cut (``spaseq explain``) is cut into ``buckets`` engines, by default four for each of
    ``spark.sql.shuffle.partitions``, unless it is kept ``whole``.  ``given`` has the rows of one with parameters, and
    ``sharing`` says whether these run together, as of ``spaseq.tuples.match``.  ``lateness`` is as of ``match``; with
    ``late`` a column of that name has the late rows that the query could use, each next to NULL.  A streaming ``df``
    needs a window in time; ``name`` is what its metrics are called in the progress of the streaming query, of which it
    may be a part beside others with other names.

    QuerySyntaxError, QueryError, OptionError: the query, its columns or the options are wrong.  While Spark works:
    StreamError: a row has no time (``on_error="skip"``: such rows are left out, and the workers log how many;
    ``losses`` counts them, of a bounded input), or a number that comes out does not fit.
    """
    df = data_frame(df)
    check_losses(losses, df.isStreaming)
    options = _options(time, type, relation, stream, unit, time_format, totals, on_error)
    found, partitions = with_table(prepare(query), given, ""), shuffle_partitions(df.sparkSession)
    if not isinstance(found, Prepared):
        how = RowPatternOptions(
            options, checked_buckets(buckets, partitions), partitions, whole, late, steps_of(max_steps)
        )
        return match_row_pattern(df, found, how, duration_microseconds(lateness), name)
    job = tuple_job(df.schema, found, options, buckets, whole, partitions, late, sharing)
    rows = selected(df, job.reading.given.names)
    if not df.isStreaming:
        return match_batch([rows], job, losses)
    check_streaming(job.reading.query)
    from spaseq.spark.engine_stage import match_streaming

    return match_streaming([rows], job, duration_microseconds(lateness), secrets.token_hex(8), name)


def finish_tuples(
    spark: SparkSession,
    checkpoint: str,
    schema: StructType,
    query: AnyQuery,
    *,
    time: str | None = None,
    type: str | None = None,
    relation: str | None = None,
    stream: str | None = None,
    unit: str = "us",
    time_format: str | None = None,
    totals: str = "int64",
    buckets: int | None = None,
    whole: bool = False,
    late: bool = False,
    given: RowSource | None = None,
    sharing: bool = True,
    max_steps: int | None = None,
) -> DataFrame:
    """What the end of the input decides, of a streaming ``match_tuples`` that has stopped; a bounded data frame.

    ``schema`` is that of its input, the rest as of ``finish``.
    """
    options = _options(time, type, relation, stream, unit, time_format, totals, "stop")
    found, partitions = with_table(prepare(query), given, ""), partitions_of(spark, checkpoint)
    if not isinstance(found, Prepared):
        how = RowPatternOptions(
            options, checked_buckets(buckets, partitions), partitions, whole, late, steps_of(max_steps)
        )
        return finished(spark, checkpoint, row_pattern_job(schema, found, how))
    return finished(spark, checkpoint, tuple_job(schema, found, options, buckets, whole, partitions, late, sharing))


def tuple_job(
    columns: StructType,
    query: Prepared,
    options: ReadingOptions,
    buckets: int | None,
    whole: bool,
    partitions: int,
    late: bool = False,
    sharing: bool = True,
) -> TupleJob:
    """The job of these arguments; errors as of ``match_tuples``."""
    check_flags(whole=whole, late=late, sharing=sharing)
    if options.time is None:
        raise OptionError("rows of Spark have no order: say which column has their times (time)")
    if query.rows == ():
        raise OptionError("the query has no rows for its parameters (GIVEN): columns of results would have no types")
    reading = table_reading(query, options, columns, late, sharing)
    types = result_types(reading, columns)
    return TupleJob(reading, types, checked_buckets(buckets, partitions), partitions, whole)


def _options(
    time: str | None,
    type: str | None,
    relation: str | None,
    stream: str | None,
    unit: str,
    time_format: str | None,
    totals: str,
    on_error: str,
) -> ReadingOptions:
    """OptionError for what makes no sense."""
    check_texts(type=type, relation=relation, time=time, unit=unit, time_format=time_format, stream=stream)
    if unit not in UNITS:
        raise OptionError(f"the unit of time is us, ms or s, not {unit}")
    if on_error not in ("stop", "skip"):
        raise OptionError(f'on_error is "stop" or "skip", not {on_error!r:.80}')
    integers_of(totals)
    return ReadingOptions(type, relation, time, unit, None, None, on_error == "skip", time_format, stream, totals)


def check_streaming(query: Prepared) -> None:
    """OptionError: rows of a stream would matter for ever, or have no place in its order."""
    window = query.query.window
    if isinstance(window, TimeWindow):
        return
    why = "without WITHIN its rows would be kept for ever"
    if isinstance(window, EventWindow):
        why = "with a window of EVENTS each row would wait for all before it, whatever their keys"
    if isinstance(window, AttributeWindow):
        why = f"{window.attribute} does not say which rows are done with, as time does"
    raise OptionError(f"a query on a stream has a window in time, as in WITHIN 1 HOUR: {why}")
