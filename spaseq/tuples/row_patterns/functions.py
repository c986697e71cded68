"""The functions and operators of SQL on columns, all by Arrow but for decimals that it would round."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from functools import reduce
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute as pc

from spaseq.pattern.rows.expressions import Applied, SqlConstant
from spaseq.pattern.rows.types import SqlKind, SqlType
from spaseq.tuples.row_patterns.arrow_types import arrow_type
from spaseq.tuples.row_patterns.buffers import only_at
from spaseq.tuples.row_patterns.casts import EXACT, casted, within_digits

Columns = Sequence[pyarrow.Array]
_DAY = 86_400_000_000  # microseconds
_ROUND = "half_towards_infinity"  # of halves, away from zero


def apply(expression: Applied, columns: Columns) -> pyarrow.Array:
    """A function of columns, row by row; ArrowInvalid, ArithmeticError or ValueError where a row has no value."""
    if expression.function not in _OF_NULL and any(pyarrow.types.is_null(column.type) for column in columns):
        return pyarrow.nulls(len(columns[0]), arrow_type(expression.type))
    return _FUNCTIONS[expression.function](expression, *columns)


_OF_NULL = ("IS NULL", "IS DISTINCT FROM", "LIKE", "EXTRACT", "CAST", "TRY_CAST")


def _kind(expression: Applied, place: int = 0) -> SqlKind:
    return expression.operands[place].type.kind


# ── comparisons ──────────────────────────────────────────────────────────────────────────────────────────
_COMPARISONS = {
    "=": pc.equal, "<>": pc.not_equal, "<": pc.less, "<=": pc.less_equal, ">": pc.greater, ">=": pc.greater_equal,
}  # fmt: skip


def _compared(expression: Applied, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    return _COMPARISONS[expression.function](one, other)


def _distinct(expression: Applied, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    if pyarrow.types.is_null(one.type):
        return pyarrow.repeat(False, len(one))
    same = pc.equal(one, other).fill_null(False)
    alike = [same, pc.and_(one.is_null(), other.is_null())]
    if pyarrow.types.is_floating(one.type):
        alike.append(pc.and_(pc.is_nan(one).fill_null(False), pc.is_nan(other).fill_null(False)))
    return pc.invert(reduce(pc.or_, alike))


def _like(expression: Applied, text: pyarrow.Array, *_: pyarrow.Array) -> pyarrow.Array:
    pattern, escape = (each.value for each in expression.operands[1:] if isinstance(each, SqlConstant))
    if pyarrow.types.is_null(text.type) or pattern is None:
        return pyarrow.nulls(len(text), pyarrow.bool_())
    return pc.match_substring_regex(text, like_expression(str(pattern), escape))


def like_expression(pattern: str, escape: Any) -> str:
    """The regular expression of a pattern of LIKE."""
    found, characters = [], iter(pattern)
    for character in characters:
        if character == escape:
            character = next(characters, "")
            if character not in ("%", "_", escape):
                raise ValueError(f"in the pattern {pattern} {escape} stands before no %, _ or {escape}")
            found.append(re.escape(character))
        else:
            found.append({"%": ".*", "_": "."}.get(character) or re.escape(character))
    return rf"(?s)\A{''.join(found)}\z"


# ── arithmetic ───────────────────────────────────────────────────────────────────────────────────────────
_CHECKED = {"+": pc.add_checked, "-": pc.subtract_checked, "*": pc.multiply_checked, "/": pc.divide_checked}
_TIMES = (SqlKind.DATE, SqlKind.TIMESTAMP, SqlKind.INTERVAL)


def _arithmetic(expression: Applied, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    kinds = {_kind(expression), _kind(expression, 1)}
    if kinds & {*_TIMES}:
        return _of_times(expression, one, other)
    kind = expression.type.kind
    if kind is SqlKind.DECIMAL:
        return _of_decimals(expression, one, other)
    if kind is SqlKind.DOUBLE:
        return _REALS[expression.function](one, other)
    return _of_integers(expression.function, one, other)


def _of_integers(function: str, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    if function not in ("%", "MOD"):
        return _CHECKED[function](one, other)
    by = pc.if_else(pc.equal(other, -1), 1, other)  # the least number by -1 would be beyond 64 bits
    return pc.subtract_checked(one, pc.multiply_checked(pc.divide_checked(one, by), by))


def _remainder(one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    with np.errstate(all="ignore"):
        values = np.fmod(*(each.fill_null(1.0).to_numpy(zero_copy_only=False) for each in (one, other)))
    return pyarrow.array(values, mask=pc.or_(one.is_null(), other.is_null()).to_numpy(zero_copy_only=False))


_REALS: Mapping[str, Callable[..., pyarrow.Array]] = {
    "+": pc.add, "-": pc.subtract, "*": pc.multiply, "/": pc.divide, "%": _remainder, "MOD": _remainder,
}  # fmt: skip


def _of_decimals(expression: Applied, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    """By Arrow where the result has room in 38 digits, else exactly, one by one."""
    function, wanted = expression.function, arrow_type(expression.type)
    first, second = (operand.type for operand in expression.operands)
    digits = first.precision + second.precision + 1 if function == "*" else expression.type.precision + 1
    if function in ("+", "-", "*") and digits <= 38:
        return _CHECKED[function](one, other).cast(wanted)
    made = [
        None if a is None or b is None else _exactly(function, a, b, expression.type)
        for a, b in zip(one.to_pylist(), other.to_pylist(), strict=True)
    ]
    return pyarrow.array(made, wanted)


def _exactly(function: str, one: Decimal, other: Decimal, type_: SqlType) -> Decimal:
    if function in ("/", "%", "MOD") and not other:
        raise ZeroDivisionError("division by zero")
    with localcontext(EXACT):
        match function:
            case "+":
                found = one + other
            case "-":
                found = one - other
            case "*":
                found = one * other
            case "/":
                found = one / other
            case _:
                found = one % other
    try:
        return within_digits(found, type_)
    except ValueError:
        raise ValueError("overflow: the number has more than 38 digits") from None


def _microseconds(column: pyarrow.Array) -> pyarrow.Array:
    if pyarrow.types.is_date(column.type):
        return pc.multiply_checked(column.cast(pyarrow.int32()).cast(pyarrow.int64()), _DAY)
    return column.cast(pyarrow.int64())


def _of_times(expression: Applied, one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
    found = _CHECKED[expression.function](_microseconds(one), _microseconds(other))
    if expression.type.kind is not SqlKind.DATE:
        return found.cast(arrow_type(expression.type))
    days = pc.divide(found, _DAY)
    if not pc.all(pc.equal(pc.multiply(days, _DAY), found)).as_py() and found.null_count < len(found):
        raise ValueError("a date takes whole days")
    return days.cast(pyarrow.int32()).cast(pyarrow.date32())


def _negated(expression: Applied, column: pyarrow.Array) -> pyarrow.Array:
    if expression.type.kind is SqlKind.INTERVAL:
        return pc.negate_checked(column.cast(pyarrow.int64())).cast(column.type)
    return pc.negate_checked(column)


def _rounded(expression: Applied, column: pyarrow.Array, *digits: pyarrow.Array) -> pyarrow.Array:
    if not digits:
        return _rounded_to(expression, column, 0)
    found = pyarrow.nulls(len(column), arrow_type(expression.type))
    for number in pc.unique(digits[0]).drop_null().to_pylist():
        some = pc.equal(digits[0], number).fill_null(False)
        found = pc.if_else(some, _rounded_to(expression, only_at(column, some.to_numpy(False)), number), found)
    return found


def _rounded_to(expression: Applied, column: pyarrow.Array, digits: int) -> pyarrow.Array:
    if expression.type.kind is SqlKind.INTEGER and digits >= 0:
        return column
    return pc.round(_widened(expression, column), digits, _ROUND).cast(arrow_type(expression.type))


def _widened(expression: Applied, column: pyarrow.Array) -> pyarrow.Array:
    """Decimals with room for one digit more."""
    type_ = expression.operands[0].type
    if type_.kind is not SqlKind.DECIMAL or type_.precision == 38:
        return column
    return column.cast(pyarrow.decimal128(type_.precision + 1, type_.scale))


def _to_whole(expression: Applied, column: pyarrow.Array) -> pyarrow.Array:
    if expression.type.kind is SqlKind.INTEGER:
        return column
    function = pc.floor if expression.function == "FLOOR" else pc.ceil
    return function(_widened(expression, column)).cast(arrow_type(expression.type))


# ── choices, texts, times ────────────────────────────────────────────────────────────────────────────────
def _extreme(expression: Applied, *columns: pyarrow.Array) -> pyarrow.Array:
    """The least or the greatest; NaN is the greatest."""
    greatest = expression.function == "GREATEST"

    def better(one: pyarrow.Array, other: pyarrow.Array) -> pyarrow.Array:
        takes_other = pc.less(one, other) if greatest else pc.less(other, one)
        if pyarrow.types.is_floating(one.type):
            takes_other = pc.or_kleene(takes_other, pc.is_nan(other if greatest else one))
        return pc.if_else(takes_other, other, one)

    known = reduce(pc.and_, [column.is_valid() for column in columns])
    return pc.if_else(known, reduce(better, columns), pyarrow.scalar(None, columns[0].type))


def upper(texts: pyarrow.Array) -> pyarrow.Array:
    """Each code point by itself, as in Unicode's simple mapping: so ß stays, of which Arrow makes ẞ."""
    if not pc.any(pc.match_substring(texts, "ß")).as_py():
        return pc.utf8_upper(texts)
    pieces = pc.split_pattern(texts, "ß")
    in_capitals = pyarrow.ListArray.from_arrays(pieces.offsets, pc.utf8_upper(pieces.values), mask=texts.is_null())
    return pc.binary_join(in_capitals, "ß")


