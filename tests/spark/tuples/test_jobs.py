"""Jobs with queries in CEQL by hand, no Java needed: columns, types, what travels, what is late, and errors."""

from __future__ import annotations

import pickle
import random
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow
import pytest
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import CalendarIntervalType, StructField, StructType

from spaseq.errors import OptionError, QueryError, SnapshotError, SpaseqError, StreamError
from spaseq.spark.log import Meta
from spaseq.spark.map_stage import NOBODY
from spaseq.spark.packing import unpacked
from spaseq.spark.tuples.job import TupleJob, TupleShard
from spaseq.spark.tuples.matching import check_streaming, tuple_job
from spaseq.tuples.queries import ReadingOptions, prepare
from tests.spark.tuples.jobs import JobCluster, in_batch, job_of, sifted

INSTANT = pyarrow.timestamp("us", "UTC")
SCHEMA = pyarrow.schema(
    {
        "type": pyarrow.string(), "at": INSTANT, "price": pyarrow.decimal128(18, 4), "day": pyarrow.date32(),
        "open": pyarrow.bool_(), "raw": pyarrow.binary(), "count": pyarrow.int16(),
        "tags": pyarrow.list_(pyarrow.string()), "more": pyarrow.struct([("a", pyarrow.int32()), ("t", INSTANT)]),
    }
)  # fmt: skip
PAIRS = "SELECT * FROM S WHERE A AS a ; B AS b WITHIN 10 SECONDS"


def at(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def row(type_: str, second: int, **more: Any) -> dict[str, Any]:
    found = {"type": type_, "at": at(second), "price": Decimal("12.3456"), "day": date(2026, 1, second), "open": True}
    return found | {"raw": b"\0", "count": second, "tags": ["x", None], "more": {"a": 1, "t": at(7)}} | more


def table(*rows: dict[str, Any]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist(list(rows), SCHEMA)


def job(text: str, buckets: int = 2, **options: Any) -> TupleJob:
    return job_of(text, SCHEMA, buckets, **{"time": "at", **options})


def types_of(one: TupleJob) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in one.results}


# ── columns and types ────────────────────────────────────────────────────────────────────────────────────
def test_a_variable_is_the_rows_that_it_holds() -> None:
    a, b = row("A", 1), row("B", 2, price=None, tags=None, more=None)
    one = job(PAIRS)
    assert in_batch(one, [table(a, b)]) == [{"first": at(1), "last": at(2), "a": [a], "b": [b]}]
    struct = "struct<type:string,at:timestamp,price:decimal(18,4),day:date,open:boolean,raw:binary,count:smallint,"
    assert types_of(one)["a"] == f"array<{struct}tags:array<string>,more:struct<a:int,t:timestamp>>>"


def test_attributes_have_the_types_of_their_columns() -> None:
    one = job("SELECT a.price, a.tags AS tags, b.day, b.at, b, c.count FROM S WHERE (A AS a OR C AS c) ; B+ AS b")
    found = in_batch(one, [table(row("A", 1), row("B", 2), row("B", 3))])
    assert len(found) == 3
    assert found[-1]["a.price"] == Decimal("12.3456") and found[-1]["tags"] == ["x", None]
    assert found[-1]["c.count"] is None and found[-1]["b"][0]["raw"] == b"\0"
    whole = next(one for one in found if len(one["b"]) == 2)
    assert whole["b.day"] == [date(2026, 1, 2), date(2026, 1, 3)] and whole["b.at"] == [at(2), at(3)]
    types = types_of(one)
    assert (types["a.price"], types["b.day"], types["c.count"]) == ("decimal(18,4)", "array<date>", "smallint")


def test_aggregates() -> None:
    text = """SELECT COUNT(*) AS n, SUM(a.count) AS total, MAX(b.count) AS most, MIN(a.day) AS day,
        MIN(a.price) AS least, AVG(a.price) AS mean, b.count AS of
        FROM S WHERE A AS a ; B AS b WITHIN 10 SECONDS GROUP BY b.count"""
    one = job(text)
    (found,) = in_batch(one, [table(row("A", 1, price=Decimal("2.5")), row("A", 2, price=Decimal(2)), row("B", 3))])
    wanted = {"n": 2, "total": 3, "most": 3, "day": date(2026, 1, 1), "least": 2.0, "mean": 2.25, "of": 3}
    assert found == {"last": at(3)} | wanted
    assert list(types_of(one).items()) == [
        ("last", "timestamp"), ("of", "smallint"), ("n", "bigint"), ("total", "bigint"), ("most", "smallint"),
        ("day", "date"), ("least", "double"), ("mean", "double"),
    ]  # fmt: skip
    assert types_of(job(text, totals="decimal"))["n"] == "decimal(38,0)"


def test_names_of_times_that_are_taken() -> None:
    text = "SELECT first, last, late FROM S WHERE A AS first ; A AS last ; A AS late"
    assert list(types_of(job(text))) == ["first_", "last_", "first", "last", "late"]
    schema = from_arrow_schema(SCHEMA)
    late = tuple_job(schema, prepare(text), ReadingOptions(time="at"), 2, False, 2, late=True)
    assert late.results.names[-1] == "late_"


def test_times_in_other_forms() -> None:
    rows = [{"type": "A", "s": 1, "text": "01.01.1970 00:01"}, {"type": "B", "s": 2, "text": "01.01.1970 00:02"}]
    given = pyarrow.Table.from_pylist(rows)
    (found,) = in_batch(job_of(PAIRS, given.schema, time="s", unit="s"), [given])
    assert (found["first"], found["last"], found["b"]) == (at(1), at(2), [rows[1]])
    by_text = job_of("SELECT * WHERE A ; B WITHIN 1 HOUR", given.schema, time="text", form="%d.%m.%Y %H:%M")
    (found,) = in_batch(by_text, [given])
    assert (found["first"], found["last"]) == (at(60), at(120))


def test_spark_has_times_of_another_zone_and_long_texts() -> None:
    given = table(row("A", 1), row("B", 2))
    other = given.set_column(0, "type", given["type"].cast(pyarrow.large_string()))
    other = other.set_column(1, "at", given["at"].cast(pyarrow.timestamp("us", "Europe/Vienna")))
    assert in_batch(job(PAIRS), [other]) == in_batch(job(PAIRS), [given])


# ── what travels ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "read", "packed"),
    [
        ("SELECT a FROM S WHERE A AS a", list(SCHEMA.names), ["type", "price", "day", "open", "raw"]),
        ("SELECT a.price FROM S WHERE A AS a", ["type", "at", "price"], ["type", "price"]),
        ("SELECT COUNT(*) FROM S WHERE A AS a PARTITION BY [day]", ["type", "at", "day"], ["type", "day"]),
        ("SELECT a.at FROM S WHERE A AS a FILTER a[at > '2026-01-01T00:00:00']", ["type", "at"], ["type"]),
    ],
)
def test_only_what_is_needed(text: str, read: list[str], packed: list[str]) -> None:
    one = job(text)
    assert one.reading.given.names == read
    assert one.form.schema.names[: 1 + len(packed)] == ["time\n", *packed]
    in_batch(one, [table(row("A", 1))])


