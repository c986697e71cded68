"""Conditions and measures: operators over what is read of the rows of a match.

Every value has its type; where two types met, a ``CAST`` stands.  What an expression reads of several rows is a
``Navigated`` value or an ``Aggregated`` one; within these, ``Field`` and ``Label`` are of the row that is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TypeAlias

from spaseq.pattern.rows.types import BOOLEAN, INTEGER, TEXT, SqlType

Variables: TypeAlias = frozenset[str]
Plain: TypeAlias = bool | int | float | str | Decimal | date | datetime | timedelta | None


@dataclass(frozen=True, slots=True)
class SqlConstant:
    """A value that is the same for all rows."""

    value: Plain
    type: SqlType


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the row that is looked at."""

    column: str
    type: SqlType


@dataclass(frozen=True, slots=True)
class Label:
    """The variable of the row that is looked at (CLASSIFIER)."""

    type: SqlType = TEXT


@dataclass(frozen=True, slots=True)
class MatchNumber:
    """How many matches of the partition there are up to this one."""

    type: SqlType = INTEGER


@dataclass(frozen=True, slots=True)
class Applied:
    """A function or an operator, by its name in capitals, of operands.

    ``CASE``: conditions and values in turn, then what holds otherwise.  ``CAST`` and ``TRY_CAST`` to ``type``; the
    second operand of one to integers has their bits.
    """

    function: str
    operands: tuple[SqlExpression, ...]
    type: SqlType


@dataclass(frozen=True, slots=True)
class Navigation:
    """A row of a match: of those of ``variables`` (None: of all) up to the current row, or of the whole match.

    The last one, or ``offset`` before it; or the first one, or ``offset`` behind it; from there ``shift`` rows on.
    """

    variables: Variables | None = None
    first: bool = False
    offset: int = 0
    final: bool = False
    shift: int = 0


@dataclass(frozen=True, slots=True)
class Navigated:
    """A value at a row; NULL where there is no such row."""

    value: SqlExpression
    at: Navigation
    type: SqlType


@dataclass(frozen=True, slots=True)
class Aggregated:
    """``function`` over values at the rows of ``variables`` (None: all) up to the current one, or of the whole match.

    ``COUNT`` of no value counts rows.
    """

    function: str
    value: SqlExpression | None
    variables: Variables | None
    final: bool
    type: SqlType


SqlExpression: TypeAlias = SqlConstant | Field | Label | MatchNumber | Applied | Navigated | Aggregated


def conjunction(operands: tuple[SqlExpression, ...]) -> SqlExpression:
    """All of these, from the left."""
    if not operands:
        return SqlConstant(True, BOOLEAN)
    return operands[0] if len(operands) == 1 else Applied("AND", operands, BOOLEAN)


def below(expression: SqlExpression) -> tuple[SqlExpression, ...]:
    """The expressions right within one."""
    match expression:
        case Applied(_, operands):
            return operands
        case Navigated(value) | Aggregated(_, value) if value is not None:
            return (value,)
        case _:
            return ()


def has_label(value: SqlExpression) -> bool:
    """Whether a value of a row depends on its variable."""
    return any(isinstance(each, Label) for each in everything(value))


def everything(expression: SqlExpression) -> Iterator[SqlExpression]:
    """An expression and all within it."""
    waiting = [expression]
    while waiting:
        yield (each := waiting.pop())
        waiting.extend(reversed(below(each)))
