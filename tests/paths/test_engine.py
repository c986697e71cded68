"""The engine gives what the cases and the W3C suite say, and within a budget nothing that is wrong."""

from __future__ import annotations

from collections import defaultdict

import pytest

from spaseq.paths import Graph
from tests.oracle.paths.generate import World, random_world
from tests.oracle.paths.model import Path
from tests.paths.agreement import one_blank
from tests.paths.cases import cases
from tests.paths.engine import paths, term_triples
from tests.w3c.property_paths import PropertyPath, property_paths, unlisted

CASES = {case.label: case for case in cases()}
SUITE = {test.id: test for test in (*property_paths(), *unlisted())}


@pytest.mark.parametrize("label", CASES)
def test_cases(label: str) -> None:
    case = CASES[label]
    assert sorted(paths(sorted(case.graph.edges), case.text)) in case.right


@pytest.mark.parametrize("test", SUITE.values(), ids=SUITE)
def test_end_points_of_the_w3c_suite(test: PropertyPath) -> None:
    starts = test.nodes if test.subject is None else None
    found = list(paths(test.edges, test.text, starts))
    pairs = {(nodes[0], nodes[-1]) for _, nodes, _ in found}
    assert pairs == test.pairs
    assert len(pairs) == len(found)


@pytest.mark.parametrize("budget", ["limit", "most_edges"])
@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_what_a_budget_leaves_is_right(budget: str, size: int) -> None:
    """Nothing wrong is found, and all if the engine says so."""
    for seed in range(100):
        assert_right_within(random_world(seed), **{budget: size})


def assert_right_within(world: World, **budget: int) -> None:
    found = Graph(term_triples(sorted(world.graph.edges))).match(world.text, **budget)
    by_query = defaultdict(list)
    for path in found:
        nodes = tuple(one_blank(value.to_ntriples()) for value in path.values())
        by_query[path.query].append(Path(nodes, tuple((f"<{iri}>", inverse) for iri, inverse in path.steps())))
    assert "limit" not in budget or sum(map(len, by_query.values())) <= budget["limit"]
    for name, answers in world.answers.items():
        assert answers.complaints(by_query[name], found.complete) == [], (world.text, budget)
