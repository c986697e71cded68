"""Rows for queries with parameters on tuples: what is read of tables, what results show, and what is refused."""

from __future__ import annotations

import pickle
import random
import re
from contextlib import suppress
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

from spaseq.errors import OptionError, QueryError, SnapshotError, SpaseqError, StreamError
from spaseq.tuples import Engine, match, prepare
from spaseq.tuples.parameter_rows import with_rows
from tests.snapshots.tuples import forged

QUERY = """SELECT * FROM Stock GIVEN $company, $limit
WHERE SELL AS s ; BUY AS b FILTER s[name = $company] AND b[name = $company AND price > $limit] WITHIN 10 EVENTS"""
EVENTS = [
    {"type": type_, "name": name, "price": price}
    for type_, name, price in [
        ("SELL", "A", 5), ("SELL", "B", 5), ("BUY", "A", 6), ("BUY", "B", 7), ("BUY", "A", 9), ("BUY", "B", 2),
    ]
]  # fmt: skip
ROWS = [{"company": "A", "limit": 5}, {"company": "B", "limit": 6}, {"company": "A", "limit": 8}]
SHOWN = [(2, "A", 5, [0], [2]), (3, "B", 6, [1], [3]), (4, "A", 5, [0], [4]), (4, "A", 8, [0], [4])]


def shown(table: pyarrow.Table) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in ("end", "company", "limit", "s", "b")) for row in table.to_pylist()]


def found(query: str, given: Any = None, events: Any = EVENTS) -> pyarrow.Table:
    return match(query, pyarrow.Table.from_pylist(events), given=given).to_arrow()


# ── what results show ────────────────────────────────────────────────────────────────────────────────────
def test_everything_has_the_parameters_before_the_variables() -> None:
    table = found(QUERY, ROWS)
    assert table.column_names == ["start", "end", "positions", "company", "limit", "s", "b"]
    assert shown(table) == SHOWN


def test_parameters_are_shown_where_select_names_them() -> None:
    table = found(QUERY.replace("*", "b.price, $company AS who, s"), ROWS)
    assert table.column_names == ["start", "end", "positions", "b.price", "who", "s"]
    assert table.column("who").to_pylist() == ["A", "B", "A", "A"]
    assert found(QUERY.replace("*", "s"), ROWS).column_names == ["start", "end", "positions", "s"]


def test_aggregates_have_the_parameters_first() -> None:
    table = found(QUERY.replace("*", "COUNT(*) AS n, SUM(b.price * $limit) AS total, $company"), ROWS)
    assert table.to_pylist() == [
        {"end": 2, "company": "A", "n": 1, "total": 30},
        {"end": 3, "company": "B", "n": 1, "total": 42},
        {"end": 4, "company": "A", "n": 1, "total": 45},
        {"end": 4, "company": "A", "n": 1, "total": 72},
    ]


def test_own_columns_make_room() -> None:
    query = QUERY.replace("$company", "$end")
    table = found(query, [{"end": "A", "limit": 5}])
    assert table.column_names == ["start", "end_", "positions", "end", "limit", "s", "b"]
    assert table.column("end").to_pylist() == ["A", "A"]


@pytest.mark.parametrize(
    ("values", "type_", "found_values"),
    [
        ([1, 2], "int64", [1, 2]),
        ([1, 2.5], "double", [1.0, 2.5]),
        ([2**70, 1], "double", [2.0**70, 1.0]),
        ([True, False], "bool", [True, False]),
        (["x", "1"], "string", ["x", "1"]),
        (["x", 1, True], "string", ["x", "1", "TRUE"]),
    ],
)
def test_columns_have_the_type_of_all_constants(values: list[Any], type_: str, found_values: list[Any]) -> None:
    """A parameter that nothing mentions is a label, and may be anything."""
    table = found("SELECT * GIVEN $label WHERE SELL AS s WITHIN 1 EVENTS", [{"label": value} for value in values])
    assert str(table.schema.field("label").type) == type_
    assert table.column("label").to_pylist() == found_values * 2


