"""Which functions and operators there are, what they take, and of which type their values are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spaseq.pattern.rows.types import (
    ANY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    MOST_DIGITS,
    NUMBERS,
    TEXT,
    TIMESTAMP,
    SqlKind,
    SqlType,
    as_decimal,
    common_type,
    decimal,
)

NAVIGATIONS = ("PREV", "NEXT", "FIRST", "LAST")
AGGREGATES = ("COUNT", "SUM", "AVG", "MIN", "MAX", "ARRAY_AGG")
OTHERS = ("CLASSIFIER", "MATCH_NUMBER")
FIELDS = (
    "YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAY_OF_WEEK", "DOW", "DAY_OF_YEAR", "DOY", "HOUR", "MINUTE", "SECOND",
)  # fmt: skip
SYNONYMS: Mapping[str, str] = {"CEILING": "CEIL", "POW": "POWER", "SUBSTR": "SUBSTRING", "CHAR_LENGTH": "LENGTH"}
INTEGERS: Mapping[str, int] = {"BIGINT": 64, "INTEGER": 32, "INT": 32, "SMALLINT": 16, "TINYINT": 8}
PLAIN_TYPES: Mapping[str, SqlType] = {
    "BOOLEAN": BOOLEAN,
    "DOUBLE": DOUBLE,
    "DOUBLE PRECISION": DOUBLE,
    "VARCHAR": TEXT,
    "DATE": DATE,
    "TIMESTAMP": TIMESTAMP,
    **dict.fromkeys(INTEGERS, INTEGER),
}
Types: TypeAlias = Sequence[SqlType]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes: at least and at most so many operands (None: any number), and the types of these.

    ``type_of`` gives that of its value, and those that its operands are cast to; None: these operands it does not take.
    """

    least: int
    most: int | None
    takes: str
    type_of: Callable[[Types], tuple[SqlType, Types] | None]


def typed(function: str, types: Types) -> tuple[SqlType, Types] | None:
    """The type of a value and of the operands; None: they do not fit."""
    return SIGNATURES[function].type_of(types)


# ── comparisons and choices ──────────────────────────────────────────────────────────────────────────────
def _truth(types: Types) -> tuple[SqlType, Types] | None:
    fit = all(type_.kind in (SqlKind.BOOLEAN, SqlKind.ANY) for type_ in types)
    return (BOOLEAN, [BOOLEAN] * len(types)) if fit else None


def _compared(types: Types) -> tuple[SqlType, Types] | None:
    common = common_type(types)
    return None if common is None or common.kind is SqlKind.LIST else (BOOLEAN, [common] * len(types))


def _alike(types: Types) -> tuple[SqlType, Types] | None:
    common = common_type(types)
    return None if common is None else (common, [common] * len(types))


def _ordered(types: Types) -> tuple[SqlType, Types] | None:
    found = _alike(types)
    return None if found is None or found[0].kind is SqlKind.LIST else found


# ── numbers and times ────────────────────────────────────────────────────────────────────────────────────
def _numbers(types: Types, of_decimals: Callable[[Types], SqlType]) -> tuple[SqlType, Types] | None:
    """Of numbers; decimals keep what they are, so that the operation knows their digits."""
    if not all(type_.is_number for type_ in types):
        return None
    common = common_type(types)
    assert common is not None
    if common.kind is not SqlKind.DECIMAL:
        return common, [common] * len(types)
    its = [as_decimal(type_) if type_.kind in NUMBERS else common for type_ in types]
    return of_decimals(its), its


def _summed(types: Types) -> SqlType:
    scale = max(type_.scale for type_ in types)
    return decimal(max(type_.precision - type_.scale for type_ in types) + scale + 1, scale)


def _multiplied(types: Types) -> SqlType:
    one, other = types
    return decimal(one.precision + other.precision, one.scale + other.scale)


def _divided(types: Types) -> SqlType:
    one, other = types
    scale = max(one.scale, other.scale)
    return decimal(one.precision - one.scale + other.scale + scale + 1, scale)


