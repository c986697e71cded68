"""CAST: between types natively where nothing can go wrong, else value by value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Any

import pyarrow
import pyarrow.compute as pc

from spaseq.pattern.rows.types import MOST_DIGITS, SqlKind, SqlType
from spaseq.tuples.row_patterns.arrow_types import arrow_type

EXACT = Context(prec=4 * MOST_DIGITS, rounding=ROUND_HALF_UP)
_TRUTHS = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_NAMED = {"nan": math.nan, "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf}
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?", re.ASCII)


def casted(column: pyarrow.Array, type_: SqlType, target: SqlType, bits: int, safe: bool) -> pyarrow.Array:
    """A column in another type; of TRY_CAST (``safe``) NULL where there is no value, else ValueError says why.

    ``bits``: of integers.
    """
    if pyarrow.types.is_null(column.type):
        return pyarrow.nulls(len(column), arrow_type(target))
    native = _native(column, type_, target) if bits == 64 else None
    return native if native is not None else _one_by_one(column, target, bits, safe)


def _native(column: pyarrow.Array, type_: SqlType, target: SqlType) -> pyarrow.Array | None:
    """Where every value has one in the other type."""
    kinds, wanted = (type_.kind, target.kind), arrow_type(target)
    if type_ == target:
        return column
    if kinds == (SqlKind.DECIMAL, SqlKind.DECIMAL):
        fits = type_.scale <= target.scale and type_.precision - type_.scale <= target.precision - target.scale
        return column.cast(wanted) if fits else None
    if kinds == (SqlKind.INTEGER, SqlKind.DECIMAL):
        return column.cast(wanted) if target.precision - target.scale >= 19 else None
    if kinds == (SqlKind.TIMESTAMP, SqlKind.DATE):
        return pc.floor_temporal(column, unit="day").cast(wanted)
    if kinds == (SqlKind.INTEGER, SqlKind.DOUBLE):
        return column.cast(wanted, safe=False)
    if kinds == (SqlKind.DECIMAL, SqlKind.DOUBLE):
        return column.cast(pyarrow.string()).cast(wanted)  # right to the last bit, which a direct cast is not
    if kinds[0] is SqlKind.BOOLEAN and kinds[1] in (SqlKind.INTEGER, SqlKind.DOUBLE):
        return column.cast(pyarrow.int64()).cast(wanted)
    return column.cast(wanted) if kinds in _CERTAIN else None


_CERTAIN = {
    (SqlKind.INTEGER, SqlKind.TEXT),
    (SqlKind.BOOLEAN, SqlKind.TEXT),
    (SqlKind.DATE, SqlKind.TEXT),
    (SqlKind.DATE, SqlKind.TIMESTAMP),
}


def _one_by_one(column: pyarrow.Array, target: SqlType, bits: int, safe: bool) -> pyarrow.Array:
    make = _MAKERS[target.kind]
    known: dict[Any, Any] = {}

    def value(given: Any) -> Any:
        key = repr(given) if given == 0 and isinstance(given, float) else given  # 0.0 is -0.0, but is written otherwise
        if key not in known:
            try:
                known[key] = make(given, target, bits)
            except (ValueError, ArithmeticError) as error:
                if not safe:
                    raise ValueError(f"{shown(given)} is no {target}: {error}") from None
                known[key] = None
        return known[key]

    values = [None if given is None else value(given) for given in column.to_pylist()]
    return pyarrow.array(values, arrow_type(target))


def shown(value: object) -> str:
    """A value in a message."""
    return f"'{value}'" if isinstance(value, str) else str(value)


# ── single values ────────────────────────────────────────────────────────────────────────────────────────
def _boolean(value: Any, target: SqlType, bits: int) -> bool:
    if isinstance(value, str):
        if value.lower() not in _TRUTHS:
            raise ValueError("write true or false")
        return _TRUTHS[value.lower()]
    return bool(value != 0)


def _integer(value: Any, target: SqlType, bits: int) -> int:
    if isinstance(value, str):
        found = int(_fitting(_INTEGER, value))
    else:
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError("it is no number")
        found = int(value) if isinstance(value, int) else int(Decimal(value).to_integral_value(ROUND_HALF_UP, EXACT))
    if not -(1 << bits - 1) <= found < 1 << bits - 1:
        raise ValueError(f"it is beyond {bits} bits")
    return found


def _double(value: Any, target: SqlType, bits: int) -> float:
    if isinstance(value, str) and value.lower() in _NAMED:
        return _NAMED[value.lower()]
    return float(_fitting(_NUMBER, value) if isinstance(value, str) else value)


def _decimal(value: Any, target: SqlType, bits: int) -> Decimal:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("it is no number")
    number = Decimal(_fitting(_NUMBER, value) if isinstance(value, str) else int(value) if value is True else value)
    return within_digits(number, target)


def within_digits(number: Decimal, target: SqlType) -> Decimal:
    """A number with as many digits behind the point as a type has; ValueError: it has too many before it."""
    with localcontext(EXACT):
        if number.adjusted() > MOST_DIGITS:
            raise ValueError(f"it has more than {target.precision} digits")
        found = number.quantize(Decimal(1).scaleb(-target.scale))
    if found and found.adjusted() + 1 > target.precision - target.scale:
        raise ValueError(f"it has more than {target.precision} digits")
    return found


def _text(value: Any, target: SqlType, bits: int) -> str:
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, datetime):
        return value.isoformat(" ", "microseconds")
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _date(value: Any, target: SqlType, bits: int) -> date:
    return date.fromisoformat(_fitting(_DATE, value))


def _timestamp(value: Any, target: SqlType, bits: int) -> datetime:
    return datetime.fromisoformat(_fitting(_TIMESTAMP, value))


def _fitting(form: re.Pattern[str], text: str) -> str:
    if not form.fullmatch(text):
        raise ValueError("it is written in another way")
    return text


_MAKERS: dict[SqlKind, Callable[[Any, SqlType, int], Any]] = {
    SqlKind.BOOLEAN: _boolean,
    SqlKind.INTEGER: _integer,
    SqlKind.DOUBLE: _double,
    SqlKind.DECIMAL: _decimal,
    SqlKind.TEXT: _text,
    SqlKind.DATE: _date,
    SqlKind.TIMESTAMP: _timestamp,
}
