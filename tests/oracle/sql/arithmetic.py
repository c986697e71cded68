"""Arithmetic on two values of one type, and on times and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .faults import ValueFault
from .values import to_bigint, to_decimal

MICROSECOND = timedelta(microseconds=1)
DAY = timedelta(days=1)


def truncated(left: int | Fraction, right: int | Fraction) -> int:
    """The quotient without its fraction."""
    if not right:
        raise ValueFault("division by zero")
    return math.trunc(Fraction(left) / Fraction(right))


def bigint_operation(operator: str) -> Callable[[int, int], int]:
    """An operator on BIGINTs."""
    return {
        "+": lambda left, right: to_bigint(left + right),
        "-": lambda left, right: to_bigint(left - right),
        "*": lambda left, right: to_bigint(left * right),
        "/": lambda left, right: to_bigint(truncated(left, right)),
        "%": lambda left, right: to_bigint(left - right * truncated(left, right)),
    }[operator]


def decimal_operation(operator: str, scale: int) -> Callable[[Any, Any], Decimal]:
    """An operator on DECIMALs and BIGINTs, with the scale of its result."""
    exact: Callable[[Fraction, Fraction], Fraction] = {
        "+": lambda left, right: left + right,
        "-": lambda left, right: left - right,
        "*": lambda left, right: left * right,
        "/": _quotient,
        "%": lambda left, right: left - right * truncated(left, right),
    }[operator]
    return lambda left, right: to_decimal(exact(Fraction(left), Fraction(right)), scale)


def _quotient(left: Fraction, right: Fraction) -> Fraction:
    if not right:
        raise ValueFault("division by zero")
    return left / right


def double_operation(operator: str) -> Callable[[float, float], float]:
    """An operator on DOUBLEs, as in IEEE."""
    return {
        "+": lambda left, right: left + right,
        "-": lambda left, right: left - right,
        "*": lambda left, right: left * right,
        "/": _double_quotient,
        "%": _double_rest,
    }[operator]


def _double_quotient(left: float, right: float) -> float:
    if right != 0.0:
        return left / right
    if left == 0.0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _double_rest(left: float, right: float) -> float:
    if math.isnan(left) or math.isnan(right) or math.isinf(left) or right == 0.0:
        return math.nan
    return math.fmod(left, right)


def power(base: float, exponent: float) -> float:
    """POWER as in IEEE: no error, but NaN or Infinity."""
    odd = exponent % 2 == 1
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and odd else math.inf
    except ValueError:
        if base != 0.0:
            return math.nan
        return math.copysign(math.inf, base) if odd else math.inf


def square_root(value: float) -> float:
    """SQRT: NaN of a negative."""
    return math.nan if value < 0 else math.sqrt(value)


def interval(microseconds: int) -> timedelta:
    """An INTERVAL, if it fits 64 bits of microseconds."""
    return to_bigint(microseconds) * MICROSECOND


def microseconds(value: timedelta) -> int:
    """The length of an INTERVAL."""
    return value // MICROSECOND


def intervals_sum(left: timedelta, right: timedelta) -> timedelta:
    """INTERVAL + INTERVAL."""
    return interval(microseconds(left) + microseconds(right))


def interval_product(value: timedelta, factor: int) -> timedelta:
    """INTERVAL * BIGINT."""
    return interval(microseconds(value) * factor)


def interval_negation(value: timedelta) -> timedelta:
    """Unary - of an INTERVAL."""
    return interval(-microseconds(value))


def times_difference(left: Any, right: Any) -> timedelta:
    """TIMESTAMP - TIMESTAMP, and DATE - DATE."""
    return interval(microseconds(left - right))


def moved_date(value: date, by: timedelta) -> date:
    """DATE + INTERVAL, which is to be whole days."""
    if by % DAY:
        raise ValueFault("a date moves by whole days only")
    try:
        return value + by
    except OverflowError as error:
        raise ValueFault("no such date") from error


def moved_timestamp(value: datetime, by: timedelta) -> datetime:
    """TIMESTAMP + INTERVAL."""
    try:
        return value + by
    except OverflowError as error:
        raise ValueFault("no such timestamp") from error
