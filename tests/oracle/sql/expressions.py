"""Expressions of DEFINE and MEASURES as data."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from .model import BIGINT, BOOLEAN, DOUBLE, UNKNOWN, VARCHAR, SqlType, SqlValue, decimal_type


@dataclass(frozen=True, slots=True)
class SqlLiteral:
    """A constant with its type; UNKNOWN is that of NULL."""

    value: SqlValue
    type: SqlType


@dataclass(frozen=True, slots=True)
class SqlColumn:
    """`variable.name`, or `name`."""

    name: str
    variable: str | None = None


@dataclass(frozen=True, slots=True)
class Classifier:
    """`CLASSIFIER(variable)`, or `CLASSIFIER()`."""

    variable: str | None = None


@dataclass(frozen=True, slots=True)
class MatchNumber:
    """`MATCH_NUMBER()`."""


@dataclass(frozen=True, slots=True)
class LogicalNavigation:
    """`[RUNNING|FINAL] FIRST|LAST(body [, offset])`; final None is neither word."""

    function: str
    body: Expression
    offset: int | None = None
    final: bool | None = None


@dataclass(frozen=True, slots=True)
class PhysicalNavigation:
    """`PREV|NEXT(body [, offset])`."""

    function: str
    body: Expression
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class CountRows:
    """`[RUNNING|FINAL] COUNT(variable.*)`, or COUNT(*)."""

    variable: str | None = None
    final: bool | None = None


@dataclass(frozen=True, slots=True)
class SqlAggregate:
    """`[RUNNING|FINAL] function(argument)`."""

    function: str
    argument: Expression
    final: bool | None = None


@dataclass(frozen=True, slots=True)
class SqlUnary:
    """`NOT`, `-` or `+` before an operand."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class SqlBinary:
    """AND, OR, a comparison, arithmetic or `||`."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class NullTest:
    """`operand IS [NOT] NULL`."""

    operand: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class DistinctTest:
    """`left IS [NOT] DISTINCT FROM right`."""

    left: Expression
    right: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InList:
    """`operand [NOT] IN (item, …)`."""

    operand: Expression
    items: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class BetweenTest:
    """`operand [NOT] BETWEEN low AND high`."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class LikeTest:
    """`operand [NOT] LIKE pattern [ESCAPE escape]`."""

    operand: Expression
    pattern: Expression
    escape: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class SqlBranch:
    """`WHEN condition THEN result`."""

    condition: Expression
    result: Expression


@dataclass(frozen=True, slots=True)
class SqlCase:
    """CASE, with an operand to compare or without, and ELSE or without."""

    branches: tuple[SqlBranch, ...]
    otherwise: Expression | None = None
    operand: Expression | None = None


@dataclass(frozen=True, slots=True)
class SqlCall:
    """A scalar function; "SUBSTRING FROM" is SUBSTRING as written with FROM and FOR."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class SqlCast:
    """`CAST(operand AS target(digits))`, or TRY_CAST."""

    operand: Expression
    target: str
    digits: tuple[int, ...] = ()
    tried: bool = False


@dataclass(frozen=True, slots=True)
class ExtractField:
    """`EXTRACT(field FROM operand)`."""

    field: str
    operand: Expression


Expression: TypeAlias = (
    SqlLiteral
    | SqlColumn
    | Classifier
    | MatchNumber
    | LogicalNavigation
    | PhysicalNavigation
    | CountRows
    | SqlAggregate
    | SqlUnary
    | SqlBinary
    | NullTest
    | DistinctTest
    | InList
    | BetweenTest
    | LikeTest
    | SqlCase
    | SqlCall
    | SqlCast
    | ExtractField
)

NULL, TRUE, FALSE = SqlLiteral(None, UNKNOWN), SqlLiteral(True, BOOLEAN), SqlLiteral(False, BOOLEAN)


def integer(value: int) -> SqlLiteral:
    """A BIGINT."""
    return SqlLiteral(value, BIGINT)


def double(value: float) -> SqlLiteral:
    """A DOUBLE."""
    return SqlLiteral(value, DOUBLE)


def decimal(digits: str) -> SqlLiteral:
    """A DECIMAL of as many digits as written, at least one of them behind the point."""
    return SqlLiteral(Decimal(digits), decimal_type(len(digits.partition(".")[2])))


def varchar(value: str) -> SqlLiteral:
    """A text."""
    return SqlLiteral(value, VARCHAR)
