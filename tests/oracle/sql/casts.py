"""CAST: from each type to each type that has one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from .faults import PlanFault, ValueFault
from .model import BIGINT, BOOLEAN, DATE, DOUBLE, TIMESTAMP, VARCHAR, SqlKind, SqlType, decimal_type
from .values import NUMBERS, coerced, rounded, to_bigint, to_decimal

INTEGER_BITS = {"BIGINT": 64, "INTEGER": 32, "INT": 32, "SMALLINT": 16, "TINYINT": 8}
TRUTHS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
WHOLE = re.compile(r"[+-]?[0-9]+")
FIXED = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
FLOATING = re.compile(r"[+-]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|Infinity)|NaN")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ISO_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?")


def cast_type(target: str, digits: tuple[int, ...]) -> SqlType:
    """The type that CAST gives."""
    if target == "DECIMAL":
        precision, scale = (*digits, 0)[:2] if digits else (38, 0)
        if not 0 <= scale <= precision <= 38 or precision < 1:
            raise PlanFault(f"no DECIMAL({precision}, {scale})")
        return decimal_type(scale, precision)
    simple = {"BOOLEAN": BOOLEAN, "DOUBLE": DOUBLE, "VARCHAR": VARCHAR, "DATE": DATE, "TIMESTAMP": TIMESTAMP}
    if target not in simple and target not in INTEGER_BITS:
        raise PlanFault(f"no CAST to {target}")
    return simple.get(target, BIGINT)


def cast(source: SqlType, target: str, digits: tuple[int, ...]) -> Callable[[Any], Any]:
    """The function that casts a value that is not NULL."""
    result = cast_type(target, digits)
    if source.kind in (SqlKind.UNKNOWN, result.kind) and result.kind not in NUMBERS:
        return lambda value: value
    match result.kind:
        case SqlKind.BOOLEAN:
            return _to_boolean(source)
        case SqlKind.BIGINT:
            return _to_integer(source, INTEGER_BITS[target])
        case SqlKind.DOUBLE:
            return _to_double(source)
        case SqlKind.DECIMAL:
            return _to_decimal(source, result)
        case SqlKind.VARCHAR:
            return _to_varchar(source)
    return _to_time(source, result)


def _refused(source: SqlType, target: str) -> PlanFault:
    return PlanFault(f"no CAST from {source} to {target}")


def _to_boolean(source: SqlType) -> Callable[[Any], bool]:
    if source.kind is SqlKind.VARCHAR:
        return _truth
    if source.kind in NUMBERS:
        return lambda value: bool(value != 0)
    raise _refused(source, "BOOLEAN")


def _truth(value: str) -> bool:
    if value.lower() not in TRUTHS:
        raise ValueFault(f"'{value}' is no BOOLEAN")
    return TRUTHS[value.lower()]


def _to_integer(source: SqlType, bits: int) -> Callable[[Any], int]:
    if source.kind is SqlKind.VARCHAR:
        return lambda value: to_bigint(int(_fitting(WHOLE, value, "integer")), bits)
    if source.kind in (*NUMBERS, SqlKind.BOOLEAN, SqlKind.UNKNOWN):
        return lambda value: to_bigint(rounded(exact(value)), bits)
    raise _refused(source, "BIGINT")


def _fitting(form: re.Pattern[str], value: str, what: str) -> str:
    if not form.fullmatch(value):
        raise ValueFault(f"'{value}' is no {what}")
    return value


def exact(value: bool | int | float | Decimal) -> Fraction:
    """The exact value of a number; NaN and the infinite have none."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueFault(f"{value} is not finite")
    return Fraction(value)


def _to_double(source: SqlType) -> Callable[[Any], float]:
    if source.kind is SqlKind.VARCHAR:
        return lambda value: float(_fitting(FLOATING, value, "DOUBLE"))
    if source.kind in (*NUMBERS, SqlKind.BOOLEAN, SqlKind.UNKNOWN):
        return float
    raise _refused(source, "DOUBLE")


def _to_decimal(source: SqlType, target: SqlType) -> Callable[[Any], Decimal]:
    if source.kind is SqlKind.VARCHAR:
        return lambda v: to_decimal(Fraction(_fitting(FIXED, v, "DECIMAL")), target.scale, target.precision)
    if source.kind in (*NUMBERS, SqlKind.UNKNOWN):
        return lambda value: to_decimal(exact(value), target.scale, target.precision)
    raise _refused(source, "DECIMAL")


def _to_varchar(source: SqlType) -> Callable[[Any], str]:
    match source.kind:
        case SqlKind.BIGINT:
            return str
        case SqlKind.BOOLEAN:
            return lambda value: str(value).lower()
        case SqlKind.DECIMAL:
            return lambda value: format(value, "f")
        case SqlKind.DOUBLE:
            return _double_text
        case SqlKind.DATE:
            return date.isoformat
        case SqlKind.TIMESTAMP:
            return lambda value: str(value.isoformat(" ", "microseconds"))
    raise _refused(source, "VARCHAR")


def _double_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value).replace("inf", "Infinity")


def _to_time(source: SqlType, target: SqlType) -> Callable[[Any], date]:
    if source.kind is SqlKind.VARCHAR:
        form, kind = (ISO_DATE, date) if target.kind is SqlKind.DATE else (ISO_TIMESTAMP, datetime)
        return lambda value: _parsed(kind, _fitting(form, value, str(target)))
    if source.kind is SqlKind.TIMESTAMP and target.kind is SqlKind.DATE:
        return datetime.date
    if source.kind is SqlKind.DATE and target.kind is SqlKind.TIMESTAMP:
        return lambda value: _midnight(value)
    raise _refused(source, str(target))


def _midnight(value: date) -> datetime:
    result: datetime = coerced(value, DATE, TIMESTAMP)
    return result


def _parsed(kind: type[date], text: str) -> date:
    try:
        return kind.fromisoformat(text)
    except ValueError as error:
        raise ValueFault(f"'{text}' is no {kind.__name__}") from error
