"""All small expressions on all small graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, product

from .model import Alternative, Condition, Edge, Expression, Graph, Inverse, Negated, Repeat, Sequence
from .shorthand import node, predicate, rel

NODES = (node("a"), node("b"))
CONDITION = Condition("x", f"?x = {NODES[0]}")
TIMES = ((0, 1), (0, None), (1, None), (0, 0), (2, 2), (1, 2))
Pair = tuple[Graph, Expression]


def one_predicate() -> Iterator[Pair]:
    """All expressions of at most two operators on all graphs of two nodes: some 12,000 pairs."""
    expressions = [one for operators in range(3) for one in expressions_of(("p",), operators)]
    return product(graphs(("p",)), expressions)


def two_predicates() -> Iterator[Pair]:
    """All expressions of at most one operator on all graphs of two nodes: some 16,000 pairs."""
    expressions = [one for operators in range(2) for one in expressions_of(("p", "q"), operators)]
    return product(graphs(("p", "q")), expressions)


def graphs(predicates: tuple[str, ...]) -> list[Graph]:
    """All graphs of the two nodes with an edge."""
    edges: list[Edge] = list(product(NODES, map(predicate, predicates), NODES))
    chosen = chain.from_iterable(combinations(edges, number) for number in range(1, len(edges) + 1))
    return [Graph.of(some) for some in chosen]


@cache
def expressions_of(predicates: tuple[str, ...], operators: int) -> list[Expression]:
    """All expressions with exactly so many operators."""
    if operators == 0:
        return atoms(predicates)
    bodies = expressions_of(predicates, operators - 1)
    found: list[Expression] = [Inverse(body) for body in bodies]
    found += [Repeat(body, least, most) for body in bodies for least, most in TIMES]
    for left in range(operators):
        pairs = list(product(expressions_of(predicates, left), expressions_of(predicates, operators - 1 - left)))
        found += [Sequence(*pair) for pair in pairs] + [Alternative(*pair) for pair in pairs]
    return found


def atoms(predicates: tuple[str, ...]) -> list[Expression]:
    steps = [rel(name) for name in predicates]
    negated = [Negated(((predicate(predicates[0]), False), (predicate("r"), True)))]
    return [*steps, *negated, CONDITION]
