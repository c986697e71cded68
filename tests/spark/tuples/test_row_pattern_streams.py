"""Queries in SQL on streams of Spark without Java: workers that die, and what is refused."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pyarrow
import pytest
from pyspark.sql.pandas.types import from_arrow_schema

from spaseq import tuples
from spaseq.errors import LocatedError, OptionError, QueryError, SnapshotError, StreamError
from spaseq.spark import log
from spaseq.spark.tuples.row_pattern_batch import PLACE, WholePartitions
from spaseq.spark.tuples.row_pattern_job import RowPatternJob, RowPatternShard
from spaseq.spark.tuples.row_pattern_matching import RowPatternOptions, row_pattern_job
from spaseq.spark.tuples.row_pattern_reading import row_pattern_reading
from spaseq.tuples.queries import ReadingOptions
from spaseq.tuples.row_patterns.prepared import prepared_row_pattern
from tests.oracle import sql as oracle
from tests.slices import first
from tests.spark.tuples.jobs import JobCluster, sifted
from tests.sql.compared import arrow_table
from tests.sql.streamed import CLOCK, streamed_pair

SECOND = 1_000_000
FALLS = """t MATCH_RECOGNIZE (PARTITION BY k ORDER BY at MEASURES FIRST(v) AS high, LAST(v) AS low, LAST(at) AS at_last
    PATTERN (a b+ c) WITHIN INTERVAL '10' SECOND DEFINE b AS v < PREV(v), c AS v > PREV(v))"""
SCHEMA = pyarrow.schema({"k": pyarrow.string(), "at": pyarrow.timestamp("us", "UTC"), "v": pyarrow.int32()})


def job_of(text: str, schema: pyarrow.Schema, buckets: int = 3, **more: Any) -> RowPatternJob:
    options = RowPatternOptions(ReadingOptions(time=more.pop("time", None)), buckets, 2, **more)
    return row_pattern_job(from_arrow_schema(schema), prepared_row_pattern(text), options)


def at(second: int) -> datetime:
    return datetime.fromtimestamp(second, UTC)


def table(*rows: tuple[str | None, int, int]) -> pyarrow.Table:
    return pyarrow.Table.from_pylist([{"k": k, "at": at(second), "v": v} for k, second, v in rows], SCHEMA)


def placed(rows: pyarrow.Table) -> pyarrow.Table:
    """Rows as they come from Spark."""
    return rows.rename_columns([f"c{number}" for number in range(rows.num_columns)])


def came(*rows: tuple[str | None, int, int]) -> pyarrow.Table:
    return placed(table(*rows))


def seen(rows: list[dict[str, Any]]) -> Counter[str]:
    """Results that compare: times of Spark have a zone."""
    return Counter(repr([str(value).removesuffix("+00:00") for value in row.values()]) for row in rows)


def wanted(text: str, rows: pyarrow.Table) -> Counter[str]:
    return seen(tuples.match(text, rows).to_arrow().to_pylist())


def of_pair(seed: int, draw: random.Random) -> str:
    """A random query with PARTITION BY and WITHIN on microbatches, by workers of which some die; how it was."""
    pair = streamed_pair(seed)
    if pair.query.within is None or not pair.query.partition:
        return "no stream"
    text, rows = oracle.query_text(pair.query), arrow_table(pair.table)
    try:
        expected = wanted(text, rows)
    except LocatedError:
        return "error"
    cluster = JobCluster(job_of(text, rows.schema), draw)
    found, begin, times = list[dict[str, Any]](), 0, rows[CLOCK].cast(pyarrow.int64()).to_pylist()
    while begin < len(rows):
        end, watermark = begin + draw.choice((1, 3, 10)), times[begin] if draw.random() < 0.7 else 0
        found += cluster.batch(placed(rows.slice(begin, end - begin)), watermark)
        begin = end
    assert seen([*found, *cluster.finish()]) == expected and not cluster.late
    return "rebuilt" if "rebuilt" in cluster.how else "equal"


@pytest.mark.parametrize("part", first(1, range(8)))
def test_random_queries(part: int) -> None:
    ways = Counter(of_pair(seed, random.Random(seed)) for seed in range(part * 400, (part + 1) * 400))
    assert ways["rebuilt"] + ways["equal"] >= 20 and ways["rebuilt"] >= 5


def test_a_log_ends_in_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one match leaves to the next reaches back for ever; the snapshot has undecided rows."""
    monkeypatch.setattr(log, "LEAST_SNAPSHOT", 1 << 11)
    draw = random.Random(5)
    rows = table(*((draw.choice(("x", "y", None)), second, draw.randrange(9)) for second in range(400)))
    cluster = JobCluster(job_of(FALLS, SCHEMA), draw)
    found = [
        one for begin in range(0, 400, 5) for one in cluster.batch(placed(rows.slice(begin, 5)), (begin - 2) * SECOND)
    ]
    assert seen([*found, *cluster.finish()]) == wanted(FALLS, rows)
    metas = [log.Meta.from_bytes(store.meta(), cluster.job.identity) for store in cluster.stores.values()]
    assert any(entry.is_snapshot for meta in metas for entry in meta.entries)
    assert max(sum(entry.size for entry in meta.entries) for meta in metas) < 30_000


