"""Row patterns on rows that are pushed (``tuples.Engine``), and on sources in order (``match(…, time=…)``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest

from spaseq import Bound, tuples
from spaseq.errors import OptionError, QueryError, StreamError
from spaseq.tuples import Engine

FALL = """
SELECT * FROM ticks MATCH_RECOGNIZE (
    PARTITION BY name ORDER BY at
    MEASURES FIRST(at) AS since, LAST(price) AS low
    PATTERN (A B+)
    DEFINE B AS price < PREV(price))
"""
SOON = FALL.replace("PATTERN (A B+)", "AFTER MATCH SKIP TO NEXT ROW PATTERN (A B+) WITHIN INTERVAL '10' SECOND")
TEN = datetime(2026, 11, 28, 10)
Given = list[tuple[str, list[dict[str, Any]]]]


def tick(at: Any, name: str | None, price: Any, **values: Any) -> dict[str, Any]:
    return {"at": at, "name": name, "price": price, **values}


def fall(since: Any, low: Any, name: str | None = "x") -> dict[str, Any]:
    """A result."""
    return {"name": name, "since": since, "low": low}


def running(*queries: str, **options: Any) -> Engine:
    engine = Engine(**{"time": "at", **options})
    for query in queries:
        engine.register(query)
    return engine


def given(results: list[tuple[str, pyarrow.Table]]) -> Given:
    return [(name, table.to_pylist()) for name, table in results]


def kernel(engine: Engine, name: str = "query1") -> dict[str, int]:
    """How many rows are kept, of how many keys."""
    counts: dict[str, int] = engine.statistics()["queries"][name]["kernel"]
    return counts


# ── what is pushed, and what comes back ──────────────────────────────────────────────────────────────────
def test_a_match_leaves_with_the_row_that_decides_it() -> None:
    engine = running(FALL)
    assert given(engine.push([tick(1, "x", 9)])) == []
    assert given(engine.push([tick(2, "x", 7)])) == []
    assert given(engine.push([tick(3, "x", 8)])) == [("query1", [fall(1, 7)])]
    assert given(engine.push([tick(4, "x", 5)])) == []
    assert given(engine.close()) == [("query1", [fall(3, 5)])]
    assert given(engine.close()) == []


@pytest.mark.parametrize("form", [list, pyarrow.Table.from_pylist, pandas.DataFrame])
def test_rows_may_have_any_form(form: Callable[[list[dict[str, Any]]], Any]) -> None:
    engine = running(FALL)
    rows = [tick(1, "x", 9), tick(2, "y", 4), tick(3, "x", 7), tick(4, "x", 8)]
    assert given(engine.push(form(rows[:3]))) == []
    assert given(engine.push(form(rows[3:]))) == [("query1", [fall(1, 7)])]
    assert given(engine.push(rows[:0])) == []


def test_results_have_the_types_of_the_statement() -> None:
    engine = running(FALL, types={"price": "decimal(9,2)", "at": "timestamp"})
    (_, table), = engine.push([tick(TEN, "x", 9), tick(TEN, "x", Decimal("8.5")), tick(TEN, "x", "8.75")])  # fmt: skip
    assert table.to_pylist() == [fall(TEN, Decimal("8.50"))]
    assert table.schema.types == [pyarrow.string(), pyarrow.timestamp("us"), pyarrow.decimal128(9, 2)]


def test_dates_may_be_the_time() -> None:
    engine = running(FALL.replace("(A B+)", "(A B+) WITHIN INTERVAL '3' DAY"))
    first, second, fourth = (date(2026, 11, number) for number in (1, 2, 4))
    assert engine.push([tick(first, "x", 9), tick(second, "x", 8)]) == []
    assert given(engine.push([tick(fourth, "x", 7)])) == [("query1", [fall(first, 8)])]


def test_several_queries_get_the_same_rows() -> None:
    engine = running(FALL, FALL.replace("<", ">"))
    rows = [tick(1, "x", 9), tick(2, "x", 7), tick(3, "x", 8), tick(4, "x", 6)]
    assert given(engine.push(rows)) == [("query1", [fall(1, 7)]), ("query2", [fall(2, 8)])]
    assert [name for name, _ in engine.close()] == ["query1"]


def test_sql_and_ceql_in_one_engine_read_rows_that_have_types() -> None:
    engine = Engine(time="at")
    engine.register(FALL, "falls")
    engine.register("SELECT high.price FROM ticks WHERE T AS high FILTER high[price > 8]", "high")
    rows = [tick(number, "x", price, type="T") for number, price in enumerate((9, 7, 8))]
    assert given(engine.push(rows)) == [
        ("falls", [fall(0, 7)]),
        ("high", [{"start": 0, "end": 0, "positions": [0], "high.price": 9}]),
    ]
    with pytest.raises(OptionError, match="there is no column type: say which column has the types of the events"):
        running(FALL, "SELECT * WHERE T AS x").push([tick(1, "x", 9)])


def test_one_is_over_and_another_one_comes_later() -> None:
    engine = Engine(time="at")
    engine.register(FALL, "first")
    engine.push([tick(1, "x", 9), tick(2, "x", 8)])
    engine.register(tuples.prepare(FALL), "second")
    engine.push([tick(3, "x", 7)])
    engine.unregister("first")
    assert engine.queries == ("second",)
    assert given(engine.push([tick(4, "x", 6), tick(5, "x", 9)])) == [("second", [fall(3, 6)])]


# ── streams with names ───────────────────────────────────────────────────────────────────────────────────
def test_from_names_the_stream() -> None:
    engine = running(FALL, FALL.replace("FROM ticks", "FROM quotes"))
    rows = [tick(1, "x", 9), tick(2, "x", 7), tick(3, "x", 8)]
    assert given(engine.push(rows, stream="ticks")) == [("query1", [fall(1, 7)])]
    assert given(engine.push(rows[:2], stream="quotes")) == []
    assert given(engine.close("quotes")) == [("query2", [fall(1, 7)])]
    with pytest.raises(OptionError, match="no query reads a stream quote; did you mean quotes"):
        engine.push(rows, stream="quote")
    with pytest.raises(OptionError, match="streams have names here"):
        engine.push(rows)


def test_a_column_names_the_stream() -> None:
    engine = running(FALL, FALL.replace("FROM ticks", "FROM quotes"), stream="of")
    rows = [tick(number, "x", price, of=of) for number, price in ((1, 9), (2, 7), (3, 8)) for of in ("ticks", "quotes")]
    assert given(engine.push(rows)) == [("query1", [fall(1, 7)]), ("query2", [fall(1, 7)])]


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────
def test_columns_are_those_of_the_rows_with_which_a_query_begins() -> None:
    """A later one is none of ALL ROWS PER MATCH; one that is left out later is NULL."""
    text = (
        "SELECT * FROM t MATCH_RECOGNIZE (MEASURES COUNT(*) AS n ALL ROWS PER MATCH PATTERN (A) DEFINE A AS price > 1)"
    )
    engine = running(text, time=None)
    assert given(engine.push([{"price": 9, "note": "a"}])) == [("query1", [{"n": 1, "price": 9, "note": "a"}])]
    assert given(engine.push([{"price": 8, "more": 1}])) == [("query1", [{"n": 1, "price": 8, "note": None}])]
    engine.register(text, "later")
    _, (name, table) = engine.push([{"price": 7, "more": 2}])
    assert (name, table.to_pylist()) == ("later", [{"n": 1, "price": 7, "note": None, "more": 2}])


def test_null_is_a_key() -> None:
    engine = running(FALL)
    rows = [tick(1, "x", 9), tick(2, None, 5), tick(3, "x", 10), tick(4, None, 4), tick(5, None, 6)]
    assert given(engine.push(rows)) == [("query1", [fall(2, 4, None)])]


def test_a_column_that_is_declared_may_be_null_at_first() -> None:
    engine = running(FALL, types={"name": "string", "price": "int64"})
    assert given(engine.push([tick(1, None, None)])) == []
    assert given(engine.push([tick(2, "x", 9), tick(3, "x", 7), tick(4, "x", None)])) == [("query1", [fall(2, 7)])]


def test_a_column_of_nulls_takes_its_type_from_its_first_value() -> None:
    engine = running(FALL)
    assert given(engine.push([tick(1, "x", None)])) == []
    assert given(engine.push([tick(2, "x", 9), tick(3, "x", 7), tick(4, "x", 8)])) == [("query1", [fall(2, 7)])]


@pytest.mark.parametrize("size", [1, 40])
def test_texts_may_come_in_any_order(size: int) -> None:
    """Conditions that read the match compare them by where they stand among all that came."""
    engine = running(FALL.replace("price < PREV(price)", "COUNT(*) < 99 AND note > A.note"))
    rows = [tick(number, "x", 0, note=f"{40 - number:02}") for number in range(40)]
    for first in range(0, 40, size):
        assert engine.push(rows[first : first + size]) == []
    assert engine.close() == []


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_rows_take_their_turn_in_the_order_of_time() -> None:
    """Those that are more than ``lateness`` too late are dropped, counted and told."""
    late: list[pyarrow.Table] = []
    engine = running(FALL, unit="s", lateness=timedelta(seconds=2), on_late=late.append)
    assert given(engine.push([tick(1, "x", 9), tick(4, "x", 7), tick(3, "x", 8)])) == []
    assert given(engine.push([tick(1, "x", 99)])) == []
    assert [table.to_pylist() for table in late] == [[tick(1, "x", 99)]]
    assert given(engine.push([tick(7, "x", 9)])) == []
    assert given(engine.advance(8_000_000)) == [("query1", [fall(1, 7)])]
    assert engine.statistics()["streams"][""]["late"] == 1


def test_rows_without_a_time_may_be_left_out() -> None:
    rows = [tick(1, "x", 9), tick(None, "x", 8), tick(3, "x", 7)]
    engine = running(FALL, on_error="skip")
    assert engine.push(rows) == []
    assert given(engine.close()) == [("query1", [fall(1, 7)])]
    assert engine.statistics()["streams"][""]["skipped"] == 1
    with pytest.raises(StreamError, match="<push 1>, row 1: error: the time at is NULL"):
        running(FALL).push(rows)


def test_when_time_decides_something() -> None:
    engine = running(SOON)
    engine.push([tick(TEN, "x", 9), tick(TEN + timedelta(seconds=3), "x", 8), tick(TEN + timedelta(seconds=4), "y", 5)])
    due = engine.due()
    assert due == microseconds(TEN + timedelta(seconds=10))
    assert engine.advance(due - 1) == []
    assert given(engine.advance(due)) == [("query1", [fall(TEN, 8)])]
    assert engine.due() == microseconds(TEN + timedelta(seconds=13))


def test_without_within_time_decides_nothing() -> None:
    engine = running(FALL)
    engine.push([tick(1, "x", 9), tick(2, "x", 7)])
    assert engine.due() is None
    assert engine.advance(99) == []


def test_rows_of_one_time_wait_for_it_to_pass_where_further_keys_sort_them() -> None:
    engine = running(FALL.replace("ORDER BY at", "ORDER BY at, price DESC"))
    assert given(engine.push([tick(1, "x", 7), tick(1, "x", 9)])) == []
    assert (engine.due(), kernel(engine)) == (2, {"rows": 2, "keys": 0})
    assert given(engine.advance(2)) == []
    assert (engine.due(), kernel(engine)) == (None, {"rows": 2, "keys": 1})
    assert given(engine.push([tick(3, "x", 8), tick(4, "x", 1)])) == [("query1", [fall(1, 7)])]


KEYS: list[list[Any]] = [
    [2.5, -1.0, None], [5, -3, None], ["b", "a", None], [True, False, None], [Decimal("2.0"), Decimal("1.5"), None],
    [date(2026, 1, 2), date(2026, 1, 1), None], [TEN, TEN - timedelta(1), None],
]  # fmt: skip


@pytest.mark.parametrize("order", ["", "DESC", "NULLS FIRST", "DESC NULLS LAST"])
@pytest.mark.parametrize("keys", KEYS, ids=str)
@pytest.mark.parametrize("size", [1, 2, 9])
def test_further_keys_sort_rows_however_they_come(keys: list[Any], order: str, size: int) -> None:
    text = f"t MATCH_RECOGNIZE (ORDER BY at, k {order} MEASURES ARRAY_AGG(v) AS vs PATTERN (A+) DEFINE A AS v >= 0)"
    rows = [{"at": time, "k": key, "v": 2 * time + key_at} for time in range(3) for key_at, key in enumerate(keys)]
    engine = running(text)
    found = given(engine.push(rows[:1])) + given(engine.push(pyarrow.Table.from_pylist(rows[1:2])))
    for begin in range(2, len(rows), size):
        found += given(engine.push(rows[begin : begin + size]))
        engine = Engine.restore(engine.snapshot(), {"query1": text}) if begin == 4 else engine
    found += given(engine.close())
    assert [result for _, results in found for result in results] == tuples.match(text, rows).to_arrow().to_pylist()


def microseconds(time: datetime) -> int:
    return int(time.replace(tzinfo=UTC).timestamp() * 1_000_000)


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────────────
def test_rows_are_kept_from_the_oldest_one_that_is_undecided() -> None:
    engine = running(FALL)
    engine.push([tick(number, "x", 9 - number) for number in range(5)])
    assert kernel(engine) == {"rows": 5, "keys": 1}
    engine.push([tick(5, "x", 99)])
    assert kernel(engine)["rows"] < 5
    engine.close()
    assert kernel(engine) == {"rows": 0, "keys": 0}


KEEPING = {
    "nothing": ("A.at AS at", "A B", 0),
    "numbers of matches": ("MATCH_NUMBER() AS number", "A B", 50),
    "that a partition has begun": ("A.at AS at", "^ A B", 50),
    "a row before the first one of a match": ("PREV(A.at) AS at", "A B", 50),
}


@pytest.mark.parametrize("what", KEEPING)
def test_keys_are_forgotten_when_nothing_of_them_is_undecided(what: str) -> None:
    measure, pattern, keys = KEEPING[what]
    engine = running(
        f"SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY name ORDER BY at MEASURES {measure} PATTERN ({pattern})"
        " DEFINE A AS price > 5, B AS price < 5)"
    )
    for number in range(50):
        engine.push([tick(number, f"name {number}", price) for price in (9, 3, 5)])
    assert engine.statistics()["queries"]["query1"]["results"] == 50
    assert kernel(engine)["keys"] == keys


def test_what_an_engine_needs_of_a_log() -> None:
    """The last 10 seconds, where any row may begin a match that lasts less; else there is no saying."""
    rows = [tick(TEN + timedelta(seconds=number), "x", -number % 5) for number in range(40)]
    engine = running(SOON)
    engine.push(rows[:30])
    since = engine.needed_since()
    assert since == microseconds(rows[19]["at"])
    other = running(SOON)
    other.push(rows[19:30])
    assert given(engine.push(rows[30:])) == given(other.push(rows[30:]))
    assert running(FALL).needed_since() is None
    assert running(SOON.replace("TO NEXT ROW", "PAST LAST ROW")).needed_since() is None


# ── what goes wrong ──────────────────────────────────────────────────────────────────────────────────────
def test_why_nothing_is_found() -> None:
    engine = running(FALL)
    engine.push([tick(number, "x", number) for number in range(5)])
    assert engine.statistics()["queries"]["query1"]["why"] == ["no event fits B"]


def test_a_query_that_cannot_go_on_ends_alone() -> None:
    """An unknown column is known when rows come; what the others found comes with the next call."""
    engine = Engine(time="at")
    engine.register(FALL, "falls")
    engine.register(FALL.replace("B AS price", "B AS prize"), "wrong")
    with pytest.raises(QueryError, match=r"wrong:6:17: error: ticks has no column prize\n(?s:.*)price\?"):
        engine.push([tick(1, "x", 9), tick(2, "x", 7), tick(3, "x", 8)])
    assert given(engine.push([tick(4, "x", 9)])) == [("falls", [fall(1, 7)])]
    assert engine.statistics()["queries"]["wrong"]["error"] == "ticks has no column prize"


def test_a_row_that_has_no_value_ends_its_query_alone() -> None:
    engine = Engine(time="at")
    engine.register(FALL, "falls")
    engine.register(FALL.replace("price < PREV(price)", "12 / price > 3"), "shares")
    assert given(engine.push([tick(1, "x", 9), tick(2, "x", 3)])) == []
    with pytest.raises(StreamError, match=r"shares:6:12: error: /: division by zero \(at position 3\)"):
        engine.push([tick(3, "x", 7), tick(4, "x", 0)])
    assert given(engine.push([tick(5, "x", 8)])) == [
        ("falls", [fall(1, 3), fall(3, 0)]), ("shares", [fall(1, 3)]),
    ]  # fmt: skip
    assert engine.close() == []


ORDERS: dict[str, tuple[str, str | None, str]] = {
    "by something else": (
        "ORDER BY price", "at",
        r"query1:3:32: error: rows come in the order of at, so that is what ORDER BY begins with\n.*\n +\^{5}\n"
        r"hint: write ORDER BY at, or match a whole table, without time",
    ),
    "backwards": ("ORDER BY at DESC", "at", r"rows come in the order of at"),
    "by time behind something else": ("ORDER BY price, at", "at", r"rows come in the order of at"),
    "without times": (
        "ORDER BY at", None,
        "but the rows have no times here\n(?s:.*)hint: say which column has them .time., or leave ORDER BY out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", ORDERS)
def test_rows_come_in_the_order_of_time(what: str) -> None:
    order, time, message = ORDERS[what]
    with pytest.raises(QueryError, match=message):
        running(FALL.replace("ORDER BY at", order), time=time)


def test_match_wants_it_so_where_it_is_told_the_time() -> None:
    text = FALL.replace("ORDER BY at", "ORDER BY price")
    with pytest.raises(QueryError, match="<query>:3:32: error: rows come in the order of at"):
        tuples.match(text, [tick(1, "x", 9)], time="at")
    assert tuples.match(text, [tick(1, "x", 9)]).count() == 0


REFUSED: dict[str, tuple[type[Exception], str, Callable[[], Any]]] = {
    "CEQL where rows have no types": (
        OptionError, "the rows have no types here, as queries in SQL came first: say what has them",
        lambda: [(engine := running(FALL)).push([tick(1, "x", 9)]), engine.register("SELECT * WHERE T AS x")],
    ),
    "a bound on work": (
        OptionError, "is in SQL, whose work has no bound yet", lambda: running(FALL, bound=Bound(work=9)),
    ),
    "rows of parameters": (
        OptionError, "has no parameters", lambda: Engine(time="at").register(FALL, given=[{"a": 1}]),
    ),
    "a promise without times": (
        OptionError, "rows have no times here, so nothing is to be promised", lambda: Engine().advance(3),
    ),
    "WITHIN of numbers": (
        QueryError, "WITHIN needs times: at is of type BIGINT", lambda: running(SOON).push([tick(1, "x", 9)]),
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused(what: str) -> None:
    error, message, run = REFUSED[what]
    with pytest.raises(error, match=message):
        run()


def test_a_value_of_another_type_is_told_with_its_column() -> None:
    engine = running(FALL)
    engine.push([tick(1, "x", 9)])
    with pytest.raises(StreamError, match="<push 2>, row 0: error: the column price was int64 so far, but is string"):
        engine.push([tick(2, "x", "much")])


# ── a source in order ────────────────────────────────────────────────────────────────────────────────────
ROWS = [tick(1, "x", 9), tick(2, "y", 4), tick(3, "x", 7), tick(4, "y", 3), tick(5, "x", 8), tick(6, "y", 2)]


def test_match_gives_results_as_they_are_decided() -> None:
    read: list[int] = []

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for row in ROWS:
            read.append(row["at"])
            yield pyarrow.RecordBatch.from_pylist([row])

    found = [(batch.to_pylist(), len(read)) for batch in tuples.match(FALL, batches(), time="at")]
    assert found == [([fall(1, 7)], 5), ([fall(2, 2, "y")], 6)]
    read.clear()
    assert [len(read) for _ in tuples.match(FALL, batches())] == [6]


def test_match_finds_the_same_with_time_and_without() -> None:
    """In the order in which it is decided, not in that of partitions."""
    rows = [tick(number, f"name {number % 3}", number * 7 % 11) for number in range(60)]
    table = pyarrow.Table.from_pylist(rows)
    timed, whole = (tuples.match(FALL, table, **options).to_arrow() for options in ({"time": "at"}, {}))
    assert not timed.equals(whole)
    assert timed.sort_by([("name", "ascending"), ("since", "ascending")]).equals(whole)


def test_a_file_is_read_so_too(tmp_path: Path) -> None:
    path = tmp_path / "ticks.csv"
    path.write_text("at,name,price\n" + "".join("{at},{name},{price}\n".format(**row) for row in ROWS))
    assert tuples.match(FALL, path, time="at").to_arrow().to_pylist() == [fall(1, 7), fall(2, 2, "y")]
    with pytest.raises(StreamError, match="the time at falls: 1 after 6"):
        tuples.match(FALL, [*ROWS, tick(1, "x", 9)], time="at").to_arrow()
