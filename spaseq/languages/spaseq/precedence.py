"""Flat lists of operands and operators become trees by SPARQL's precedences."""

from __future__ import annotations

from typing import Any, NamedTuple

from spaseq.languages.node import Span
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree

COMPARISONS = ("=", "!=", "<", ">", "<=", ">=", "IN", "NOT IN")
PRECEDENCE: dict[str, int] = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(COMPARISONS, 3),
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
}


class ListOperator(NamedTuple):
    """The list on the right of IN."""

    items: tuple[tree.Expression, ...]
    span: Span


class _Operator(NamedTuple):
    name: str
    start: int
    end: int


def shape(items: list[Any]) -> tree.Expression:
    """The tree of ``operand operator operand …``; ``IN`` and ``NOT IN`` have a ListOperator on their right."""
    if len(items) == 1:
        expression: tree.Expression = items[0]
        return expression
    return _Shaping(_joined_not_in(items)).expression(1)


def _joined_not_in(items: list[Any]) -> list[Any]:
    shaped: list[Any] = []
    for item in items:
        if isinstance(item, tree.Node | ListOperator):
            shaped.append(item)
        elif shaped and isinstance(shaped[-1], _Operator):
            shaped[-1] = _Operator("NOT IN", shaped[-1].start, item.end_pos)
        else:
            shaped.append(_Operator(item.upper(), item.start_pos, item.end_pos))
    return shaped


class _Shaping:
    """Precedence climbing over ``items``."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.at = 0

    def operator(self) -> _Operator | None:
        return self.items[self.at] if self.at < len(self.items) else None

    def expression(self, least: int) -> tree.Expression:
        left: tree.Expression = self.items[self.at]
        self.at += 1
        while (operator := self.operator()) and PRECEDENCE[operator.name] >= least:
            self.at += 1
            left = self.combined(left, operator)
            self.refuse_chain(operator)
        return left

    def combined(self, left: tree.Expression, operator: _Operator) -> tree.Operation:
        if operator.name in ("IN", "NOT IN"):
            right: ListOperator = self.items[self.at]
            self.at += 1
            return tree.Operation(operator.name, (left, *right.items), span=Span(left.span.start, right.span.end))
        operand = self.expression(PRECEDENCE[operator.name] + 1)
        return tree.Operation(operator.name, (left, operand), span=Span(left.span.start, operand.span.end))

    def refuse_chain(self, operator: _Operator) -> None:
        """``a < b < c`` has no meaning in SPARQL."""
        following = self.operator()
        if following and operator.name in COMPARISONS and following.name in COMPARISONS:
            message = f"comparisons cannot be chained: {operator.name} … {following.name}"
            raise Problem(message, Span(following.start, following.end), "join them with &&", syntax=True)
