"""Jobs with the rows of a query in CEQL, no Java needed: they give what they give in one process."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pyarrow
import pytest

from spaseq.errors import OptionError, SnapshotError, StreamError
from spaseq.spark.log import Meta
from spaseq.spark.packing import unpacked
from spaseq.spark.tuples.job import TupleJob
from tests.oracle.ceql.generate import Pair
from tests.oracle.ceql.given import GivenPair
from tests.spark.tuples.jobs import ROWS, in_batch, job_of, sifted, table_of, trades
from tests.spark.tuples.test_laws import check_batch_of, check_stream_of
from tests.tuples.test_given import case

LIMITS = """SELECT * FROM S WHERE SELL AS low ; BUY AS high
    FILTER low[price < $limit] AND high[price > $limit] {} WITHIN 1 MINUTE"""
GIVEN = LIMITS.replace("WHERE", "GIVEN $rule, $limit WHERE")
TABLE = [{"rule": f"r{number}", "limit": 20 + number} for number in range(60)]


def rows_of(given: GivenPair) -> pyarrow.Table:
    return table_of(Pair(given.queries[0], given.events, frozenset()))


@pytest.mark.parametrize("start", range(0, 80, 40))
def test_random_queries(start: int) -> None:
    ways = Counter[str]()
    for seed in range(start, start + 40):
        given = case(seed)
        ways[check_batch_of(given.with_rows, rows_of(given), 3, Random(seed))] += 1
        if "SECONDS" in given.text:
            check_stream_of(given.with_rows, rows_of(given), Random(seed))
    assert ways["cut"] and ways["whole"]


def test_logs_that_end_in_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.spark.log.LEAST_SNAPSHOT", 100)
    timed = [given for given in map(case, range(200, 400)) if "SECONDS" in given.text and "CONSUME" in given.text]
    how = sum((check_stream_of(one.with_rows, rows_of(one), Random(7)) for one in timed), Counter[str]())
    assert how["rebuilt"] > 10, how


@pytest.mark.deep
def test_many_random_queries() -> None:
    for seed in range(400, 900):
        given = case(seed)
        check_batch_of(given.with_rows, rows_of(given), 3, Random(seed))
        if "SECONDS" in given.text:
            check_stream_of(given.with_rows, rows_of(given), Random(seed))


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("by", ["", "PARTITION BY [name]"])
def test_a_table_of_limits(by: str) -> None:
    """Together, and each by itself; the columns are those of the rows, then those of the query."""
    found = [in_batch(job_of(GIVEN.format(by), given=TABLE, sharing=sharing), [trades()]) for sharing in (True, False)]
    assert sorted(found[0], key=str) == sorted(found[1], key=str) != []
    assert list(found[0][0]) == ["first", "last", "rule", "limit", "low", "high"]
    assert {row["rule"] for row in found[0]} <= {row["rule"] for row in TABLE}
    assert all(row["low"][0]["price"] < row["limit"] < row["high"][0]["price"] for row in found[0])


NAMED = LIMITS.replace("[", "[name = $name AND ").replace("WHERE", "GIVEN $name, $limit WHERE")
NAMES = [{"name": name, "limit": limit} for name in ("ALFA", "NONE", "NORD") for limit in range(20, 76, 4)]


def test_rows_lie_where_the_events_of_their_name_go() -> None:
    one = job_of(NAMED.format(""), given=NAMES)
    assert one.split.keys == ("name",) and one.row_keys is not None
    lying = [one.row_keys.rows(number, one.engines) for number in range(one.engines)]
    assert sum(map(len, lying)) == len(NAMES)
    assert sum(len({name for name, _ in rows}) for rows in lying) == 3
    assert {row["name"] for part in sifted_rows(one) for row in part} == {"ALFA", "NORD"}


def sifted_rows(one: TupleJob) -> list[list[dict[str, Any]]]:
    return [unpacked(row["data"]).to_pylist() for row in sifted(one, [trades()])]


@pytest.mark.parametrize("changed", [NAMED, NAMED.replace(";", ":"), NAMED.replace("high[name = $name AND", "high[")])
def test_a_table_of_names(changed: str) -> None:
    rows = [row for name in set(trades()["name"].to_pylist()) for row in ({"name": name, "limit": 50}, *NAMES)]
    found = [in_batch(job_of(changed.format(""), given=rows, whole=whole), [trades()]) for whole in (True, False)]
    assert sorted(found[0], key=str) == sorted(found[1], key=str) and (found[0] or ":" in changed)


EQUAL = "SELECT * GIVEN $x WHERE SELL AS a ; BUY AS b FILTER a[{0} = $x] AND b[{0} = $x]"


@pytest.mark.parametrize(("column", "never"), [("volume", 1), ("id", 3)])
def test_constants_as_values_of_a_column(column: str, never: int) -> None:
    """Doubles, and integers: some constants are no value of the column."""
    some = sorted(set(trades()[column].to_pylist()))[:5]
    rows = [{"x": value} for value in (*some, float(some[0]), int(some[1]), 7.5, 2**70, 2**70 + 1)]
    one = job_of(EQUAL.format(column), given=rows)
    assert one.row_keys is not None and one.row_keys.values.null_count == never
    found = [in_batch(job_of(EQUAL.format(column), given=rows, whole=whole), [trades()]) for whole in (True, False)]
    assert sorted(found[0], key=str) == sorted(found[1], key=str)


@pytest.mark.parametrize(
    ("rows", "types"),
    [
        ([("a", 1), ("b", 2)], ("string", "bigint")),
        ([("a", 1), ("b", 2.5)], ("string", "double")),
        ([(1, 2), ("b", 3)], ("string", "bigint")),
    ],
)
def test_types_of_constants(rows: list[tuple[Any, Any]], types: tuple[str, str]) -> None:
    one = job_of(GIVEN.format(""), given=[{"rule": rule, "limit": limit} for rule, limit in rows])
    assert tuple(field.dataType.simpleString() for field in one.results)[2:4] == types


def test_the_rows_are_of_its_identity() -> None:
    def identity(rows: list[dict[str, Any]]) -> dict[str, str]:
        return job_of(GIVEN.format(""), given=rows).identity

    assert identity(TABLE) == identity(TABLE[::-1])
    with pytest.raises(SnapshotError, match="of another job: the rows of the query changed"):
        Meta.from_bytes(Meta(identity(TABLE)).to_bytes(), identity(TABLE[1:]))


@pytest.mark.parametrize(
    ("text", "given", "error", "message"),
    [
        (GIVEN, None, OptionError, r"needs rows for GIVEN \$rule, \$limit"),
        (GIVEN, [], OptionError, "has no rows for its parameters"),
        (LIMITS.replace("$limit", "5"), TABLE, OptionError, "has no parameters"),
        (GIVEN, [{"rule": "a"}], StreamError, "limit"),
    ],
)
def test_wrong_rows(text: str, given: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        job_of(text.format(""), ROWS, given=given)
