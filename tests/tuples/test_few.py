"""Dictionaries that are pushed by a few come to the same as rows of Arrow: results, errors, counters, late rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from spaseq.errors import SpaseqError
from spaseq.tuples import Engine, pushed_rows as few_pushed
from spaseq.tuples.columns import rows as few
from spaseq.tuples.encoding import history, symbols, symbols as steps

QUERIES = {
    "local": "SELECT * WHERE A AS a ; B AS b FILTER a[p > 1.5 AND t = 'x'] AND b[n % 2 = 0 OR t LIKE 'y%']"
    " WITHIN 9 SECONDS",
    "joined": "SELECT a.t, b.p WHERE A AS a ; B AS b FILTER b[p > a.p AND n >= a.n] WITHIN 20 SECONDS",
    "texts": "SELECT b.t WHERE A AS a ; B AS b FILTER b[t = a.t] WITHIN 20 EVENTS",
    "mixed": "SELECT * WHERE A AS a ; B AS b ; A AS c FILTER c[p + a.n > b.p * 2 OR b.t != a.t] WITHIN 20 SECONDS",
    "keys": "SELECT b.b, a.w WHERE A AS a ; B AS b PARTITION BY [n, t] WITHIN 30 SECONDS",
    "booleans": "SELECT * WHERE A AS a ; B AS b FILTER b[b = a.b] PARTITION BY [p] WITHIN 30 SECONDS",
    "instants": "SELECT b.w WHERE A AS a ; B AS b FILTER b[w > a.w AND w < '2026-03-01'] WITHIN 30 SECONDS",
    "measured": "SELECT * WHERE A AS a ; B AS b WITHIN 3 [n]",
    "totals": "SELECT b.t, COUNT(*) AS n, SUM(b.n) AS s, AVG(b.p) AS m WHERE A AS a ; B AS b WITHIN 9 SECONDS"
    " GROUP BY b.t",
    "greatest": "SELECT MAX(a.t) AS t, MIN(b.w) AS w WHERE A AS a ; B AS b WITHIN 9 SECONDS",
}  # fmt: skip
TYPES = {"p": "double", "n": "int64", "t": "string", "b": "bool", "w": "timestamp", "type": "string", "at": "int64"}
USUAL: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from("AB"),
    "at": st.integers(0, 30),
    "p": st.sampled_from([0.5, 1.5, 2.5, -0.0, 0.0, 3, None, math.nan]),
    "n": st.integers(-2, 3) | st.none(),
    "t": st.sampled_from(["x", "y", "yes", "ü", None]),
    "b": st.booleans() | st.none(),
    "w": st.sampled_from([None, datetime(2026, 1, 31), datetime(2026, 4, 1, 12, tzinfo=UTC), datetime(2026, 2, 1)]),
}
ODD: dict[str, st.SearchStrategy[Any]] = {
    "type": st.sampled_from(["A", None, 5, "\ud800", numpy.str_("B")]),
    "at": st.sampled_from([None, 2**60, -(2**63), 5.0, 2.5, True, numpy.int64(7), "soon"]),
    "p": st.sampled_from([2**53 + 1, 2**70, "1.5", True, Decimal("1.5"), numpy.float32(2.5), math.inf]),
    "n": st.sampled_from([2**63 - 1, 2**63, -(2**63), 2**70, 2.0, 2.5, True, numpy.int8(1), "7"]),
    "t": st.sampled_from([5, b"x", "\udcff", numpy.str_("x"), math.nan]),
    "b": st.sampled_from([0, 1.0, "true", numpy.bool_(True)]),
    "w": st.sampled_from([date(2026, 1, 31), 5, "2026-01-31", numpy.datetime64("2026-01-31"), datetime.max]),
}


@st.composite
def rows(draw: st.DrawFn, odd: float) -> dict[str, Any]:
    chosen = {name: draw(strategy) for name, strategy in USUAL.items()}
    if draw(st.floats(0, 1)) < odd:
        name = draw(st.sampled_from(list(ODD)))
        chosen[name] = draw(ODD[name])
    if draw(st.integers(0, 9)) == 0:
        del chosen[draw(st.sampled_from([*ODD, "p", "n"]))]
    if draw(st.integers(0, 9)) == 0:
        chosen[draw(st.sampled_from(["more", "other"]))] = 1
    return chosen


@contextmanager
def at_most(number: int) -> Iterator[None]:
    """Within, so many dictionaries of a push are few."""
    before, few_pushed.MOST_FEW = few_pushed.MOST_FEW, number
    try:
        yield
    finally:
        few_pushed.MOST_FEW = before


def outcome(call: Callable[[], list[tuple[str, pyarrow.Table]]]) -> Any:
    """Results in a form that compares, or the error."""
    try:
        return [(name, table.schema, sorted(map(repr, table.to_pylist()))) for name, table in call()]
    except SpaseqError as error:
        return type(error), str(error)


def told(engine: Engine, pushes: Sequence[list[dict[str, Any]]], late: list[Any], moves: bool) -> Iterator[Any]:
    """What comes of each push, in a form that compares."""
    for number, push in enumerate(pushes):
        yield outcome(lambda push=push, engine=engine: engine.push(push))  # type: ignore[misc]
        if moves and number % 3 == 2:
            data = engine.snapshot()
            engine = Engine.restore(data, QUERIES, on_late=late.append)
            assert engine.snapshot() == data
    yield from (outcome(engine.close) for _ in QUERIES)  # each of them may have an error
    statistics = engine.statistics()
    for query in statistics["queries"].values():
        query.pop("kernel", None)
    yield statistics


def both(pushes: Sequence[list[dict[str, Any]]], moves: bool = False, **options: Any) -> None:
    """By lists, and by Arrow."""
    found = []
    for most in (few.MOST_FEW, 0):
        late: list[Any] = []
        engine = Engine(time="at", unit="s", on_late=late.append, **options)
        for name, query in QUERIES.items():
            engine.register(query, name)
        with at_most(most):
            found.append((list(told(engine, pushes, late, moves)), [table.to_pylist() for table in late]))
    assert repr(found[0]) == repr(found[1])


OPTIONS = st.fixed_dictionaries(
    {
        "lateness": st.sampled_from([0, 3_000_000, 40_000_000]),
        "types": st.sampled_from([None, TYPES, {"p": "double"}, {"n": "int32", "t": "string"}]),
        "on_error": st.sampled_from(["stop", "skip"]),
    }
)
SETTINGS = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@SETTINGS
@given(st.lists(st.lists(rows(0), max_size=3), max_size=12), OPTIONS, st.booleans())
def test_usual_rows(pushes: list[list[dict[str, Any]]], options: dict[str, Any], moves: bool) -> None:
    both(pushes, moves, **options)


@SETTINGS
@given(st.lists(st.lists(rows(0.3), max_size=3), max_size=8), OPTIONS)
def test_rows_with_odd_values(pushes: list[list[dict[str, Any]]], options: dict[str, Any]) -> None:
    both(pushes, **options)


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered is forgotten as soon as it may be."""
    monkeypatch.setattr(steps, "_MOST_REMEMBERED", 1)
    monkeypatch.setattr(symbols, "_MOST_REMEMBERED", 1)
    monkeypatch.setattr(few_pushed, "_MOST_LAYOUTS", 1)
    monkeypatch.setattr(history, "MOST_FEW", 2)