def _remaining(types: Types) -> SqlType:
    one, other = types
    scale = max(one.scale, other.scale)
    return decimal(min(one.precision - one.scale, other.precision - other.scale) + scale, scale)


_MOMENTS = (SqlKind.DATE, SqlKind.TIMESTAMP)


def _may_be_times(types: Types) -> bool:
    """Whether a type is not known yet, and the other one is of times."""
    kinds = {type_.kind for type_ in types}
    return SqlKind.ANY in kinds and bool(kinds & {*_MOMENTS, SqlKind.INTERVAL})


def _plus(types: Types) -> tuple[SqlType, Types] | None:
    one, other = types
    if _may_be_times(types):
        return ANY, types
    if other.kind is SqlKind.INTERVAL and one.kind in (*_MOMENTS, SqlKind.INTERVAL):
        return one, types
    if one.kind is SqlKind.INTERVAL and other.kind in _MOMENTS:
        return other, types
    return _numbers(types, _summed)


def _minus(types: Types) -> tuple[SqlType, Types] | None:
    one, other = types
    if _may_be_times(types):
        return ANY, types
    if one.kind in _MOMENTS and other.kind in _MOMENTS:
        common = common_type(types)
        assert common is not None
        return INTERVAL, [common] * 2
    if other.kind is SqlKind.INTERVAL and one.kind in (*_MOMENTS, SqlKind.INTERVAL):
        return one, types
    return _numbers(types, _summed)


def _times(types: Types) -> tuple[SqlType, Types] | None:
    if _may_be_times(types):
        return ANY, types
    if {type_.kind for type_ in types} == {SqlKind.INTERVAL, SqlKind.INTEGER}:
        return INTERVAL, types
    found = _numbers(types, _multiplied)
    return None if found is None or found[0].scale > MOST_DIGITS else found


def _negated(types: Types) -> tuple[SqlType, Types] | None:
    return (INTERVAL, types) if types[0].kind is SqlKind.INTERVAL else _numbers(types, lambda its: its[0])


def _same_number(types: Types) -> tuple[SqlType, Types] | None:
    return _numbers(types, lambda its: its[0])


def _whole(types: Types) -> tuple[SqlType, Types] | None:
    return _numbers(types, lambda its: decimal(its[0].precision - its[0].scale + 1, 0))


def _rounded(types: Types) -> tuple[SqlType, Types] | None:
    if len(types) == 1:
        return _whole(types)
    if types[1].kind is not SqlKind.INTEGER:
        return None
    found = _numbers(types[:1], lambda its: decimal(its[0].precision + 1, its[0].scale))
    return None if found is None else (found[0], [*found[1], INTEGER])


def _doubles(types: Types) -> tuple[SqlType, Types] | None:
    return (DOUBLE, [DOUBLE] * len(types)) if all(type_.is_number for type_ in types) else None


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────
def _texts(result: SqlType) -> Callable[[Types], tuple[SqlType, Types] | None]:
    def type_of(types: Types) -> tuple[SqlType, Types] | None:
        fit = all(type_.kind in (SqlKind.TEXT, SqlKind.ANY) for type_ in types)
        return (result, [TEXT] * len(types)) if fit else None

    return type_of


def _cut(types: Types) -> tuple[SqlType, Types] | None:
    fit = all(type_.kind in (SqlKind.INTEGER, SqlKind.ANY) for type_ in types[1:])
    return (TEXT, [TEXT, *[INTEGER] * (len(types) - 1)]) if fit and _texts(TEXT)(types[:1]) else None