def _cut(expression: Applied, *columns: pyarrow.Array) -> pyarrow.Array:
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return pyarrow.array([None if None in row else substring(*row) for row in rows], pyarrow.string())


def substring(text: str, begin: int, length: int | None = None) -> str:
    """From a character on, counted from 1, or from the end if it is negative; so many, or all."""
    start = begin - 1 if begin > 0 else len(text) + begin
    if begin == 0 or start < 0 or (length is not None and length <= 0):
        return ""
    return text[start:] if length is None else text[start : start + length]


_FIELDS: Mapping[str, Callable[..., pyarrow.Array]] = {
    "YEAR": pc.year, "QUARTER": pc.quarter, "MONTH": pc.month, "WEEK": pc.iso_week, "DAY": pc.day,
    "DAY_OF_YEAR": pc.day_of_year, "DOY": pc.day_of_year, "HOUR": pc.hour, "MINUTE": pc.minute, "SECOND": pc.second,
}  # fmt: skip


def _extracted(expression: Applied, _: pyarrow.Array, column: pyarrow.Array) -> pyarrow.Array:
    (field, *_others) = (each.value for each in expression.operands if isinstance(each, SqlConstant))
    moments = column.cast(pyarrow.timestamp("us"))
    if field in ("DOW", "DAY_OF_WEEK"):
        return pc.day_of_week(moments, count_from_zero=False, week_start=1)
    return _FIELDS[str(field)](moments)