@pytest.mark.usefixtures("forgetful")
@SETTINGS
@given(st.lists(st.lists(rows(0), max_size=3), max_size=12), OPTIONS)
def test_what_is_forgotten(pushes: list[list[dict[str, Any]]], options: dict[str, Any]) -> None:
    both(pushes, **options)


def taken(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each push that comes is read as lists."""
    calls: list[bool] = []
    read = few_pushed.FewReader.read

    def watched(self: few_pushed.FewReader, *arguments: Any) -> Any:
        found = read(self, *arguments)
        calls.append(found is not None)
        return found

    monkeypatch.setattr(few_pushed.FewReader, "read", watched)
    return calls


ROW = {"type": "A", "at": 1, "p": 1.5, "n": 1, "t": "x", "b": True, "w": datetime(2026, 1, 31)}


def test_which_rows_are_read_as_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the usual values, when types are known: from the second push on, or from the first, if declared."""
    for types, first in ((None, False), (TYPES, True)):
        calls = taken(monkeypatch)
        engine = Engine(time="at", unit="s", types=types)
        for name, query in QUERIES.items():
            engine.register(query, name)
        for push in ([ROW], [ROW, ROW], [{"type": "B", "at": 1}], [ROW] * few.MOST_FEW, [ROW] * (few.MOST_FEW + 1)):
            engine.push(push)
        assert calls == [first, True, True, True, False]


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ({}, {"p": Decimal("1.5")}),
        ({}, {"n": numpy.int64(1)}),
        ({}, {"n": 1.0}),
        ({}, {"w": date(2026, 1, 31)}),
        ({"time_format": "%Y"}, {"at": "2026"}),
    ],
)
def test_which_are_not(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], row: dict[str, Any]) -> None:
    engine = Engine(**({"time": "at", "unit": "s"} | options))
    engine.register("SELECT b.p, b.n, b.w WHERE A AS a ; B AS b WITHIN 9 SECONDS")
    engine.push([ROW | row if options else ROW])
    calls = taken(monkeypatch)
    engine.push([ROW | row])
    assert calls == [False]


