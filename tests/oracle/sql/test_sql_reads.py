"""What expressions read of a match, worked out by hand from the spec."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from . import SqlTable, evaluate
from .examples import A, B, C, S, T, V, below, letters, numbers, query_on, rep, seq, subset
from .expressions import (
    Classifier,
    CountRows,
    Expression,
    LogicalNavigation,
    MatchNumber,
    NullTest,
    PhysicalNavigation,
    SqlAggregate,
    SqlBinary,
    SqlBranch,
    SqlCall,
    SqlCase,
    SqlColumn,
    integer,
    varchar,
)
from .model import BIGINT, DOUBLE, Definition, RowMode, SqlType, SqlValue, decimal_type


def first(body: Expression, offset: int | None = None, final: bool | None = None) -> LogicalNavigation:
    return LogicalNavigation("FIRST", body, offset, final)


def last(body: Expression, offset: int | None = None, final: bool | None = None) -> LogicalNavigation:
    return LogicalNavigation("LAST", body, offset, final)


def before(body: Expression, offset: int | None = None) -> PhysicalNavigation:
    return PhysicalNavigation("PREV", body, offset)


def behind(body: Expression, offset: int | None = None) -> PhysicalNavigation:
    return PhysicalNavigation("NEXT", body, offset)


def total(argument: Expression, final: bool | None = None) -> SqlAggregate:
    return SqlAggregate("SUM", argument, final)


LABEL = Classifier()

# The rows are 9 1 2 3 8, and the match is the three in the middle, each being A.
READS: list[tuple[Expression, list[SqlValue]]] = [
    (V, [1, 2, 3]),
    (SqlColumn("v", "A"), [1, 2, 3]),
    (last(V), [1, 2, 3]),
    (last(V, 0), [1, 2, 3]),
    (last(V, 1), [None, 1, 2]),
    (last(V, 3), [None, None, None]),
    (last(V, None, True), [3, 3, 3]),
    (last(V, 1, True), [2, 2, 2]),
    (last(V, None, False), [1, 2, 3]),
    (first(V), [1, 1, 1]),
    (first(V, 1), [None, 2, 2]),
    (first(V, 1, True), [2, 2, 2]),
    (first(V, 3, True), [None, None, None]),
    (last(SqlCall("COALESCE", (V, integer(0))), 1), [None, 1, 2]),
    (before(V), [9, 1, 2]),
    (before(V, 0), [1, 2, 3]),
    (before(V, 2), [None, 9, 1]),
    (before(V, 3), [None, None, 9]),
    (behind(V), [2, 3, 8]),
    (behind(V, 2), [3, 8, None]),
    (behind(SqlCall("COALESCE", (V, integer(0))), 2), [3, 8, None]),
    (before(first(V)), [9, 9, 9]),
    (before(first(V, 1)), [None, 1, 1]),
    (before(last(V, 1)), [None, 9, 1]),
    (behind(first(V), 1), [2, 2, 2]),
    (behind(last(V, None, True)), [8, 8, 8]),
    (behind(last(V, None, True), 2), [None, None, None]),
    (before(SqlBinary("+", V, integer(10))), [19, 11, 12]),
    (LABEL, ["A", "A", "A"]),
    (before(LABEL), [None, "A", "A"]),
    (behind(LABEL), [None, None, None]),
    (behind(first(LABEL)), [None, "A", "A"]),
    (behind(first(LABEL, None, True)), ["A", "A", "A"]),
    (total(V), [1, 3, 6]),
    (total(V, False), [1, 3, 6]),
    (total(V, True), [6, 6, 6]),
    (CountRows(), [1, 2, 3]),
    (CountRows("A", True), [3, 3, 3]),
    (SqlAggregate("ARRAY_AGG", V), [(1,), (1, 2), (1, 2, 3)]),
    (SqlAggregate("AVG", V), [1.0, 1.5, 2.0]),
    (SqlBinary("-", total(V, True), total(V)), [5, 3, 0]),
    (MatchNumber(), [1, 1, 1]),
]


@pytest.mark.parametrize(("measure", "expected"), READS)
def test_reads_at_each_row(measure: Expression, expected: list[SqlValue]) -> None:
    query = replace(query_on(rep(A, "+"), measure), defines=(Definition("A", below(V, 5)),), mode=RowMode.ALL)
    assert [row[0] for row in evaluate(query, numbers(9, 1, 2, 3, 8)).rows] == expected


@pytest.mark.parametrize(("measure", "expected"), READS)
def test_one_row_is_that_of_the_last_row(measure: Expression, expected: list[SqlValue]) -> None:
    query = replace(query_on(rep(A, "+"), measure), defines=(Definition("A", below(V, 5)),))
    assert evaluate(query, numbers(9, 1, 2, 3, 8)).rows == ((expected[-1],),)


def of(variable: str, name: str = "t") -> SqlColumn:
    return SqlColumn(name, variable)


# The rows are a b a c as A B A C, t being 1 2 3 4; U is (A, B), and W is (B, C).
VARIABLES: list[tuple[Expression, SqlValue]] = [
    (of("A"), 3),
    (of("B"), 2),
    (of("U"), 3),
    (of("W"), 4),
    (T, 4),
    (last(of("U"), 1), 2),
    (first(of("W")), 2),
    (first(of("A"), 1), 3),
    (before(of("A"), 2), 1),
    (behind(of("B")), 3),
    (behind(last(of("A"), 1), 3), 4),
    (CountRows("U"), 3),
    (total(of("U")), 6),
    (total(T), 10),
    (SqlAggregate("ARRAY_AGG", of("W", "s")), ("b", "c")),
    (Classifier("U"), "A"),
    (Classifier("W"), "C"),
    (Classifier("B"), "B"),
    (last(Classifier("U"), 1), "B"),
    (before(Classifier("B")), "A"),
    (SqlAggregate("ARRAY_AGG", Classifier("U")), ("A", "B", "A")),
    (SqlAggregate("ARRAY_AGG", LABEL), ("A", "B", "A", "C")),
    (SqlBinary("-", of("A"), of("B")), 1),
    (total(SqlCase((SqlBranch(SqlBinary("=", Classifier("U"), varchar("A")), of("U")),))), 4),
    (SqlAggregate("MAX", S), "c"),
]


@pytest.mark.parametrize(("measure", "expected"), VARIABLES)
def test_variables_and_subsets(measure: Expression, expected: SqlValue) -> None:
    query = replace(query_on(seq(A, B, A, C), measure), subsets=(subset("U", "AB"), subset("W", "BC")))
    assert evaluate(query, letters("abac")).rows == ((expected,),)


@pytest.mark.parametrize("text", ["a", "c"])  # B has no row, or the match is empty
@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (of("B"), None),
        (last(of("B")), None),
        (first(SqlCall("COALESCE", (of("B"), integer(0)))), None),
        (SqlCall("COALESCE", (of("B"), integer(0))), 0),
        (before(of("B")), None),
        (Classifier("B"), None),
        (CountRows("B"), 0),
        (SqlAggregate("COUNT", of("B")), 0),
        (total(of("B")), None),
        (SqlAggregate("AVG", of("B")), None),
        (SqlAggregate("MIN", of("B")), None),
        (SqlAggregate("ARRAY_AGG", of("B")), None),
        (MatchNumber(), 1),
        (NullTest(of("B")), True),
    ],
)
def test_of_nothing(measure: Expression, expected: SqlValue, text: str) -> None:
    assert evaluate(query_on(rep(seq(A, rep(B, "*")), "?"), measure), letters(text)).rows == ((expected,),)


def test_an_empty_match_has_no_last_row_though_all_rows_shows_its_start() -> None:
    query = replace(query_on(rep(A, "?"), T, LABEL, CountRows(), before(T)), mode=RowMode.SHOW)
    assert evaluate(query, letters("b")).rows == ((None, None, 0, None, 1, "b"),)


TWO, THIRD = decimal_type(2, 10), Decimal("0.33")
AGGREGATES: list[tuple[str, SqlType, tuple[SqlValue, ...], SqlType, SqlValue]] = [
    ("SUM", BIGINT, (1, None, 2), BIGINT, 3),
    ("SUM", BIGINT, (None, None), BIGINT, None),
    ("COUNT", BIGINT, (None, 1, None), BIGINT, 1),
    ("AVG", BIGINT, (1, None, 2), DOUBLE, 1.5),
    ("AVG", TWO, (Decimal("0.00"), Decimal("0.00"), Decimal("1.00")), TWO, THIRD),
    ("AVG", TWO, (Decimal("0.00"), Decimal("0.01")), TWO, Decimal("0.01")),
    ("AVG", TWO, (Decimal("0.00"), Decimal("-0.01")), TWO, Decimal("-0.01")),
    ("SUM", TWO, (Decimal("0.10"), Decimal("0.20")), TWO, Decimal("0.30")),
    ("SUM", DOUBLE, (0.25, 0.5), DOUBLE, 0.75),
    ("MAX", DOUBLE, (1.0, None, 2.0), DOUBLE, 2.0),
    ("MIN", DOUBLE, (float("nan"), 2.0), DOUBLE, 2.0),
]


@pytest.mark.parametrize(("function", "type_", "values", "result", "expected"), AGGREGATES)
def test_aggregates(
    function: str, type_: SqlType, values: tuple[SqlValue, ...], result: SqlType, expected: SqlValue
) -> None:
    table = SqlTable(("v", "s"), (type_, decimal_type(0)), tuple((value, Decimal(1)) for value in values))
    query = replace(query_on(rep(A, "+"), SqlAggregate(function, V)), defines=(Definition("A", NullTest(S, True)),))
    output = evaluate(query, table)
    assert (output.types, output.rows) == ((result,), ((expected,),))


def test_nan_is_the_greatest() -> None:
    table = SqlTable(("v",), (DOUBLE,), ((1.0,), (float("nan"),), (2.0,)))
    query = replace(query_on(rep(A, "+"), SqlAggregate("MAX", V)), defines=(Definition("A", NullTest(V, True)),))
    assert repr(evaluate(query, table).rows) == "((nan,),)"