@pytest.mark.parametrize(
    ("text", "events"),
    [
        (PAIRS, 3),
        ("SELECT * FROM S WHERE A : B WITHIN 10 SECONDS", 5),
        ("SELECT * FROM S WHERE A ; B:+", 5),
        ("SELECT STRICT * FROM S WHERE A ; B", 5),
        ("SELECT * FROM S WHERE A ; B WITHIN 9 EVENTS", 5),
        ("SELECT * FROM S WHERE A ; B FILTER B[count > 3] WITHIN 5 [count]", 2),
        ("SELECT * FROM S WHERE A ; B PARTITION BY [count]", 2),
        ("SELECT * FROM S WHERE A : B PARTITION BY [count]", 4),
    ],
)
def test_rows_that_nobody_needs(text: str, events: int) -> None:
    given = table(row("A", 1), row("B", 2, count=None), row("C", 3), row("C", 4), row("B", 5))
    found = sifted(job(text), [given], ticks=True)
    (tick,) = (one for one in found if one["label"] == NOBODY)
    assert sum(one["events"] for one in found) == events and tick["dropped"] == 5 - events
    assert tick["last"] == at(5) and not tick["skipped"]


def test_rows_go_by_their_keys() -> None:
    one = job("SELECT * FROM S WHERE A ; B PARTITION BY [count]", buckets=4)
    found = sifted(one, [table(*(row("A", 1, count=key) for key in range(40)), *(row("B", 2, count=9) for _ in "ab"))])
    keys = [{each["count"] for each in unpacked(one["data"]).to_pylist()} for one in found]
    assert len(found) == 4 and sum(map(len, keys)) == 40