def test_no_rows_give_no_results() -> None:
    assert found(QUERY, []).num_rows == 0
    assert found(QUERY, []).column_names == ["start", "end", "positions", "company", "limit", "s", "b"]
    counted = QUERY.replace("*", "COUNT(*), $limit, s.name") + " GROUP BY s.name"
    assert (
        found(counted, []).column_names == ["end", "limit", "s.name", "COUNT(*)"] == found(counted, ROWS).column_names
    )


def test_rows_are_distinct_constants() -> None:
    given = prepare(
        QUERY.replace("$company, $limit", "($company, $limit) { ('A', 1) ('A', 1.0) ('A', 01) ('A', TRUE) }")
    )
    assert given.query.given is not None
    assert given.query.given.rows == (("A", 1), ("A", 1.0), ("A", True))


def test_the_length_of_the_window_is_given() -> None:
    query = "SELECT * GIVEN $n WHERE SELL AS s ; BUY AS b WITHIN $n {} "
    rows = [{"n": 1}, {"n": 2}]
    events = [{"type": one["type"], "t": 60 * number} for number, one in enumerate(EVENTS)]
    wanted = [(2, 1, [1]), (2, 2, [0]), (2, 2, [1]), (3, 2, [1])]

    def lengths(table: pyarrow.Table) -> list[tuple[int, int, list[int]]]:
        return sorted((row["end"], row["n"], row["s"]) for row in table.to_pylist())

    for window, options in (("EVENTS", {}), ("MINUTES", {"time": "t", "unit": "s"}), ("[m]", {})):
        some = pyarrow.Table.from_pylist([one | {"m": number} for number, one in enumerate(events)])
        assert lengths(match(query.format(window), some, given=rows, **options).to_arrow()) == wanted, window
    longer, some = query.format("SECONDS 1 MINUTES"), pyarrow.Table.from_pylist(events)
    table = match(longer, some, time="t", unit="s", given=[{"n": 59}, {"n": 60}]).to_arrow()
    assert lengths(table) == [(2, 59, [1]), (2, 60, [0]), (2, 60, [1]), (3, 60, [1])]


@pytest.mark.parametrize(
    ("condition", "value", "constant"),
    [
        ("price * $x > 10", 2, "2"), ("-$x < price", 3, "3"), ("name IN ('Z', $x)", "A", "'A'"),
        ("name LIKE $x", "A%", "'A%'"),
        ("price BETWEEN $x AND 6", 6, "6"), ("price IN $x..7", 6, "6"), ("$x OR price > 7", False, "FALSE"),
        ("NOT ($x = name)", "A", "'A'"), ("price >= $x", 5.5, "5.5"), ("$x", True, "TRUE"),
        ("b.price > s.price + $x", 1, "1"),
    ],
)  # fmt: skip
def test_a_parameter_stands_for_its_constant(condition: str, value: Any, constant: str) -> None:
    query = f"SELECT s, b {{}} WHERE SELL AS s ; BUY AS b FILTER b[{condition}] WITHIN 5 EVENTS"
    wanted = found(query.format("").replace("$x", constant)).to_pylist()
    assert found(query.format("GIVEN $x"), [{"x": value}]).to_pylist() == wanted != []


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────
def test_tables_of_all_kinds(tmp_path: Path) -> None:
    frame = pandas.DataFrame(ROWS)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_csv(tmp_path / "rows.tsv", index=False, sep="\t")
    frame.to_parquet(tmp_path / "rows.parquet")
    paths = [tmp_path / name for name in ("rows.csv", "rows.tsv", "rows.parquet")]
    for table in (frame, polars.DataFrame(ROWS), pyarrow.Table.from_pylist(ROWS), iter(ROWS), *paths, str(paths[0])):
        assert shown(found(QUERY, table)) == SHOWN


