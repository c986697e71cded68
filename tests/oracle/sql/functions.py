"""Scalar functions on operands whose names and types are known."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from . import arithmetic
from .faults import PlanFault
from .model import BIGINT, DOUBLE, UNKNOWN, VARCHAR, SqlKind, SqlType, decimal_type
from .moments import BoundExpression, Moment
from .scalars import Bounds, as_type, calculation, comparison, expected, meeting, strict
from .values import NUMBERS, TIMES, greatest, least, rounded, to_bigint, to_decimal

ALIASES = {"CEILING": "CEIL", "POW": "POWER", "SUBSTR": "SUBSTRING", "SUBSTRING FROM": "SUBSTRING"}
FIELDS: dict[str, Callable[[Any], int]] = {
    "YEAR": lambda value: value.year,
    "QUARTER": lambda value: (value.month + 2) // 3,
    "MONTH": lambda value: value.month,
    "WEEK": lambda value: value.isocalendar().week,
    "DAY": lambda value: value.day,
    "DAY_OF_WEEK": date.isoweekday,
    "DOW": date.isoweekday,
    "DAY_OF_YEAR": lambda value: value.timetuple().tm_yday,
    "DOY": lambda value: value.timetuple().tm_yday,
    "HOUR": lambda value: value.hour if isinstance(value, datetime) else 0,
    "MINUTE": lambda value: value.minute if isinstance(value, datetime) else 0,
    "SECOND": lambda value: value.second if isinstance(value, datetime) else 0,
}


def extract(field: str, operand: BoundExpression) -> BoundExpression:
    """EXTRACT."""
    return strict(BIGINT, FIELDS[field], expected(operand, *TIMES))


def call(name: str, operands: Bounds) -> BoundExpression:
    """A function by name."""
    name = ALIASES.get(name, name)
    match name, len(operands):
        case "COALESCE", count if count > 0:
            return _coalesce(operands)
        case "NULLIF", 2:
            return _null_if(*operands)
        case ("GREATEST" | "LEAST", count) if count > 0:
            all_ = meeting(operands)
            over = greatest if name == "GREATEST" else least
            return strict(all_[0].type, lambda *values: over(values), *all_)
        case "MOD", 2:
            return calculation("%", *operands)
        case "LOWER" | "UPPER", 1:
            return strict(VARCHAR, lower if name == "LOWER" else upper, expected(operands[0], SqlKind.VARCHAR))
        case "LENGTH", 1:
            return strict(BIGINT, len, expected(operands[0], SqlKind.VARCHAR))
        case "SUBSTRING", 2 | 3:
            text, *places = operands
            places = [expected(place, SqlKind.BIGINT) for place in places]
            return strict(VARCHAR, substring, expected(text, SqlKind.VARCHAR), *places)
    return _number_call(name, operands)


def _number_call(name: str, operands: Bounds) -> BoundExpression:
    first, *rest = [expected(operand, *NUMBERS) for operand in operands]
    match name, len(rest):
        case "POWER", 1:
            return strict(DOUBLE, arithmetic.power, as_type(first, DOUBLE), as_type(rest[0], DOUBLE))
        case "SQRT", 0:
            return strict(DOUBLE, arithmetic.square_root, as_type(first, DOUBLE))
        case "ABS", 0:
            return strict(first.type, _absolute if first.type == BIGINT else abs, first)
        case "FLOOR" | "CEIL", 0:
            return _whole(first, math.floor if name == "FLOOR" else math.ceil)
        case "ROUND", 0:
            return _whole(first, rounded)
        case "ROUND", 1:
            return strict(first.type, _round_to(first.type), first, expected(rest[0], SqlKind.BIGINT))
    raise PlanFault(f"no {name} of {len(operands)}")


def _absolute(value: int) -> int:
    return to_bigint(abs(value))


def _coalesce(operands: Bounds) -> BoundExpression:
    all_ = meeting(operands)

    def value(moment: Moment) -> Any:
        return next((each for each in (operand.read(moment) for operand in all_) if each is not None), None)

    return BoundExpression(all_[0].type, value)


def _null_if(first: BoundExpression, second: BoundExpression) -> BoundExpression:
    equal = comparison("=", first, second)
    return BoundExpression(first.type, lambda moment: None if equal.read(moment) else first.read(moment))


def _whole(operand: BoundExpression, function: Callable[[Fraction], int]) -> BoundExpression:
    """FLOOR, CEIL and ROUND to an integer: BIGINT and DOUBLE stay what they are, a DECIMAL has scale 0."""
    match operand.type.kind:
        case SqlKind.BIGINT | SqlKind.UNKNOWN:
            return operand
        case SqlKind.DOUBLE:
            return strict(DOUBLE, lambda x: float(function(Fraction(x))) if math.isfinite(x) else x, operand)
    return strict(decimal_type(0), lambda x: to_decimal(Fraction(function(Fraction(x))), 0), operand)


def _round_to(type_: SqlType) -> Callable[[Any, int], Any]:
    """ROUND to a number of digits behind the point."""

    def at(value: Any, digits: int) -> Fraction:
        unit = Fraction(10) ** -digits
        return rounded(Fraction(value) / unit) * unit

    match type_.kind:
        case SqlKind.BIGINT:
            return lambda value, digits: to_bigint(int(at(value, digits)))
        case SqlKind.DOUBLE:
            return lambda value, digits: float(at(value, digits)) if math.isfinite(value) else value
        case SqlKind.UNKNOWN:
            return lambda value, digits: None
    return lambda value, digits: to_decimal(at(value, digits), type_.scale)


def lower(text: str) -> str:
    """LOWER: each code point by itself."""
    return "".join(character.lower()[0] for character in text)


def upper(text: str) -> str:
    """UPPER: each code point by itself; one that has no single capital stays."""
    return "".join(_capital(character) for character in text)


def _capital(character: str) -> str:
    forms = (character.upper(), character.title())  # ᾳ has a single one that is for titles, too
    return next((form for form in forms if len(form) == 1), character)


def substring(text: str, start: int, length: int | None = None) -> str:
    """SUBSTRING: places begin at 1, or count from the end if negative; 0 and places beyond give ''."""
    first = start - 1 if start > 0 else len(text) + start
    if start == 0 or not 0 <= first < len(text) or (length is not None and length <= 0):
        return ""
    return text[first:] if length is None else text[first : first + length]


def null() -> BoundExpression:
    """The untyped NULL."""
    return BoundExpression(UNKNOWN, lambda _: None)