_COMPARISON = Signature(2, 2, "two values of one type that is no array", _compared)
SIGNATURES: Mapping[str, Signature] = {
    **dict.fromkeys(("AND", "OR"), Signature(2, None, "conditions", _truth)),
    "NOT": Signature(1, 1, "a condition", _truth),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM"), _COMPARISON),
    "IN": Signature(2, None, "values of one type that is no array", _compared),
    "IS NULL": Signature(1, 1, "a value", lambda types: (BOOLEAN, types)),
    "LIKE": Signature(3, 3, "texts", _texts(BOOLEAN)),
    "+": Signature(2, 2, "numbers, or a time and an interval", _plus),
    "-": Signature(2, 2, "numbers, times, or a time and an interval", _minus),
    "*": Signature(2, 2, "numbers, or an interval and a whole number", _times),
    "/": Signature(2, 2, "numbers", lambda types: _numbers(types, _divided)),
    **dict.fromkeys(("%", "MOD"), Signature(2, 2, "numbers", lambda types: _numbers(types, _remaining))),
    "NEGATE": Signature(1, 1, "a number or an interval", _negated),
    "||": Signature(2, 2, "texts", _texts(TEXT)),
    "COALESCE": Signature(1, None, "values of one type", _alike),
    "NULLIF": Signature(2, 2, "values of one type that is no array", _ordered),
    **dict.fromkeys(("LEAST", "GREATEST"), Signature(1, None, "values of one type that is no array", _ordered)),
    "ABS": Signature(1, 1, "a number", _same_number),
    **dict.fromkeys(("FLOOR", "CEIL"), Signature(1, 1, "a number", _whole)),
    "ROUND": Signature(1, 2, "a number, and to how many digits", _rounded),
    "POWER": Signature(2, 2, "numbers", _doubles),
    "SQRT": Signature(1, 1, "a number", _doubles),
    **dict.fromkeys(("LOWER", "UPPER"), Signature(1, 1, "a text", _texts(TEXT))),
    "LENGTH": Signature(1, 1, "a text", _texts(INTEGER)),
    "SUBSTRING": Signature(2, 3, "a text, from which character, and how many", _cut),
}
CALLED = (
    "COALESCE", "NULLIF", "LEAST", "GREATEST", "ABS", "FLOOR", "CEIL", "ROUND", "MOD", "POWER", "SQRT", "LOWER",
    "UPPER", "LENGTH", "SUBSTRING",
)  # fmt: skip


# ── aggregates and casts ─────────────────────────────────────────────────────────────────────────────────
def aggregate_type(function: str, type_: SqlType) -> SqlType | None:
    """Of an aggregate of values of a type; None: it takes no such values."""
    kind = type_.kind
    if function == "COUNT":
        return INTEGER
    if function == "ARRAY_AGG":
        return None if kind is SqlKind.LIST else SqlType(SqlKind.LIST, element=type_)
    if function in ("MIN", "MAX"):
        return None if kind is SqlKind.LIST else type_
    if not type_.is_number:
        return None
    if function == "SUM":
        return decimal(MOST_DIGITS, type_.scale) if kind is SqlKind.DECIMAL else type_
    return DOUBLE if kind is SqlKind.INTEGER else type_


_OF_TEXT = (SqlKind.BOOLEAN, *NUMBERS, SqlKind.DATE, SqlKind.TIMESTAMP, SqlKind.TEXT)
_CASTS: Mapping[SqlKind, tuple[SqlKind, ...]] = {
    SqlKind.BOOLEAN: (SqlKind.BOOLEAN, SqlKind.TEXT, *NUMBERS),
    SqlKind.INTEGER: (SqlKind.BOOLEAN, SqlKind.TEXT, *NUMBERS),
    SqlKind.DOUBLE: (SqlKind.BOOLEAN, SqlKind.TEXT, *NUMBERS),
    SqlKind.DECIMAL: (SqlKind.BOOLEAN, SqlKind.TEXT, *NUMBERS),
    SqlKind.TEXT: _OF_TEXT,
    SqlKind.DATE: (SqlKind.TEXT, SqlKind.DATE, SqlKind.TIMESTAMP),
    SqlKind.TIMESTAMP: (SqlKind.TEXT, SqlKind.DATE, SqlKind.TIMESTAMP),
}


def may_cast(type_: SqlType, target: SqlType) -> bool:
    """Whether there is such a CAST."""
    return type_.kind is SqlKind.ANY or type_.kind in _CASTS[target.kind]
