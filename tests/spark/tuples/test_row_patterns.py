"""SQL on bounded data frames of Spark gives the rows that it gives in process."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow
import pyarrow.csv
import pytest
from pyspark.errors import PythonException
from pyspark.sql import functions

from spaseq import tuples
from spaseq.errors import LocatedError
from spaseq.spark import finish_tuples, match_tuples
from spaseq.spark.tuples import key_spread
from spaseq.spark.tuples.key_spread import spread
from tests.slices import one_of
from tests.spark.killing import written
from tests.spark.session import session, why_not
from tests.spark.tuples import killed_row_patterns
from tests.spark.tuples.test_spark import DELAY, as_json, drained
from tests.sql.case_files import CASES, SqlCase, case_files, read_case

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
FILES = [(path, read_case(path)) for path in case_files()]
NAMES = {id(case): str(path.relative_to(CASES).with_suffix("")) for path, case in FILES}
GOOD = [case for _, case in FILES if case.results is not None]
WRONG = [case for _, case in FILES if case.results is None]
KEYS = "t MATCH_RECOGNIZE (PARTITION BY k ORDER BY v MEASURES COUNT(*) AS n PATTERN (a+) DEFINE a AS TRUE)"


def seen(table: pyarrow.Table, schema: pyarrow.Schema) -> Counter[str]:
    """The rows in any order; times of Spark have a zone."""
    assert table.column_names == schema.names
    for own, wanted in zip(table.schema, schema, strict=True):
        assert own.type == wanted.type or "timestamp" in str(own.type) or pyarrow.types.is_list(own.type)
    return Counter(map(repr, table.cast(schema).to_pylist()))


def frame(rows: pyarrow.Table) -> DataFrame:
    """The rows in their order."""
    return session().createDataFrame(rows)


@pytest.mark.parametrize("case", one_of(16, GOOD), ids=lambda case: NAMES[id(case)])
def test_case(case: SqlCase) -> None:
    wanted = tuples.match(case.query, case.rows).to_arrow()
    assert seen(match_tuples(frame(case.rows), case.query).toArrow(), wanted.schema) == seen(wanted, wanted.schema)


@pytest.mark.deep
@pytest.mark.parametrize("case", WRONG, ids=lambda case: NAMES[id(case)])
def test_wrong_case(case: SqlCase) -> None:
    """Messages are those in process, but for what they call the row."""
    with pytest.raises(LocatedError) as caught:
        tuples.match(case.query, case.rows).to_arrow()
    with pytest.raises(Exception, match=re.escape(caught.value.message.partition(" (at ")[0])):
        match_tuples(frame(case.rows), case.query).collect()


def sizes(rows: DataFrame) -> list[int]:
    """How many rows the partitions of Spark have."""
    return sorted(row["count"] for row in rows.groupBy(functions.spark_partition_id()).count().collect())


def test_keys_are_spread_by_how_many_rows_they_have() -> None:
    even = session().range(8000).selectExpr("concat('key ', id % 8) AS k", "id AS v")
    assert sizes(spread(even, [functions.col("k")], 2)) == [4000, 4000]
    uneven = even.where("k <> 'key 3' OR v < 800").union(session().range(4000).selectExpr("NULL AS k", "id AS v"))
    few, many = sizes(spread(uneven, [functions.col("k")], 2))
    assert few + many == 11100 and many < 0.6 * 11100
    found = match_tuples(uneven, KEYS).toArrow()
    assert dict(zip(found["k"].to_pylist(), found["n"].to_pylist(), strict=True)) == (
        {f"key {key}": 1000 for key in range(8) if key != 3} | {"key 3": 100, None: 4000}
    )


def test_many_keys_of_which_some_are_not_assigned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_spread, "MOST_ASSIGNED", 5)
    rows = session().range(3000).selectExpr("double(id % 300) AS k", "id AS v").repartition(3)
    assert Counter(match_tuples(rows, KEYS).toArrow()["n"].to_pylist()) == {10: 300}


def test_orders_and_keys_are_those_of_sql() -> None:
    """NULL and NaN, two zeros, code points beyond UTF-16, a collation without case, and ties."""
    numbers = [2.5, None, float("nan"), -0.0, 0.0, float("-inf"), 1.0, float("nan"), None, 0.0]
    words = ["b", "B", "a", "\U0001f600", "\uffee", None, "", "A", "b", "é"]
    rows = [{"k": numbers[at % 10], "w": words[at * 7 % 10], "v": numbers[at * 3 % 10], "i": at} for at in range(60)]
    table = pyarrow.Table.from_pylist(rows)
    df = frame(table).withColumn("w", functions.collate("w", "UTF8_LCASE"))
    for clauses in (
        "PARTITION BY k ORDER BY v, w", "PARTITION BY w ORDER BY v DESC", "PARTITION BY k, w ORDER BY v NULLS FIRST",
        "ORDER BY w DESC NULLS FIRST, v", "ORDER BY w, v DESC", "PARTITION BY w", "",
    ):  # fmt: skip
        text = f"t MATCH_RECOGNIZE ({clauses} MEASURES ARRAY_AGG(i) AS rows PATTERN (a+) DEFINE a AS TRUE)"
        wanted = tuples.match(text, table).to_arrow()
        found = match_tuples(df, text).select("rows").toArrow()
        assert Counter(map(tuple, found["rows"].to_pylist())) == Counter(map(tuple, wanted["rows"].to_pylist()))


def test_times_of_both_kinds_in_another_time_zone() -> None:
    spark, zone = session(), session().conf.get("spark.sql.session.timeZone")
    text = """SELECT at, local, first, span, later, fixed, both FROM t MATCH_RECOGNIZE (ORDER BY at
        MEASURES FIRST(at) AS first, LAST(at) - FIRST(at) AS span, MAX(local) AS later, ARRAY_AGG(at) AS both,
            TIMESTAMP '2026-01-31 12:00:00' AS fixed
        ALL ROWS PER MATCH PATTERN (a+) DEFINE a AS at < TIMESTAMP '2026-01-31 11:00:00')"""
    try:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        df = spark.sql("""SELECT TIMESTAMP'2026-01-31 05:59:59' AS at, TIMESTAMP_NTZ'2026-01-31 05:59:59' AS local
            UNION ALL SELECT TIMESTAMP'2026-01-31 06:00:00', TIMESTAMP_NTZ'2026-01-31 06:00:00'""")
        given, results = df.collect()[0], match_tuples(df, text)
        (found,) = results.collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert [field.dataType.simpleString() for field in results.schema] == [
        "timestamp", "timestamp_ntz", "timestamp", "interval day to second", "timestamp_ntz", "timestamp_ntz",
        "array<timestamp>",
    ]  # fmt: skip
    assert (found["at"], found["local"], found["first"], found["both"]) == (*given, given["at"], [given["at"]])
    assert (found["span"], found["later"]) == (timedelta(0), given["local"])
    assert found["fixed"] == datetime(2026, 1, 31, 12)


@pytest.mark.deep
def test_a_row_without_a_value_is_named() -> None:
    text = KEYS.replace("AS TRUE", "AS 1 / (v - 7) < 1")
    df = session().range(10).selectExpr("id % 2 AS k", "id AS v").coalesce(1)
    with pytest.raises(PythonException) as caught:
        match_tuples(df, text).collect()
    assert "<query>:1:89: error: /: division by zero (at <partition 0>, row 7 (k 1, v 7))" in str(caught.value)


def test_the_time_of_rows_is_their_order_where_there_is_no_other() -> None:
    df = session().range(6).selectExpr("timestamp_seconds(5 - id) AS at", "id AS v")
    text = "t MATCH_RECOGNIZE (MEASURES ARRAY_AGG(v) AS vs PATTERN (a+) DEFINE a AS TRUE)"
    assert match_tuples(df, text, time="at").collect()[0]["vs"] == [5, 4, 3, 2, 1, 0]
    assert match_tuples(df, text, late=True).collect()[0]["late"] is None


STREAMED = {
    "falls": """t MATCH_RECOGNIZE (PARTITION BY name ORDER BY time, volume DESC
        MEASURES top.price AS top, LAST(down.price) AS bottom, LAST(time) AS ends, MATCH_NUMBER() AS n
        PATTERN (top down+) WITHIN INTERVAL '40' SECOND DEFINE down AS price < PREV(price))""",
    "lots": """SELECT name, time, pieces, label FROM t MATCH_RECOGNIZE (PARTITION BY name ORDER BY time
        MEASURES SUM(volume) AS pieces, CLASSIFIER() AS label ALL ROWS PER MATCH AFTER MATCH SKIP TO NEXT ROW
        PATTERN (lot{2,}) WITHIN INTERVAL '1' MINUTE DEFINE lot AS SUM(volume) <= 1500)""",
}


def started(folder: Path) -> DataFrame:
    """Both queries on a folder of files, each a microbatch, as one data frame."""
    spark = session()
    stream = spark.readStream.schema(spark.read.parquet(str(folder)).schema)
    df = stream.option("maxFilesPerTrigger", 1).parquet(str(folder))
    return as_json((name, match_tuples(df, text, lateness=DELAY, name=name)) for name, text in STREAMED.items())


def test_a_streaming_job_that_is_stopped_and_goes_on(tmp_path: Path) -> None:
    """Files come in two halves, each done by a run; then what the end of the input decides."""
    table = pyarrow.csv.read_csv("examples/tuples/trades.csv")
    table = table.set_column(1, "time", table["time"].cast(pyarrow.timestamp("us", "UTC")))
    written(table, tmp_path / "all", 4)
    (tmp_path / "in").mkdir()
    for half in ((0, 1), (2, 3)):
        for number in half:
            (tmp_path / f"all/{number:03}.parquet").rename(tmp_path / f"in/{number:03}.parquet")
        given, told = drained(started(tmp_path / "in"), tmp_path)
        assert told["late"] == 0 and told["matches"] > 0
    checkpoint, columns = str(tmp_path / "checkpoint"), session().read.parquet(str(tmp_path / "in")).schema
    left = as_json((name, finish_tuples(session(), checkpoint, columns, text)) for name, text in STREAMED.items())
    wanted = as_json((name, match_tuples(frame(table), text)) for name, text in STREAMED.items())
    found = Counter((row["query"], row["row"]) for row in [*given, *(row.asDict() for row in left.collect())])
    assert found == Counter((row["query"], row["row"]) for row in wanted.collect())
    for name, text in STREAMED.items():
        assert sum(count for (query, _), count in found.items() if query == name) == pushed(text, table)


def pushed(text: str, table: pyarrow.Table) -> int:
    """How many results an engine gives."""
    engine = tuples.Engine(time="time")
    engine.register(text)
    tables = [*engine.push(table.sort_by("time")), *engine.close()]
    return sum(len(found) for _, found in tables)


@pytest.mark.deep
@pytest.mark.xdist_group("spark processes")
def test_a_streaming_job_that_is_killed(tmp_path: Path) -> None:
    kills, lost, more = killed_row_patterns.lost_and_doubled(tmp_path)
    assert kills and (lost, more) == (0, 0)
