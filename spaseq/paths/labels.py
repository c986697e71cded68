"""LABEL on a stream of edges: nodes are called by what a graph says, which does not change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gpm.algebra import Iri
from spaseq.paths.edges import GraphEdges
from spaseq.paths.prepared import PreparedPath
from spaseq.pattern.paths import LabelledNodes, NodeName

NOBODY = Iri("urn:spaseq:paths:nobody")  # a node that is nowhere


def with_labelled_nodes(query: PreparedPath, labels: GraphEdges, warnings: list[str]) -> PreparedPath:
    """The query with the nodes that ``labels`` calls so instead of LABEL; labels of none are warned of."""
    asked = query.query
    starts, ends = (_nodes(names, query.name, labels, warnings) for names in (asked.starts, asked.ends))
    return PreparedPath(replace(asked, starts=starts, ends=ends), query.automaton)


def _nodes(names: Iterable[NodeName], query: str, labels: GraphEdges, warnings: list[str]) -> tuple[NodeName, ...]:
    found: dict[NodeName, None] = {}
    for name in names:
        if isinstance(name, Iri):
            found[name] = None
            continue
        some = list(_labelled(name, labels))
        if not some:
            warnings.append(f"{query}: no node of the graph is LABEL {name.text!r}")
        found |= dict.fromkeys(some or [NOBODY])
    return tuple(found)


def _labelled(name: LabelledNodes, labels: GraphEdges) -> Iterator[Iri]:
    """Its IRIs; blank nodes of a graph are in no stream."""
    values = (labels.terms.value(vertex) for vertex in labels.labelled(name.text).tolist())
    return (Iri(value.text) for value in values if value.kind == "uri")
