"""The types of values, and which of them meet in one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

MOST_DIGITS = 38


class SqlKind(Enum):
    """What a value is; ``ANY``: not known yet, or NULL."""

    ANY = "unknown"
    BOOLEAN = "BOOLEAN"
    INTEGER = "BIGINT"
    DECIMAL = "DECIMAL"
    DOUBLE = "DOUBLE"
    TEXT = "VARCHAR"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    INTERVAL = "INTERVAL"
    LIST = "ARRAY"


@dataclass(frozen=True, slots=True)
class SqlType:
    """A type: decimals have so many digits, ``scale`` of them behind the point; lists have a type of elements.

    Integers have 64 bits; timestamps and intervals count microseconds.
    """

    kind: SqlKind
    precision: int = 0
    scale: int = 0
    element: SqlType | None = None

    def __str__(self) -> str:
        if self.kind is SqlKind.DECIMAL:
            return f"DECIMAL({self.precision}, {self.scale})"
        return f"ARRAY({self.element})" if self.element is not None else self.kind.value

    @property
    def is_number(self) -> bool:
        """Whether it is one of numbers, or may be."""
        return self.kind in NUMBERS or self.kind is SqlKind.ANY


ANY = SqlType(SqlKind.ANY)
BOOLEAN = SqlType(SqlKind.BOOLEAN)
INTEGER = SqlType(SqlKind.INTEGER)
DOUBLE = SqlType(SqlKind.DOUBLE)
TEXT = SqlType(SqlKind.TEXT)
DATE = SqlType(SqlKind.DATE)
TIMESTAMP = SqlType(SqlKind.TIMESTAMP)
INTERVAL = SqlType(SqlKind.INTERVAL)
NUMBERS = (SqlKind.INTEGER, SqlKind.DECIMAL, SqlKind.DOUBLE)
_OF_INTEGERS = 19  # digits that any integer of 64 bits fits in


def decimal(precision: int, scale: int) -> SqlType:
    """Decimals of so many digits, at most 38."""
    return SqlType(SqlKind.DECIMAL, min(precision, MOST_DIGITS), scale)


def list_of(element: SqlType) -> SqlType:
    """Lists of that."""
    return SqlType(SqlKind.LIST, element=element)


def as_decimal(type_: SqlType) -> SqlType:
    """The decimals that a type's numbers are."""
    return decimal(_OF_INTEGERS, 0) if type_.kind is SqlKind.INTEGER else type_


def common_type(types: Iterable[SqlType]) -> SqlType | None:
    """The type in which values of all these are compared; None: there is none."""
    found = ANY
    for type_ in types:
        met = _met(found, type_)
        if met is None:
            return None
        found = met
    return found


def _met(one: SqlType, other: SqlType) -> SqlType | None:
    if other.kind is SqlKind.ANY or one == other:
        return one
    kinds = {one.kind, other.kind}
    if one.kind is SqlKind.ANY:
        return other
    if kinds <= set(NUMBERS):
        if SqlKind.DOUBLE in kinds:
            return DOUBLE
        its = [as_decimal(type_) for type_ in (one, other)]
        scale = max(type_.scale for type_ in its)
        return decimal(max(type_.precision - type_.scale for type_ in its) + scale, scale)
    return TIMESTAMP if kinds == {SqlKind.DATE, SqlKind.TIMESTAMP} else None
