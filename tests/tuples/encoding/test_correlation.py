"""Filters that compare events: against the oracle, against plain loops, and every kind of cell against the others."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import pyarrow
import pytest

from nfa_native.automata.kinds import RegisterCells
from spaseq.errors import QueryError, StreamError
from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.query import Formula, FormulaQuery
from spaseq.plan.formulas.automaton import RecognitionPlan, recognition
from spaseq.tuples import Matches, match, queries as prepared
from spaseq.tuples.encoding import encoder
from spaseq.tuples.selection import selection
from tests.oracle.ceql.checker import disagreement
from tests.oracle.ceql.evaluate import ComplexEvent
from tests.oracle.ceql.generate import random_pair
from tests.oracle.ceql.text import to_text
from tests.slices import first
from tests.tuples.tables import table_of

Row = dict[str, Any]
Picks = set[tuple[int, ...]]


# ── kinds of cells ───────────────────────────────────────────────────────────────────────────────────────
def as_planned(plan: RecognitionPlan) -> RecognitionPlan:
    return plan


def without_keys(plan: RecognitionPlan) -> RecognitionPlan:
    """All groups of a state in one list."""
    correlation = plan.automaton.correlation
    if correlation is None:
        return plan
    flat = replace(correlation, keys=tuple(-1 for _ in correlation.keys))
    return replace(plan, automaton=replace(plan.automaton, correlation=flat))


def merged(plan: RecognitionPlan) -> RecognitionPlan:
    """Groups by their registers, looked at one by one: no views."""
    correlation = plan.automaton.correlation
    if correlation is None:
        return plan
    cells = tuple(
        RegisterCells.HEAD if cell is RegisterCells.HEAD else RegisterCells.MERGED for cell in correlation.cells
    )
    flat = replace(correlation, cells=cells)
    return replace(plan, automaton=replace(plan.automaton, correlation=flat))


def flat(plan: RecognitionPlan) -> RecognitionPlan:
    return without_keys(merged(plan))


KINDS = [None, as_planned, merged, flat]


def compared(query: FormulaQuery, formula: Formula, texts: frozenset[str] = frozenset()) -> RecognitionPlan:
    """The plan that compares events by keys, too, instead of keeping them apart."""
    selected = None if query.variables is None or query.aggregates else frozenset(query.variables)
    return replace(recognition(formula, selected, texts, query.strategy), partition=query.partition)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within, plans are as they are (None), or have no partitions of their own, and cells of one kind."""
    if request.param is not None:
        monkeypatch.setattr(prepared, "planned", lambda *given: request.param(compared(*given)))


