"""Operators on expressions whose names and types are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from . import arithmetic
from .casts import cast, cast_type
from .faults import PlanFault, ValueFault
from .model import BIGINT, BOOLEAN, DATE, INTERVAL, TIMESTAMP, UNKNOWN, VARCHAR, SqlKind, SqlType, decimal_type
from .moments import BoundExpression, Moment
from .values import NUMBERS, coerced, common_type, compared, distinct, like, negation

Bounds = Sequence[BoundExpression]


def strict(type_: SqlType, function: Callable[..., Any], *operands: BoundExpression) -> BoundExpression:
    """A function of all operands that is NULL where one of them is."""

    def value(moment: Moment) -> Any:
        values = [operand.read(moment) for operand in operands]
        return None if any(each is None for each in values) else function(*values)

    return BoundExpression(type_, value)


def as_type(operand: BoundExpression, target: SqlType) -> BoundExpression:
    """The operand as the type that it meets others in."""
    if operand.type == target:
        return operand
    return BoundExpression(target, lambda moment: coerced(operand.read(moment), operand.type, target))


def meeting(operands: Bounds) -> list[BoundExpression]:
    """The operands as the type that all meet in."""
    target = common_type(operand.type for operand in operands)
    if target.kind is SqlKind.ARRAY:
        raise PlanFault("an array is a measure of its own")
    return [as_type(operand, target) for operand in operands]


def expected(operand: BoundExpression, *kinds: SqlKind) -> BoundExpression:
    """The operand, if it is NULL or of one of these kinds."""
    if operand.type.kind not in (*kinds, SqlKind.UNKNOWN):
        raise PlanFault(f"{operand.type} is none of {', '.join(kinds)}")
    return operand


def connective(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    """AND and OR: the right operand is asked for where the left does not decide."""
    decisive = operator == "OR"
    first, second = expected(left, SqlKind.BOOLEAN).read, expected(right, SqlKind.BOOLEAN).read

    def value(moment: Moment) -> bool | None:
        before: bool | None = first(moment)
        if before is decisive:
            return decisive
        behind: bool | None = second(moment)
        if behind is decisive:
            return decisive
        return None if before is None or behind is None else not decisive

    return BoundExpression(BOOLEAN, value)


def comparison(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    """A comparison of two operands in the type that they meet in."""
    one, other = meeting([left, right])
    return BoundExpression(BOOLEAN, lambda moment: compared(operator, one.read(moment), other.read(moment)))


def inverted(test: BoundExpression, negated: bool = True) -> BoundExpression:
    """NOT of a test, or the test."""
    expected(test, SqlKind.BOOLEAN)
    return BoundExpression(BOOLEAN, lambda moment: negation(test.read(moment))) if negated else test


def null_test(operand: BoundExpression) -> BoundExpression:
    """IS NULL."""
    if operand.type.kind is SqlKind.ARRAY:
        raise PlanFault("an array is a measure of its own")
    return BoundExpression(BOOLEAN, lambda moment: operand.read(moment) is None)


def distinct_test(left: BoundExpression, right: BoundExpression) -> BoundExpression:
    """IS DISTINCT FROM."""
    one, other = meeting([left, right])
    return BoundExpression(BOOLEAN, lambda moment: distinct(one.read(moment), other.read(moment)))


def in_list(operand: BoundExpression, items: Bounds) -> BoundExpression:
    """IN: no operand after an equal one is asked for."""
    first, *rest = meeting([operand, *items])

    def value(moment: Moment) -> bool | None:
        wanted, unknown = first.read(moment), False
        for item in rest:
            equal = compared("=", wanted, item.read(moment))
            if equal:
                return True
            unknown = unknown or equal is None
        return None if unknown else False

    return BoundExpression(BOOLEAN, value)


def between(operand: BoundExpression, low: BoundExpression, high: BoundExpression) -> BoundExpression:
    """BETWEEN, as two comparisons and AND."""
    return connective("AND", comparison(">=", operand, low), comparison("<=", operand, high))


def like_test(operand: BoundExpression, pattern: BoundExpression, escape: str | None) -> BoundExpression:
    """LIKE."""
    operands = expected(operand, SqlKind.VARCHAR), expected(pattern, SqlKind.VARCHAR)
    return strict(BOOLEAN, lambda text, form: like(text, form, escape), *operands)


def searched_case(conditions: Bounds, results: Bounds, otherwise: BoundExpression) -> BoundExpression:
    """CASE WHEN: only the branch that is asked for is evaluated."""
    for condition in conditions:
        expected(condition, SqlKind.BOOLEAN)
    *branches, last = meeting([*results, otherwise])

    def value(moment: Moment) -> Any:
        for condition, branch in zip(conditions, branches, strict=True):
            if condition.read(moment):
                return branch.read(moment)
        return last.read(moment)

    return BoundExpression(last.type, value)


def simple_case(
    operand: BoundExpression, values: Bounds, results: Bounds, otherwise: BoundExpression
) -> BoundExpression:
    """CASE x WHEN, the values and x being compared in the type that all meet in."""
    first, *others = meeting([operand, *values])
    return searched_case([comparison("=", first, other) for other in others], results, otherwise)


def cast_bound(operand: BoundExpression, target: str, digits: tuple[int, ...], tried: bool) -> BoundExpression:
    """CAST and TRY_CAST."""
    function = cast(operand.type, target, digits)

    def value(moment: Moment) -> Any:
        before = operand.read(moment)
        try:
            return None if before is None else function(before)
        except ValueFault:
            if tried:
                return None
            raise

    return BoundExpression(cast_type(target, digits), value)


def unary(operator: str, operand: BoundExpression) -> BoundExpression:
    """NOT, - and +."""
    if operator == "NOT":
        return inverted(operand)
    expected(operand, *NUMBERS, SqlKind.INTERVAL)
    if operator == "+" or operand.type == UNKNOWN:
        return operand
    match operand.type.kind:
        case SqlKind.INTERVAL:
            return strict(INTERVAL, arithmetic.interval_negation, operand)
        case SqlKind.DOUBLE:
            return strict(operand.type, lambda value: -value, operand)
    zero = BoundExpression(BIGINT, lambda _: 0)
    return calculation("-", zero, operand)


def calculation(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    """+ - * / % and ||."""
    if operator == "||":
        both = expected(left, SqlKind.VARCHAR), expected(right, SqlKind.VARCHAR)
        return strict(VARCHAR, lambda one, other: one + other, *both)
    kinds = {left.type.kind, right.type.kind}
    if kinds <= {*NUMBERS, SqlKind.UNKNOWN}:
        return _numeric(operator, left, right)
    return _temporal(operator, left, right)


def _numeric(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    type_ = common_type([left.type, right.type])
    match type_.kind:
        case SqlKind.UNKNOWN:
            return left
        case SqlKind.BIGINT:
            return strict(BIGINT, arithmetic.bigint_operation(operator), left, right)
        case SqlKind.DOUBLE:
            both = as_type(left, type_), as_type(right, type_)
            return strict(type_, arithmetic.double_operation(operator), *both)
    scale = left.type.scale + right.type.scale if operator == "*" else max(left.type.scale, right.type.scale)
    if scale > 38:
        raise PlanFault(f"no DECIMAL has {scale} digits behind the point")
    return strict(decimal_type(scale), arithmetic.decimal_operation(operator, scale), left, right)


def _temporal(operator: str, left: BoundExpression, right: BoundExpression) -> BoundExpression:
    match left.type.kind, operator, right.type.kind:
        case SqlKind.INTERVAL, "+" | "-", SqlKind.INTERVAL:
            return strict(INTERVAL, arithmetic.intervals_sum, left, _signed(operator, right))
        case SqlKind.INTERVAL, "*", SqlKind.BIGINT:
            return strict(INTERVAL, arithmetic.interval_product, left, right)
        case SqlKind.BIGINT, "*", SqlKind.INTERVAL:
            return strict(INTERVAL, arithmetic.interval_product, right, left)
        case SqlKind.DATE, "+" | "-", SqlKind.INTERVAL:
            return strict(DATE, arithmetic.moved_date, left, _signed(operator, right))
        case SqlKind.TIMESTAMP, "+" | "-", SqlKind.INTERVAL:
            return strict(TIMESTAMP, arithmetic.moved_timestamp, left, _signed(operator, right))
        case (SqlKind.DATE | SqlKind.TIMESTAMP, "-", SqlKind.DATE | SqlKind.TIMESTAMP):
            return strict(INTERVAL, arithmetic.times_difference, *meeting([left, right]))
    raise PlanFault(f"no {left.type} {operator} {right.type}")


def _signed(operator: str, operand: BoundExpression) -> BoundExpression:
    return unary("-", operand) if operator == "-" else operand