def test_a_cell_of_text_is_what_it_is_in_a_query(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("$a,b,$c\n12.5,x,'x'\n-3,y,TRUE\n 1e3 ,z,it's\n")
    query = prepare("SELECT * GIVEN $a, $c WHERE A")
    assert with_rows(query, path).rows == ((12.5, "x"), (-3, True), (1000.0, "it's"))
    values = [np.int64(3), np.float32(0.5), Decimal("4"), Decimal("3.0"), datetime(2026, 1, 31), "'x'", "3"]
    rows = with_rows(query, [{"$a": value, "?c": 1} for value in values]).rows
    assert rows == tuple((value, 1) for value in (3, 0.5, 4, 3.0, "2026-01-31T00:00:00", "'x'", "3"))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("company,limits\nA,1", ": error: there is no column limit, for the parameter $limit"),
        ("company,limit\nA,1\nB,", ":3: error: the column limit has no value: a row has a constant for each parameter"),
        ("company,limit\nA,1e999", "rows.csv:2: error: the column limit: the number 1e999… is out of range"),
        ("company,limit\nA,x", ":2: error: the column limit: $limit is part of a calculation, and this is no number"),
        ("company,limit\nA,-1", ":2: error: the column limit: $limit is the length of the window, and this is no "),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(lines + "\n")
    query = (
        "SELECT * GIVEN $company, $limit WHERE A FILTER A[name = $company AND price > $limit + 1] WITHIN $limit EVENTS"
    )
    for read in (lambda: found(query, path), lambda: Engine().register(query, given=path)):
        with pytest.raises(StreamError, match=re.escape(message)):
            read()


def test_what_cannot_be() -> None:
    with pytest.raises(OptionError, match=r"the query needs rows for GIVEN \$company, \$limit"):
        found(QUERY)
    with pytest.raises(OptionError, match="the query has no parameters: there is no GIVEN in it"):
        found("SELECT * WHERE SELL", ROWS)
    with pytest.raises(OptionError, match="the query has its rows in its text"):
        found(QUERY.replace("$company, $limit", "($company, $limit) { }"), ROWS)
    with pytest.raises(OptionError, match="rows are given as a path, a frame, a table or dictionaries, not 5"):
        found(QUERY, 5)
    with pytest.raises(StreamError, match="<rows>, row 1: error: the column limit has no value"):
        found(QUERY, [ROWS[0], {"company": "A", "limit": None}])
    with pytest.raises(
        StreamError, match="<rows>, row 0: error: the column limit: b'x' is no number, text or truth value"
    ):
        found(QUERY, [{"company": "A", "limit": b"x"}])
    with pytest.raises(QueryError, match=r"the query, row \('A', 'x'\): error: the attribute price of type int64"):
        found(QUERY, [{"company": "A", "limit": "x"}])


def test_prepared_queries_keep_their_rows() -> None:
    given = with_rows(prepare(QUERY), ROWS)
    assert shown(found(pickle.loads(pickle.dumps(given)))) == SHOWN  # type: ignore[arg-type]
    assert given.fingerprint == prepare(QUERY).fingerprint
    assert prepare(QUERY).rows is None


# ── several queries, and rows that come and go ───────────────────────────────────────────────────────────
def test_several_queries_read_the_events_once() -> None:
    several = {
        "given": QUERY,
        "text": QUERY.replace("$company, $limit", "($company, $limit) { ('A', 8) }"),
        "none": "SELECT * WHERE SELL",
    }
    matches = match(several, pyarrow.Table.from_pylist(EVENTS), given={"given": ROWS})
    tables = matches.to_arrow()
    assert shown(tables["given"]) == SHOWN
    assert shown(tables["text"]) == SHOWN[3:]
    assert tables["none"].num_rows == 2
    assert matches.forms["given"].variables == ("s", "b")
    with pytest.raises(OptionError, match="rows are given for givn, but did you mean given"):
        match(several, pyarrow.Table.from_pylist(EVENTS), given={"givn": ROWS})


def test_rows_of_an_engine() -> None:
    engine = Engine()
    engine.register(QUERY, "q", ROWS[:1])
    rows = engine.given("q")
    assert rows.add(ROWS[:2]) == 1  # before anything is known of the events
    assert engine.push(EVENTS[:2]) == []
    assert rows.add(ROWS) == 1
    assert (len(rows), list(rows)) == (3, ROWS)
    ((name, table),) = engine.push(EVENTS[2:4])
    assert (name, shown(table)) == ("q", SHOWN[:2])
    assert rows.remove([ROWS[0], {"company": "Z", "limit": 0}]) == 1
    assert engine.push(EVENTS[4:]) == []  # the last row saw no SELL
    told = engine.statistics()["queries"]["q"]
    assert (told["rows"], told["results"], told["events"]) == (2, 2, 6)
    assert rows.remove(ROWS) == 2
    assert engine.push(EVENTS) == []
    with pytest.raises(OptionError, match='there is no query named "r"'):
        engine.given("r")
    engine.register("SELECT * WHERE SELL", "r")
    with pytest.raises(OptionError, match='the query "r" has no parameters'):
        engine.given("r")


def test_a_row_that_makes_no_sense_ends_alone() -> None:
    engine = Engine()
    engine.register(QUERY, "q", [*ROWS, {"company": "A", "limit": "x"}])
    with pytest.raises(QueryError, match=r"q, row \('A', 'x'\): error: the attribute price"):
        engine.push(EVENTS)
    ((_, table),) = engine.push([])
    assert [row[:2] for row in shown(table)] == [row[:2] for row in SHOWN]
    engine = Engine.restore(engine.snapshot(), [QUERY])
    assert "row ('A', 'x')" in engine.statistics()["queries"]["q"]["error"]
    assert engine.push([{"type": "SELL", "name": "Z", "price": 1}]) == []
    assert engine.given("q").remove([{"company": "A", "limit": "x"}]) == 1
    assert "error" not in engine.statistics()["queries"]["q"]


def test_results_that_wait_have_the_columns_of_those_to_come() -> None:
    """A double comes to integers."""
    engine = Engine()
    engine.register(QUERY, "q", ROWS[:1])
    engine.push(EVENTS[:2])
    left = engine.push_tables(EVENTS[2:4])
    assert engine.given("q").add([{"company": "A", "limit": 5.5}]) == 1
    ((_, table),) = left
    assert (table.schema.field("limit").type, table.column("limit").to_pylist()) == (pyarrow.float64(), [5])


def test_rows_of_a_restored_engine() -> None:
    engine = Engine()
    engine.register(QUERY, "q", ROWS)
    engine.push(EVENTS[:2])
    data = engine.snapshot()
    kept = Engine.restore(data, [QUERY])
    assert list(kept.given("q")) == ROWS
    assert [each for _, table in kept.push(EVENTS[2:]) for each in shown(table)] == SHOWN
    other = Engine.restore(data, [QUERY], given={"q": [ROWS[1], {"company": "B", "limit": 0}]})
    assert len(other.given("q")) == 2
    assert [each for _, table in other.push(EVENTS[2:]) for each in shown(table)] == SHOWN[1:2]
    with pytest.raises(OptionError, match="rows are given for r, but known are q"):
        Engine.restore(data, [QUERY], given={"r": ROWS})
    before = Engine()
    before.register(QUERY, "q", ROWS)
    again = Engine.restore(before.snapshot(), [QUERY])  # nothing was pushed
    assert [each for _, table in again.push(EVENTS) for each in shown(table)] == SHOWN


def test_forged_rows_are_refused_or_harmless() -> None:
    engine = Engine()
    engine.register(QUERY, "q", ROWS)
    engine.register(QUERY.replace("*", "COUNT(*), $limit"), "n", ROWS)
    engine.push(EVENTS[:4])
    data, choose, refused = engine.snapshot(), random.Random(1), 0
    for _ in range(150):
        try:
            entered = Engine.restore(forged(data, choose), [QUERY, QUERY.replace("*", "COUNT(*), $limit")])
        except SnapshotError:
            refused += 1
            continue
        with suppress(SpaseqError):
            entered.statistics()
            entered.push(EVENTS)
    assert 40 < refused < 150


def test_columns_without_values_get_types_while_rows_run() -> None:
    engine = Engine()
    engine.register("SELECT $n, b.p GIVEN $n WHERE A AS a ; B AS b WITHIN $n EVENTS", "q", [{"n": 1}, {"n": 2}])
    results = []
    for kind, value in (("A", None), ("B", None), ("A", None), ("B", 7), ("B", 8)):
        results += [row for _, table in engine.push([{"type": kind, "p": value}]) for row in table.to_pylist()]
    assert [(row["end"], row["n"], row["b.p"]) for row in results] == [
        (1, 1, None), (1, 2, None), (3, 1, 7), (3, 2, 7), (4, 2, 8),
    ]  # fmt: skip