# ── against the oracle ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("start", range(0, 600, 200))
def test_the_definition(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(start, start + 200):
        pair, chance = random_pair(seed), random.Random(seed)
        if pair.query.aggregates or "correlated" not in pair.labels:
            continue
        monkeypatch.setattr(selection, "MOST", chance.choice([1, 2, 1000]))
        monkeypatch.setattr(encoder, "MANY", chance.choice([1, 1000]))
        table = table_of(pair)
        pieces = pyarrow.Table.from_batches(table.to_batches(max_chunksize=chance.randrange(1, 9)), table.schema)
        given = list(results(match(to_text(pair.query), pieces, time="time")))
        assert disagreement(pair.query, pair.events, given) is None, seed


def results(matches: Matches) -> Iterator[ComplexEvent]:
    for batch in matches:
        for row in batch.to_pylist():
            yield ComplexEvent(row["start"], row["end"], frozenset(row["positions"]))


# ── against loops ────────────────────────────────────────────────────────────────────────────────────────
def rows(count: int, seed: int, trend: float = 0.0) -> list[Row]:
    chance = random.Random(seed)
    return [
        {
            "type": chance.choice("ABC"),
            "price": round(trend * at + chance.random() * 20, 1),
            "low": chance.randrange(8),
            "name": chance.choice(["x", "y", "z", None]),
        }
        for at in range(count)
    ]


def by_loops(events: list[Row], condition: Callable[..., Any], length: int) -> Picks:
    """All A, B, C in this order with the condition, at most so far from each other."""
    some = [[at for at, row in enumerate(events) if row["type"] == type_] for type_ in "ABC"]
    return {
        (a, b, c)
        for c in some[2]
        for b in (each for each in some[1] if c - length <= each < c)
        for a in (each for each in some[0] if c - length <= each < b)
        if condition(events[a], events[b], events[c])
    }


def picks(query: str, events: Any) -> Picks:
    found = [tuple(row["positions"]) for batch in match(query, events) for row in batch.to_pylist()]
    assert len(found) == len(set(found))
    return set(found)


CONDITIONS: dict[str, Callable[[Row, Row, Row], Any]] = {
    "B[price > A.price] AND C[price < B.price]": lambda a, b, c: a["price"] < b["price"] > c["price"],
    "B[price > A.price] AND C[price <= A.price]": lambda a, b, c: a["price"] < b["price"] and c["price"] <= a["price"],
    "B[price > A.low AND low < A.price]": lambda a, b, c: b["price"] > a["low"] and b["low"] < a["price"],
    "C[price > A.price AND price < B.price]": lambda a, b, c: a["price"] < c["price"] < b["price"],
    "B[name = A.name] AND C[name = A.name]": lambda a, b, c: a["name"] == b["name"] == c["name"] is not None,
    "B[name = A.name] AND C[name = B.name AND price > A.price]": lambda a, b, c: (
        a["name"] == b["name"] == c["name"] is not None and c["price"] > a["price"]
    ),
    "C[name = A.name]": lambda a, b, c: a["name"] == c["name"] is not None,
    "C[low = A.low AND low >= B.low]": lambda a, b, c: a["low"] == c["low"] >= b["low"],
    "B[name != A.name] AND C[low != B.low]": lambda a, b, c: (
        None not in (a["name"], b["name"]) and a["name"] != b["name"] and b["low"] != c["low"]
    ),
    "C[price - A.price > B.low]": lambda a, b, c: c["price"] - a["price"] > b["low"],
    "C[low = A.low OR name = B.name]": lambda a, b, c: c["low"] == a["low"] or c["name"] == b["name"] is not None,
    "C[name < A.name]": lambda a, b, c: None not in (a["name"], c["name"]) and c["name"] < a["name"],
}


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("filter_", CONDITIONS)
@pytest.mark.parametrize("trend", first(1, [0.0, -0.3]))
def test_plain_loops(filter_: str, trend: float) -> None:
    """Up and down and sideways, so many events that zones are left out."""
    events = rows(150, seed=len(filter_), trend=trend)
    for length in 15, 100, 1000:
        found = picks(f"SELECT * FROM S WHERE A ; B ; C FILTER {filter_} WITHIN {length} EVENTS", events)
        assert found == by_loops(events, CONDITIONS[filter_], length)


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("window", ["", "WITHIN 900 EVENTS", "WITHIN 40 [at]"])
def test_long_streams(window: str) -> None:
    """Pairs over thousands of live events; lists are closed up, and zones of all sizes are used."""
    chance = random.Random(5)
    values = [chance.randrange(1000) for _ in range(2500)]
    types = [chance.choice("ABB") for _ in values]
    table = pyarrow.table({"type": types, "v": values, "at": [at // 20 for at in range(2500)]})
    found = picks(f"SELECT * FROM S WHERE A ; B FILTER B[v * 30 < A.v] {window}", table)
    length = 900 if "EVENTS" in window else 2500
    expected = {
        (a, b)
        for a, b in combinations(range(2500), 2)
        if (types[a], types[b]) == ("A", "B")
        and b - a <= length
        and values[b] * 30 < values[a]
        and ("at" not in window or b // 20 - a // 20 <= 40)
    }
    assert found == expected


@pytest.mark.usefixtures("kind")
def test_rising_runs() -> None:
    """A Kleene whose events are compared with each other through the event before: all pairs rise."""
    events = [{"type": type_, "v": v} for type_, v in zip("ABBAB", [1, 5, 3, 4, 6], strict=True)]
    found = picks("SELECT * FROM S WHERE A AS a ; B+ AS b FILTER b[v > a.v]", events)
    assert found == {(0, 1), (0, 2), (0, 1, 2), (0, 4), (0, 1, 4), (0, 2, 4), (0, 1, 2, 4), (3, 4)}


@pytest.mark.usefixtures("kind")
def test_each_iteration_compares_its_own_events() -> None:
    events = [{"type": type_, "v": v} for type_, v in zip("ABAB", [1, 2, 8, 9], strict=True)]
    assert picks("SELECT * FROM S WHERE ((A ; B) FILTER B[v = A.v + 1])+", events) == {(0, 1), (2, 3), (0, 1, 2, 3)}
    assert picks("SELECT * FROM S WHERE (A ; B)+ FILTER B[v > A.v]", events) == {(0, 1), (0, 3), (2, 3)}


@pytest.mark.usefixtures("kind")
def test_what_is_consumed_is_gone() -> None:
    events = [{"type": type_, "v": v} for type_, v in zip("AABAB", [1, 2, 5, 3, 6], strict=True)]
    query = "SELECT * FROM S WHERE A ; B FILTER B[v > A.v] CONSUME BY ANY"
    assert picks(query, events) == {(0, 2), (1, 2), (3, 4)}


# ── plans ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("formula", "cells", "keys"),
    [
        ("A ; B ; C FILTER B[v > A.v] AND C[v < B.v]", "groups groups head", [-1, -1, -1]),
        ("A ; B ; C FILTER C[v > A.v]", "groups merged head", [-1, -1, -1]),
        ("A ; B ; C FILTER B[k = A.k] AND C[k = A.k]", "groups groups head", [0, 0, -1]),
        ("A ; B ; C FILTER B[k = A.k AND v > A.v] AND C[k = A.k AND v < B.v]", "groups groups head", [0, 1, -1]),
        ("A ; B+ FILTER B[v > A.v]", "groups merged", [-1, -1]),
        ("(A ; B FILTER B[v > A.v]) ; C", "groups head head", [-1, -1, -1]),
    ],
)
def test_cells_that_are_chosen(formula: str, cells: str, keys: list[int]) -> None:
    correlation = recognition(parse(f"SELECT * FROM S WHERE {formula}").normal_form, None).automaton.correlation
    assert correlation is not None
    assert " ".join(cell.name.lower() for cell in correlation.cells) == cells
    assert list(correlation.keys) == keys


# ── values ───────────────────────────────────────────────────────────────────────────────────────────────
PAIRS: list[tuple[Any, str, Any, bool]] = [
    (1, "<", 1.5, True),
    (2, "=", 2.0, True),
    (-0.0, "=", 0.0, True),
    (float("-inf"), "<", -1e308, True),
    (float("inf"), "<=", float("inf"), True),
    (float("nan"), "<=", 1.0, False),
    (None, "!=", 1, False),
    (None, "<", 1, False),
    (2**62, "<", 2**62 + 1, True),
    ("a", "=", "a", True),
    ("a", "<", "ab", True),
    (True, ">", False, True),
]


@pytest.mark.parametrize(("left", "operator", "right", "holds"), PAIRS)
def test_values(left: Any, operator: str, right: Any, holds: bool) -> None:
    table = pyarrow.table({"type": ["A", "B"], "a": [left, None], "b": [None, right]})
    found = picks(f"SELECT * FROM S WHERE A ; B FILTER A[a {operator} B.b]", table)
    assert found == ({(0, 1)} if holds else set())


def test_numbers_that_are_too_large() -> None:
    table = pyarrow.table({"type": ["A", "B"], "a": [2**63 - 1, 0], "b": [0.5, 0.5]})
    with pytest.raises(StreamError, match="a number of a is too large"):
        picks("SELECT * FROM S WHERE A ; B FILTER A[a > B.b]", table)


def test_values_that_do_not_compare() -> None:
    table = pyarrow.table({"type": ["A"], "a": ["x"], "b": [1]})
    with pytest.raises(QueryError, match="does not compare"):
        match("SELECT * FROM S WHERE A ; B FILTER A[a > B.b]", table)


def test_work_does_not_grow_with_live_events() -> None:
    """One view an event, however many may be in it: groups and zones that are looked at stay few."""
    chance = random.Random(1)
    for prices in ([chance.random() for _ in range(20_000)], [-float(at) for at in range(20_000)]):
        table = pyarrow.table({"type": ["T"] * 20_000, "p": prices})
        query = "SELECT * FROM S WHERE T AS a ; T AS b ; T AS c FILTER b[p > a.p] AND c[p < b.p] LIMIT 1"
        matches = match(query, table)
        matches.count()
        assert matches.statistics()["scanned"] < 100 * 20_000
