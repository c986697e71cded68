"""The statements of a page, found by what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

Node: TypeAlias = "NamedNode | BlankNode | Literal | Triple | DefaultGraph"


class Statements:
    """Statements, by subject and by graph.  What is found keeps their order, each term once."""

    def __init__(self, quads: Iterable[Quad]) -> None:
        self._about, self._within = defaultdict[Node, list[Quad]](list), defaultdict[Node, list[Quad]](list)
        self._all: list[Quad] = []
        for quad in quads:
            self._all.append(quad)
            self._about[quad.subject].append(quad)
            self._within[quad.graph_name].append(quad)

    def __len__(self) -> int:
        return len(self._all)

    def without(self, graphs: Iterable[NamedNode]) -> Statements:
        """Those that are in none of these graphs."""
        left_out = set[Node](graphs) & self._within.keys()
        return Statements(quad for quad in self._all if quad.graph_name not in left_out) if left_out else self

    def about(self, subject: Node) -> Sequence[Quad]:
        """Those with this subject."""
        return self._about.get(subject, ())

    def within(self, graph: Node) -> Sequence[Quad]:
        """Those in this graph."""
        return self._within.get(graph, ())

    def using(self, predicate: str) -> list[Quad]:
        """Those with this predicate."""
        return [quad for quad in self._all if quad.predicate.value == predicate]

    def objects(self, subject: Node, predicate: str) -> list[NamedNode | BlankNode | Literal | Triple]:
        """What a predicate says of a subject."""
        return list(dict.fromkeys(quad.object for quad in self.about(subject) if quad.predicate.value == predicate))
