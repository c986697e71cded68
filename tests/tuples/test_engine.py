"""``Engine``: rows that are pushed, as a user meets it."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas
import pyarrow
import pytest

from spaseq.errors import (
    BusyError,
    OptionError,
    OutOfMemoryError,
    QueryError,
    QuerySyntaxError,
    SpaseqError,
    StreamError,
)
from spaseq.tuples import Engine, match, prepare, queries as prepared
from spaseq.tuples.selection import selection

PAIRS = "SELECT * WHERE A AS a ; B AS b WITHIN 10 EVENTS"
TIMED = "SELECT * WHERE A AS a ; B AS b WITHIN 10 SECONDS"
RISING = "SELECT * WHERE A AS a ; B AS b FILTER b[p > a.p] WITHIN 10 EVENTS"


def row(kind: str, at: Any = 0, **values: Any) -> dict[str, Any]:
    return {"type": kind, "at": at, **values}


def engine(*queries: str, **options: Any) -> Engine:
    made = Engine(**options)
    for query in queries:
        made.register(query)
    return made


def timed(*queries: str, lateness: int = 0, **options: Any) -> Engine:
    return engine(*queries, time="at", unit="s", lateness=timedelta(seconds=lateness), **options)


def positions(found: list[tuple[str, pyarrow.Table]], name: str = "query1") -> list[list[int]]:
    return sorted(each for one, table in found if one == name for each in table["positions"].to_pylist())


# ── what comes back, and when ────────────────────────────────────────────────────────────────────────────
def test_results_come_when_they_are_decided() -> None:
    live = engine(PAIRS, "SELECT COUNT(*) AS pairs WHERE A ; B")
    assert live.push([row("A")]) == []
    (name, table), (other, counts) = live.push([row("A"), row("B"), row("B")])
    assert (name, other) == ("query1", "query2")
    assert sorted(table["positions"].to_pylist()) == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert table.column_names == ["start", "end", "positions", "a", "b"]
    assert counts.to_pylist() == [{"end": 2, "pairs": 2}, {"end": 3, "pairs": 2}]
    assert live.close() == []


def test_results_are_in_the_order_of_registration() -> None:
    live = Engine()
    for name in ("z", "a", "m"):
        live.register(PAIRS, name)
    assert live.queries == ("z", "a", "m")
    assert [name for name, _ in live.push([row("A"), row("B")])] == ["z", "a", "m"]


@pytest.mark.parametrize(
    "form",
    [
        lambda rows: rows,
        iter,
        lambda rows: pyarrow.Table.from_pylist(rows),
        lambda rows: pyarrow.RecordBatch.from_pylist(rows),
        lambda rows: pyarrow.Table.from_pylist(rows).to_reader(),
        lambda rows: pyarrow.Table.from_pylist(rows).to_batches(),
        lambda rows: pandas.DataFrame(rows),
    ],
)
def test_forms_of_batches(form: Callable[[list[dict[str, Any]]], Any]) -> None:
    live = engine(RISING)
    found = live.push(form([row("A", p=1), row("B", p=2)])) + live.push(form([row("B", p=1), row("B", p=3)]))
    assert positions(found) == [[0, 1], [0, 3]]


def test_a_batch_without_rows() -> None:
    live = engine(RISING)
    for empty in ([], pyarrow.Table.from_pylist([row("A", p=1.5)]).slice(0, 0), pandas.DataFrame()):
        assert live.push(empty) == []
    assert positions(live.push([row("A", p=1), row("B", p=2.5)])) == [[0, 1]]


def test_tables_of_bounded_size() -> None:
    live = engine("SELECT * WHERE A+ AS a ; B WITHIN 100 EVENTS")
    tables = live.push_tables([row("A")] * 17 + [row("B")])
    sizes = [table.num_rows for _, table in tables]
    assert (sum(sizes), len(sizes) > 1) == (2**17 - 1, True)


def test_what_is_not_taken_of_tables_comes_later() -> None:
    live = engine("SELECT * WHERE A+ AS a ; B WITHIN 100 EVENTS", PAIRS)
    tables = live.push_tables([row("A")] * 17 + [row("B")])
    name, first = next(tables)
    with pytest.raises(BusyError, match="not all tables of push_tables are taken"):
        live.push([row("A")])
    tables.close()
    live.register(PAIRS, "later")
    found = live.push([row("B")])
    counts = {name: sum(table.num_rows for one, table in found if one == name) for name in live.queries}
    assert counts["query1"] + first.num_rows == 2 * (2**17 - 1)
    assert (name, counts["query2"], counts["later"]) == ("query1", 10 + 9, 0)


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────
def test_rows_wait_for_those_that_may_be_before_them() -> None:
    live = timed(TIMED, lateness=5)
    assert live.push([row("B", 7), row("A", 4)]) == []
    assert live.statistics()["queries"]["query1"]["waiting_events"] == 2
    assert positions(live.push([row("B", 12)])) == [[0, 1]]
    assert positions(live.advance(13_000_000)) == [[0, 2]]
    assert live.advance(datetime(1970, 1, 1, 0, 0, 20, tzinfo=UTC)) == []


def test_late_rows_are_told_with_all_their_columns() -> None:
    late: list[pyarrow.Table] = []
    live = timed(TIMED, lateness=2, on_late=late.append)
    live.push([row("A", 10), row("B", 7, note="x"), row("B", 8, note="y"), row("B", 7, note="z")])
    (told,) = late
    assert told.to_pylist() == [row("B", 7, note="x"), row("B", 7, note="z")]
    stream = live.statistics()["streams"][""]
    assert {name: stream[name] for name in ("events", "late", "first_late", "lateness_needed")} == {
        "events": 4, "late": 2, "first_late": "<push 1>, row 1", "lateness_needed": 3_000_000,
    }  # fmt: skip
    live.close()
    assert live.push([row("B", 99)]) == []
    assert len(late) == 2


def test_rows_without_a_time() -> None:
    given = [row("A", 1), row("B", None), row("B", 2)]
    live = timed(TIMED)
    with pytest.raises(StreamError, match=r"<push 1>, row 1: error: the time at is NULL"):
        live.push(given)
    assert live.push([row("A", 1)]) == []  # nothing of the batch was taken
    live = timed(TIMED, on_error="skip")
    assert positions(live.push(given)) == [[0, 1]]
    stream = live.statistics()["streams"][""]
    assert (stream["skipped"], stream["first_skipped"]) == (1, "at <push 1>, row 1: the time at is NULL")


def test_times_that_are_texts() -> None:
    live = engine(TIMED, time="at", time_format="%d.%m.%Y %H:%M:%S", lateness=timedelta(seconds=1))
    rows = [{"type": kind, "at": f"31.01.2026 09:30:0{second}"} for kind, second in [("B", 1), ("A", 0), ("B", 4)]]
    assert positions(live.push(rows)) == [[0, 1]]
    with pytest.raises(StreamError, match="'soon', which is not of the form"):
        live.push([{"type": "A", "at": "soon"}])


def test_without_times_rows_count_as_they_come() -> None:
    live = engine(PAIRS)
    with pytest.raises(OptionError, match="say which column has them"):
        live.advance(5)
    assert positions(live.push([row("A", 9), row("B", 1)])) == [[0, 1]]
    live.close()
    assert live.push([row("B")]) == []
    assert live.statistics()["streams"][""]["late"] == 1


# ── streams ──────────────────────────────────────────────────────────────────────────────────────────────
STREAMS = "SELECT * FROM S, T WHERE S>A AS a ; T>A AS b WITHIN 10 SECONDS"


def test_streams_in_turn() -> None:
    """S at 1, T at 1, T at 2, S at 3, T at 3: as ``match`` counts them."""
    rows = {"S": [row("A", 1), row("A", 3)], "T": [row("A", 1, p=2.5), row("B", 2), row("A", 3)]}
    for query in (STREAMS, STREAMS.replace("FROM S, T", "FROM T, S"), STREAMS.replace(";", ":")):
        live = timed(query)
        found = live.push(rows["S"], "S") + live.push(rows["T"][:1], "T") + live.push(rows["T"][1:], "T")
        expected = match(query, rows, time="at", unit="s").to_arrow()["positions"].to_pylist()
        assert positions(found + live.close()) == sorted(expected)


def test_a_silent_stream_holds_the_others_back() -> None:
    live = timed(STREAMS)
    assert live.push([row("A", 1), row("A", 2)], "S") == []
    query = live.statistics()["queries"]["query1"]
    assert (query["waiting_events"], query["held_back_by"], query["why"][0]) == (2, "T", "2 events wait for T")
    assert live.push([row("A", 2)], "T") == []
    assert positions(live.advance(3_000_000, "T") + live.advance(3_000_000, "S")) == [[0, 2], [1, 2]]
    live.close("T")
    assert live.push([row("A", 30)], "S") == []
    assert live.statistics()["queries"]["query1"]["waiting_events"] == 0


def test_queries_of_different_streams_count_their_own_events() -> None:
    live = timed("SELECT * FROM T WHERE A : A", "SELECT * FROM S, T WHERE A : A", "SELECT * WHERE A : A")
    found = []
    for at in range(4):
        found += live.push([row("A", at)], "ST"[at % 2])
    found += live.close()
    assert [positions(found, name) for name in live.queries] == [
        [[0, 1]],
        [[0, 1], [1, 2], [2, 3]],
        [[0, 1], [1, 2], [2, 3]],
    ]


def test_a_column_of_a_later_stream() -> None:
    """Its type is known when the first rows of the query have their turn."""
    live = timed("SELECT * FROM S, T WHERE S>A AS a ; T>A AS b FILTER b[p > a.q]")
    live.push([row("A", 1, q=2)], "S")
    live.push([row("A", 2, p=2.5), row("A", 3, p=1.5)], "T")
    assert positions(live.close()) == [[0, 1]]


def test_streams_in_a_column() -> None:
    live = engine("SELECT * FROM S WHERE A : A", "SELECT * WHERE T>A : S>A", stream="of")
    found = live.push([row("A", of="S"), row("A", of="T"), row("A", of="S")])
    assert [positions(found, name) for name in live.queries] == [[[0, 1]], [[1, 2]]]
    with pytest.raises(OptionError, match="the column of says of which stream"):
        live.push([row("A", of="S")], "S")


def test_a_stream_that_begins_late() -> None:
    late: list[pyarrow.Table] = []
    live = timed("SELECT * WHERE A ; A WITHIN 100 SECONDS", on_late=late.append)
    live.push([row("A", 5)], "S")
    assert positions(live.push([row("A", 4), row("A", 6)], "T")) == []
    assert [table.to_pylist() for table in late] == [[row("A", 4)]]
    assert positions(live.close()) == [[0, 1]]


# ── queries that come and go ─────────────────────────────────────────────────────────────────────────────
def test_a_query_sees_what_comes_after_it() -> None:
    live = engine(PAIRS)
    live.push([row("A"), row("A")])
    assert live.register(PAIRS) == "query2"
    assert live.register("SELECT COUNT(*) AS n WHERE A ; B", "count") == "count"
    found = live.push([row("A"), row("B")])
    assert (positions(found), positions(found, "query2")) == ([[0, 3], [1, 3], [2, 3]], [[2, 3]])
    assert found[2][1].to_pylist() == [{"end": 3, "n": 1}]
    live.unregister("query1")
    assert [name for name, _ in live.push([row("B")])] == ["query2", "count"]
    assert live.register(PAIRS) == "query1"
    assert [name for name, _ in live.push([row("B")])] == ["query2", "count"]


def test_a_query_does_not_see_what_waits_when_it_comes() -> None:
    live = timed(TIMED, lateness=5)
    live.push([row("A", 1)])
    live.register(TIMED, "later")
    found = live.push([row("A", 2), row("B", 3)]) + live.close()
    assert (positions(found), len(positions(found, "later"))) == ([[0, 2], [1, 2]], 1)


def test_a_new_column_for_a_new_query() -> None:
    live = engine(PAIRS)
    live.push([row("A", p=1)])
    live.register("SELECT a.q, b.q AS r WHERE A AS a ; B AS b FILTER b[q LIKE 'x%']", "texts")
    found = dict(live.push([row("A", q="y"), row("B", q="xz")]))
    assert found["texts"].to_pylist() == [{"start": 1, "end": 2, "positions": [1, 2], "a.q": "y", "r": "xz"}]


def test_a_prepared_query_in_many_engines() -> None:
    prepared = prepare(RISING)
    for _ in range(2):
        live = engine()
        live.register(prepared, "one")
        assert positions(live.push([row("A", p=1), row("B", p=2)]), "one") == [[0, 1]]
    assert match(prepared, [row("A", p=1), row("B", p=2)]).count() == 1


def test_all_kinds_of_windows_and_partitions() -> None:
    queries = [
        "SELECT * WHERE A AS a ; B AS b PARTITION BY [k] WITHIN 3 EVENTS",
        "SELECT * WHERE A AS a : B AS b PARTITION BY [k, type] WITHIN 2 SECONDS",
        "SELECT * WHERE A AS a ; B AS b WITHIN 3 [p]",
        "SELECT COUNT(*) AS n, MAX(b.p) AS p WHERE A AS a ; B AS b WITHIN 3 [p] GROUP BY a.k",
        "SELECT COUNT(*) AS n, b.k WHERE A AS a ; B+ AS c ; B AS b PARTITION BY [k] WITHIN 9 SECONDS GROUP BY b.k",
        "SELECT MAX * WHERE A+ AS a ; B AS b PARTITION BY [k] WITHIN 5 SECONDS CONSUME BY PARTITION",
    ]
    rows = [row("AB"[n * n % 3 % 2], n // 2, k="xyz"[n % 3], p=n % 7 + n / 10) for n in range(60)]
    live, found = timed(*queries), {f"query{n}": [] for n in range(1, len(queries) + 1)}
    for start in range(0, 60, 4):
        for name, table in live.push(rows[start : start + 4]):
            found[name] += table.to_pylist()
    for query, some in zip(queries, found.values(), strict=True):
        expected = match(query, rows, time="at", unit="s").to_arrow().to_pylist()
        assert sorted(map(str, some)) == sorted(map(str, expected))


# ── columns ──────────────────────────────────────────────────────────────────────────────────────────────
def test_columns_may_differ_between_batches() -> None:
    live = engine(RISING)
    assert live.push([row("A", p=1, other=5)]) == []
    assert live.push([{"extra": 1, "type": "B"}]) == []  # p is NULL
    assert live.push(pyarrow.table({"p": pyarrow.array([7.0]), "type": pyarrow.array(["C"]).dictionary_encode()})) == []
    assert positions(live.push(pyarrow.table({"p": pyarrow.array([2], pyarrow.uint8()), "type": ["B"]}))) == [[0, 3]]


def test_columns_may_differ_while_rows_wait() -> None:
    """As long as no query has begun to read them, a column has the type that all of them need."""
    live = timed(RISING.replace("EVENTS", "SECONDS"), lateness=100)
    for rows in ([row("A", 3, p=1)], [row("B", 4)], [row("A", 1, p=1.5)], [row("B", 2, p=None)], [row("B", 5, p=2)]):
        assert live.push(rows) == []
    with pytest.raises(StreamError, match="the column p was double so far, but is string now"):
        live.push([row("B", 6, p="x")])
    assert positions(live.close()) == [[0, 4], [2, 4]]


@pytest.mark.parametrize("form", [list, pyarrow.Table.from_pylist, pandas.DataFrame])
def test_no_column_is_needed(form: Callable[[list[dict[str, Any]]], Any]) -> None:
    live = engine("SELECT * WHERE Q : Q", relation="Q")
    assert positions(live.push(form([{"x": 1}])) + live.push(form([{"y": 1}, {"y": 2}]))) == [[0, 1], [1, 2]]


def test_types_stay_as_they_were() -> None:
    live = engine(RISING)
    live.push([row("A", p=1)])
    with pytest.raises(StreamError, match=r"(?s)<push 2>.*the column p was int64 so far.*declare its type.*double"):
        live.push([row("B", p=2.5)])
    with pytest.raises(StreamError, match=r"(?s)the column p was int64 so far, but is string now"):
        live.push([row("B", p="2")])
    assert positions(live.push([row("B", p=2.0)])) == [[0, 1]]
    assert live.statistics()["streams"][""]["events"] == 2
    live = engine(RISING, types={"p": "double"})
    live.push([row("A", p=1)])
    assert positions(live.push([row("B", p=2.5)])) == [[0, 1]]


def test_a_column_of_nulls_takes_its_type_from_the_first_value() -> None:
    live = engine(RISING)
    assert live.push([row("A", p=None)]) == live.push([row("A", p=1)]) == []
    assert positions(live.push([row("B", p=2)])) == [[1, 2]]
    assert live.push([row("B", p=None)]) == []


def test_a_declared_column_may_come_later() -> None:
    live = engine(RISING, types={"p": "int64"})
    live.push([row("A")])
    assert positions(live.push([row("A", p=1), row("B", p=2.0)])) == [[1, 2]]


def test_text_columns_with_and_without_dictionaries() -> None:
    query = "SELECT b.n AS found WHERE A AS a ; B AS b FILTER b[n = a.n] PARTITION BY [k]"
    live, found = engine(query), []
    plain = pyarrow.table({"type": ["A", "B"], "n": ["x", "y"], "k": ["1", "1"]})
    coded = pyarrow.table(
        {name: column.dictionary_encode() for name, column in zip(plain.column_names, plain.columns, strict=True)}
    )
    for table in (plain, coded, plain, coded):
        found += live.push(table.take([0])) + live.push(table.take([1])) + live.push(pyarrow.concat_tables([table] * 2))
    assert positions(found) == []
    same = coded.set_column(1, "n", pyarrow.array(["x", "x"]))
    assert [name for _, table in live.push(same) for name in table["found"].to_pylist()] == ["x"] * 13


# ── mistakes ─────────────────────────────────────────────────────────────────────────────────────────────
def test_an_unknown_column_ends_its_query_alone() -> None:
    live = engine(PAIRS)
    live.register("SELECT * WHERE A AS a ; B AS b FILTER b[prize > 3]", "typo")
    with pytest.raises(QueryError, match=r"(?s)typo: error: the events have no attribute prize.*did you mean price"):
        live.push([row("A", price=1), row("B", price=2)])
    assert positions(live.push([row("B", price=2)])) == [[0, 1], [0, 2]]
    assert live.statistics()["queries"]["typo"]["error"] == "the events have no attribute prize"
    live.unregister("typo")
    assert list(live.statistics()["queries"]) == ["query1"]


def test_each_query_that_ends_tells_it() -> None:
    """Also one that ends after the error of another one was told."""
    live = engine(RISING, RISING.replace("p >", "q >").replace("a.p", "a.q"))
    live.push([row("A", p=1, q=1)])
    with pytest.raises(StreamError, match="query1: error: a number of p is too large"):
        live.push([row("B", p=2**63 - 1, q=2)])
    with pytest.raises(StreamError, match="query2: error: a number of q is too large"):
        live.push([row("B", p=2, q=2**63 - 1)])


def test_a_number_that_does_not_compare_ends_its_query_alone() -> None:
    live = engine(RISING, PAIRS)
    live.push([row("A", p=1)])
    with pytest.raises(StreamError, match="query1: error: a number of p is too large"):
        live.push([row("B", p=2**63 - 1)])
    assert positions(live.push([row("B", p=2)]), "query2") == [[0, 1], [0, 2]]
    assert "too large" in live.statistics()["queries"]["query1"]["error"]


def twice(query: str, name: str) -> None:
    live = engine()
    live.register(query, name)
    live.register(query, name)


def pushed(query: str, *streams: str | None) -> None:
    """An event of each of the streams."""
    live = timed(query)
    for stream in streams:
        live.push([row("A", 1)], stream)


ONE = "SELECT * FROM S WHERE U>A"
WRONG: dict[str, tuple[type[Exception], str, Callable[[], object]]] = {
    "no query": (OptionError, "a text", lambda: engine().register(5)),  # type: ignore[arg-type]
    "syntax": (QuerySyntaxError, "unexpected", lambda: engine("SELECT * WHERE A ; ;")),
    "window": (QueryError, "again: error: WITHIN measures time", lambda: engine().register(TIMED, "again")),
    "name": (OptionError, 'a query named "x" already', lambda: twice(PAIRS, "x")),
    "no name": (OptionError, "the name of a query is a text", lambda: engine().register(PAIRS, "")),
    "unregister": (OptionError, 'no query named "x"', lambda: engine().unregister("x")),
    "several streams": (QueryError, "FROM names several streams", lambda: pushed(STREAMS, None)),
    "stream without name": (QueryError, "S>A asks for a stream", lambda: pushed("SELECT * WHERE S>A", None)),
    "another stream": (OptionError, "no query reads a stream U; ", lambda: pushed(STREAMS, "U")),
    "no such stream": (QueryError, "unknown stream U", lambda: pushed(ONE, "S")),
    "stream's name": (OptionError, "the name of a stream is a text", lambda: pushed(PAIRS, "")),
    "named, then not": (OptionError, "streams have names here .S.", lambda: pushed(PAIRS, "S", None)),
    "not named, then so": (OptionError, "rows came without a stream", lambda: pushed(PAIRS, None, "S")),
    "no types": (OptionError, "there is no column type: say which column", lambda: engine(PAIRS).push([{"a": 1}])),
    "no times": (OptionError, "there is no column at for the times", lambda: timed(PAIRS).push([{"type": "A"}])),
    "types and one": (OptionError, "either a column has the types", lambda: Engine(type="a", relation="A")),
    "types are numbers": (
        StreamError, "<push 1>: error: the types of the events are texts", lambda: engine(PAIRS).push([{"type": 1}]),
    ),
    "times are texts": (
        StreamError, "<push 1>, row 0: error: the time at is 'x', which is no time",
        lambda: timed(PAIRS).push([row("A", at="x")]),
    ),
    "a file": (OptionError, "match reads files", lambda: engine(PAIRS).push("events.csv")),
    "a row": (OptionError, r"write \[row\] for a single one", lambda: engine(PAIRS).push(row("A"))),
    "a number": (OptionError, "not from int", lambda: engine(PAIRS).push(5)),
    "no row": (StreamError, "<push 1>, row 1: error: a row is a dict", lambda: engine(PAIRS).push([row("A"), 5])),
    "lateness": (OptionError, "a lateness cannot be negative", lambda: Engine(time="t", lateness=-1)),
    "lateness without time": (OptionError, "lateness is about times", lambda: Engine(lateness=1)),
    "unit": (OptionError, "the unit of time is us, ms or s", lambda: Engine(time="t", unit="ns")),
    "on_error": (OptionError, "on_error is stop or skip", lambda: Engine(on_error="drop")),
    "on_late": (OptionError, "on_late is a function", lambda: Engine(time="t", on_late=5)),  # type: ignore[arg-type]
    "promise": (OptionError, "a timestamp is an int", lambda: timed(PAIRS).advance("soon")),  # type: ignore[arg-type]
    "declared": (OptionError, "unknown type number", lambda: Engine(types={"p": "number"})),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_can_be_wrong(case: str) -> None:
    kind, says, wrong = WRONG[case]
    with pytest.raises(kind, match=says):
        wrong()


def test_nothing_of_a_wrong_batch_is_taken() -> None:
    live = timed(RISING, types={"p": "int64"})
    for wrong in ([row("A", 1), row("A", 2, p="x")], [row("A", 1), 5], [row("A", 1), row("A", None)]):
        with pytest.raises(SpaseqError):
            live.push(wrong)
    assert live.statistics()["streams"] == {}
    assert positions(live.push([row("A", 1, p=1), row("B", 1, p=2)])) == [[0, 1]]


# ── threads and callbacks ────────────────────────────────────────────────────────────────────────────────
def test_a_second_thread_is_refused() -> None:
    inside, go_on, errors = threading.Event(), threading.Event(), []

    def rows() -> Any:
        yield row("A")
        inside.set()
        go_on.wait(10)
        yield row("B")

    live = engine(PAIRS)
    found: list[Any] = []
    worker = threading.Thread(target=lambda: found.extend(live.push(rows())))
    worker.start()
    inside.wait(10)
    for call in (lambda: live.push([row("B")]), live.close, live.statistics, lambda: live.register(PAIRS)):
        with pytest.raises(BusyError, match="in another thread"):
            call()
    go_on.set()
    worker.join()
    assert (positions(found), errors) == ([[0, 1]], [])


def test_a_callback_may_ask_for_statistics_alone() -> None:
    told: list[int] = []

    def on_late(table: pyarrow.Table) -> None:
        told.append(live.statistics()["streams"][""]["late"])
        with pytest.raises(BusyError, match="has called you"):
            live.push([row("A", 9)])

    live = timed(TIMED, on_late=on_late)
    live.push([row("A", 5), row("A", 4)])
    assert told == [1]


def test_statistics_are_fit_for_json() -> None:
    live = timed(TIMED, "SELECT COUNT(*) AS n, c.p WHERE A ; C AS c GROUP BY c.p")
    assert live.statistics()["queries"]["query1"]["results"] == 0
    live.push([row("A", 1, p=3), row("B", 2, p=4)])
    told = json.loads(json.dumps(live.statistics()))
    assert told["queries"]["query1"]["results"] == 1
    assert told["queries"]["query2"]["why"] == ["no event fits c"]
    assert re.fullmatch(r"1970-01-01T00:00:02.*Z", told["streams"][""]["newest_event"])


def test_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    live = engine(PAIRS)
    live.push([row("A")])
    with monkeypatch.context() as within:
        within.setattr(selection, "edges", fail)
        with pytest.raises(OutOfMemoryError, match="this engine cannot go on"):
            live.push([row("B")])
    with pytest.raises(OutOfMemoryError, match="out of memory earlier"):
        live.push([row("B")])


@pytest.mark.parametrize(("compared", "plans"), [("p", 1), ("n", 2)])
def test_a_query_is_planned_once(compared: str, plans: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once more if the order of texts is compared, as only the events show."""
    made: list[object] = []
    prepared._prepared.cache_clear()
    planned = prepared.planned
    monkeypatch.setattr(prepared, "planned", lambda *given: made.append(given) or planned(*given))
    rows = [row("A", p=1, n="a"), row("B", p=2, n="b")]
    query = f"SELECT * WHERE A AS a ; B AS b FILTER b[{compared} > a.{compared}] WITHIN 10 EVENTS"
    assert match(query, rows).count() == 1
    assert len(made) == plans
    assert positions(engine(query).push(rows)) == [[0, 1]]
    assert len(made) == 2 * plans - 1  # it was prepared before
