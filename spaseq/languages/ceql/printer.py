"""Syntax tree to text that parses back to an equal tree; names and strings as they are written, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spaseq.languages.ceql import tree

# ── names and strings, both ways ─────────────────────────────────────────────────────────────────────────
STRATEGIES = ("ALL", "ANY", "NEXT", "LAST", "MAX", "STRICT")
_CLAUSES = {"SELECT", "FROM", "WHERE", "FILTER", "PARTITION", "WITHIN", "LIMIT", "CONSUME"}
_OPERATORS = {"AS", "OR", "AND", "NOT", "IN", "LIKE", "IS", "NULL", "BETWEEN", "TRUE", "FALSE"}
RESERVED = frozenset(_CLAUSES | _OPERATORS)
_PLAIN = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(r"''|\\(.)")
_CHARACTERS = {"n": "\n", "r": "\r", "t": "\t", "'": "'", "\\": "\\"}
_ESCAPES = {character: "\\" + letter for letter, character in _CHARACTERS.items() if letter != "'"} | {"'": "''"}


def plain_name(token: str) -> str:
    """The name that ``token`` writes, with or without backquotes."""
    return token[1:-1].replace("``", "`") if token.startswith("`") else str(token)


def written_name(name: str) -> str:
    """``name`` as it can stand anywhere: in backquotes if it is no word, or a word that means something."""
    if _PLAIN.fullmatch(name) and name.upper() not in RESERVED.union(STRATEGIES):
        return name
    return "`" + name.replace("`", "``") + "`"


def plain_text(token: str) -> str:
    r"""The text of a string: ``''`` and ``\'`` are a quote, ``\\ \n \r \t`` as usual; other backslashes stay."""
    return _ESCAPE.sub(lambda match: _CHARACTERS.get(match[1], match[0]) if match[1] else "'", token[1:-1])


def written_text(text: str) -> str:
    """``text`` as a string in single quotes."""
    return "'" + re.sub(r"[\n\r\t'\\]", lambda match: _ESCAPES[match[0]], text) + "'"


# ── conditions and values ────────────────────────────────────────────────────────────────────────────────
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
            return f"{operand} {negation}LIKE {_value(pattern)}"
        case tree.Membership(_, items):
            return f"{operand} {negation}IN ({_list(items)})"
        case tree.Interval(_, low, high) if low and high:
            return f"{operand} {negation}BETWEEN {_within(low, _SUM)} AND {_within(high, _SUM)}"
        case tree.Interval(_, low, high):
            bounds = "..".join(_within(bound, _SUM) if bound else "" for bound in (low, high))
            return f"{operand} {negation}IN {{{bounds}}}"
        case tree.IsNull():
            return f"{operand} IS {negation}NULL"


def _list(items: Iterable[tree.Constant | tree.Parameter]) -> str:
    return ", ".join(map(expression, items))


def _value(node: tree.Constant | tree.Parameter | tree.Attribute) -> str:
    match node:
        case tree.Attribute():
            return attribute(node)
        case tree.Parameter(name):
            return f"${name}"
        case tree.Number(text):
            return text
        case tree.Text(value):
            return written_text(value)
        case tree.Boolean(value):
            return "TRUE" if value else "FALSE"
        case tree.Null():
            return "NULL"


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
def format_query(query: tree.Query) -> str:
    """The query in the usual layout, ending with a line end.  Comments are not kept."""
    lines = [select(query.select)]
    if query.streams:
        lines.append(f"FROM {_names(query.streams)}")
    if query.given:
        lines += given(query.given)
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
    shown = aggregate(node.value) if isinstance(node.value, tree.Aggregate) else _value(node.value)
    return f"{shown} AS {written_name(node.name.text)}" if node.name else shown


def given(node: tree.Given) -> list[str]:
    """GIVEN, with its rows if it has some."""
    names = _list(node.parameters)
    if node.rows is None:
        return [f"GIVEN {names}"]
    return [f"GIVEN ({names}) {{", *(f"  ({_list(row.values)})" for row in node.rows), "}"]


def aggregate(node: tree.Aggregate) -> str:
    """``COUNT(*)`` and the like."""
    return f"{node.function}({expression(node.argument) if node.argument else '*'})"


def window(node: tree.Window) -> str:
    """What follows WITHIN."""
    match node:
        case tree.TimeWindow(durations):
            return " ".join(map(duration, durations))
        case tree.EventWindow(length):
            return f"{_value(length)} EVENTS"
        case tree.AttributeWindow(length, name):
            return f"{_value(length)} [{written_name(name.text)}]"


def duration(node: tree.Duration) -> str:
    """``1 HOUR``, ``30 MINUTES``."""
    length = _value(node.length)
    return f"{length} {node.unit.removesuffix('S') if length == '1' else node.unit}"


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


_FILTERED, _ALTERNATIVES, _UNORDERED, _STEPS, _NAMED, _PRIMARY = range(6)


def formula(node: tree.Formula, least: int = _FILTERED) -> str:
    """A formula, in parentheses if it binds looser than ``least``."""
    match node:
        case tree.Reference():
            return reference(node)
        case tree.Filtered(body, condition):
            level, text = _FILTERED, f"{formula(body)} FILTER {expression(condition)}"
        case tree.Alternatives(left, right):
            level, text = _ALTERNATIVES, f"{formula(left, _ALTERNATIVES)} OR {formula(right, _UNORDERED)}"
        case tree.Unordered(left, right):
            level, text = _UNORDERED, f"{formula(left, _UNORDERED)} ALL {formula(right, _STEPS)}"
        case tree.Steps(left, contiguous, right):
            level = _STEPS
            text = f"{formula(left, _STEPS)} {':' if contiguous else ';'} {formula(right, _NAMED)}"
        case tree.Named(body, name):
            level, text = _NAMED, f"{formula(body, _PRIMARY)} AS {written_name(name.text)}"
        case tree.Repeated(body, contiguous):
            level, text = _PRIMARY, f"{formula(body, _PRIMARY)}{':+' if contiguous else '+'}"
    return text if level >= least else f"({text})"