def _cast(expression: Applied, column: pyarrow.Array, *_: pyarrow.Array) -> pyarrow.Array:
    limits = [each.value for each in expression.operands[1:] if isinstance(each, SqlConstant)]
    bits = limits[0] if limits and isinstance(limits[0], int) else 64
    type_, is_safe = expression.operands[0].type, expression.function == "TRY_CAST"
    return casted(column, type_, expression.type, bits, is_safe)


def _plain(function: Callable[..., pyarrow.Array]) -> Callable[..., pyarrow.Array]:
    return lambda expression, *columns: function(*columns)


_FUNCTIONS: Mapping[str, Callable[..., pyarrow.Array]] = {
    **dict.fromkeys(_COMPARISONS, _compared),
    "IS DISTINCT FROM": _distinct,
    "IS NULL": _plain(lambda column: column.is_null()),
    "NOT": _plain(pc.invert),
    "LIKE": _like,
    **dict.fromkeys((*_CHECKED, "%", "MOD"), _arithmetic),
    "NEGATE": _negated,
    "||": _plain(lambda one, other: pc.binary_join_element_wise(one, other, "")),
    "ABS": _plain(pc.abs_checked),
    "ROUND": _rounded,
    **dict.fromkeys(("FLOOR", "CEIL"), _to_whole),
    "POWER": _plain(pc.power),
    "SQRT": _plain(pc.sqrt),
    **dict.fromkeys(("LEAST", "GREATEST"), _extreme),
    "LOWER": _plain(pc.utf8_lower),
    "UPPER": _plain(upper),
    "LENGTH": _plain(lambda column: pc.utf8_length(column).cast(pyarrow.int64())),
    "SUBSTRING": _cut,
    "EXTRACT": _extracted,
    **dict.fromkeys(("CAST", "TRY_CAST"), _cast),
}