def test_a_log_reaches_back_as_far_as_a_match() -> None:
    """Where each row may begin a match, rows are of use for as long as one takes."""
    text = FALLS.replace("PATTERN", "AFTER MATCH SKIP TO NEXT ROW PATTERN")
    text = text.replace("b AS v < PREV(v), c AS v > PREV(v)", "b AS v < 5, c AS v > 4")
    rows = table(*(("x", second, second * 7 % 9) for second in range(300)))
    cluster = JobCluster(job_of(text, SCHEMA, 1), random.Random(2))
    found = [one for begin in range(0, 300, 5) for one in cluster.batch(placed(rows.slice(begin, 5)), begin * SECOND)]
    assert seen([*found, *cluster.finish()]) == wanted(text, rows)
    (store,) = cluster.stores.values()
    assert len(log.Meta.from_bytes(store.meta(), cluster.job.identity).entries) <= 4


def test_keys_that_are_equal_are_in_one_engine() -> None:
    """NULLs are, NaNs are, and the zeros; a decimal and a date are keys, too."""
    schema = pyarrow.schema({
        "k": pyarrow.float64(), "d": pyarrow.decimal128(20, 2), "day": pyarrow.date32(), "b": pyarrow.bool_(),
        "span": pyarrow.duration("us"), "at": pyarrow.timestamp("us", "UTC"),
    })  # fmt: skip
    keys = [None, float("nan"), 0.0, -0.0, 1.5, float("nan")]
    rows = pyarrow.Table.from_pylist(
        [{"k": keys[n % 6], "d": n % 2, "day": at(0).date(), "b": n % 3 == 0, "at": at(n)} for n in range(60)], schema
    )
    text = """t MATCH_RECOGNIZE (PARTITION BY k, d, day, b, span ORDER BY at MEASURES COUNT(*) AS n
        PATTERN (a+) WITHIN INTERVAL '1' HOUR DEFINE a AS TRUE)"""
    for buckets in (1, 7):
        cluster = JobCluster(job_of(text, schema, buckets), random.Random(1))
        assert seen([*cluster.batch(placed(rows), 0), *cluster.finish()]) == wanted(text, rows)


def test_late_rows_are_counted_and_given() -> None:
    cluster = JobCluster(job_of(FALLS, SCHEMA, late=True), random.Random(1))
    assert cluster.job.results.names == ["k", "high", "low", "at_last", "late"]
    assert not [*cluster.batch(came(("x", 20, 5), ("x", 21, 4)), 0)]
    found = [*cluster.batch(came(("x", 19, 9), ("x", 22, 6)), 20 * SECOND), *cluster.finish()]
    assert found == [{"k": "x", "high": 5, "low": 6, "at_last": at(22), "late": None}]
    assert cluster.late == 1
    (late,) = cluster.late_rows
    assert late == dict.fromkeys(("k", "high", "low", "at_last")) | {"late": {"k": "x", "at": at(19), "v": 9}}