def test_fields_of_structs() -> None:
    """Dotted names are left to those who know structs; where a column is called so, it is one like any other."""
    for row in ({"place": {"city": "Ulm"}}, {"place.city": "Ulm"}):
        engine = Engine()
        engine.register("SELECT b.place.city AS city WHERE A AS a ; B AS b FILTER b[b.place.city = 'Ulm']")
        found = [engine.push([row | {"type": kind}]) for kind in "ABB"]
        assert [table["city"].to_pylist() for push in found for _, table in push] == [["Ulm"], ["Ulm"]]


def test_streams_with_names() -> None:
    query = "SELECT a.p, b.p WHERE S>A AS a ; T>A AS b WITHIN 9 SECONDS"
    found = []
    for most in (few.MOST_FEW, 0):
        engine = Engine(time="at", unit="s")
        engine.register(query.replace("WHERE", "FROM S, T WHERE"), "q")
        with at_most(most):
            found.append(
                [
                    table.to_pylist()
                    for at in range(20)
                    for _, table in engine.push([{"type": "A", "at": at, "p": at * 1.5}], "SSTST"[at % 5])
                ]
            )
    assert found[0] == found[1] and len(found[0]) > 5


def test_streams_in_a_column() -> None:
    found = []
    for most in (few.MOST_FEW, 0):
        engine = Engine(stream="of")
        engine.register("SELECT * FROM S WHERE A : A", "q")
        rows = [{"type": "A", "of": "STS"[number % 3]} for number in range(9)]
        with at_most(most):
            found.append([table.to_pylist() for row in rows for _, table in engine.push([row])])
    assert found[0] == found[1] and len(found[0]) == 5


def test_tables_between_dictionaries() -> None:
    """Rows wait as lists and as columns side by side, and come in one order."""
    expected, found = [], []
    for most, results in ((few.MOST_FEW, found), (0, expected)):
        engine = Engine(time="at", unit="s", types=TYPES, lateness=20_000_000)
        for name, query in QUERIES.items():
            engine.register(query, name)
        with at_most(most):
            for number in range(60):
                row = ROW | {"type": "AB"[number % 2], "at": number * 7 % 20 + number, "p": number % 5 + 0.5}
                table = pyarrow.Table.from_pylist([row, row | {"type": "A"}])
                results += engine.push(table if number % 3 == 0 else [row])
                if number % 10 == 9:
                    engine = Engine.restore(engine.snapshot(), QUERIES)
            results += engine.close()
    assert [(name, sorted(map(repr, table.to_pylist()))) for name, table in found] == [
        (name, sorted(map(repr, table.to_pylist()))) for name, table in expected
    ]
    assert len(found) > 100


def test_results_come_in_the_same_way_one_by_one_and_at_once() -> None:
    """A push of a hundred rows finds what a hundred pushes find."""
    rows = [
        ROW
        | {"type": "AB"[number * number % 7 % 2], "at": number // 3, "p": number % 5 / 2, "t": "xy"[number % 2]}
        | {"w": datetime(2026, 1, 1 + number % 28)}
        for number in range(100)
    ]
    ways = []
    for size in (1, 7, 100):
        engine = Engine(time="at", unit="s", types=TYPES)
        for name, query in QUERIES.items():
            engine.register(query, name)
        found: dict[str, list[str]] = {name: [] for name in QUERIES}
        for start in range(0, 100, size):
            for name, table in engine.push(rows[start : start + size]):
                found[name] += map(repr, table.to_pylist())
        for name, table in engine.close():
            found[name] += map(repr, table.to_pylist())
        ways.append({name: sorted(some) for name, some in found.items()})
    assert ways[0] == ways[1] == ways[2]
    assert all(ways[0].values())
