"""The end points of an expression as pyoxigraph finds them, asked for a SPARQL property path.

Repetitions with numbers are written out.  A condition becomes a step to a mark of the nodes that fulfil it and back;
the marks' predicates are excluded from negated sets.
"""

from __future__ import annotations

from functools import reduce

from pyoxigraph import DefaultGraph, NamedNode, Quad, Store

from .conditions import holds, term_of
from .model import (
    Alternative,
    Condition,
    Expression,
    Forward,
    Graph,
    Inverse,
    Negated,
    Repeat,
    Sequence,
    Step,
    Term,
    parts,
)
from .text import to_expression

NOWHERE = Forward("<urn:oracle:nowhere>")  # a predicate that no graph has
HERE = Repeat(NOWHERE, 0, 1)  # length 0, and nothing else


def end_points(graph: Graph, expression: Expression) -> frozenset[tuple[Term, Term]]:
    """The pairs of nodes of the graph between which a walk matches."""
    conditions = list(dict.fromkeys(part for part in parts(expression) if isinstance(part, Condition)))
    store = store_of(graph)
    for number, condition in enumerate(conditions):
        store.extend(_marks(graph, condition, number))
    path = to_expression(_sparql(expression, conditions))
    rows = store.query(f"SELECT DISTINCT ?x ?y {{ ?x {path} ?y }}")
    pairs = ((str(row["x"]), str(row["y"])) for row in rows)
    return frozenset((x, y) for x, y in pairs if x in graph.steps and y in graph.steps)


def store_of(graph: Graph) -> Store:
    store = Store()
    store.extend(Quad(*map(term_of, edge), DefaultGraph()) for edge in sorted(graph.edges))
    return store


def _marks(graph: Graph, condition: Condition, number: int) -> list[Quad]:
    """An edge to each node that fulfils the condition, from a mark of its own."""
    nodes = [(place, node) for place, node in enumerate(graph.nodes) if holds(condition, node)]
    mark = NamedNode(_mark(number)[1:-1])
    return [Quad(NamedNode(f"urn:oracle:{number}:{place}"), mark, term_of(node)) for place, node in nodes]


def _mark(number: int) -> Term:
    return f"<urn:oracle:mark:{number}>"


def _sparql(expression: Expression, conditions: list[Condition]) -> Expression:
    """The same without conditions and repetitions that SPARQL lacks."""

    def plain(expression: Expression) -> Expression:
        match expression:
            case Condition():
                mark = Forward(_mark(conditions.index(expression)))
                return Sequence(Inverse(mark), mark)
            case Negated(members):
                return Negated((*members, *_excluded(members, len(conditions))))
            case Inverse(body):
                return Inverse(plain(body))
            case Sequence(left, right):
                return Sequence(plain(left), plain(right))
            case Alternative(left, right):
                return Alternative(plain(left), plain(right))
            case Repeat(body, least, most):
                return _written_out(plain(body), least, most)
            case _:
                return expression

    return plain(expression)


def _excluded(members: tuple[Step, ...], number: int) -> list[Step]:
    """The marks' predicates, in the directions that the set has already."""
    directions = sorted({inverse for _, inverse in members})
    return [(_mark(mark), inverse) for mark in range(number) for inverse in directions]


def _written_out(body: Expression, least: int, most: int | None) -> Expression:
    if (least, most) in ((0, None), (1, None), (0, 1)):
        return Repeat(body, least, most)
    rest = [Repeat(body, 0, None)] if most is None else [Repeat(body, 0, 1)] * (most - least)
    factors = [body] * least + rest
    return reduce(Sequence, factors) if factors else HERE
