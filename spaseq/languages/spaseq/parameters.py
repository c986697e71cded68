"""GIVEN: where its parameters may stand, and which terms may take their place (semantics.md 3.7)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from gpm import algebra
from gpm.rewrite import walk as parts
from spaseq.languages.node import Node, children, walk
from spaseq.languages.query_text import Problem
from spaseq.languages.spaseq import tree
from spaseq.languages.spaseq.lower_expression import ExpressionLowering
from spaseq.pattern.sequences import Given, Query, Row
from spaseq.streams.timestamps import LONGEST

_LENGTH = re.compile(r"\+?0*[1-9][0-9]{0,29}")


def marked(query: tree.Query) -> tree.Query:
    """The query with a ``tree.Parameter`` wherever a parameter stands for a term; Problem where none can stand."""
    if query.given is None:
        return query
    names = _names(query.given)
    for node in walk(query):
        for variable, why in _naming(node):
            if variable.name in names:
                raise Problem(f"?{variable.name} is given, so {why}", variable.span, _HINT)
    found: tree.Query = _mark(query, names)
    return found


_HINT = "a parameter stands for a term: in patterns, expressions, templates, and as the number of WITHIN"


def _names(given: tree.Given) -> frozenset[str]:
    names: set[str] = set()
    for variable in given.parameters:
        if variable.name in names:
            raise Problem(f"?{variable.name} is given twice", variable.span, "name each parameter once")
        names.add(variable.name)
    return frozenset(names)


def _naming(node: Node) -> Iterator[tuple[tree.Variable, str]]:
    """The variables directly below ``node`` that stand for themselves, and not for a term; and why none is given."""
    found: Any = ()
    match node:
        case tree.Bind(_, found):
            why = "BIND cannot bind it"
        case tree.Values(found):
            why = "VALUES cannot bind it"
        case tree.Named(_, found):
            why = "nothing else can be called so"
        case tree.SubSelect(items):
            found, why = (*(items or ()), *node.group_by), "a sub-SELECT can neither project it nor group by it"
        case tree.Partition(found):
            why = "it is the same for all events, and parts none"
        case tree.Query():
            found, why = node.group_by, "it is the same in all matches, and groups none"
        case tree.Graph(found):
            why = "it cannot name a graph"
        case tree.Call(tree.Name("BOUND" | "PREV" as name), found):
            why = f"{name} has no meaning: it is no variable"
    for each in found if isinstance(found, tuple) else (found,):
        if isinstance(each, tree.Variable):
            yield each, why


def _mark(value: Any, names: Collection[str]) -> Any:
    """The node, or tuple of nodes, with parameters marked."""
    match value:
        case tree.Variable(name):
            return tree.Parameter(name, span=value.span) if name in names else value
        case tree.Given():
            return value
        case tree.Select(tuple()):
            return replace(value, items=_mark(_named(value.items or (), names), names))
        case tree.Named(expression):
            return replace(value, expression=_mark(expression, names))
        case tuple():
            return tuple([_mark(part, names) for part in value])
        case Node() if children(value):
            fields: tuple[str, ...] = type(value).__match_args__
            return replace(value, **{field: _mark(getattr(value, field), names) for field in fields})
    return value


def _named(items: tuple[tree.Variable | tree.Named, ...], names: Collection[str]) -> tuple[tree.Node, ...]:
    """The items of SELECT, a parameter as an expression of that name."""
    shown: set[str] = set()
    found: list[tree.Node] = []
    for item in items:
        if isinstance(item, tree.Variable) and item.name in names:
            if item.name not in shown:
                found.append(tree.Named(item, item, span=item.span))
            shown.add(item.name)
        else:
            found.append(item)
    return tuple(found)


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
def lower_given(node: tree.Given, length: tree.Node | None, lowering: ExpressionLowering) -> Given:
    """The parameters, with all rows that the text has; ``length`` is that of the window."""
    names = tuple(variable.name for variable in node.parameters)
    named = length.name if isinstance(length, tree.Parameter) else None
    rows = None if node.rows is None else tuple(_row(row, node, lowering) for row in node.rows)
    return Given(names, rows, named, lowering.names.prefixes, lowering.names.base)


def _row(node: tree.Row, given: tree.Given, lowering: ExpressionLowering) -> Row:
    if len(node.values) != len(given.parameters):
        message = f"a row of {len(node.values)} values for {len(given.parameters)} parameters"
        raise Problem(message, node.span, "each row has a term for every parameter")
    for value, variable in zip(node.values, given.parameters, strict=True):
        if isinstance(value, tree.Undefined):
            hint = "a query without one of its terms has no meaning: leave the row out"
            raise Problem(f"?{variable.name} is UNDEF in this row", value.span, hint)
    return tuple(lowering.constant(value) for value in node.values if not isinstance(value, tree.Undefined))


def with_distinct_rows(query: Query, node: tree.Given) -> Query:
    """The query with each row once; Problem for the first term that cannot stand where its parameter does."""
    if query.given is None or query.given.rows is None or node.rows is None:
        return query
    places = Places(query)
    for row, written in zip(query.given.rows, node.rows, strict=True):
        for number, message in places.misfits(row):
            raise Problem(message, written.values[number].span)
    return replace(query, given=replace(query.given, rows=tuple(dict.fromkeys(query.given.rows))))


class Places:
    """Where the parameters of a query stand, which says what terms they can be."""

    def __init__(self, query: Query) -> None:
        assert query.given is not None
        self._given = query.given
        self._unit = query.window.length if query.window else 0
        found = parts((query.atoms, query.form, query.partition))
        verbs = [one.predicate for one in found if isinstance(one, algebra.Triple)]
        properties = {one.name for one in verbs if isinstance(one, algebra.Parameter)}
        self._properties = tuple(number for number, name in enumerate(query.given.names) if name in properties)

    def misfits(self, row: Row) -> Iterator[tuple[int, str]]:
        """The places in ``row`` of terms that cannot stand where they would, and why."""
        for number in self._properties:
            if not isinstance(row[number], algebra.Iri):
                yield number, f"?{self._given.names[number]} is a property, and this is no IRI"
        if self._given.length is not None:
            number = self._given.names.index(self._given.length)
            if message := self._of_length(row[number]):
                yield number, f"?{self._given.length} is the length of the window, and {message}"

    def _of_length(self, term: algebra.Iri | algebra.Literal) -> str:
        """Why ``term`` is no length of a window, or nothing."""
        if not isinstance(term, algebra.Literal) or term.datatype != algebra.XSD_INTEGER:
            return "this is no integer"
        if not _LENGTH.fullmatch(term.lexical):
            return "this is no positive integer"
        return "this is longer than time itself" if int(term.lexical) * self._unit > LONGEST else ""
