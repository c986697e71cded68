"""Conditions and values to text."""

from __future__ import annotations

from collections.abc import Iterable

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.identifiers import written_name, written_text

# What binds looser comes first; a sign binds tightest.
_LEVELS = {
    "OR": 0,
    "AND": 1,
    "NOT": 2,
    **dict.fromkeys(tree.COMPARISONS, 3),
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "%": 5,
    "sign": 6,
    "value": 7,
}
_CONDITION, _SUM = _LEVELS["="], _LEVELS["+"]


def reference(node: tree.Reference) -> str:
    """``T`` or ``S>T``."""
    name = written_name(node.name)
    return name if node.stream is None else f"{written_name(node.stream)}>{name}"


def attribute(node: tree.Attribute) -> str:
    """``name``, ``x.name``, or ``x.name.field``."""
    if node.variable is None:
        return written_name(node.name)
    parts = node.name.split(".")
    name = ".".join(map(written_name, parts)) if all(parts) else written_name(node.name)
    return f"{written_name(node.variable)}.{name}"


def expression(node: tree.Expression, least: str = "OR") -> str:
    """``node``, in parentheses if it binds looser than the operator ``least``."""
    text, level = _shown(node)
    return text if level >= _LEVELS[least] else f"({text})"


def _within(node: tree.Expression, least: int) -> str:
    text, level = _shown(node)
    return text if level >= least else f"({text})"


def _shown(node: tree.Expression) -> tuple[str, int]:
    """The text of ``node`` and how tightly it binds."""
    match node:
        case tree.Operation(operator, (operand,)):
            # A sign keeps its distance: next to a number it would become part of it, next to another begin a comment.
            level = _LEVELS["NOT" if operator == "NOT" else "sign"]
            return f"{operator} {_within(operand, level)}", level
        case tree.Operation():
            return _binary(node)
        case tree.Test(variable, condition):
            # `S>T[…]` reads like a comparison.
            level = _LEVELS["value"] if variable.stream is None else _CONDITION
            return f"{reference(variable)}[{expression(condition)}]", level
        case tree.Like() | tree.Membership() | tree.Interval() | tree.IsNull():
            return _tested(node), _CONDITION
        case _:
            return _value(node), _LEVELS["value"]


def _binary(node: tree.Operation) -> tuple[str, int]:
    left, right = node.operands
    level = _LEVELS[node.operator]
    # Comparisons do not chain, all other operators are left-associative.
    least = level + (node.operator in tree.COMPARISONS)
    return f"{_within(left, least)} {node.operator} {_within(right, level + 1)}", level


def _tested(node: tree.Like | tree.Membership | tree.Interval | tree.IsNull) -> str:
    operand, negation = _within(node.operand, _SUM), "NOT " if node.negated else ""
    match node:
        case tree.Like(_, pattern):
            return f"{operand} {negation}LIKE {written_text(pattern.value)}"
        case tree.Membership(_, items):
            return f"{operand} {negation}IN ({_list(items)})"
        case tree.Interval(_, low, high) if low and high:
            return f"{operand} {negation}BETWEEN {_within(low, _SUM)} AND {_within(high, _SUM)}"
        case tree.Interval(_, low, high):
            bounds = "..".join(_within(bound, _SUM) if bound else "" for bound in (low, high))
            return f"{operand} {negation}IN {{{bounds}}}"
        case tree.IsNull():
            return f"{operand} IS {negation}NULL"


def _list(items: Iterable[tree.Constant]) -> str:
    return ", ".join(map(expression, items))


def _value(node: tree.Constant | tree.Attribute) -> str:
    match node:
        case tree.Attribute():
            return attribute(node)
        case tree.Number(text):
            return text
        case tree.Text(value):
            return written_text(value)
        case tree.Boolean(value):
            return "TRUE" if value else "FALSE"
        case tree.Null():
            return "NULL"
