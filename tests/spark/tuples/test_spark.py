"""CEQL on Spark: one batch job and one streaming job with many queries give what they give in process."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
import pytest

from spaseq.spark import finish_tuples, match_tuples
from spaseq.tuples.queries import prepare
from tests.oracle.ceql.generate import Size, random_pair
from tests.spark.session import session, why_not
from tests.spark.tuples.jobs import EXAMPLES, ROWS, Found, counted, in_process, query_of, table_of, trades
from tests.tuples.aggregated import pair_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = [pytest.mark.xdist_group("spark"), pytest.mark.skipif(bool(why_not()), reason=why_not())]
DELAY = 2_000_000  # µs by which rows may be disordered
JSON = {"ignoreNullFields": "false", "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"}
DDL = "price double, volume double, name string, clock double, value double, type string, time bigint, id bigint"


def random_texts(count: int, windows: tuple[str, ...]) -> list[str]:
    """Random queries with such windows."""
    drawn = (pair for seed in range(10_000) for pair in (random_pair(seed, Size(operators=3)), pair_of(seed)))
    timed = (query_of(pair) for pair in drawn if any(window in query_of(pair) for window in windows))
    return [text for _, text in zip(range(count), timed, strict=False)]


def spread(table: pyarrow.Table) -> pyarrow.Table:
    """The rows with times of their own: Spark has no order of rows that come at one time."""
    times = [row["time"] + number for number, row in enumerate(table.to_pylist())]
    return table.set_column(table.schema.get_field_index("time"), "time", pyarrow.array(times))


def rows() -> pyarrow.Table:
    """Many rows for random queries."""
    return spread(pyarrow.concat_tables([shifted(table_of(random_pair(seed)), seed) for seed in range(12)]))


def shifted(table: pyarrow.Table, number: int) -> pyarrow.Table:
    """The rows some time later."""
    moved = [
        row | {"time": row["time"] + 10_000_000 * number, "id": row["id"] + 100 * number} for row in table.to_pylist()
    ]
    return pyarrow.Table.from_pylist(moved, ROWS)


def as_json(frames: Iterable[tuple[str, DataFrame]]) -> DataFrame:
    """The results of many queries, each row with the name of its query."""
    from pyspark.sql import functions

    some = [
        frame.select(
            functions.lit(name).alias("query"),
            functions.to_json(functions.struct("*"), JSON).alias("row"),
        )
        for name, frame in frames
    ]
    return reduce(lambda one, other: one.union(other), some)


def by_query(found: Iterable[Any], texts: dict[str, str]) -> dict[str, Found]:
    by_name: dict[str, list[dict[str, Any]]] = {name: [] for name in texts}
    for row in found:
        by_name[row["query"]].append(timed(json.loads(row["row"])))
    return {name: counted(some, prepare(texts[name])) for name, some in by_name.items()}


def timed(row: dict[str, Any]) -> dict[str, Any]:
    """The times of a result are read; they come first."""
    own = [name for name in row if name.rstrip("_") in ("first", "last")][: 1 if next(iter(row))[:4] == "last" else 2]
    return row | {name: datetime.fromisoformat(row[name]).astimezone(UTC) for name in own}


def wanted(texts: dict[str, str], table: pyarrow.Table) -> dict[str, Found]:
    return {name: in_process(text, table) for name, text in texts.items()}


def examples() -> dict[str, str]:
    return {path.stem: path.read_text() for path in EXAMPLES}


def randoms(count: int, *windows: str) -> dict[str, str]:
    return {f"random {number}": text for number, text in enumerate(random_texts(count, windows or ("SELECT",)))}


def check_batch(count: int) -> None:
    """The examples and so many random queries in one job."""
    frames, expected = [], {}
    for texts, table in ((examples(), trades()), (randoms(count), rows())):
        df = session().createDataFrame(table).repartition(3)
        frames += [(name, match_tuples(df, text, time="time", buckets=3)) for name, text in texts.items()]
        expected |= wanted(texts, table)
    assert by_query(as_json(frames).collect(), examples() | randoms(count)) == expected


def test_a_batch_job() -> None:
    check_batch(3)


@pytest.mark.deep
def test_a_large_batch_job() -> None:
    check_batch(25)


def written(table: pyarrow.Table, folder: Path, files: int) -> None:
    """Rows as so many files, one for each microbatch, out of order by less than the delay."""
    chance, times = random.Random(3), table["time"].to_pylist()
    delays = [time + chance.randrange(DELAY) for time in times]
    coming, size = table.take(sorted(range(len(table)), key=delays.__getitem__)), -(-len(table) // files)
    folder.mkdir()
    for number in range(files):
        path = folder / f"{number:03}.parquet"
        pyarrow.parquet.write_table(coming.slice(number * size, size), path)
        os.utime(path, (number, number))  # Spark reads the oldest first


def drained(found: DataFrame, folder: Path) -> tuple[list[Any], Counter[str]]:
    """All that a streaming data frame gives until its input ends, and the sums of what its progress told."""
    writing = found.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = writing.option("path", str(folder / "out")).trigger(availableNow=True).start()
    query.awaitTermination()
    told: Counter[str] = Counter()
    for progress in query.recentProgress:
        for metrics in progress.observedMetrics.values():
            told.update({name: value or 0 for name, value in metrics.asDict().items()})
        told["input"] += progress.numInputRows
    return session().read.parquet(str(folder / "out")).toArrow().to_pylist(), told


def check_stream(texts: dict[str, str], table: pyarrow.Table, folder: Path) -> None:
    """Queries in one streaming query of five microbatches, and what the end of the input decides."""
    written(table, folder / "in", 5)
    stream = session().readStream.schema(DDL).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    options = {"time": "time", "buckets": 3}
    found = as_json(
        (name, match_tuples(stream, text, **options, lateness=DELAY, name=name)) for name, text in texts.items()
    )
    given, told = drained(found, folder)
    checkpoint = str(folder / "checkpoint")
    left = as_json(
        (name, finish_tuples(session(), checkpoint, stream.schema, text, **options)) for name, text in texts.items()
    )
    assert by_query([*given, *(row.asDict() for row in left.collect())], texts) == wanted(texts, table)
    assert told["late"] == 0 and told["matches"] == len(given) > 0


def test_a_streaming_job(tmp_path: Path) -> None:
    check_stream({name: examples()[name] for name in ("buying_spree", "sold_before")}, trades(), tmp_path)


@pytest.mark.deep
def test_the_examples_in_a_streaming_job(tmp_path: Path) -> None:
    check_stream(examples(), trades(), tmp_path)


@pytest.mark.deep
def test_random_queries_in_a_streaming_job(tmp_path: Path) -> None:
    check_stream(randoms(8, " SECONDS"), rows(), tmp_path)


def test_columns_of_any_type() -> None:
    """They come back as they went in, nested ones too, whatever time zone the session has."""
    rows = """SELECT type, timestamp_seconds(at) AS at, at AS id, CAST(at AS decimal(18, 4)) AS price, true AS open,
        DATE'2026-01-31' AS day, TIMESTAMP_NTZ'2026-01-31 12:00:00' AS local, X'0001' AS raw, array(1, NULL) AS some,
        map('a', array(named_struct('t', timestamp_seconds(at)))) AS nested, INTERVAL '3' DAY AS span,
        CAST(NULL AS void) AS nothing, CAST(at AS tinyint) AS small
        FROM VALUES ('A', 1), ('B', 2), ('C', 3), ('B', 4) AS t(type, at)"""
    spark, zone = session(), session().conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        df = spark.sql(rows)
        found = match_tuples(df, "SELECT a, b.price, b.nested FROM S WHERE A AS a ; B AS b", time="at").orderBy("last")
        given = {row["id"]: row for row in df.collect()}
        results = found.collect()
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert [row["last"] for row in results] == [given[2]["at"], given[4]["at"]]
    assert all(row["a"] == [given[1]] and row["first"] == given[1]["at"] for row in results)
    assert [row["b.nested"] for row in results] == [given[2]["nested"], given[4]["nested"]]
    assert found.schema["a"].dataType.elementType.simpleString() == df.schema.simpleString()
    assert found.schema["b.price"].dataType == df.schema["price"].dataType


def test_fields_of_structs_and_times_that_are_texts() -> None:
    """Beside them a time that is none, which is left out, and NaN, which is NULL."""
    rows = """SELECT type, at, named_struct('b', b, 't', named_struct('u', u)) AS s, v
        FROM VALUES ('A', '2026-01-01T00:00:01', 1, 'x', 1D), ('B', 'soon', 9, 'x', 1D),
            ('B', '2026-01-01 00:00:02', 5, 'x', double('NaN')), ('B', '2026-01-01T00:00:03', 0, 'x', 2D),
            ('B', '2026-01-01T00:00:04', 7, 'y', 3D) AS t(type, at, b, u, v)"""
    text = """SELECT y.at AS at, y.s.b AS b, x.s.t.u AS u, y.v AS v WHERE A AS x ; B AS y
        FILTER y.s.b > x.s.b WITHIN 1 MINUTE"""
    found = match_tuples(session().sql(rows), text, time="at", on_error="skip", buckets=1).orderBy("last")
    shown = [(row["at"], row["b"], row["u"], row["v"]) for row in found.collect()]
    assert shown == [("2026-01-01 00:00:02", 5, "x", None), ("2026-01-01T00:00:04", 7, "x", 3.0)]


def test_late_rows_are_counted_and_given(tmp_path: Path) -> None:
    """What came with the first file is promised with the second one, so some rows of the third one are late."""
    files = [
        [(1, "A"), (50, "B"), (60, "B")],
        [(62, "B"), (70, "B"), (61, "A")],
        [(5, "B"), (57, "A"), (71, "B"), (52, "Z")],
    ]
    (tmp_path / "in").mkdir()
    for number, words in enumerate(files):
        path = tmp_path / "in" / f"{number:03}.parquet"
        table = pyarrow.table({"type": [type_ for _, type_ in words], "time": [time for time, _ in words]})
        pyarrow.parquet.write_table(table.append_column("note", pyarrow.array(["x"] * len(words))), path)
        os.utime(path, (number, number))
    ddl = "type string, time bigint, note string"
    stream = session().readStream.schema(ddl).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    text = "SELECT a.time, b.time AS to FROM S WHERE A AS a ; B AS b WITHIN 10 SECONDS"
    found = match_tuples(stream, text, time="time", unit="s", lateness=DELAY, buckets=1, late=True)
    rows, told = drained(found, tmp_path)
    late = [row["late"] for row in rows if row["late"]]
    assert sorted(late, key=str) == [{"type": "A", "time": 57, "note": "x"}, {"type": "B", "time": 5, "note": "x"}]
    assert [(row["a.time"], row["to"]) for row in rows if row["late"] is None] == [(61, 62)]
    assert (told["late"], told["skipped"], told["dropped"], told["input"]) == (2, 0, 1, 10)
    options = {"time": "time", "unit": "s", "buckets": 1, "late": True}
    left = finish_tuples(session(), str(tmp_path / "checkpoint"), stream.schema, text, **options).collect()
    assert sorted((row["a.time"], row["to"], row["late"]) for row in left) == [(61, 70, None), (61, 71, None)]