def test_a_row_without_time_is_named() -> None:
    rows = pyarrow.Table.from_pylist([{"k": "x", "at": at(1), "v": 1}, {"k": "y", "at": None, "v": 2}], SCHEMA)
    with pytest.raises(StreamError, match=r"^<rows>, row 1 \(k y, v 2\): error"):
        sifted(job_of(FALLS, SCHEMA), [placed(rows)])


def test_a_row_without_a_value_ends_the_job() -> None:
    cluster = JobCluster(job_of(FALLS.replace("v < PREV(v)", "1 / v > 0"), SCHEMA), random.Random(1))
    with pytest.raises(StreamError, match=r"error: /: division by zero \(at position 1"):
        list(cluster.batch(came(("x", 1, 2), ("x", 2, 0)), 0))
        list(cluster.batch(came(("x", 3, 2)), 3 * SECOND))


def test_a_search_that_takes_too_long_ends_the_job() -> None:
    endless = FALLS.replace("(a b+ c)", "(a+ c)").replace("b AS v < PREV(v), c AS v > PREV(v)", "c AS v > 9 * SUM(a.v)")
    cluster = JobCluster(job_of(endless, SCHEMA, max_steps=20), random.Random(1))
    with pytest.raises(StreamError, match=r"<query>:.* the search takes more steps than it may \(max_steps\)"):
        list(cluster.batch(came(*(("x", 1, 2) for _ in range(30))), 0))
        list(cluster.finish())
    rows = pyarrow.table({"k": ["x"] * 30, "at": pyarrow.array(range(30), pyarrow.timestamp("us")), "v": [1] * 30})
    reading = row_pattern_reading(prepared_row_pattern(endless), from_arrow_schema(rows.schema), None)
    stage = WholePartitions(reading, pyarrow.schema({}), max_steps=20)
    with pytest.raises(StreamError, match="more steps"):
        list(stage.evaluate(placed(rows).append_column(PLACE, pyarrow.array(range(30))).to_batches()))


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (FALLS.replace("WITHIN INTERVAL '10' SECOND", ""), {}, "a query on a stream has WITHIN"),
        (FALLS.replace("PARTITION BY k", ""), {}, "a query on a stream has PARTITION BY"),
        (FALLS.replace("ORDER BY at", "ORDER BY at DESC"), {}, "rows come in the order of at"),
        (FALLS, {"time": "v"}, "rows come in the order of v"),
    ],
)
def test_what_streams_cannot_do(text: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError, match=message) as caught:
        job_of(text, SCHEMA, **more)
    assert caught.value.location.line


def test_all_rows_in_one_engine() -> None:
    job = job_of(FALLS.replace("PARTITION BY k", ""), SCHEMA, whole=True)
    assert len(job.labels) == 1 and len(job_of(FALLS, SCHEMA).labels) == 3


def test_jobs_pickle_and_know_each_other() -> None:
    one = job_of(FALLS, SCHEMA)
    assert pickle.loads(pickle.dumps(one)).identity == one.identity == job_of(FALLS + "  -- same", SCHEMA).identity
    assert one.identity != job_of(FALLS.replace("'10'", "'11'"), SCHEMA).identity


def test_damaged_snapshots() -> None:
    job = job_of(FALLS, SCHEMA)
    engine = job.started(0)
    data = engine.snapshot()
    assert isinstance(job.restored(0, data), RowPatternShard)
    with pytest.raises(SnapshotError):
        job.restored(0, data[:-1])
    with pytest.raises(OptionError):
        job_of(FALLS, SCHEMA, late=1)
