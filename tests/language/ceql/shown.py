"""Formulas, filters and predicates in the notations of the case files."""

from __future__ import annotations

from spaseq.languages.ceql import tree
from spaseq.languages.ceql.printer import expression
from spaseq.pattern.formulas import predicates as columns
from spaseq.pattern.formulas.predicates import TRUE, And, Comparison, Or
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
)


# ── prefix notation ──────────────────────────────────────────────────────────────────────────────────────
def formula_in_prefix(node: tree.Formula) -> str:
    match node:
        case tree.Reference():
            return node.variable
        case tree.Named(body, name):
            return f"[AS {name.text} {formula_in_prefix(body)}]"
        case tree.Filtered(body, condition):
            return f"[FILTER {expression(condition)} {formula_in_prefix(body)}]"
        case tree.Alternatives(left, right):
            return f"[OR {formula_in_prefix(left)} {formula_in_prefix(right)}]"
        case tree.Unordered(left, right):
            return f"[ALL {formula_in_prefix(left)} {formula_in_prefix(right)}]"
        case tree.Steps(left, contiguous, right):
            return f"[{':' if contiguous else ';'} {formula_in_prefix(left)} {formula_in_prefix(right)}]"
        case tree.Repeated(body, contiguous):
            return f"[{':+' if contiguous else '+'} {formula_in_prefix(body)}]"


def in_prefix(node: columns.Predicate | columns.Value) -> str:
    match node:
        case columns.Attribute(name, variable):
            return f"{variable or ''}.{name}"
        case columns.Constant(value):
            return repr(value)
        case columns.Arithmetic(operator, left, right) | columns.Comparison(operator, left, right):
            return f"[{operator} {in_prefix(left)} {in_prefix(right)}]"
        case columns.Negative(value):
            return f"[- {in_prefix(value)}]"
        case columns.Like(value, pattern):
            return f"[LIKE {in_prefix(value)} {pattern!r}]"
        case columns.In(value, constants):
            return f"[IN {in_prefix(value)} {' '.join(map(in_prefix, constants))}]"
        case columns.IsNull(value):
            return f"[NULL {in_prefix(value)}]"
        case columns.Not(inner):
            return f"[NOT {in_prefix(inner)}]"
        case columns.And(parts):
            return f"[AND {' '.join(map(in_prefix, parts))}]"
        case columns.Or(parts):
            return f"[OR {' '.join(map(in_prefix, parts))}]"


# ── normal forms ─────────────────────────────────────────────────────────────────────────────────────────
FILTER, OR, ALL, STEP, BODY = range(5)


def normal(node: Formula, least: int = FILTER) -> str:
    match node:
        case Pick():
            return pick(node)
        case Filtered(body, condition):
            level, text = FILTER, f"{normal(body, BODY)} FILTER {shown_filter(condition)}"
        case Alternation(left, right):
            level, text = OR, f"{normal(left, OR)} OR {normal(right, ALL)}"
        case Unordered(left, right):
            level, text = ALL, f"{normal(left, ALL)} ALL {normal(right, STEP)}"
        case Sequencing(left, right, contiguous):
            level, text = STEP, f"{normal(left, STEP)} {':' if contiguous else ';'} {normal(right, BODY)}"
        case Iteration(body, contiguous):
            level, text = BODY, normal(body, BODY) + (":+" if contiguous else "+")
        case Relation() | Named():
            raise AssertionError("not in normal form")
    return text if level >= least else f"({text})"


def pick(node: Pick) -> str:
    relation = node.type if node.stream is None else f"{node.stream}>{node.type}"
    names = sorted(name.replace("\n", "′") for name in node.variables if name != node.type)
    held = f"{{{' '.join(names)}}}" if names else ""
    return f"{relation}{held}" + ("" if node.predicate == TRUE else f"[{shown(node.predicate)}]")


def shown(node: columns.Predicate) -> str:
    match node:
        case Comparison(operator, left, right):
            return f"{value(left)} {operator} {value(right)}"
        case And(parts):
            return " AND ".join(f"({shown(part)})" if isinstance(part, Or) else shown(part) for part in parts)
        case Or(parts):
            return " OR ".join(map(shown, parts))
    return in_prefix(node)


def value(node: columns.Value) -> str:
    if isinstance(node, columns.Attribute):
        return node.name if node.variable is None else f"{node.variable}.{node.name}".replace("\n", "′")
    return in_prefix(node)


def shown_filter(node: Filter) -> str:
    match node:
        case ForAll(_, predicate):
            return shown(predicate)
        case AllOf(filters):
            return " AND ".join(map(shown_filter, filters))
        case AnyOf(filters):
            return " OR ".join(map(shown_filter, filters))
