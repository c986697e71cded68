"""The engine answers as the oracle, on random worlds and on all small ones; end points are those of pyoxigraph."""

from __future__ import annotations

from tests.oracle.paths.endpoints import end_points
from tests.oracle.paths.generate import Size, random_world
from tests.oracle.paths.text import to_expression
from tests.paths.agreement import Found, difference, one_blank
from tests.paths.deep import exhaustive_worlds
from tests.paths.engine import paths


def test_random_worlds() -> None:
    worlds = (random_world(seed, given_starts=seed % 10 == 9) for seed in range(100_000, 100_800))
    assert [found for world in worlds if (found := difference(world, paths))] == []


def test_small_worlds() -> None:
    assert [found for world in exhaustive_worlds(97) if (found := difference(world, paths))] == []


def test_end_points_are_those_of_property_paths() -> None:
    for seed in range(500):
        world = random_world(seed, Size())  # pyoxigraph is slow where deep expressions are written out
        edges = sorted(world.graph.edges)
        for query in world.queries:
            text = f"QUERY q ANY SHORTEST {to_expression(query.expression)}"
            ends = {(nodes[0], nodes[-1]) for _, nodes, _ in map(one_blank_node, paths(edges, text, world.graph.nodes))}
            assert ends == end_points(world.graph, query.expression), (seed, text)


def one_blank_node(found: Found) -> Found:
    name, nodes, steps = found
    return name, tuple(map(one_blank, nodes)), steps
