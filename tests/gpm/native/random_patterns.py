"""Random graphs, and random patterns of the whole native grammar over the same few values."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

import pyoxigraph
from pyoxigraph import BlankNode, Literal, NamedNode, Triple as OxTriple

from gpm import algebra
from gpm.algebra import (
    AlternativePath,
    Bind,
    Element,
    Exists,
    Expression,
    Filter,
    Group,
    InversePath,
    Iri,
    Minus,
    NegatedPath,
    Operation,
    Optional,
    Path,
    Projection,
    SequencePath,
    SubSelect,
    Term,
    Triple,
    Triples,
    Union,
    Values,
    Variable,
)
from gpm.rows import EventGraph
from gpm.scope import in_scope
from tests.gpm.worlds import iri, node
from tests.terms.boundary_values import literals

Item = TypeVar("Item")

LITERALS = [one for one in literals() if one.value != "-NaN"]  # docs/limits.md: pyoxigraph keeps the sign of NaN
COMMON = [Literal(1), Literal(2), Literal(1.5), Literal("x"), Literal("2020-01-01T00:00:00Z"), Literal(True)]
NODES: list[NamedNode | BlankNode] = [node("a"), node("b"), BlankNode("n")]
MANY: list[NamedNode | BlankNode] = [*NODES, *(node(f"s{n}") for n in range(12))]
VARIABLES = [Variable(name) for name in "abcd"]
PREDICATES = [iri("p"), iri("q")]
BINARY = ["=", "=", "!=", "<", "<=", ">", ">=", ">", "+", "-", "*", "/", "SAMETERM", "CONTAINS", "STRSTARTS"]
UNARY = [
    "!", "-", "+", "ISIRI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "HOURS", "TZ",
    "STR", "LANG", "DATATYPE", "STRLEN", "LCASE", "UCASE",
]  # fmt: skip


class Maker:
    """Makes graphs and patterns that have a good chance to meet."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.values = [*source.sample(COMMON, 3), *source.sample(LITERALS, 3)]
        self.labels = 0

    def one(self, items: Sequence[Item]) -> Item:
        return self.random.choice(items)

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    # ── graphs ──
    def events(self, count: int) -> list[EventGraph]:
        """Small graphs, and now and then one of some sixty triples, for which the solver sorts them."""
        return [EventGraph(self.graph(), n * 3_600_000_000, n) for n in range(count)]

    def graph(self) -> list[OxTriple]:
        large = self.chance(0.1)
        nodes = MANY if large else NODES
        size = 60 if large else self.random.randint(0, 9)
        return list({self.triple(nodes): None for _ in range(size)})

    def triple(self, nodes: list[NamedNode | BlankNode]) -> OxTriple:
        object_ = self.one(nodes) if self.chance(0.5) else self.one(self.values)
        return OxTriple(self.one(nodes), self.one([node("p"), node("q")]), object_)

    # ── patterns ──
    def group(self, depth: int) -> Group:
        """A group whose elements nest so deep at most."""
        kept: list[Element] = [self.triples()] if self.chance(0.7) else []
        for _ in range(self.one([0, 1, 1, 2, 2, 3])):
            element = self.element(depth)
            if not isinstance(element, Bind) or element.variable.name not in in_scope(Group(tuple(kept))):
                kept.append(element)
        return Group(tuple(kept))

    def element(self, depth: int) -> Element:
        flat: list[Callable[[], Element]] = [self.triples, self.values_block]
        shallow: list[Callable[[], Element]] = [
            lambda: Filter(self.expression(0)),
            lambda: Bind(self.expression(0), self.one(VARIABLES)),
        ]
        nested: list[Callable[[], Element]] = [
            lambda: Filter(self.expression(depth)),
            lambda: Filter(Exists(self.group(depth - 1), self.chance(0.5))),
            lambda: Optional(self.group(depth - 1)),
            lambda: Optional(self.group(depth - 1)),
            lambda: Union((self.group(depth - 1), self.group(depth - 1))),
            lambda: Minus(self.group(depth - 1)),
            lambda: self.group(depth - 1),
            lambda: self.select(depth - 1),
            lambda: Bind(self.expression(depth), self.one(VARIABLES)),
            lambda: Bind(self.leaf(), self.one(VARIABLES)),
        ]
        return self.one(flat + nested * 2 if depth > 0 else flat + shallow)()

    def select(self, depth: int) -> SubSelect:
        """A sub-SELECT of some variables, perhaps with a computed one."""
        group = self.group(depth)
        if self.chance(0.2):
            return SubSelect(None, group)
        names = self.random.sample([variable.name for variable in VARIABLES], self.one([1, 2, 3]))
        known = in_scope(group)
        projections = [
            Projection(name, Variable(name) if name in known or self.chance(0.5) else self.expression(0))
            for name in names
        ]
        return SubSelect(tuple(projections), group, distinct=self.chance(0.5))

    def triples(self) -> Triples:
        label = None
        if self.chance(0.1):
            self.labels += 1
            label = algebra.BlankNode(f"l{self.labels}")
        return Triples(tuple(self.pattern(label) for _ in range(self.one([1, 1, 1, 2, 2, 3]))))

    def pattern(self, label: algebra.BlankNode | None) -> Triple:
        subjects: list[Term] = [*VARIABLES[:3], *VARIABLES, iri("a")]
        subject = label if label and self.chance(0.7) else self.one(subjects)
        object_: Term = self.constant() if self.chance(0.1) else self.one(VARIABLES)
        return Triple(subject, self.verb(), object_)

    def verb(self) -> Variable | Path:
        if self.chance(0.15):
            return self.one(VARIABLES)
        return self.path(2) if self.chance(0.15) else self.one(PREDICATES)

    def path(self, depth: int) -> Path:
        if depth == 0:
            return self.one(PREDICATES)
        pair = self.path(depth - 1), self.path(depth - 1)
        negated: list[Path] = [
            NegatedPath((PREDICATES[0],), ()),
            NegatedPath((PREDICATES[0],), (PREDICATES[1],)),
            NegatedPath((), (PREDICATES[1],)),
        ]
        return self.one(
            [InversePath(pair[0]), SequencePath(pair), AlternativePath(pair), *negated[:1], self.one(negated)]
        )

    def values_block(self) -> Values:
        variables = tuple(self.random.sample(VARIABLES, self.one([1, 2])))
        rows = [
            tuple(None if self.chance(0.2) else self.constant() for _ in variables)
            for _ in range(self.one([0, 1, 2, 3]))
        ]
        return Values(variables, tuple(rows))

    def constant(self) -> Iri | algebra.Literal:
        if self.chance(0.3):
            return self.one([iri("a"), iri("b")])
        return literal(self.one(self.values))

    def expression(self, depth: int) -> Expression:
        """An expression over the variables; EXISTS if it may nest."""
        kind = self.random.random()
        if depth <= -2 or kind < 0.15:
            return self.leaf()
        if kind < 0.55:
            return Operation(self.one(BINARY), (self.leaf(), self.operand(depth)))
        if kind < 0.65:
            return Operation(self.one(UNARY), (self.operand(depth),))
        if kind < 0.75:
            return Operation(self.one(["&&", "||"]), (self.expression(depth - 1), self.expression(depth - 1)))
        if kind < 0.87 and depth > 0:
            return Exists(self.group(depth - 1), self.chance(0.5))
        return self.call(depth)

    def call(self, depth: int) -> Expression:
        several = tuple(self.operand(depth) for _ in range(self.one([2, 3])))
        calls: list[Expression] = [
            Operation("BOUND", (self.one(VARIABLES),)),
            Operation(self.one(["IN", "NOT IN", "COALESCE", "CONCAT"]), several),
            Operation("IF", (self.expression(depth - 1), self.leaf(), self.leaf())),
            Operation("NOW"),
        ]
        return self.one(calls)

    def operand(self, depth: int) -> Expression:
        return self.leaf() if self.chance(0.7) else self.expression(depth - 1)

    def leaf(self) -> Expression:
        return self.one(VARIABLES) if self.chance(0.65) else self.constant()


def literal(value: pyoxigraph.Literal) -> algebra.Literal:
    """The same literal in a pattern."""
    return algebra.Literal(value.value, value.datatype.value, value.language)
