"""One shortest walk to each of few nodes, searched for from both ends at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from pyoxigraph import NamedNode, Triple

from nfa_native.paths.searcher import PathSearcher
from spaseq.paths import Graph, prepare
from spaseq.paths.queries import bound
from spaseq.plan.paths.automaton import goes_from_both_ends
from tests.oracle.chooser import Seeded
from tests.oracle.paths.generate import World, random_world
from tests.paths.agreement import difference
from tests.paths.engine import paths


def to_some_nodes(seed: int) -> World:
    """A world whose queries ask for one shortest walk from a node to one, or three."""
    world, chooser = random_world(seed), Seeded(seed)
    nodes = [node for node in world.graph.nodes if node.startswith("<")] or ["<urn:nowhere>"]
    queries = tuple(
        replace(
            query, selector=chooser.pick(("ANY SHORTEST", "ANY", "SHORTEST")), count=None, restrictor="WALK",
            targets=tuple(chooser.pick(nodes) for _ in range(chooser.pick((1, 1, 3)))),
        )
        for query in world.queries
    )  # fmt: skip
    return replace(world, queries=queries)


def test_they_are_those_of_the_oracle() -> None:
    worlds = map(to_some_nodes, range(720_000, 720_250))
    assert [found for world in worlds if (found := difference(world, paths))] == []


# ── a larger graph ───────────────────────────────────────────────────────────────────────────────────────
def random_graph(nodes: int, edges: int) -> Graph:
    chance = np.random.default_rng(1)
    rows = zip(*chance.integers(0, nodes, (2, edges)).tolist(), chance.integers(0, 3, edges).tolist(), strict=True)
    name = lambda kind, number: NamedNode(f"urn:{kind}:{number}")  # noqa: E731
    return Graph(Triple(name("node", a), name("relation", p), name("node", b)) for a, b, p in rows)


@pytest.mark.parametrize("expression", ["(!()|^!())+", "!()/(<urn:relation:0>|^<urn:relation:1>)*", "(!()/^!()){1,5}"])
def test_the_same_lengths_by_fewer_edges(expression: str) -> None:
    graph = random_graph(3000, 9000)
    looked_at = [0, 0]
    for start, end in product(range(0, 3000, 500), range(100, 3000, 700)):
        iri = graph.terms.value(end).text
        found = graph.search(f"QUERY q TO <{iri}> ANY SHORTEST {expression} NOT BACK TO START", np.array([start]))
        both, one = found.all(), from_the_start(graph, expression, start, end)
        assert [len(path) for path in both] == np.diff(one.take()[0], prepend=0).tolist()
        assert all((path.vertices[0], path.vertices[-1]) == (start, end) for path in both)
        looked_at[0] += found.edges
        looked_at[1] += one.looked_at
    assert looked_at[0] * 4 < looked_at[1]


def from_the_start(graph: Graph, expression: str, start: int, end: int) -> PathSearcher:
    """The search that does not know the end."""
    (query,) = prepare(f"QUERY q ANY SHORTEST {expression}")
    ends, found = np.zeros(graph.vertex_count, np.uint8), bound(graph, query)
    ends[end] = 1
    searcher = PathSearcher(
        graph.index, found.automaton, np.array([start], np.uint32), found.conditions, ends, "WALK", "SHORTEST", 1, True
    )
    while not searcher.done:
        searcher.advance(1 << 20, 1 << 20)
    return searcher


def test_where_there_is_no_walk_it_ends_soon() -> None:
    """Nothing leads to the end, so nothing is looked for from the start."""
    graph = Graph([*map(triple, ("a p b", "b p c", "c p d", "x q y"))])
    run = graph.search("QUERY q FROM <urn:a> TO <urn:x>, <urn:y> ANY SHORTEST <urn:p>+")
    assert (len(run.all()), run.complete) == (0, True) and run.edges <= 8


def triple(edge: str) -> Triple:
    return Triple(*(NamedNode(f"urn:{name}") for name in edge.split()))


@pytest.mark.parametrize("most", range(8))
def test_budgets(most: int) -> None:
    graph = Graph([*map(triple, ("a p b", "b p c", "c p d"))])
    run = graph.search("QUERY q FROM <urn:a> TO <urn:a>, <urn:c>, <urn:d> ANY SHORTEST <urn:p>*", most_edges=most)
    found = run.all()
    assert [len(path) for path in found] == [0, 2, 3][: len(found)] and run.edges <= most + 4
    assert not found.complete or len(found) == 3


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("TO <urn:x> ANY SHORTEST :p+", True), ("TO <urn:x> ANY :p+", True), ("TO <urn:x> SHORTEST 2 :p+", False),
        ("TO <urn:x> ALL SHORTEST :p+", False), ("ANY SHORTEST :p+", False), ("TO <urn:x> TRAIL :p+", False),
        ("TO <urn:x> ANY SHORTEST TRAIL :p+", True), ("TO <urn:x> SHORTEST 2 SIMPLE :p+", True),
        ("TO <urn:x> ALL SHORTEST ACYCLIC :p+", True), ("ALL SHORTEST ACYCLIC :p+", False),
    ],
)  # fmt: skip
def test_where_it_is_done(query: str, wanted: bool) -> None:
    (prepared,) = prepare(f"QUERY q FROM <urn:a> {query}")
    assert goes_from_both_ends(prepared.query) == wanted
