"""Syntax tree to text that parses back to an equal tree."""

from __future__ import annotations

from collections.abc import Iterable

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.identifiers import written_name
from spaseq.languages.ceql.print_expression import attribute, expression, reference


def format_query(query: tree.Query) -> str:
    """The query in the usual layout, ending with a line end.  Comments are not kept."""
    lines = [select(query.select)]
    if query.streams:
        lines.append(f"FROM {_names(query.streams)}")
    lines += where(query.formula)
    if query.partition:
        lines.append(f"PARTITION BY [{_names(query.partition)}]")
    if query.window:
        lines.append(f"WITHIN {window(query.window)}")
    if query.limit:
        lines.append(f"LIMIT {query.limit.text}")
    if query.consume:
        lines.append(f"CONSUME BY {query.consume.policy}")
    if query.group_by:
        lines.append(f"GROUP BY {', '.join(map(attribute, query.group_by))}")
    return "\n".join(lines) + "\n"


def _names(names: Iterable[tree.Name]) -> str:
    return ", ".join(written_name(name.text) for name in names)


def select(node: tree.Select) -> str:
    """SELECT."""
    items = "*" if node.items is None else ", ".join(map(_item, node.items))
    return " ".join(part for part in ("SELECT", node.strategy, items) if part)


def _item(node: tree.Reference | tree.Shown) -> str:
    if isinstance(node, tree.Reference):
        return reference(node)
    shown = attribute(node.value) if isinstance(node.value, tree.Attribute) else aggregate(node.value)
    return f"{shown} AS {written_name(node.name.text)}" if node.name else shown


def aggregate(node: tree.Aggregate) -> str:
    """``COUNT(*)`` and the like."""
    return f"{node.function}({expression(node.argument) if node.argument else '*'})"


def window(node: tree.Window) -> str:
    """What follows WITHIN."""
    match node:
        case tree.TimeWindow(durations):
            return " ".join(map(duration, durations))
        case tree.EventWindow(length):
            return f"{length.text} EVENTS"
        case tree.AttributeWindow(length, name):
            return f"{length.text} [{written_name(name.text)}]"


def duration(node: tree.Duration) -> str:
    """``1 HOUR``, ``30 MINUTES``."""
    return f"{node.length.text} {node.unit.removesuffix('S') if node.length.text == '1' else node.unit}"


def where(node: tree.Formula) -> list[str]:
    """WHERE, with a line for each FILTER of the whole formula and for each of the conditions that AND joins there."""
    if not isinstance(node, tree.Filtered):
        return [f"WHERE {formula(node)}"]
    first, *rest = _conjuncts(node.condition)
    return [*where(node.body), f"FILTER {first}", *(f"  AND {each}" for each in rest)]


def _conjuncts(node: tree.Expression) -> list[str]:
    if isinstance(node, tree.Operation) and node.operator == "AND":
        left, right = node.operands
        return [*_conjuncts(left), expression(right, "NOT")]
    return [expression(node, "AND")]


_FILTERED, _ALTERNATIVES, _STEPS, _NAMED, _PRIMARY = range(5)


def formula(node: tree.Formula, least: int = _FILTERED) -> str:
    """A formula, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Reference():
            return reference(node)
        case tree.Filtered(body, condition):
            level, text = _FILTERED, f"{formula(body)} FILTER {expression(condition)}"
        case tree.Alternatives(left, right):
            level, text = _ALTERNATIVES, f"{formula(left, _ALTERNATIVES)} OR {formula(right, _STEPS)}"
        case tree.Steps(left, contiguous, right):
            level = _STEPS
            text = f"{formula(left, _STEPS)} {':' if contiguous else ';'} {formula(right, _NAMED)}"
        case tree.Named(body, name):
            level, text = _NAMED, f"{formula(body, _PRIMARY)} AS {written_name(name.text)}"
        case tree.Repeated(body, contiguous):
            level, text = _PRIMARY, f"{formula(body, _PRIMARY)}{':+' if contiguous else '+'}"
    return text if level >= least else f"({text})"
