"""Printing a query as CEQL text, with all parentheses, and events as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from .model import (
    Aggregate,
    All,
    AllFilters,
    AnyFilter,
    As,
    Condition,
    Contiguous,
    ContiguousKleene,
    Event,
    Filter,
    FilterOn,
    Formula,
    Kleene,
    Or,
    Query,
    Relation,
    Sequence as Sequencing,
    Window,
)
from .predicates import (
    Arithmetic,
    Attribute,
    Both,
    Comparison,
    Constant,
    Either,
    In,
    InRange,
    IsNull,
    Like,
    Negative,
    Not,
    Operand,
    Predicate,
    Value,
)


def to_text(query: Query) -> str:
    """The query in CEQL's syntax, a clause a line."""
    clauses = [
        f"SELECT {query.strategy + ' ' if query.strategy else ''}{selection_text(query)}",
        f"FROM {', '.join(query.streams)}",
        f"WHERE {formula_text(query.formula)}",
        f"GROUP BY {', '.join(map(operand_text, query.group_by))}" if query.group_by else "",
        f"PARTITION BY {', '.join(f'[{name}]' for name in query.partition_by)}" if query.partition_by else "",
        f"WITHIN {window_text(query.within)}" if query.within else "",
        f"LIMIT {query.limit}" if query.limit else "",
        f"CONSUME BY {query.consume}" if query.consume else "",
    ]
    return "\n".join(filter(None, clauses)) + "\n"


def selection_text(query: Query) -> str:
    """What is selected."""
    if query.aggregates:
        return ", ".join(map(aggregate_text, query.aggregates))
    return "*" if query.select is None else ", ".join(query.select)


def aggregate_text(aggregate: Aggregate) -> str:
    """An aggregate."""
    return f"{aggregate.function}({'*' if aggregate.operand is None else operand_text(aggregate.operand)})"


def window_text(window: Window) -> str:
    """`30 SECONDS`, `5 EVENTS`, `30000 [stock_time]`."""
    return f"{window.length} {window.unit or f'[{window.attribute}]'}"


def formula_text(formula: Formula) -> str:
    """A formula, in parentheses unless it is a name."""
    match formula:
        case Relation(name):
            return name
        case As(body, variable):
            return f"({formula_text(body)} AS {variable})"
        case Filter(body, condition):
            return f"({formula_text(body)} FILTER {condition_text(condition)})"
        case Or(left, right):
            return f"({formula_text(left)} OR {formula_text(right)})"
        case All(left, right):
            return f"({formula_text(left)} ALL {formula_text(right)})"
        case Sequencing(left, right):
            return f"({formula_text(left)} ; {formula_text(right)})"
        case Contiguous(left, right):
            return f"({formula_text(left)} : {formula_text(right)})"
        case Kleene(body):
            return f"({formula_text(body)})+"
        case ContiguousKleene(body):
            return f"({formula_text(body)}):+"


def condition_text(condition: Condition) -> str:
    """Filters, combined ones in parentheses."""
    match condition:
        case FilterOn(variable, predicate):
            return f"{variable}[{predicate_text(predicate)}]"
        case AllFilters(left, right):
            return f"({condition_text(left)} AND {condition_text(right)})"
        case AnyFilter(left, right):
            return f"({condition_text(left)} OR {condition_text(right)})"


def predicate_text(predicate: Predicate) -> str:
    """A predicate, in parentheses unless it is a comparison."""
    match predicate:
        case Both(left, right):
            return f"({predicate_text(left)} AND {predicate_text(right)})"
        case Either(left, right):
            return f"({predicate_text(left)} OR {predicate_text(right)})"
        case Not(body):
            return f"(NOT ({predicate_text(body)}))"
        case Comparison(operator, left, right):
            return f"{operand_text(left)} {operator} {operand_text(right)}"
        case Like(operand, pattern, negated):
            return f"{operand_text(operand)}{' NOT' * negated} LIKE {constant_text(pattern)}"
        case In(operand, values, negated):
            return f"{operand_text(operand)}{' NOT' * negated} IN {{{', '.join(map(constant_text, values))}}}"
        case InRange(operand, least, most, negated):
            ends = f"{operand_text(least)}, {operand_text(most)}"
            return f"{operand_text(operand)}{' NOT' * negated} IN RANGE({ends})"
        case IsNull(operand, negated):
            return f"{operand_text(operand)} IS{' NOT' * negated} NULL"


def operand_text(operand: Operand) -> str:
    """An operand, in parentheses where it is calculated."""
    match operand:
        case Attribute(name, variable):
            return name if variable is None else f"{variable}.{name}"
        case Constant(value):
            return constant_text(value)
        case Negative(inner):
            return f"(-({operand_text(inner)}))"
        case Arithmetic(operator, left, right):
            return f"({operand_text(left)} {operator} {operand_text(right)})"


def constant_text(value: int | float | str) -> str:
    """A number, or a string in single quotes."""
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def to_csv(events: Sequence[Event], attributes: Sequence[str]) -> str:
    """A header `type,time,…` and a row per event; time in microseconds, NULL as an empty field."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["type", "time", *attributes])
    for event in events:
        writer.writerow([event.type, event.time, *(event.attributes.get(name) for name in attributes)])
    return text.getvalue()


def to_rows(events: Sequence[Event], attributes: Sequence[str]) -> list[dict[str, Value]]:
    """A dictionary per event, with `type`, `time` and all the attributes."""
    return [
        {"type": event.type, "time": event.time, **{name: event.attributes.get(name) for name in attributes}}
        for event in events
    ]
