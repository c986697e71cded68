"""What the nodes and relations of a graph are called: by a label if they have one, else as paths are shown."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from gpm.algebra import Iri
from spaseq.paths.edges import GraphEdges
from spaseq.paths.results import Path, in_turn
from spaseq.paths.terms import relation_iri, short_name


class GraphNames:
    """The names of a graph.  Labels are read once, when the first name is asked for."""

    def __init__(self, graph: GraphEdges) -> None:
        self.graph = graph

    def node(self, vertex: int) -> str:
        """The name of a node, by its number."""
        label = self._labels.get(vertex)
        if label is not None:
            return label
        value = self.graph.terms.value(vertex)
        return short_name(value.text) if value.kind == "uri" else value.text

    def relation(self, number: int) -> str:
        """The name of a predicate, by its number."""
        iri = self.graph.predicates[number]
        vertex = self.graph.vertex(Iri(iri)) if self._labels else None
        label = None if vertex is None else self._labels.get(vertex)
        return short_name(iri) if label is None else label

    def step(self, symbol: int) -> str:
        """The name of a step, as ``Path.symbols`` has it: ``^`` stands before those that are taken inverse."""
        return f"^{self.relation(symbol >> 1)}" if symbol & 1 else self.relation(symbol >> 1)

    def path(self, path: Path) -> str:
        """``a -> r -> b``, as ``str(path)``, with labels where there are any."""
        return " -> ".join(in_turn([*map(self.node, path.vertices)], [*map(self.step, path.symbols)]))

    def predicates(self, name: str) -> tuple[str, ...]:
        """The IRIs of predicates that somebody may mean by ``name``: an IRI itself, a relation, or a name of several.

        The graph may not have the only one.
        """
        iri = relation_iri(name)
        return (iri,) if iri in self.graph.labels else tuple(self._predicates.get(name, (iri,)))

    @cached_property
    def _labels(self) -> dict[int, str]:
        """The first label of each node that has one."""
        number = self.graph.labels.get(self.graph.label_property or "")
        if number is None:
            return {}
        found: dict[int, str] = {}
        for subject, object_ in zip(*(ends.tolist() for ends in self.graph.edges_of(number)), strict=True):
            value = self.graph.terms.value(object_)
            if value.kind == "literal":
                found.setdefault(subject, value.text)
        return found

    @cached_property
    def _predicates(self) -> dict[str, list[str]]:
        """IRIs by the last part of them, and by label."""
        found = defaultdict(list)
        for number, iri in enumerate(self.graph.predicates):
            for name in {short_name(iri), self.relation(number)}:
                found[name].append(iri)
        return found
