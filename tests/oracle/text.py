"""Printing a query as SPAseq text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from .expressions import (
    Aggregate,
    Binary,
    Bound,
    Coalesce,
    Const,
    Expression,
    First,
    If,
    Iri,
    Negated,
    Prev,
    Var,
)
from .model import (
    And,
    AnyOrder,
    Atom,
    Column,
    Gpm,
    Kleene,
    Maybe,
    Node,
    Not,
    Or,
    Partition,
    Query,
    Select,
    Seq,
    Window,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SEQUENCE, DISJUNCTION, ANY_ORDER, CONJUNCTION, POSTFIX = range(5)


def to_text(query: Query) -> str:
    """The query in SPAseq's syntax."""
    lines = [f"PREFIX {prefix}: <{iri}>" for prefix, iri in query.prefixes]
    lines += [select_text(query.select), *([window_text(query.window)] if query.window else [])]
    lines += [f"FROM STREAM {name} <{iri}>" for name, iri in query.streams]
    lines += [partition_text(query.partition)] if query.partition else []
    lines += ["WHERE {", f"  SEQ({sequence_text(query.sequence)})"]
    lines += [gpm_text(gpm) for gpm in query.gpms]
    lines += ["}"]
    if query.select.group_by:
        lines.append("GROUP BY " + " ".join(f"?{name}" for name in query.select.group_by))
    if query.select.having:
        lines.append("HAVING " + " ".join(f"({expression_text(one)})" for one in query.select.having))
    return "\n".join(lines) + "\n"


def select_text(select: Select) -> str:
    """The SELECT clause."""
    items = "*" if select.items is None else " ".join(map(item_text, select.items))
    return "SELECT " + ("DISTINCT " if select.distinct else "") + items


def item_text(item: str | Column) -> str:
    """One item of SELECT."""
    return f"?{item}" if isinstance(item, str) else f"({expression_text(item.expression)} AS ?{item.name})"


def window_text(window: Window) -> str:
    """The WITHIN clause."""
    text = f"WITHIN {window.length} {window.unit}" + (" SLIDING" if window.sliding else "")
    if window.origin is None:
        return text
    origin = (EPOCH + timedelta(microseconds=window.origin)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return f'{text} FROM "{origin}"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def partition_text(partition: Partition) -> str:
    """The PARTITION BY clause."""
    text = "PARTITION BY " + " ".join(f"?{name}" for name in partition.keys)
    return text if partition.using is None else f"{text} USING {{ {partition.using} }}"


def gpm_text(gpm: Gpm) -> str:
    """One DEFINE GPM clause."""
    filters = "".join(f" FILTER({expression_text(expression)})" for expression in gpm.filters)
    return f"  DEFINE GPM {gpm.name} ON {gpm.stream} {{ {gpm.pattern}{filters} }}"


def sequence_text(node: Node, level: int = SEQUENCE) -> str:
    """A sequence expression, in parentheses where it binds weaker than level."""
    text, own = _sequence(node)
    return f"({text})" if own < level else text


def _sequence(node: Node) -> tuple[str, int]:
    match node:
        case Atom(name):
            return name, POSTFIX
        case And(parts):
            return " & ".join(sequence_text(part, POSTFIX) for part in parts), CONJUNCTION
        case Or(parts):
            return " | ".join(sequence_text(part, ANY_ORDER) for part in parts), DISJUNCTION
        case AnyOrder(sides):
            return " && ".join(sequence_text(side, CONJUNCTION) for side in sides), ANY_ORDER
        case Seq(left, operator, right):
            return f"{sequence_text(left)} {operator} {sequence_text(right, DISJUNCTION)}", SEQUENCE
        case Maybe(body):
            return sequence_text(body, POSTFIX) + "?", POSTFIX
        case Not(body):
            return sequence_text(body, POSTFIX) + "!", POSTFIX
        case Kleene(body, least, most, operator):
            return sequence_text(body, POSTFIX) + (operator or "") + quantifier(least, most), POSTFIX


def quantifier(least: int, most: int | None) -> str:
    """`+`, `*`, `{n}`, `{n,}` or `{n,m}`."""
    if most is None and least < 2:
        return "*+"[least]
    if least == most:
        return f"{{{least}}}"
    return f"{{{least},{'' if most is None else most}}}"


def expression_text(expression: Expression) -> str:
    """An expression in SPARQL's syntax, with all parentheses."""
    match expression:
        case Const(value):
            return constant_text(value)
        case Var(name):
            return f"?{name}"
        case Prev(name):
            return f"PREV(?{name})"
        case First(name):
            return f"FIRST(?{name})"
        case Aggregate(function, name, distinct):
            of = "*" if name is None else f"?{name}" if isinstance(name, str) else expression_text(name)
            return f"{function}({'DISTINCT ' * distinct}{of})"
        case Binary(operator, left, right):
            return f"({expression_text(left)} {operator} {expression_text(right)})"
        case Negated(operand):
            return f"!{expression_text(operand)}"
        case Bound(operand):
            return f"BOUND({expression_text(operand)})"
        case Coalesce(operands):
            return f"COALESCE({', '.join(map(expression_text, operands))})"
        case If(condition, then, otherwise):
            return f"IF({', '.join(map(expression_text, (condition, then, otherwise)))})"


def constant_text(value: int | Decimal | bool | str | Iri) -> str:
    """A constant in SPARQL's syntax."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case Decimal():
            text = format(value, "f")
            return text if "." in text else text + ".0"
        case Iri(iri):
            return f"<{iri}>"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
