"""A graph with edges added and removed is the graph that is built anew of what is left."""

from __future__ import annotations

import pickle
from pathlib import Path as FilePath

import numpy as np
import pyarrow
import pytest
import rdflib
from hypothesis import given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from spaseq.errors import OptionError
from spaseq.paths import Graph, Path, prepare
from spaseq.paths.changes import EdgeChange
from spaseq.paths.graph import RDFS_LABEL

NODES = [
    *(NamedNode(f"urn:n{number}") for number in range(6)),
    BlankNode("b"),
    Literal("1"),
    Literal("x", language="en"),
]
PREDICATES = [NamedNode("urn:p"), NamedNode("urn:q"), NamedNode("urn:r"), NamedNode(RDFS_LABEL)]
edges = st.builds(Triple, st.sampled_from(NODES[:7]), st.sampled_from(PREDICATES), st.sampled_from(NODES))
some_edges = st.frozensets(edges, max_size=12)
QUERIES = prepare("""
    PREFIX : <urn:>
    QUERY a FROM :n0, :n1, :n2, :n3 ALL WALK (:p|^:q|!(:p|:q)){0,2}
    QUERY b FROM LABEL "x", LABEL "1", LABEL "2" ALL WALK (:p|^:p){0,2}
    QUERY c FROM :n0 TO :n1, :n2 ANY SHORTEST (:p|:q|^:r)*/[?x: isIRI(?x)]
    QUERY d FROM :n4 ALL TRAIL (!()|!(^:none)){1,3}
""")


def answers(graph: Graph) -> tuple[list[tuple[object, ...]], list[str]]:
    paths = graph.match(QUERIES)
    return sorted(map(described, paths)), sorted(paths.warnings)


def described(path: Path) -> tuple[object, ...]:
    """All of a path, or, where several would be right answers, its end and length."""
    nodes = [value.to_ntriples() for value in path.values()]
    return (
        (path.query, nodes[-1], str(len(path))) if path.query == "c" else (path.query, *nodes, *map(str, path.steps()))
    )


def same(changed: Graph, anew: Graph) -> None:
    assert (len(changed), changed.node_count, set(changed.labels)) == (len(anew), anew.node_count, set(anew.labels))
    assert answers(changed) == answers(anew)


@settings(max_examples=100, deadline=None)
@given(some_edges, st.lists(st.tuples(some_edges, some_edges), min_size=1, max_size=3), st.booleans(), st.booleans())
def test_changes_are_as_a_graph_anew(
    first: frozenset[Triple], changes: list[tuple[frozenset[Triple], frozenset[Triple]]], saved: bool, asked: bool
) -> None:
    graph, known = Graph(first), first
    graph = pickle.loads(pickle.dumps(graph)) if saved else graph
    for added, removed in changes:
        before = answers(graph)
        if asked:
            graph.labelled("x")
        after = graph.with_edges(added, removed)
        expected = known - removed | added
        same(after, Graph(expected))
        assert after.change == EdgeChange(
            len(expected - known), len(known - expected), len(added & known), len(removed - added - known)
        )
        assert answers(graph) == before
        assert all(after.terms.vertex(node) == graph.vertex(node) for node in NODES if graph.vertex(node) is not None)
        graph, known = after, expected
    same(pickle.loads(pickle.dumps(graph)), Graph(known))


def test_what_is_shared() -> None:
    """Rows of predicates that a change does not touch, and terms if there are no new ones."""
    graph = Graph([Triple(NODES[0], PREDICATES[0], NODES[1]), Triple(NODES[1], PREDICATES[1], NODES[2])])
    after = graph.with_edges([Triple(NODES[1], PREDICATES[0], NODES[2])])
    assert after.rows[1].along.targets is graph.rows[1].along.targets and after.terms is graph.terms
    assert after.rows[0] is not graph.rows[0]


def test_literals_are_compared_by_value() -> None:
    integer = NamedNode("http://www.w3.org/2001/XMLSchema#integer")
    graph = Graph([Triple(NODES[0], PREDICATES[0], Literal("01", datatype=integer))])
    after = graph.with_edges(removed=[Triple(NODES[0], PREDICATES[0], Literal("1", datatype=integer))])
    assert (len(after), after.node_count) == (0, 0)


def test_nodes_that_are_gone() -> None:
    """Their numbers are no nodes, until they come back."""
    triple, other = Triple(NODES[0], PREDICATES[0], NODES[1]), Triple(NODES[2], PREDICATES[1], NODES[3])
    graph = Graph([triple, other])
    after = graph.with_edges(removed=[triple])
    gone = np.array([graph.vertex(NODES[0]), graph.vertex(NODES[1])])
    starts = after.match("QUERY q <urn:q>*", starts=gone)
    assert (len(starts), starts.warnings) == (0, tuple(f"no edge has the node {number}" for number in gone))
    assert len(after.match("QUERY q <urn:q>*", starts=int(gone[0]))) == 0
    assert after.match("QUERY q FROM <urn:n0> <urn:p>*").warnings == (
        "q: no edge has the predicate <urn:p>; did you mean urn:q?",
        "q: no node of the graph is <urn:n0>",
    )  # fmt: skip
    back = after.with_edges([triple])
    assert list(map(str, back.match("QUERY q <urn:p>", starts=gone))) == ["urn:n0 -> urn:p -> urn:n1"]
    assert back.change == EdgeChange(1, 0, 0, 0)


def test_graphs_of_tables(tmp_path: FilePath) -> None:
    """Edges are names, or the terms that paths have."""
    graph = Graph.from_table(pyarrow.table({"subject": ["a"], "relation": ["is part of"], "object": ["b"]}))
    (path,) = graph.match('QUERY q FROM LABEL "a" !()')
    ((predicate, _),) = path.edges
    after = graph.with_edges([("a", "p", "c")], removed=[(path.nodes[0], predicate, path.nodes[1])])
    assert list(map(str, after.match('QUERY q FROM LABEL "a" !()'))) == ["a -> p -> c"]
    more = after.with_edges(pyarrow.table({"subject": ["c"], "relation": ["p"], "object": ["d"]}), iter([]))
    (tmp_path / "more.txt").write_text("d|p|e\n")
    more = more.with_edges(tmp_path / "more.txt")
    assert list(map(str, more.match('QUERY q FROM LABEL "a" :p{3}'))) == ["a -> p -> c -> p -> d -> p -> e"]


def test_sources_of_edges(tmp_path: FilePath) -> None:
    graph = Graph([Triple(NODES[0], PREDICATES[0], NODES[1])])
    (tmp_path / "more.nt").write_text("<urn:n1> <urn:p> <urn:n2> .\n")
    others = rdflib.Graph().parse(data="<urn:n2> <urn:p> <urn:n3> .", format="nt")
    after = graph.with_edges(tmp_path / "more.nt").with_edges(others)
    assert list(map(str, after.match("QUERY q FROM <urn:n0> <urn:p>{3}"))) == [
        "urn:n0 -> urn:p -> urn:n1 -> urn:p -> urn:n2 -> urn:p -> urn:n3"
    ]


@pytest.mark.parametrize("edge", [7, [("a", "b")], [("a", "b", "c")]])
def test_what_is_no_edge(edge: object) -> None:
    with pytest.raises(OptionError):
        Graph([]).with_edges(edge)