def test_streams_that_from_does_not_name() -> None:
    given = pyarrow.Table.from_pylist([{"type": "A", "s": n, "on": name} for n, name in enumerate("STU")])
    one = job_of("SELECT * FROM S, T WHERE S>A ; T>A", given.schema, time="s", stream="on")
    assert len(in_batch(one, [given])) == 1 and one.inputs == ("S", "T")
    (found,) = sifted(one, [given])
    assert found["events"] == 2


# ── rows that are wrong or late ──────────────────────────────────────────────────────────────────────────
def test_rows_without_time(capsys: pytest.CaptureFixture[str]) -> None:
    given = table(row("A", 1), row("B", 2) | {"at": None}, row("B", 3))
    with pytest.raises(StreamError, match=r"^<rows>, row 1 \(type B, .*\): error: the time at is NULL"):
        sifted(job(PAIRS), [given])
    (packed, tick) = sifted(job(PAIRS, skip=True), [given], ticks=True)
    assert (packed["events"], tick["skipped"], tick["dropped"]) == (2, 1, 0)
    assert "1 row was no event: at <rows>, row 1 (type B" in capsys.readouterr().err


def test_each_row_is_used_late_skipped_or_dropped() -> None:
    rows = [(1, "S"), (50, "T"), (60, "S"), (20, "S"), (21, "T"), (22, "T"), (61, "U"), (62, "S")]
    given = [{"type": "A", "s": time, "on": name} for time, name in rows] + [{"type": "A", "s": None, "on": "S"}]
    given += [{"type": "Z", "s": 63, "on": "S"}]
    schema = pyarrow.schema({"type": pyarrow.string(), "s": pyarrow.int64(), "on": pyarrow.string()})
    options = ReadingOptions(time="s", unit="s", stream="on", skip=True)
    query = prepare("SELECT * FROM S, T WHERE A ; A WITHIN 5 SECONDS")
    one = tuple_job(from_arrow_schema(schema), query, options, 2, False, 2, late=True)
    cluster, found = JobCluster(one, random.Random(1)), []
    for begin, end, watermark in ((0, 3, 0), (3, 8, 30), (8, 10, 41)):
        found += cluster.batch(pyarrow.Table.from_pylist(given[begin:end], schema), watermark * 1_000_000)
    assert (cluster.events, cluster.late, cluster.late_by_stream) == (4, 3, {"S": 1, "T": 2})
    assert [each["late"] for each in cluster.late_rows] == given[3:6]
    assert all(each["first"] is None and each["A"] is None for each in cluster.late_rows)
    found += cluster.finish()
    assert [(each["first"], each["last"], each["late"]) for each in found] == [(at(60), at(62), None)]


# ── engines ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("within", ["WITHIN 10 SECONDS", "WITHIN 10 EVENTS"])
def test_rows_of_past_windows_are_forgotten(within: str) -> None:
    one = job(f"SELECT a FROM S WHERE A AS a ; B AS b {within}")
    engine, kept = one.started(0), []
    for second in range(1, 300, 3):
        rows = pyarrow.Table.from_pylist(
            [{"time\n": at(second), "type": "A"}, {"time\n": at(second + 1), "type": "B"}], one.form.schema
        )
        assert second == 1 or sum(len(found.rows()) for found in engine.push_packed(rows, second * 1_000_000)) >= 0
        kept.append(sum(len(rows) for _, rows in engine.store.rows()))
    assert max(kept) < 50


def test_a_snapshot_of_an_engine_goes_on() -> None:
    one = job(PAIRS)
    first = one.started(0)
    rows = [unpacked(each["data"]) for each in sifted(one, [table(row("A", 1), row("B", 2)), table(row("B", 3))])]
    assert len(rows) == 1 and len(list(first.push_packed(rows[0].slice(0, 2), 2_000_000))) == 1
    second = TupleShard.restored(one.reading, one.schema, first.snapshot())
    assert second.due() == first.due() and second.needed_since() == first.needed_since() == -8_000_000
    (left,), (again,) = (
        [found.rows().to_pylist() for found in each.push_packed(rows[0].slice(2), 3_000_000)]
        for each in (first, second)
    )
    assert left == again and left[0]["last"] == at(3)
    with pytest.raises(SnapshotError):
        TupleShard.restored(one.reading, one.schema, first.snapshot()[:-9] + b"123456789")


