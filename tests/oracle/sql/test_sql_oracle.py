"""Matches and rows of output, worked out by hand from the spec."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from . import MatchFault, PlanFault, SqlTable, certain, evaluate, evaluate_groups, in_arrival_order
from .examples import (
    A,
    B,
    C,
    S,
    T,
    V,
    X,
    Y,
    alt,
    below,
    letters,
    matched,
    numbers,
    permute,
    query_on,
    rep,
    seq,
    spans,
    subset,
)
from .expressions import TRUE, Classifier, CountRows, LogicalNavigation, MatchNumber, SqlAggregate, SqlBinary, SqlColumn
from .model import (
    BIGINT,
    DATE,
    DOUBLE,
    TIMESTAMP,
    VARCHAR,
    Definition,
    EmptyPattern,
    EndAnchor,
    Exclusion,
    Measure,
    OrderKey,
    RowMode,
    RowPattern,
    SelectItem,
    Skip,
    SkipMode,
    SqlRow,
    StartAnchor,
)

EMPTY, START, END = EmptyPattern(), StartAnchor(), EndAnchor()
SECOND = 1_000_000

PREFERRED: list[tuple[RowPattern, str, list[str]]] = [
    (seq(rep(X, "*"), B), "abab", ["XXXB"]),
    (seq(rep(X, "*?"), B), "abab", ["XB", "XB"]),
    (alt(A, X), "ab", ["A", "X"]),
    (seq(alt(X, A), B), "ab", ["XB"]),
    (seq(alt(A, seq(A, B)), C), "abc", ["ABC"]),
    (alt(A, seq(A, B)), "ab", ["A"]),
    (alt(seq(A, B), A), "ab", ["AB"]),
    (rep(A, "?"), "ba", ["", "A"]),
    (rep(A, "??"), "a", [""]),
    (alt(EMPTY, A), "aa", ["", ""]),
    (alt(A, EMPTY), "ab", ["A", ""]),
    (rep(alt(EMPTY, A), "*"), "a", [""]),
    (rep(alt(A, EMPTY), "*"), "aab", ["AA", ""]),
    (rep(rep(A, "*"), "2,3"), "aa", ["AA"]),
    (seq(rep(rep(A, "*"), "+"), B), "aab", ["AAB"]),
    (seq(rep(rep(A, "?"), "3"), B), "ab", ["AB"]),
    (seq(rep(rep(A, "??"), "2"), X), "ab", ["X", "X"]),
    (rep(alt(A, B), "2?"), "aba", ["AB"]),
    (rep(X, ",2"), "aab", ["XX", "X"]),
    (rep(X, "2,?"), "aaa", ["XX"]),
    (seq(rep(X, "1,2?"), B), "aab", ["XXB"]),
    (rep(X, "2"), "aaa", ["XX"]),
    (permute(A, B, C), "cab", ["CAB"]),
    (permute(X, A), "aa", ["XA"]),
    (permute(A, X), "aa", ["AX"]),
    (permute(A, rep(B, "?")), "aba", ["AB", "A"]),
    (permute(seq(A, B), C), "cab", ["CAB"]),
    (permute(X, Y, A), "aaa", ["XYA"]),
    (permute(A, X, Y), "baa", ["XAY"]),
    (seq(START, X), "ab", ["X"]),
    (seq(X, END), "ab", ["X"]),
    (seq(rep(A, "*"), END), "aba", ["A"]),
    (seq(alt(START, A), B), "bab", ["B", "AB"]),
    (seq(A, START), "aa", []),
    (seq(rep(A, "?"), END), "b", []),
    (seq(A, Exclusion(B), C), "abc", ["ABC"]),
    (seq(rep(seq(A, rep(B, "?")), "*"), C), "abaac", ["ABAAC"]),
    (rep(alt(A, seq(A, B)), "*"), "ab", ["A", ""]),
    (rep(alt(seq(A, B), A), "*"), "aba", ["ABA"]),
    (rep(rep(X, "*?"), "*"), "ab", ["", ""]),
    (seq(rep(rep(X, "+?"), "*"), B), "abb", ["XXB"]),
    (seq(rep(X, "+"), rep(Y, "+")), "abc", ["XXY"]),
    (seq(rep(X, "+?"), rep(Y, "+")), "abc", ["XYY"]),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), PREFERRED)
def test_the_preferred_way(pattern: RowPattern, text: str, expected: list[str]) -> None:
    assert matched(query_on(pattern), letters(text)) == expected


def skip(mode: str, variable: str | None = None) -> Skip:
    return Skip(SkipMode(mode), variable)


SKIPS: list[tuple[RowPattern, str, Skip, list[SqlRow]]] = [
    (seq(A, rep(B, "+")), "abbab", skip(""), [(1, 1, 3), (2, 4, 5)]),
    (seq(X, X), "abb", skip("PAST LAST ROW"), [(1, 1, 2)]),
    (seq(X, X), "abb", skip("TO NEXT ROW"), [(1, 1, 2), (2, 2, 3)]),
    (seq(A, B, A), "ababa", skip("TO LAST", "A"), [(1, 1, 3), (2, 3, 5)]),
    (seq(X, B, X), "abbbb", skip("TO FIRST", "B"), [(1, 1, 3), (2, 2, 4), (3, 3, 5)]),
    (seq(X, rep(B, "+")), "abbb", skip("TO", "B"), [(1, 1, 4)]),
    (seq(X, rep(B, "+")), "abbb", skip("TO FIRST", "B"), [(1, 1, 4), (2, 2, 4), (3, 3, 4)]),
    (seq(A, B, X), "abab", skip("TO LAST", "U"), [(1, 1, 3)]),
    (rep(seq(B, X), "?"), "abb", skip("TO LAST", "X"), [(1, None, None), (2, 2, 3), (3, None, None)]),
    (rep(A, "*"), "aaba", skip("TO NEXT ROW"), [(1, 1, 2), (2, 2, 2), (3, None, None), (4, 4, 4)]),
]


@pytest.mark.parametrize(("pattern", "text", "after", "expected"), SKIPS)
def test_where_the_search_goes_on(pattern: RowPattern, text: str, after: Skip, expected: list[SqlRow]) -> None:
    subsets = (subset("U", "AB"),) if after.variable == "U" else ()
    assert spans(replace(query_on(pattern), skip=after, subsets=subsets), letters(text)) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "after"),
    [
        (seq(A, rep(B, "?")), "a", skip("TO", "B")),
        (seq(A, B), "ab", skip("TO FIRST", "A")),
        (seq(A, B, X), "abab", skip("TO FIRST", "U")),
        (rep(B, "*"), "ab", skip("TO LAST", "B")),
    ],
)
def test_skips_that_are_faults(pattern: RowPattern, text: str, after: Skip) -> None:
    subsets = (subset("U", "AB"),) if after.variable == "U" else ()
    with pytest.raises(MatchFault):
        evaluate(replace(query_on(pattern), skip=after, subsets=subsets), letters(text))


RUNNING = (MatchNumber(), Classifier(), CountRows())
MODES: list[tuple[RowMode, RowPattern, str, Skip, list[SqlRow]]] = [
    (RowMode.DEFAULT, rep(A, "*"), "ab", skip(""), [(1, "A", 1), (2, None, 0)]),
    (RowMode.ONE, rep(A, "*"), "aab", skip(""), [(1, "A", 2), (2, None, 0)]),
    (RowMode.ALL, rep(A, "*"), "aba", skip(""), [(1, "A", 1, 1, "a"), (2, None, 0, 2, "b"), (3, "A", 1, 3, "a")]),
    (RowMode.SHOW, rep(A, "*"), "aab", skip(""), [(1, "A", 1, 1, "a"), (1, "A", 2, 2, "a"), (2, None, 0, 3, "b")]),
    (RowMode.OMIT, rep(A, "*"), "aba", skip(""), [(1, "A", 1, 1, "a"), (3, "A", 1, 3, "a")]),
    (RowMode.UNMATCHED, rep(A, "*"), "ba", skip(""), [(1, None, 0, 1, "b"), (2, "A", 1, 2, "a")]),
    (
        RowMode.UNMATCHED,
        seq(A, B),
        "babb",
        skip(""),
        [(None, None, None, 1, "b"), (1, "A", 1, 2, "a"), (1, "B", 2, 3, "b"), (None, None, None, 4, "b")],
    ),
    (
        RowMode.UNMATCHED,  # rows 2 and 3 are tried in vain, but the match of row 1 reaches them
        seq(A, A, B),
        "aabc",
        skip("TO NEXT ROW"),
        [(1, "A", 1, 1, "a"), (1, "A", 2, 2, "a"), (1, "B", 3, 3, "b"), (None, None, None, 4, "c")],
    ),
    (RowMode.ALL, seq(A, Exclusion(rep(B, "+")), A), "abba", skip(""), [(1, "A", 1, 1, "a"), (1, "A", 4, 4, "a")]),
    (RowMode.ALL, seq(Exclusion(A), B), "ab", skip("TO LAST", "B"), [(1, "B", 2, 2, "b")]),
    (RowMode.ALL, Exclusion(A), "aa", skip(""), []),
    (
        RowMode.ALL,
        seq(A, X),
        "aab",
        skip("TO NEXT ROW"),
        [(1, "A", 1, 1, "a"), (1, "X", 2, 2, "a"), (2, "A", 1, 2, "a"), (2, "X", 2, 3, "b")],
    ),
]


@pytest.mark.parametrize(("mode", "pattern", "text", "after", "expected"), MODES)
def test_rows_per_match(mode: RowMode, pattern: RowPattern, text: str, after: Skip, expected: list[SqlRow]) -> None:
    assert list(evaluate(replace(query_on(pattern, *RUNNING), mode=mode, skip=after), letters(text)).rows) == expected


def test_the_columns_of_the_output() -> None:
    table = SqlTable(("v", "k", "t", "w"), (BIGINT, VARCHAR, BIGINT, BIGINT), ((1, "x", 2, 3),))
    query = replace(query_on(Y, V, CountRows()), partition=("k",), order=(OrderKey("t"), OrderKey("k")))
    one, all_ = evaluate(query, table), evaluate(replace(query, mode=RowMode.ALL), table)
    assert (one.names, one.types, one.rows) == (("k", "m1", "m2"), (VARCHAR, BIGINT, BIGINT), (("x", 1, 1),))
    assert (all_.names, all_.rows) == (("k", "t", "m1", "m2", "v", "w"), (("x", 2, 1, 1, 1, 3),))


def test_select_chooses_and_renames() -> None:
    query = replace(query_on(A, T, S), select=(SelectItem("m2", "letter", True), SelectItem("m1")), alias="m")
    output = evaluate(query, letters("ba"))
    assert (output.names, output.rows) == (("letter", "m1"), (("a", 2),))


def test_groups_come_in_the_order_of_their_first_rows_and_number_their_matches() -> None:
    rows = (("b", 1), (None, 2), ("a", 3), (None, 4), ("b", 5))
    table = SqlTable(("k", "t"), (VARCHAR, BIGINT), rows)
    query = replace(query_on(Y, MatchNumber(), T), partition=("k",))
    assert evaluate(query, table).rows == (("b", 1, 1), ("b", 2, 5), (None, 1, 2), (None, 2, 4), ("a", 1, 3))


def test_nans_are_one_group_and_so_are_zeros() -> None:
    table = SqlTable(("x",), (DOUBLE,), ((math.nan,), (0.0,), (-0.0,), (math.nan,)))
    query = replace(query_on(rep(Y, "+"), CountRows()), partition=("x",))
    assert [group.rows[0][1] for group in evaluate_groups(query, table)] == [2, 2]


ORDERS: list[tuple[OrderKey, list[float | None]]] = [
    (OrderKey("x"), [1.0, 2.0, math.inf, math.nan, None]),
    (OrderKey("x", True), [math.nan, math.inf, 2.0, 1.0, None]),
    (OrderKey("x", nulls_first=True), [None, 1.0, 2.0, math.inf, math.nan]),
    (OrderKey("x", True, True), [None, math.nan, math.inf, 2.0, 1.0]),
    (OrderKey("x", True, False), [math.nan, math.inf, 2.0, 1.0, None]),
]


@pytest.mark.parametrize(("key", "expected"), ORDERS)
def test_order(key: OrderKey, expected: list[float | None]) -> None:
    table = SqlTable(("x",), (DOUBLE,), tuple((x,) for x in (2.0, math.nan, None, math.inf, 1.0)))
    rows = evaluate(replace(query_on(Y, SqlColumn("x")), order=(key,)), table).rows
    assert [repr(row[0]) for row in rows] == list(map(repr, expected))


def test_ties_keep_the_order_of_the_input() -> None:
    table = SqlTable(("x", "t"), (BIGINT, BIGINT), ((2, 1), (1, 2), (2, 3), (1, 4)))
    for descending, expected in ((False, [2, 4, 1, 3]), (True, [1, 3, 2, 4])):
        query = replace(query_on(Y, T), order=(OrderKey("x", descending),))
        assert [row[0] for row in evaluate(query, table).rows] == expected


def test_the_second_key_decides_ties() -> None:
    table = SqlTable(("x", "t"), (BIGINT, BIGINT), ((2, 1), (1, 2), (2, 3), (1, 4)))
    query = replace(query_on(Y, T), order=(OrderKey("x"), OrderKey("t", True)))
    assert [row[0] for row in evaluate(query, table).rows] == [4, 2, 3, 1]


def times(*seconds: int | None) -> SqlTable:
    start = datetime(2026, 11, 28)
    rows = tuple((None if each is None else start + timedelta(seconds=each), each) for each in seconds)
    return SqlTable(("at", "t"), (TIMESTAMP, BIGINT), rows)


@pytest.mark.parametrize(
    ("seconds", "pattern", "descending", "expected"),
    [
        ((0, 5, 9, 10, 12), rep(Y, "+"), False, [(1, 0, 9), (2, 10, 12)]),  # a span of 10 is not less than 10
        ((0, 5, 20), seq(Y, X, rep(Y, "?")), False, [(1, 0, 5)]),  # the next preferred way
        ((0, 20), rep(Y, "2"), False, []),
        ((0, 5, 12), rep(Y, "+"), True, [(1, 12, 5), (2, 0, 0)]),
        ((0, None, None), rep(Y, "+"), False, [(1, 0, 0)]),  # NULL is within nothing, not even alone
        ((0, None), rep(Y, "*"), False, [(1, 0, 0), (2, None, None)]),  # an empty match is within
    ],
)
def test_within(seconds: tuple[int | None, ...], pattern: RowPattern, descending: bool, expected: list[SqlRow]) -> None:
    key, any_row = OrderKey("at", descending), (Definition("Y", TRUE),)
    query = replace(query_on(pattern), defines=any_row, order=(key,), within=10 * SECOND)
    assert spans(query, times(*seconds)) == expected


def test_within_of_days() -> None:
    table = SqlTable(("at", "t"), (DATE, BIGINT), tuple((date(2026, 11, day), day) for day in (1, 2, 3, 4)))
    query = replace(query_on(rep(Y, "+")), order=(OrderKey("at"),), within=2 * 86_400 * SECOND)
    assert spans(query, table) == [(1, 1, 2), (2, 3, 4)]


LAST_A, LAST_V = SqlColumn("v", "A"), LogicalNavigation("LAST", V)
CONDITIONS: list[tuple[RowPattern, dict[str, SqlBinary], tuple[int | None, ...], list[str]]] = [
    (seq(A, rep(B, "+")), {"B": SqlBinary(">", SqlColumn("v", "B"), LAST_A)}, (2, 3, 1, 4), ["AB", "AB"]),
    (rep(A, "+"), {"A": below(SqlAggregate("SUM", LAST_A), 6)}, (1, 2, 3, 2), ["AA", "AA"]),
    (rep(A, "+"), {"A": below(CountRows(), 3)}, (1, 1, 1), ["AA", "A"]),
    (rep(A, "+"), {"A": SqlBinary("<=", LogicalNavigation("FIRST", LAST_A), V)}, (2, 3, 1, 1), ["AA", "AA"]),
    (rep(A, "+"), {"A": SqlBinary("=", MatchNumber(), CountRows("A"))}, (1, 1, 1), ["A"]),
    (rep(A, "+"), {"A": SqlBinary("<", V, LogicalNavigation("LAST", V, 1))}, (3, 2), []),
    (rep(A, "+"), {"A": SqlBinary("<", V, LogicalNavigation("LAST", V, 0))}, (3, 2), []),
    (rep(A, "+"), {"A": below(V, 2)}, (1, None, 1), ["A", "A"]),  # NULL is not TRUE
]


@pytest.mark.parametrize(("pattern", "conditions", "values", "expected"), CONDITIONS)
def test_conditions(
    pattern: RowPattern, conditions: dict[str, SqlBinary], values: tuple[int | None, ...], expected: list[str]
) -> None:
    defines = tuple(Definition(name, condition) for name, condition in conditions.items())
    assert matched(replace(query_on(pattern), defines=defines), numbers(*values)) == expected


def test_the_label_tested_counts() -> None:
    pattern = rep(alt(A, B), "+")
    condition = SqlBinary(
        "=", SqlAggregate("COUNT", SqlColumn("v", "A")), SqlBinary("+", CountRows("B"), CountRows("A"))
    )
    query = replace(query_on(pattern), defines=(Definition("A", below(CountRows("A"), 2)), Definition("B", condition)))
    assert matched(query, numbers(1, 1, 1)) == ["A", "A", "A"]


REFUSED = [
    replace(query_on(rep(A, "0")), mode=RowMode.ONE),
    query_on(rep(A, "3,2")),
    query_on(rep(A, ",0")),
    replace(query_on(seq(A, Exclusion(B))), mode=RowMode.UNMATCHED),
    replace(query_on(A), skip=skip("TO", "B")),
    replace(query_on(A), defines=(Definition("A", V),)),
    replace(query_on(A), defines=(Definition("A", SqlBinary("=", CountRows(None, True), CountRows())),)),
    query_on(A, LogicalNavigation("LAST", SqlBinary("+", LAST_A, V))),
    query_on(A, SqlAggregate("SUM", LAST_V)),
    query_on(A, SqlAggregate("MAX", MatchNumber())),
    query_on(A, LogicalNavigation("LAST", LAST_V)),
    query_on(A, SqlBinary("+", V, SqlColumn("s"))),
    replace(query_on(A), within=1),
]


@pytest.mark.parametrize("query", REFUSED)
def test_queries_that_are_none(query: object) -> None:
    table = SqlTable(("v", "s"), (BIGINT, VARCHAR))
    with pytest.raises(PlanFault):
        evaluate(query, table)  # type: ignore[arg-type]


def test_what_is_certain_of_a_prefix() -> None:
    query = replace(query_on(seq(A, rep(B, "*"))), mode=RowMode.ONE)
    query = replace(query, measures=(Measure("n", CountRows()),))
    prefix, futures = letters("aab"), [[], [(4, "b")], [(4, "c")]]
    assert certain(query, prefix, futures) == {(): ((1,),)}
    assert certain(query, letters("aac"), futures) == {(): ((1,), (1,))}
    assert certain(query, prefix, [[]]) == {(): ((1,), (2,))}


def test_rows_arrive_as_order_by_has_them() -> None:
    table = SqlTable(("k", "t"), (VARCHAR, BIGINT), (("x", 2), ("y", 1), ("x", None)))
    query = replace(query_on(Y), partition=("k",), order=(OrderKey("t", True, True),))
    assert in_arrival_order(query, table).rows == (("x", None), ("x", 2), ("y", 1))


def test_what_is_certain_is_so_in_each_group() -> None:
    table = SqlTable(("k", "t"), (VARCHAR, BIGINT), (("x", 1), ("y", 2), ("x", 3)))
    query = replace(query_on(rep(Y, "2"), CountRows()), partition=("k",))
    futures: list[list[SqlRow]] = [[], [("y", 4)], [("z", 4)]]
    assert certain(query, table, futures) == {("x",): (("x", 2),), ("y",): ()}
