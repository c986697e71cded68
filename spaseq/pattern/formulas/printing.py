"""Formulas and conditions on tuples as text, close to how CEQL writes them: for people, not for a parser.

An event of the normal form has its conditions in brackets behind its type, ``SELL[price < 3] AS low``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from spaseq.pattern.formulas.parameters import Placeholder
from spaseq.pattern.formulas.predicates import (
    TRUE,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    In,
    IsNull,
    Like,
    Negative,
    Not,
    Or,
    Predicate,
    Value,
)
from spaseq.pattern.formulas.query import (
    AllOf,
    Alternation,
    AnyOf,
    Filter,
    Filtered,
    ForAll,
    Formula,
    Iteration,
    Named,
    Pick,
    Relation,
    Sequencing,
    Unordered,
    is_fresh,
)

_WORD = re.compile(r"[^\W\d]\w*")
_FILTERED, _OR, _ALL_OF, _STEPS, _NAMED, _PRIMARY = range(6)  # formulas, what binds looser first
_ANY, _ALL, _NOT, _TEST = range(4)  # conditions
_SUM, _PRODUCT, _SIGN = range(3)  # values
_LEVELS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}


# ── formulas ─────────────────────────────────────────────────────────────────────────────────────────────
def print_formula(formula: Formula, least: int = _FILTERED) -> str:
    """The formula, in parentheses if it binds looser than ``least``."""
    match formula:
        case Relation(type_, stream):
            return _relation(type_, stream)
        case Pick(type_, stream, names, predicate):
            event, called = print_event(type_, stream, predicate), given_names(names, type_, stream)
            level, text = _NAMED if called else _PRIMARY, f"{event} AS {', '.join(called)}" if called else event
        case Named(body, variable):
            level, text = _NAMED, f"{print_formula(body, _PRIMARY)} AS {_name(variable)}"
        case Filtered(body, condition):
            level, text = _FILTERED, f"{print_formula(body)} FILTER {print_filter(condition)}"
        case Alternation(left, right):
            level, text = _OR, f"{print_formula(left, _OR)} OR {print_formula(right, _ALL_OF)}"
        case Unordered(left, right):
            level, text = _ALL_OF, f"{print_formula(left, _ALL_OF)} ALL {print_formula(right, _STEPS)}"
        case Sequencing(left, right, contiguous):
            sign = ":" if contiguous else ";"
            level, text = _STEPS, f"{print_formula(left, _STEPS)} {sign} {print_formula(right, _NAMED)}"
        case Iteration(body, contiguous):
            level, text = _PRIMARY, f"{print_formula(body, _PRIMARY)}{':+' if contiguous else '+'}"
    return text if level >= least else f"({text})"


def print_event(type: str, stream: str | None, predicate: Predicate) -> str:
    """What is asked of an event: ``S>T[condition]``."""
    condition = "" if predicate == TRUE else f"[{print_predicate(predicate)}]"
    return _relation(type, stream) + condition


def given_names(names: Iterable[str], type: str, stream: str | None = None) -> tuple[str, ...]:
    """Those of a pick's variables that a query gives it, in order: not its type."""
    own = {type, f"{stream}>{type}"}
    return tuple(sorted(_name(name) for name in names if name not in own and not is_fresh(name)))


def print_filter(condition: Filter, least: int = _ANY) -> str:
    """A filter with all of its variables before the attributes."""
    match condition:
        case ForAll(_, predicate):
            return print_predicate(predicate, least)
        case AllOf(filters):
            level, text = _ALL, " AND ".join(print_filter(each, _ALL) for each in filters) or "TRUE"
        case AnyOf(filters):
            level, text = _ANY, " OR ".join(print_filter(each, _ANY) for each in filters) or "FALSE"
    return text if level >= least else f"({text})"


def _relation(type: str, stream: str | None) -> str:
    return _name(type) if stream is None else f"{_name(stream)}>{_name(type)}"


def _name(name: str) -> str:
    if is_fresh(name):
        name = name.partition("\n")[0]
    stream, sign, type_ = name.rpartition(">")
    if sign and _WORD.fullmatch(stream) and _WORD.fullmatch(type_):
        return name
    return name if _WORD.fullmatch(name) else "`" + name.replace("`", "``") + "`"


# ── conditions ───────────────────────────────────────────────────────────────────────────────────────────
def print_predicate(predicate: Predicate, least: int = _ANY) -> str:
    """The condition, in parentheses if it binds looser than ``least``."""
    match predicate:
        case Or(parts):
            level, text = _ANY, " OR ".join(print_predicate(part, _ALL) for part in parts) or "FALSE"
        case And(parts):
            level, text = _ALL, " AND ".join(print_predicate(part, _NOT) for part in parts) or "TRUE"
        case Not(inner):
            level, text = _NOT, f"NOT {print_predicate(inner, _TEST)}"
        case Comparison(operator, left, right):
            level, text = _TEST, f"{print_value(left)} {operator} {print_value(right)}"
        case Like(value, pattern):
            level, text = _TEST, f"{print_value(value)} LIKE {_text(pattern)}"
        case In(value, constants):
            level, text = _TEST, f"{print_value(value)} IN ({', '.join(map(print_value, constants))})"
        case IsNull(value):
            level, text = _TEST, f"{print_value(value)} IS NULL"
    return text if level >= least else f"({text})"


def print_value(value: Value, least: int = _SUM) -> str:
    """The value, in parentheses if it binds looser than ``least``."""
    match value:
        case Attribute(name, variable):
            return _name(name) if variable is None else f"{_name(variable)}.{'.'.join(map(_name, name.split('.')))}"
        case Constant(inner):
            return _constant(inner)
        case Negative(inner):
            level, text = _SIGN, f"- {print_value(inner, _SIGN)}"
        case Arithmetic(operator, left, right):
            level = _LEVELS[operator]
            text = f"{print_value(left, level)} {operator} {print_value(right, level + 1)}"
    return text if level >= least else f"({text})"


def _constant(value: int | float | str | bool) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    return _text(value) if isinstance(value, str) else repr(value)


def _text(text: str) -> str:
    if isinstance(text, Placeholder):
        return f"${text}"
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return "'" + escaped.replace("'", "''") + "'"
