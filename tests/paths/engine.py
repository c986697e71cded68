"""The engine as the oracle's harness wants it (``tests.paths.agreement.PathEngine``)."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence

import pyoxigraph
from pyoxigraph import RdfFormat

from spaseq.paths import Graph
from tests.oracle.paths.model import Edge, Term
from tests.paths.agreement import Found


def paths(edges: Sequence[Edge], text: str, starts: Sequence[Term] | None = None) -> Iterator[Found]:
    """The paths that the engine finds, as texts."""
    return paths_of(Graph(term_triples(edges)), text, starts)


def saved_paths(edges: Sequence[Edge], text: str, starts: Sequence[Term] | None = None) -> Iterator[Found]:
    """Those in the graph after it was saved."""
    return paths_of(pickle.loads(pickle.dumps(Graph(term_triples(edges)))), text, starts)


def paths_of(graph: Graph, text: str, starts: Sequence[Term] | None = None) -> Iterator[Found]:
    """Those in a graph."""
    given = None if starts is None else list(map(term_of, starts))
    for path in graph.match(text, given):
        nodes = tuple(value.to_ntriples() for value in path.values())
        yield path.query, nodes, tuple((f"<{iri}>", inverse) for iri, inverse in path.steps())


def term_triples(edges: Sequence[Edge]) -> list[pyoxigraph.Quad]:
    lines = "".join(f"{subject} {predicate} {object_} .\n" for subject, predicate, object_ in edges)
    return list(pyoxigraph.parse(lines, format=RdfFormat.N_TRIPLES, lenient=True))


def term_of(text: Term) -> pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal:
    (triple,) = pyoxigraph.parse(f"<urn:s> <urn:p> {text} .", format=RdfFormat.N_TRIPLES, lenient=True)
    return triple.object
