"""Scalar expressions, worked out by hand from the spec."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from . import PlanFault, SqlTable, SqlType, ValueFault, evaluate, expression_text, query_text, same_value
from .examples import A, V, query_on, rep
from .expressions import (
    FALSE,
    NULL,
    TRUE,
    BetweenTest,
    DistinctTest,
    Expression,
    ExtractField,
    InList,
    LikeTest,
    NullTest,
    SqlBinary,
    SqlBranch,
    SqlCall,
    SqlCase,
    SqlCast,
    SqlLiteral,
    SqlUnary,
    decimal,
    double,
    integer,
    varchar,
)
from .model import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTERVAL,
    TIMESTAMP,
    VARCHAR,
    Definition,
    SqlQuery,
    SqlValue,
    decimal_type,
)
from .values import literal_type


def lit(value: SqlValue) -> SqlLiteral:
    return SqlLiteral(value, literal_type(value))


def op(left: Expression, operator: str, right: Expression) -> SqlBinary:
    return SqlBinary(operator, left, right)


def fun(name: str, *arguments: Expression) -> SqlCall:
    return SqlCall(name, arguments)


def cast(operand: Expression, target: str, *digits: int, tried: bool = False) -> SqlCast:
    return SqlCast(operand, target, digits, tried)


def value_of(expression: Expression) -> tuple[SqlType, SqlValue]:
    query = SqlQuery("t", A, (Definition("A", TRUE),), measures=query_on(A, expression).measures)
    output = evaluate(query, SqlTable(("x",), (BIGINT,), ((1,),)))
    return output.types[0], output.rows[0][0]


ONE, TWO, THREE, ZERO = map(integer, (1, 2, 3, 0))
NAN, FAULT = op(double(0.0), "/", double(0.0)), op(integer(1), "=", op(integer(1), "/", integer(0)))
UNKNOWN_TRUTH = op(NULL, "=", ONE)
DAY_, TIME = lit(date(2026, 11, 28)), lit(datetime(2026, 11, 28, 10, 20, 30, 5))
HOUR, DAYS = lit(timedelta(hours=1)), lit(timedelta(days=3))

LOGIC: list[tuple[Expression, bool | None]] = [
    (op(TRUE, "AND", UNKNOWN_TRUTH), None),
    (op(UNKNOWN_TRUTH, "AND", FALSE), False),
    (op(UNKNOWN_TRUTH, "OR", TRUE), True),
    (op(FALSE, "OR", UNKNOWN_TRUTH), None),
    (op(TRUE, "AND", NULL), None),
    (SqlUnary("NOT", UNKNOWN_TRUTH), None),
    (op(FALSE, "AND", FAULT), False),
    (op(TRUE, "OR", FAULT), True),
    (NullTest(UNKNOWN_TRUTH), True),
    (NullTest(ONE, True), True),
    (op(NULL, "<>", NULL), None),
    (DistinctTest(NULL, NULL), False),
    (DistinctTest(NULL, ONE), True),
    (DistinctTest(NAN, NAN), False),
    (DistinctTest(ONE, decimal("1.0"), True), True),
    (op(NAN, "=", NAN), False),
    (op(NAN, "<>", double(1.0)), True),
    (op(NAN, "<", double(1.0)), False),
    (op(NAN, ">", double(1.0)), False),
    (op(double(-0.0), "=", double(0.0)), True),
    (op(ONE, "=", decimal("1.00")), True),
    (op(decimal("0.1"), "<", double(0.25)), True),
    (op(FALSE, "<", TRUE), True),
    (op(varchar("B"), "<", varchar("a")), True),
    (op(DAY_, "<", TIME), True),
    (InList(ONE, (NULL, ONE)), True),
    (InList(ONE, (NULL, TWO)), None),
    (InList(ONE, (NULL, TWO), True), None),
    (InList(ONE, (THREE, TWO), True), True),
    (InList(ONE, (ONE, op(ONE, "/", ZERO))), True),
    (BetweenTest(TWO, ONE, THREE), True),
    (BetweenTest(TWO, THREE, NULL), False),
    (BetweenTest(TWO, ONE, NULL), None),
    (BetweenTest(TWO, ONE, THREE, True), False),
    (LikeTest(varchar("abc"), varchar("a%")), True),
    (LikeTest(varchar("abc"), varchar("a_")), False),
    (LikeTest(varchar("a%c"), varchar("a!%_"), "!"), True),
    (LikeTest(varchar("abc"), varchar("a!%_"), "!"), False),
    (LikeTest(varchar("a\nb"), varchar("A%"), None, True), True),
    (LikeTest(NULL, varchar("%")), None),
]


@pytest.mark.parametrize(("expression", "expected"), LOGIC)
def test_logic(expression: Expression, expected: bool | None) -> None:
    assert value_of(expression) == (BOOLEAN, expected)


VALUES: list[tuple[Expression, SqlType, SqlValue]] = [
    (op(integer(-7), "/", TWO), BIGINT, -3),
    (op(integer(-7), "%", TWO), BIGINT, -1),
    (fun("MOD", integer(7), integer(-2)), BIGINT, 1),
    (op(ONE, "+", NULL), BIGINT, None),
    (op(decimal("1.5"), "+", decimal("0.25")), decimal_type(2), Decimal("1.75")),
    (op(decimal("1.5"), "*", decimal("0.25")), decimal_type(3), Decimal("0.375")),
    (op(decimal("1.0"), "/", THREE), decimal_type(1), Decimal("0.3")),
    (op(decimal("0.5"), "/", integer(10)), decimal_type(1), Decimal("0.1")),
    (op(decimal("-0.5"), "/", integer(10)), decimal_type(1), Decimal("-0.1")),
    (op(decimal("-5.5"), "%", TWO), decimal_type(1), Decimal("-1.5")),
    (op(decimal("0.5"), "*", double(2.0)), DOUBLE, 1.0),
    (op(double(1.0), "/", double(0.0)), DOUBLE, math.inf),
    (op(double(-1.0), "/", double(0.0)), DOUBLE, -math.inf),
    (NAN, DOUBLE, math.nan),
    (SqlUnary("-", decimal("1.50")), decimal_type(2), Decimal("-1.50")),
    (op(varchar("a"), "||", varchar("b")), VARCHAR, "ab"),
    (op(varchar("a"), "||", NULL), VARCHAR, None),
    (op(DAY_, "+", DAYS), DATE, date(2026, 12, 1)),
    (op(TIME, "-", HOUR), TIMESTAMP, datetime(2026, 11, 28, 9, 20, 30, 5)),
    (op(TIME, "-", DAY_), INTERVAL, timedelta(hours=10, minutes=20, seconds=30, microseconds=5)),
    (op(DAY_, "-", lit(date(2026, 11, 30))), INTERVAL, timedelta(days=-2)),
    (op(TWO, "*", HOUR), INTERVAL, timedelta(hours=2)),
    (SqlUnary("-", HOUR), INTERVAL, timedelta(hours=-1)),
    (SqlCase((SqlBranch(UNKNOWN_TRUTH, ONE), SqlBranch(TRUE, decimal("2.50")))), decimal_type(2), Decimal("2.50")),
    (SqlCase((SqlBranch(TRUE, ONE),), decimal("2.50")), decimal_type(2), Decimal("1.00")),
    (SqlCase((SqlBranch(FALSE, ONE),)), BIGINT, None),
    (SqlCase((SqlBranch(NULL, ONE), SqlBranch(TWO, TWO)), THREE, operand=TWO), BIGINT, 2),
    (SqlCase((SqlBranch(TRUE, ONE),), op(ONE, "/", ZERO)), BIGINT, 1),
    (fun("COALESCE", NULL, TWO, op(ONE, "/", ZERO)), BIGINT, 2),
    (fun("NULLIF", ONE, ONE), BIGINT, None),
    (fun("NULLIF", ONE, TWO), BIGINT, 1),
    (fun("GREATEST", ONE, NULL), BIGINT, None),
    (fun("GREATEST", double(1.0), NAN), DOUBLE, math.nan),
    (fun("LEAST", double(1.0), NAN), DOUBLE, 1.0),
    (fun("LEAST", ONE, decimal("1.5")), decimal_type(1), Decimal("1.0")),
    (fun("ABS", integer(-3)), BIGINT, 3),
    (fun("ROUND", decimal("2.50")), decimal_type(0), Decimal(3)),
    (fun("ROUND", decimal("-2.45"), ONE), decimal_type(2), Decimal("-2.50")),
    (fun("ROUND", double(2.5)), DOUBLE, 3.0),
    (fun("ROUND", double(-0.25), ONE), DOUBLE, -0.3),
    (fun("ROUND", integer(5)), BIGINT, 5),
    (fun("FLOOR", decimal("-1.5")), decimal_type(0), Decimal(-2)),
    (fun("CEILING", double(1.25)), DOUBLE, 2.0),
    (fun("POWER", TWO, THREE), DOUBLE, 8.0),
    (fun("SQRT", integer(-1)), DOUBLE, math.nan),
    (fun("UPPER", varchar("aBßᾳŉ")), VARCHAR, "ABßᾼŉ"),
    (fun("LOWER", varchar("aBİΑΣ")), VARCHAR, "abiασ"),
    (fun("LENGTH", varchar("né😀")), BIGINT, 3),
    (fun("SUBSTRING", varchar("abcd"), TWO, TWO), VARCHAR, "bc"),
    (fun("SUBSTR", varchar("abcd"), integer(-3)), VARCHAR, "bcd"),
    (fun("SUBSTR", varchar("abcd"), integer(-5)), VARCHAR, ""),
    (fun("SUBSTRING FROM", varchar("abcd"), ZERO, TWO), VARCHAR, ""),
    (fun("SUBSTRING", varchar("abcd"), TWO, integer(-1)), VARCHAR, ""),
    (ExtractField("WEEK", lit(date(2027, 1, 1))), BIGINT, 53),
    (ExtractField("DOW", DAY_), BIGINT, 6),
    (ExtractField("QUARTER", DAY_), BIGINT, 4),
    (ExtractField("SECOND", TIME), BIGINT, 30),
    (cast(varchar("T"), "BOOLEAN"), BOOLEAN, True),
    (cast(decimal("0.0"), "BOOLEAN"), BOOLEAN, False),
    (cast(varchar("+5"), "BIGINT"), BIGINT, 5),
    (cast(decimal("-2.5"), "INTEGER"), BIGINT, -3),
    (cast(double(2.5), "BIGINT"), BIGINT, 3),
    (cast(TRUE, "BIGINT"), BIGINT, 1),
    (cast(varchar("2.55"), "DECIMAL", 3, 1), decimal_type(1), Decimal("2.6")),
    (cast(integer(5), "VARCHAR"), VARCHAR, "5"),
    (cast(decimal("5.20"), "VARCHAR"), VARCHAR, "5.20"),
    (cast(TRUE, "VARCHAR"), VARCHAR, "true"),
    (cast(DAY_, "VARCHAR"), VARCHAR, "2026-11-28"),
    (cast(TIME, "VARCHAR"), VARCHAR, "2026-11-28 10:20:30.000005"),
    (cast(cast(DAY_, "TIMESTAMP"), "VARCHAR"), VARCHAR, "2026-11-28 00:00:00.000000"),
    (cast(double(0.5), "VARCHAR"), VARCHAR, "0.5"),
    (cast(op(double(-1.0), "/", double(0.0)), "VARCHAR"), VARCHAR, "-Infinity"),
    (cast(varchar("2026-11-28T10:20:30.5"), "TIMESTAMP"), TIMESTAMP, datetime(2026, 11, 28, 10, 20, 30, 500_000)),
    (cast(TIME, "DATE"), DATE, date(2026, 11, 28)),
    (cast(varchar("x"), "BIGINT", tried=True), BIGINT, None),
    (cast(integer(128), "TINYINT", tried=True), BIGINT, None),
    (cast(NULL, "DATE"), DATE, None),
]


@pytest.mark.parametrize(("expression", "type_", "expected"), VALUES)
def test_values(expression: Expression, type_: SqlType, expected: SqlValue) -> None:
    given_type, given = value_of(expression)
    assert given_type == type_
    assert same_value(given, expected), given


FAULTS: list[Expression] = [
    op(integer(2**63 - 1), "+", ONE),
    op(ONE, "/", ZERO),
    op(ONE, "%", ZERO),
    op(decimal("1.0"), "/", ZERO),
    op(decimal("9" * 37 + ".9"), "+", ONE),
    op(UNKNOWN_TRUTH, "AND", FAULT),
    op(NULL, "+", op(ONE, "/", ZERO)),
    op(DAY_, "+", HOUR),
    op(integer(2**40), "*", lit(timedelta(days=365))),
    cast(varchar(" 5"), "BIGINT"),
    cast(NAN, "BIGINT"),
    cast(integer(128), "TINYINT"),
    cast(integer(100), "DECIMAL", 3, 1),
    cast(varchar("yes"), "BOOLEAN"),
    cast(varchar("2026-02-30"), "DATE"),
    LikeTest(varchar("a"), varchar("!a"), "!"),
]


@pytest.mark.parametrize("expression", FAULTS)
def test_errors_of_values(expression: Expression) -> None:
    with pytest.raises(ValueFault):
        value_of(expression)


@pytest.mark.parametrize(
    "expression",
    [
        op(ONE, "=", varchar("1")),
        op(varchar("a"), "||", ONE),
        op(ONE, "AND", TRUE),
        op(DAY_, "+", ONE),
        fun("COALESCE", ONE, TRUE),
        cast(HOUR, "VARCHAR"),
        cast(TRUE, "DECIMAL", 3, 1),
        cast(DAY_, "BIGINT", tried=True),
        SqlCase((SqlBranch(ONE, ONE),)),
        fun("SUM", ONE),
    ],
)
def test_errors_of_types(expression: Expression) -> None:
    with pytest.raises(PlanFault):
        value_of(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (SqlUnary("-", integer(-5)), "(- (-5))"),
        (double(-0.25), "(-0.25e0)"),
        (double(1e300), "1e+300"),
        (varchar("it's"), "'it''s'"),
        (lit(timedelta(seconds=-1, microseconds=-500_000)), "INTERVAL '-1.500000' SECOND"),
        (lit(timedelta(days=2)), "INTERVAL '2' DAY"),
        (TIME, "TIMESTAMP '2026-11-28 10:20:30.000005'"),
        (LikeTest(V, varchar("a"), "!", True), "(v NOT LIKE 'a' ESCAPE '!')"),
        (cast(V, "DECIMAL", 5, 2, tried=True), "TRY_CAST(v AS DECIMAL(5, 2))"),
        (fun("SUBSTRING FROM", V, ONE, TWO), "SUBSTRING(v FROM 1 FOR 2)"),
    ],
)
def test_texts(expression: Expression, text: str) -> None:
    assert expression_text(expression) == text


def test_the_text_of_a_query() -> None:
    query = SqlQuery("my table", rep(A, "2,?"), (Definition("A", TRUE),), partition=("k", "Order"), alias="m")
    expected = """SELECT * FROM "my table" MATCH_RECOGNIZE (
    PARTITION BY k, "Order"
    PATTERN (A{2,}?)
    DEFINE A AS TRUE
) AS m"""
    assert query_text(query) == expected
