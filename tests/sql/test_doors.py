"""Row patterns by ``tuples.match`` and ``prepare``: sources, types, names, several queries, and what is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

from spaseq import Bound, tuples
from spaseq.errors import OptionError, QueryError, QuerySyntaxError, StreamError
from spaseq.languages import sql

FALL = """
SELECT * FROM ticks MATCH_RECOGNIZE (
    PARTITION BY name ORDER BY day
    MEASURES A.price AS top, LAST(B.price) AS low, LAST(B.day) AS until
    PATTERN (A B+) DEFINE B AS B.price < PREV(B.price))
"""
ROWS = [
    {"name": name, "day": date(2026, 1, number), "price": Decimal(price), "note": {"by": number}}
    for name, number, price in [
        ("y", 1, "5.00"), ("x", 3, "1.25"), ("x", 1, "3.10"), ("y", 2, "4.99"), ("x", 2, "2.05"), ("x", 4, "2.00"),
    ]
]  # fmt: skip
TABLE = pyarrow.Table.from_pylist(ROWS).cast(
    pyarrow.schema({
        "name": pyarrow.string(), "day": pyarrow.date32(), "price": pyarrow.decimal128(10, 2),
        "note": pyarrow.struct({"by": pyarrow.int64()}),
    })
)  # fmt: skip
BY_KEY = (
    "SELECT * FROM x MATCH_RECOGNIZE (PARTITION BY k ORDER BY t MEASURES COUNT(*) AS c PATTERN (A+) DEFINE A AS TRUE)"
)
PLAIN = TABLE.drop_columns("note")
FALLS = [
    {"name": "y", "top": Decimal("5.00"), "low": Decimal("4.99"), "until": date(2026, 1, 2)},
    {"name": "x", "top": Decimal("3.10"), "low": Decimal("1.25"), "until": date(2026, 1, 3)},
]


def parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(PLAIN, folder / "ticks.parquet")
    return str(folder / "ticks.parquet")


def csv(folder: Path) -> str:
    pyarrow.csv.write_csv(PLAIN, folder / "ticks.csv")
    return str(folder / "ticks.csv")


SOURCES: dict[str, Callable[[Path], Any]] = {
    "table": lambda _: TABLE,
    "batches of a row": lambda _: TABLE.to_batches(max_chunksize=1),
    "dictionary encoded": lambda _: TABLE.set_column(0, "name", TABLE["name"].dictionary_encode()),
    "dictionaries": lambda _: ROWS,
    "pandas": lambda _: PLAIN.to_pandas(),
    "parquet": parquet,
    "csv": csv,
    "a stream with a name": lambda _: {"ticks": TABLE},
}


@pytest.mark.parametrize("source", SOURCES)
def test_decimals_and_dates_stay_as_they_are(source: str, tmp_path: Path) -> None:
    types = {"price": "decimal(10,2)", "day": "date"}
    found = tuples.match(FALL, SOURCES[source](tmp_path), types=types).to_arrow()
    assert found.to_pylist() == FALLS
    assert found.schema.types == [
        pyarrow.string(), pyarrow.decimal128(10, 2), pyarrow.decimal128(10, 2), pyarrow.date32(),
    ]  # fmt: skip


def test_results_are_as_of_any_query() -> None:
    found = tuples.match(FALL, TABLE)
    assert found.schema.names == ["name", "top", "low", "until"]
    assert found.statistics() == {"rows": 0}
    assert [batch.num_rows for batch in found] == [2]
    assert (found.found, found.events, found.complete) == (2, 6, True)
    assert tuples.match(FALL, TABLE).count() == 2
    assert tuples.match(FALL, TABLE.slice(0, 0)).to_arrow().num_rows == 0
    assert "y" in tuples.match(FALL, TABLE)._repr_html_()


def test_names_fit_columns_in_any_case() -> None:
    text = FALL.replace("price", "PRICE").replace("day", '"day"')
    assert tuples.match(text, TABLE).to_arrow().to_pylist() == FALLS


def test_all_rows_have_all_columns_of_their_table() -> None:
    text = FALL.replace("PATTERN", "ALL ROWS PER MATCH PATTERN")
    found = tuples.match(text, PLAIN).to_arrow()
    assert found.schema.names == ["name", "day", "top", "low", "until", "price"]
    both = tuples.match({"fall": text}, {"ticks": PLAIN}).to_arrow()
    assert both["fall"].equals(found)


def test_the_rest_of_the_columns_comes_in_the_order_of_the_table() -> None:
    table = pyarrow.table({"day": [1], "price": [2], "z": [3]})
    text = (
        "SELECT * FROM t MATCH_RECOGNIZE (MEASURES COUNT(*) AS n ALL ROWS PER MATCH PATTERN (A) DEFINE A AS price < 9)"
    )
    assert tuples.match(text, table).schema.names == ["n", "day", "price", "z"]


def test_a_statement_may_read_no_column() -> None:
    text = "SELECT * FROM t MATCH_RECOGNIZE (MEASURES COUNT(*) AS n PATTERN (A+) DEFINE A AS TRUE)"
    assert tuples.match(text, ROWS).to_arrow().to_pylist() == [{"n": 6}]
    assert tuples.match(text, TABLE.to_batches(max_chunksize=2)).to_arrow().to_pylist() == [{"n": 6}]


def test_decimals_that_are_declared_are_what_values_write() -> None:
    text = "SELECT * FROM t MATCH_RECOGNIZE (MEASURES SUM(v) AS s PATTERN (A+) DEFINE A AS TRUE)"
    rows = [{"v": 1.25}, {"v": "2.5"}, {"v": 3}, {"v": Decimal("0.01")}, {"v": None}]
    assert tuples.match(text, rows, types={"v": "decimal(9,2)"}).to_arrow()["s"].to_pylist() == [Decimal("6.76")]
    with pytest.raises(StreamError, match="the column v is declared decimal128"):
        tuples.match(text, [{"v": "x"}], types={"v": "decimal(9,2)"}).to_arrow()


@pytest.mark.parametrize("time", [None, "t"])
@pytest.mark.parametrize(
    ("keys", "counts"),
    [
        (pyarrow.nulls(3), [3]),
        (pyarrow.array([float("nan"), 1, -float("nan")]), [2, 1]),
        (pyarrow.array([float("nan"), 1, -float("nan")], pyarrow.float32()), [2, 1]),
        (pyarrow.array(["b", "a", "b"]).dictionary_encode(), [2, 1]),
    ],
)
def test_keys_may_be_of_any_type(keys: pyarrow.Array, counts: list[int], time: str | None) -> None:
    rows = pyarrow.table({"k": keys, "t": [1, 1, 1]})
    assert tuples.match(BY_KEY, rows, time=time).to_arrow()["c"].to_pylist() == counts
    of_all = BY_KEY.replace("PARTITION BY k ORDER BY t", "ORDER BY t, k")
    assert tuples.match(of_all, rows, time=time).to_arrow().to_pylist() == [{"c": 3}]


def test_columns_without_values_in_sql_are_left_alone_unless_they_are_asked_for() -> None:
    with pytest.raises(QueryError, match=r"the column note is of type struct<by: int64>, which SQL has no values of"):
        tuples.match(FALL.replace("PATTERN", "ALL ROWS PER MATCH PATTERN"), TABLE)
    text = FALL.replace("PATTERN", "ALL ROWS PER MATCH PATTERN").replace("*", "name, price", 1)
    assert tuples.match(text, TABLE).to_arrow().num_rows == 5


def test_sql_and_ceql_read_a_table_once() -> None:
    table = PLAIN.append_column("type", pyarrow.array(["T"] * 6))
    formula = "SELECT * FROM ticks WHERE T AS x FILTER x[price > 2.5]"
    found = tuples.match({"fall": FALL, "high": formula}, iter(table.to_batches(max_chunksize=4))).to_arrow()
    assert found["fall"].to_pylist() == FALLS
    assert found["high"]["start"].to_pylist() == [0, 2, 3]


def test_a_query_is_read_and_planned_once() -> None:
    prepared = tuples.prepare(FALL)
    assert tuples.prepare(prepared) is prepared
    assert tuples.prepare(FALL) is prepared
    assert tuples.prepare(sql.parse(FALL)).fingerprint == prepared.fingerprint
    assert tuples.prepare(f"-- falls\n{FALL.lower().replace('top', 'TOP')}").fingerprint != prepared.fingerprint
    assert tuples.prepare(f"-- falls\n{FALL}").fingerprint == prepared.fingerprint
    assert tuples.match(pickle.loads(pickle.dumps(prepared)), TABLE).to_arrow().to_pylist() == FALLS


def test_a_file_is_named_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "fall.sql"
    path.write_text(FALL)
    assert tuples.match(path, TABLE).count() == 2
    path.write_text(FALL.replace("DEFINE", "DEFINED"))
    with pytest.raises(QuerySyntaxError, match=r"fall\.sql:5:"):
        tuples.prepare(path)


REFUSED: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    "a column with types": (
        OptionError, r"type is for CEQL: a row has no type in SQL; write DEFINE A AS name = '…'",
        lambda: tuples.match(FALL, TABLE, type="name"),
    ),
    "a relation": (
        OptionError, "relation is for CEQL: a row has no type in SQL; write DEFINE A AS price > 10",
        lambda: tuples.match(FALL, TABLE, relation="T"),
    ),
    "rows": (
        OptionError, r"results in SQL have no rows\(\): ALL ROWS PER MATCH gives each row of a match",
        lambda: tuples.match(FALL, TABLE).rows(),
    ),
    "a bound": (
        OptionError, "the query is in SQL, whose work has no bound yet",
        lambda: tuples.match(FALL, TABLE, bound=Bound(work=9)),
    ),
    "rows of parameters": (
        OptionError, "no parameters", lambda: tuples.match(FALL, TABLE, given=[{"a": 1}]),
    ),
    "another table": (
        OptionError, "nothing supplies the stream ticks", lambda: tuples.match(FALL, {"ticket": TABLE}),
    ),
    "an unknown column": (
        QueryError, r"<query>:5:49: error: ticks has no column prize\n.*\n +\^\^\^\^\^\nhint: did you mean price\?",
        lambda: tuples.match(FALL.replace("PREV(B.price)", "PREV(B.prize)"), TABLE),
    ),
    "a column that is there twice": (
        QueryError, "the events have several attributes price",
        lambda: tuples.match(FALL, PLAIN.append_column("price", PLAIN["price"])),
    ),
    "the first row again": (
        QueryError, r"<query>:5:5: error: A is the first row of every match.*\n.*\n +\^+\nhint: write SKIP TO NEXT ROW",
        lambda: tuples.match(FALL.replace("PATTERN", "AFTER MATCH SKIP TO A PATTERN"), TABLE),
    ),
    "the first row again, of a match that is found": (
        StreamError, r"<query>:5:5: error: SKIP TO LAST C: the match has no such row \(at position 0\)",
        lambda: tuples.match(
            FALL.replace("PATTERN (A B+)", "AFTER MATCH SKIP TO C PATTERN (A (B | C)+)"), TABLE
        ).to_arrow(),
    ),
    "a value that is none": (
        StreamError, r"<query>:5:\d+: error: /: division by zero \(at position 5\)\n.*\n +\^+",
        lambda: tuples.match(FALL.replace("PREV(B.price)", "1 / (B.price - 2)"), TABLE).to_arrow(),
    ),
    "a measure that is none": (
        StreamError, r"<query>:4:\d+: error: SUM: overflow: the sum is beyond BIGINT \(at position 2\)",
        lambda: tuples.match(
            "SELECT * FROM t MATCH_RECOGNIZE (MEASURES\n1 AS one,\n\nSUM(v) AS s PATTERN (A+) DEFINE A AS TRUE)",
            [{"v": 2**62}, {"v": 1}, {"v": 2**62}],
        ).to_arrow(),
    ),
    "too fine a time": (
        StreamError, r"the column t of type timestamp\[ns\] does not become timestamp\[us\]",
        lambda: tuples.match(
            "SELECT * FROM x MATCH_RECOGNIZE (MEASURES A.t AS t PATTERN (A) DEFINE A AS TRUE)",
            pyarrow.table({"t": pyarrow.array([1_001], pyarrow.timestamp("ns"))}),
        ).to_arrow(),
    ),
    "a date with a time of day": (
        StreamError, "the column t of type timestamp.us. does not become date32.day.: the time of day would be lost",
        lambda: tuples.match(
            "SELECT * FROM x MATCH_RECOGNIZE (MEASURES A.t AS t PATTERN (A) DEFINE A AS TRUE)",
            pyarrow.table({"t": pyarrow.array([1_001], pyarrow.timestamp("us"))}), types={"t": "date"},
        ).to_arrow(),
    ),
    "a key of arrays": (
        QueryError, r"<query>:1:47: error: arrays are not compared: k is of type ARRAY\(BIGINT\)\n.*\n {48}\^",
        lambda: tuples.match(BY_KEY, pyarrow.table({"k": [[1]], "t": [1]})),
    ),
    "an order of arrays": (
        QueryError, r"<query>:1:58: error: arrays are not compared: k is of type ARRAY\(BIGINT\)",
        lambda: tuples.match(BY_KEY.replace("BY k ORDER BY t", "BY t ORDER BY k"), [{"k": [1], "t": 1}]),
    ),
    "too large a pattern": (
        QueryError, r"<query>:5:14: error: the pattern is too large: .*\n.*\n +\^+\nhint: write smaller numbers",
        lambda: tuples.prepare(FALL.replace("A B+", "A B{1000000}")),
    ),
    "too large a number": (
        StreamError, r"the column n of type uint64 does not become int64",
        lambda: tuples.match(
            "SELECT * FROM x MATCH_RECOGNIZE (MEASURES A.n AS n PATTERN (A) DEFINE A AS TRUE)",
            pyarrow.table({"n": pyarrow.array([1, 2**63], pyarrow.uint64())}),
        ).to_arrow(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    error, message, run = REFUSED[what]
    with pytest.raises(error, match=message):
        run()


@pytest.mark.parametrize(
    ("given", "message"),
    [("decimal(39,0)", "up to 38 digits"), ("decimal(4,5)", "no more of them behind the point"), ("decimals", "date")],
)
def test_types_that_are_none(given: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        tuples.match(FALL, TABLE, types={"price": given})


def test_ceql_reads_decimals_and_dates_as_before() -> None:
    found = tuples.match("SELECT x.price, x.day FROM S WHERE T AS x", PLAIN, relation="T").to_arrow()
    assert found.schema.field("x.price").type == pyarrow.float64()
    assert found.schema.field("x.day").type == pyarrow.timestamp("us")


def test_texts_of_times_are_read_where_it_is_said_which_column_has_them() -> None:
    text = """SELECT * FROM t MATCH_RECOGNIZE (ORDER BY at MEASURES A.at AS one, B.at AS other PATTERN (A B)
        WITHIN INTERVAL '1' HOUR DEFINE B AS B.v < A.v)"""
    rows = [{"at": "01.02.2026 10:00", "v": 3}, {"at": "01.02.2026 10:30", "v": 2}, {"at": "01.02.2026 12:00", "v": 1}]
    found = tuples.match(text, rows, time="at", time_format="%d.%m.%Y %H:%M").to_arrow()
    assert [str(value) for value in found.to_pylist()[0].values()] == ["2026-02-01 10:00:00", "2026-02-01 10:30:00"]
    assert found.num_rows == 1
