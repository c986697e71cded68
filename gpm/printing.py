"""Graph patterns and expressions as SPARQL 1.1 text."""

from __future__ import annotations

import re

from gpm.algebra import (
    XSD_STRING,
    Aggregate,
    AlternativePath,
    Bind,
    BlankNode,
    Element,
    Exists,
    Expression,
    Filter,
    Graph,
    Group,
    InversePath,
    Iri,
    Literal,
    Minus,
    NegatedPath,
    Operation,
    Optional,
    Path,
    Previous,
    Projection,
    RepeatedPath,
    SequencePath,
    SubSelect,
    Term,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.errors import PatternError

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_TO_ESCAPE = re.compile(r'[\\"\n\r\t\b\f]')
_NOT_IN_IRI = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_INFIX = frozenset(("||", "&&", "=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"))
_SPARQL_AGGREGATES = frozenset(("COUNT", "SUM", "AVG", "MIN", "MAX", "GROUP_CONCAT", "SAMPLE"))


def print_term(term: Term) -> str:
    """A variable, IRI, literal or blank node, without prefixes and abbreviations.  PatternError: an impossible IRI."""
    match term:
        case Variable(name):
            return "?" + name
        case Iri(value):
            if _NOT_IN_IRI.search(value):
                raise PatternError(f"not an IRI: <{value}>")
            return f"<{value}>"
        case BlankNode(label):
            return "_:" + label
        case Literal(lexical, datatype, language):
            suffix = f"@{language}" if language else "" if datatype == XSD_STRING else "^^" + print_term(Iri(datatype))
            return quote(lexical) + suffix


def quote(text: str) -> str:
    """A SPARQL string in double quotes."""
    return '"' + _TO_ESCAPE.sub(lambda found: _ESCAPES[found[0]], text) + '"'


def print_path(path: Variable | Path) -> str:
    """A predicate: variable, IRI or property path, every compound in parentheses."""
    match path:
        case Variable() | Iri():
            return print_term(path)
        case InversePath(inner):
            return f"(^{print_path(inner)})"
        case SequencePath(parts):
            return "(" + "/".join(map(print_path, parts)) + ")"
        case AlternativePath(parts):
            return "(" + "|".join(map(print_path, parts)) + ")"
        case RepeatedPath(inner, modifier):
            return f"({print_path(inner)}{modifier})"
        case NegatedPath(forward, inverse):
            names = [print_term(iri) for iri in forward] + ["^" + print_term(iri) for iri in inverse]
            return f"(!({'|'.join(names)}))"


def print_group(group: Group) -> str:
    """``{ … }`` with the elements in source order."""
    return "{ " + " ".join(map(print_element, group.elements)) + " }"


def print_element(element: Element) -> str:
    """One element of a group."""
    match element:
        case Triples(triples):
            return " ".join(map(print_triple, triples))
        case Group():
            return print_group(element)
        case Optional(group):
            return "OPTIONAL " + print_group(group)
        case Union(branches):
            return " UNION ".join(map(print_group, branches))
        case Minus(group):
            return "MINUS " + print_group(group)
        case Graph(name, group):
            return f"GRAPH {print_term(name)} {print_group(group)}"
        case Filter(expression):
            return f"FILTER({print_expression(expression)})"
        case Bind(expression, variable):
            return f"BIND({print_expression(expression)} AS {print_term(variable)})"
        case Values():
            return _print_values(element)
        case SubSelect():
            return "{ " + print_select(element) + " }"


def print_triple(triple: Triple) -> str:
    """A triple pattern with its full stop."""
    return f"{print_term(triple.subject)} {print_path(triple.predicate)} {print_term(triple.object)} ."


def print_select(select: SubSelect) -> str:
    """A SELECT query with its modifiers, without the braces around a sub-select."""
    quantifier = "DISTINCT " if select.distinct else "REDUCED " if select.reduced else ""
    columns = "*" if select.projections is None else " ".join(map(_print_projection, select.projections))
    parts = [f"SELECT {quantifier}{columns} WHERE {print_group(select.group)}"]
    if select.group_by:
        parts.append("GROUP BY " + " ".join(map(_print_group_key, select.group_by)))
    if select.having:
        parts.append("HAVING " + " ".join(f"({print_expression(test)})" for test in select.having))
    if select.order_by:
        keys = (f"{'DESC' if down else 'ASC'}({print_expression(key)})" for key, down in select.order_by)
        parts.append("ORDER BY " + " ".join(keys))
    if select.limit is not None:
        parts.append(f"LIMIT {select.limit}")
    if select.offset is not None:
        parts.append(f"OFFSET {select.offset}")
    if select.values is not None:
        parts.append(_print_values(select.values))
    return " ".join(parts)


def print_expression(expression: Expression) -> str:
    """An expression with parentheses around every operator.

    PatternError: PREV, FIRST and LAST, which SPARQL does not have.
    """
    match expression:
        case Variable() | Iri() | Literal():
            return print_term(expression)
        case Exists(pattern, negated):
            return ("NOT EXISTS " if negated else "EXISTS ") + print_group(pattern)
        case Aggregate():
            return _print_aggregate(expression)
        case Previous(variable):
            raise PatternError(f"PREV(?{variable.name}) has no meaning inside a graph pattern")
        case Operation(name, arguments):
            return _print_operation(name, [print_expression(argument) for argument in arguments])


def _print_operation(name: str, arguments: list[str]) -> str:
    if name in ("IN", "NOT IN"):
        return f"({arguments[0]} {name} ({', '.join(arguments[1:])}))"
    if name in _INFIX and len(arguments) > 1:
        return "(" + f" {name} ".join(arguments) + ")"
    if name in ("!", "-", "+"):
        return f"({name} {arguments[0]})"
    return f"{name}({', '.join(arguments)})"


def _print_aggregate(aggregate: Aggregate) -> str:
    if aggregate.function not in _SPARQL_AGGREGATES:
        raise PatternError(f"{aggregate.function} has no meaning inside a graph pattern")
    argument = "*" if aggregate.argument is None else print_expression(aggregate.argument)
    distinct = "DISTINCT " if aggregate.distinct else ""
    separator = "" if aggregate.separator is None else f"; SEPARATOR = {quote(aggregate.separator)}"
    return f"{aggregate.function}({distinct}{argument}{separator})"


def _print_projection(projection: Projection) -> str:
    if projection.expression == Variable(projection.name):
        return "?" + projection.name
    return f"({print_expression(projection.expression)} AS ?{projection.name})"


def _print_group_key(key: Projection | Expression) -> str:
    if isinstance(key, Projection):
        return _print_projection(key)
    return print_term(key) if isinstance(key, Variable) else f"({print_expression(key)})"


def _print_values(values: Values) -> str:
    names = " ".join(map(print_term, values.variables))
    rows = " ".join("(" + " ".join("UNDEF" if t is None else print_term(t) for t in row) + ")" for row in values.rows)
    return f"VALUES ({names}) {{ {rows} }}"
