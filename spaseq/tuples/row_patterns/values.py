"""Expressions on columns: three-valued logic, and no value asked for where it is of no account."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pyarrow
import pyarrow.compute as pc

from spaseq.pattern.rows.expressions import Applied, SqlConstant, SqlExpression, everything
from spaseq.tuples.row_patterns.arrow_types import arrow_type, repeated
from spaseq.tuples.row_patterns.faults import located
from spaseq.tuples.row_patterns.functions import apply

_CERTAIN = frozenset({
    "AND", "OR", "NOT", "=", "<>", "<", "<=", ">", ">=", "IS NULL", "IS DISTINCT FROM", "IN", "||", "CASE", "COALESCE",
    "NULLIF", "LEAST", "GREATEST", "POWER", "SQRT", "LOWER", "UPPER", "LENGTH", "SUBSTRING", "EXTRACT", "TRY_CAST",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class RowValues:
    """Expressions on ``count`` rows, of which ``leaf`` knows what is read of them."""

    count: int
    leaf: Callable[[SqlExpression], pyarrow.Array]

    def of(self, expression: SqlExpression, where: pyarrow.Array | None = None) -> pyarrow.Array:
        """The values of an expression; those of rows that are not ``where`` are of no account.

        ValueFault: a row that counts has none.
        """
        match expression:
            case SqlConstant():
                return repeated(expression, self.count)
            case Applied(function, operands):
                special = _SPECIAL.get(function)
                if special is not None:
                    return special(self, expression, where)
                columns = [self.of(operand, where) for operand in operands]
                if function not in _CERTAIN:
                    columns = [_only(column, where) for column in columns]
                return located(function, lambda *its: apply(expression, its), columns)
            case _:
                return _typed(self.leaf(expression), expression)

    def _both(self, expression: Applied, where: pyarrow.Array | None) -> pyarrow.Array:
        """AND, and OR, from the left: what is decided asks no more."""
        is_and = expression.function == "AND"
        join = pc.and_kleene if is_and else pc.or_kleene
        found = self.of(expression.operands[0], where)
        for operand in expression.operands[1:]:
            further = where
            if _may_fail(operand):
                undecided = found.fill_null(is_and) if is_and else pc.invert(found.fill_null(False))
                further = undecided if where is None else pc.and_(where, undecided)
            found = join(found, self.of(operand, further))
        return found

    def _case(self, expression: Applied, where: pyarrow.Array | None) -> pyarrow.Array:
        *paired, otherwise = expression.operands
        branches = list(zip(paired[::2], paired[1::2], strict=True))
        return self._chosen(branches, otherwise, where)

    def _chosen(
        self,
        branches: Sequence[tuple[SqlExpression, SqlExpression]],
        otherwise: SqlExpression,
        where: pyarrow.Array | None,
    ) -> pyarrow.Array:
        left = where if where is not None else pyarrow.repeat(True, self.count)
        picked = []
        for condition, value in branches:
            holds = pc.and_(left, self.of(condition, left).fill_null(False))
            picked.append((holds, self.of(value, holds)))
            left = pc.and_(left, pc.invert(holds))
        found = self.of(otherwise, left)
        for holds, values in reversed(picked):
            found = pc.if_else(holds, values, found)
        return found

    def _coalesced(self, expression: Applied, where: pyarrow.Array | None) -> pyarrow.Array:
        found = self.of(expression.operands[0], where)
        for operand in expression.operands[1:]:
            missing = found.is_null() if where is None else pc.and_(where, found.is_null())
            found = pc.coalesce(found, self.of(operand, missing))
        return found

    def _null_if(self, expression: Applied, where: pyarrow.Array | None) -> pyarrow.Array:
        one, other = (self.of(operand, where) for operand in expression.operands)
        if pyarrow.types.is_null(one.type):
            return one
        return pc.if_else(pc.equal(one, other).fill_null(False), pyarrow.scalar(None, one.type), one)

    def _among(self, expression: Applied, where: pyarrow.Array | None) -> pyarrow.Array:
        operand, *items = expression.operands
        equal = [Applied("=", (operand, item), expression.type) for item in items]
        return self.of(Applied("OR", tuple(equal), expression.type) if len(equal) > 1 else equal[0], where)


_SPECIAL: dict[str, Callable[[RowValues, Applied, pyarrow.Array | None], pyarrow.Array]] = {
    "AND": RowValues._both,
    "OR": RowValues._both,
    "CASE": RowValues._case,
    "COALESCE": RowValues._coalesced,
    "NULLIF": RowValues._null_if,
    "IN": RowValues._among,
}


def _typed(column: pyarrow.Array, expression: SqlExpression) -> pyarrow.Array:
    """What was read, in the type that its values are taken for."""
    wanted = arrow_type(expression.type)
    return column if column.type == wanted else column.cast(wanted)


def _only(column: pyarrow.Array, where: pyarrow.Array | None) -> pyarrow.Array:
    """A column with NULL where it is of no account."""
    if where is None or pyarrow.types.is_null(column.type):
        return column
    return pc.if_else(where, column, pyarrow.scalar(None, column.type))


def _may_fail(expression: SqlExpression) -> bool:
    return any(isinstance(each, Applied) and each.function not in _CERTAIN for each in everything(expression))
