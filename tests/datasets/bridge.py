"""From a parsed query to the oracle's query, for what the example queries use (a TypeError names anything else).

Background knowledge: ``GRAPH`` is taken away and the knowledge added to every event.  That is right where no pattern
for the event's own graph can be confused by it, as in the examples.
"""

from __future__ import annotations

from decimal import Decimal

import tests.oracle.expressions as to
import tests.oracle.model as model
from gpm import algebra
from gpm.printing import print_element
from spaseq.pattern import sequences as pattern
from tests.oracle import Query

SIGNS = {"=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||"}


def bridge(query: pattern.Query) -> Query:
    """The query for the oracle; its form must be a SELECT."""
    assert isinstance(query.form, pattern.Selection)
    return Query(
        sequence=_sequence(query.expression),
        gpms=tuple(_gpm(definition) for definition in query.atoms),
        streams=tuple((stream.name, stream.iri) for stream in query.streams),
        select=_select(query.form),
        window=_window(query.window),
        prefixes=(),
    )


def _sequence(node: pattern.SequenceExpression) -> model.Node:
    match node:
        case pattern.Atom(name):
            return model.Atom(name)
        case pattern.Conjunction(left, right):
            return model.And((_sequence(left), _sequence(right)))
        case pattern.AnyOrder(sides):
            return model.AnyOrder(tuple(map(_sequence, sides)))
        case pattern.Disjunction(left, right):
            return model.Or((_sequence(left), _sequence(right)))
        case pattern.Sequence(left, strategy, right):
            return model.Seq(_sequence(left), strategy.value, _sequence(right))
        case pattern.Kleene(body, least, most, strategy):
            return model.Kleene(_sequence(body), least, most, strategy.value)
        case pattern.Optional(body):
            return model.Maybe(_sequence(body))
        case pattern.Negation(body):
            return model.Not(_sequence(body))


def _gpm(definition: pattern.AtomDefinition) -> model.Gpm:
    text = " ".join(print_element(_without_graph(element)) for element in definition.pattern.elements)
    filters = tuple(_expression(expression) for expression in definition.stateful)
    return model.Gpm(definition.name, f"<{definition.stream}>", text, definition.variables, filters)


def _without_graph(element: algebra.Element) -> algebra.Element:
    match element:
        case algebra.Graph(_, group):
            return _group(group)
        case algebra.Group():
            return _group(element)
        case algebra.Optional(group):
            return algebra.Optional(_group(group))
        case algebra.Union(branches):
            return algebra.Union(tuple(_group(branch) for branch in branches))
    return element


def _group(group: algebra.Group) -> algebra.Group:
    return algebra.Group(tuple(_without_graph(element) for element in group.elements))


def _select(form: pattern.Selection) -> model.Select:
    items: list[str | model.Column] = []
    for projection in form.projections:
        plain = projection.expression == algebra.Variable(projection.name)
        items.append(projection.name if plain else model.Column(_expression(projection.expression), projection.name))
    return model.Select(tuple(items), form.distinct, form.group_by)


def _window(window: pattern.Window | None) -> model.Window | None:
    if window is None:
        return None
    if window.events:
        return model.Window(window.length, "EVENTS", window.sliding)
    return model.Window(window.length // 1000, "MILLISECONDS", window.sliding, window.origin or None)


def _expression(expression: algebra.Expression) -> to.Expression:
    match expression:
        case algebra.Variable(name):
            return to.Var(name)
        case algebra.Previous(algebra.Variable(name)):
            return to.Prev(name)
        case algebra.Aggregate(function, None):
            return to.Aggregate(function, None)
        case algebra.Aggregate(function, algebra.Variable(name)):
            return to.Aggregate(function, name)
        case algebra.Iri(value):
            return to.Const(to.Iri(value))
        case algebra.Literal(lexical, algebra.XSD_INTEGER):
            return to.Const(int(lexical))
        case algebra.Literal(lexical, algebra.XSD_DECIMAL):
            return to.Const(Decimal(lexical))
        case algebra.Operation("COALESCE", arguments):
            return to.Coalesce(tuple(_expression(argument) for argument in arguments))
        case algebra.Operation(sign, (left, right)) if sign in SIGNS:
            return to.Binary(sign, _expression(left), _expression(right))
    raise TypeError(f"the oracle has no {expression}")
