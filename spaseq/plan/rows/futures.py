"""What is known of a condition while rows that it reads are still to come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from spaseq.pattern.rows.expressions import Applied, Navigated, SqlConstant, SqlExpression, everything
from spaseq.pattern.rows.types import BOOLEAN
from spaseq.plan.rows.conditions import may_fail

TRUE, FALSE = SqlConstant(True, BOOLEAN), SqlConstant(False, BOOLEAN)


class Foreseen(NamedTuple):
    """Conditions of the rows that came: whether it may hold, and whether it surely does, whatever comes."""

    possible: SqlExpression
    certain: SqlExpression


def foreseen(condition: SqlExpression, known: int) -> Foreseen:
    """What is known of a condition of single rows, when so many rows came behind each.

    What may fail is not asked behind what is not known yet, as that may make it irrelevant.
    """
    if rows_ahead(condition) <= known:
        return Foreseen(condition, condition)
    if not (isinstance(condition, Applied) and condition.function in ("AND", "OR")):
        return Foreseen(TRUE, FALSE)
    parts, is_open = list[Foreseen](), False
    for operand in condition.operands:
        unknown = is_open and may_fail(operand)
        parts.append(Foreseen(TRUE, FALSE) if unknown else foreseen(operand, known))
        is_open = is_open or rows_ahead(operand) > known
    possible, certain = (Applied(condition.function, side, BOOLEAN) for side in zip(*parts, strict=True))
    return Foreseen(possible, certain)


def rows_ahead(condition: SqlExpression) -> int:
    """How many rows behind one its condition reads."""
    return max([0, *_shifts(condition)])


def rows_back(condition: SqlExpression) -> int:
    """How many rows before one its condition reads."""
    return max([0, *(-shift for shift in _shifts(condition))])


def _shifts(condition: SqlExpression) -> Iterator[int]:
    return (each.at.shift for each in everything(condition) if isinstance(each, Navigated))
