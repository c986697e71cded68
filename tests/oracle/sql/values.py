"""Values: three-valued logic, comparison and order, and the types that two operands meet in."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any

from .faults import PlanFault, ValueFault
from .model import BIGINT, UNKNOWN, SqlKind, SqlRow, SqlType, SqlValue, decimal_type

NUMBERS = (SqlKind.BIGINT, SqlKind.DECIMAL, SqlKind.DOUBLE)
TIMES = (SqlKind.DATE, SqlKind.TIMESTAMP)
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def negation(value: bool | None) -> bool | None:
    """NOT."""
    return None if value is None else not value


def compared(comparison: str, left: Any, right: Any) -> bool | None:
    """A comparison of two values of one type; NaN is as in IEEE."""
    return None if left is None or right is None else COMPARISONS[comparison](left, right)


def is_nan(value: object) -> bool:
    """Whether a value is NaN."""
    return isinstance(value, float) and math.isnan(value)


def distinct(left: Any, right: Any) -> bool:
    """IS DISTINCT FROM: NULL is NULL, and NaN is NaN."""
    if left is None or right is None:
        return left is not right
    return not (is_nan(left) and is_nan(right)) and bool(left != right)


def order_key(value: Any) -> tuple[bool, Any]:
    """What values that are not NULL are ordered by: NaN is greater than all numbers."""
    return (True, 0) if is_nan(value) else (False, value)


def least(values: Iterable[Any]) -> Any:
    """The first of the least values."""
    return min(values, key=order_key)


def greatest(values: Iterable[Any]) -> Any:
    """The first of the greatest values."""
    return max(values, key=order_key)


def same_value(left: SqlValue, right: SqlValue) -> bool:
    """Whether two values of results are one: NaN is NaN, -0.0 is 0.0, and TRUE is not 1."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return same_row(left, right)
    return type(left) is type(right) and not distinct(left, right)


def same_row(left: SqlRow, right: SqlRow) -> bool:
    """Whether two rows have the same values."""
    return len(left) == len(right) and all(map(same_value, left, right))


def common_type(types: Iterable[SqlType]) -> SqlType:
    """The type that all meet in."""
    return reduce(_meeting, types, UNKNOWN)


def _meeting(left: SqlType, right: SqlType) -> SqlType:
    kinds = {left.kind, right.kind}
    if SqlKind.UNKNOWN in kinds:
        return left if right.kind is SqlKind.UNKNOWN else right
    if kinds == {SqlKind.DECIMAL} or kinds == {SqlKind.BIGINT, SqlKind.DECIMAL}:
        return decimal_type(max(left.scale, right.scale))
    if left == right:
        return left
    for ladder in (NUMBERS, TIMES):
        if kinds <= set(ladder):
            return left if ladder.index(left.kind) > ladder.index(right.kind) else right
    raise PlanFault(f"{left} and {right} do not meet")


def coerced(value: Any, source: SqlType, target: SqlType) -> Any:
    """A value of one type as a value of the type that it meets another in."""
    if value is None or source == target:
        return value
    if target.kind is SqlKind.DECIMAL:
        return to_decimal(Fraction(value), target.scale)
    if target.kind is SqlKind.DOUBLE:
        return float(value)
    if target.kind is SqlKind.TIMESTAMP and source.kind is SqlKind.DATE:
        return datetime.combine(value, time())
    raise PlanFault(f"{source} is no {target}")


def rounded(value: Fraction) -> int:
    """The nearest integer, a half away from zero."""
    size = math.floor(abs(value) + Fraction(1, 2))
    return size if value >= 0 else -size


def to_decimal(value: Fraction, scale: int, precision: int = 38) -> Decimal:
    """A DECIMAL(precision, scale), rounded half away from zero; too many digits are an error."""
    unscaled = rounded(value * 10**scale)
    if abs(unscaled) >= 10**precision:
        raise ValueFault(f"more than {precision} digits")
    return Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale))


def to_bigint(value: int, bits: int = 64) -> int:
    """An integer, if it has no more bits."""
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise ValueFault(f"{value} does not fit {bits} bits")
    return value


def like(text: str, pattern: str, escape: str | None) -> bool:
    """LIKE: `%` is any text, `_` one code point, unless the escape character is before it."""
    parts, rest = [], iter(pattern)
    for character in rest:
        if character == escape:
            character = next(rest, "")
            if character not in ("%", "_", escape):
                raise ValueFault("ESCAPE is only before %, _ and itself")
            parts.append(re.escape(character))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def literal_type(value: SqlValue) -> SqlType:
    """The type of a value of Python that is not NULL, of a decimal by its digits."""
    match value:
        case Decimal():
            return decimal_type(max(0, -int(value.as_tuple().exponent)))
        case bool():
            return SqlType(SqlKind.BOOLEAN)
        case int():
            return BIGINT
        case float():
            return SqlType(SqlKind.DOUBLE)
        case str():
            return SqlType(SqlKind.VARCHAR)
        case datetime():
            return SqlType(SqlKind.TIMESTAMP)
        case date():
            return SqlType(SqlKind.DATE)
    return SqlType(SqlKind.INTERVAL)