# ── what makes it another job ────────────────────────────────────────────────────────────────────────────
def test_jobs_pickle() -> None:
    one = job("SELECT a FROM S WHERE A AS a ; B PARTITION BY [count] WITHIN 5 SECONDS")
    again = pickle.loads(pickle.dumps(one))
    assert (again.identity, again.labels, again.schema) == (one.identity, one.labels, one.schema)
    assert again.split.keys == one.split.keys == ("count",)


def test_another_job_is_refused() -> None:
    same = job(PAIRS.replace(" ;", "  ;")).identity
    assert same == job(PAIRS).identity
    others = {
        "the query": job(PAIRS.replace("10", "11")),
        "what columns are for": job(PAIRS, relation="A"),
        "totals": job(PAIRS, totals="double"),
        "the number of buckets": job(PAIRS, buckets=3),
        "what is whole": job(PAIRS, whole=True),
        "the columns": job_of(PAIRS, SCHEMA.remove(3), 2, time="at"),
    }
    for what, other in others.items():
        with pytest.raises(SnapshotError, match=f"of another job: {what} changed"):
            Meta.from_bytes(Meta(same).to_bytes(), other.identity)


# ── errors, all of them at the call ──────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        (PAIRS, {"time": "when"}, OptionError, "there is no column when for the times"),
        (PAIRS, {"time": "tags"}, QueryError, "the time tags is of type list"),
        (PAIRS, {"time": "day", "unit": "h"}, OptionError, "the unit of time is us, ms or s, not h"),
        (PAIRS, {"time": "price"}, QueryError, "the time price is of type double"),
        (PAIRS, {"type": "kind"}, OptionError, "there is no column kind for the types"),
        (PAIRS, {"type": "count"}, QueryError, "the types of the events are texts, but count is of type int64"),
        (PAIRS, {"type": "type", "relation": "A"}, OptionError, "not both"),
        (PAIRS, {"time": "type", "time_format": "%"}, OptionError, "% is no form of times"),
        (PAIRS.replace("B AS b", "B AS b FILTER b[prize > 1]"), {}, QueryError, "the events have no attribute prize"),
        (PAIRS.replace("B AS b", "B AS b FILTER b[raw = 'x']"), {}, QueryError, "raw is of type binary"),
        (PAIRS.replace("B AS b", "B AS b FILTER b[day = 1]"), {}, QueryError, "does not compare"),
        ("SELECT SUM(a.type) FROM S WHERE A AS a", {}, QueryError, "SUM needs a number"),
        ("SELECT * FROM S, T WHERE A ; B", {}, QueryError, "FROM names several streams"),
    ],
)
def test_wrong_arguments(text: str, options: dict[str, Any], error: type[SpaseqError], message: str) -> None:
    form = options.pop("time_format", None)
    with pytest.raises(error, match=message):
        job(text, **options, **({"form": form} if form else {}))


def test_types_that_arrow_has_not() -> None:
    schema = StructType([*from_arrow_schema(SCHEMA), StructField("span", CalendarIntervalType())])
    with pytest.raises(OptionError, match="the column span is of type interval, which Arrow has not"):
        tuple_job(schema, prepare(PAIRS), ReadingOptions(time="at"), 2, False, 2)
    seldom = tuple_job(schema, prepare("SELECT a.count FROM S WHERE A AS a"), ReadingOptions(time="at"), 2, False, 2)
    assert seldom.schema.types[-1] == to_arrow_type(seldom.results[-1].dataType)


def test_columns_that_come_twice() -> None:
    schema = StructType([*from_arrow_schema(SCHEMA), StructField("type", from_arrow_schema(SCHEMA)[0].dataType)])
    with pytest.raises(QueryError, match="the events have several attributes type"):
        tuple_job(schema, prepare(PAIRS), ReadingOptions(time="at"), 2, False, 2)


@pytest.mark.parametrize(
    ("within", "why"),
    [
        ("", "without WITHIN its rows would be kept for ever"),
        ("WITHIN 5 EVENTS", "with a window of EVENTS each row would wait"),
        ("WITHIN 5 [count]", "count does not say which rows are done with"),
    ],
)
def test_streams_need_a_window_in_time(within: str, why: str) -> None:
    with pytest.raises(OptionError, match=f"a query on a stream has a window in time.*{why}"):
        check_streaming(prepare(f"SELECT * FROM S WHERE A ; B {within}"))
    check_streaming(prepare(PAIRS))
