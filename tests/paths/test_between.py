"""The shortest paths under a restrictor with both ends given, led by distances to the end."""

from __future__ import annotations

import pytest
from pyoxigraph import NamedNode, Triple

from spaseq.paths import Graph, Paths
from spaseq.paths.search import PathRun
from tests.paths.between import against_oracle, against_the_start

EITHER_WAY = "(<urn:p>|^<urn:p>)+"
RESTRICTORS = ("TRAIL", "ACYCLIC", "SIMPLE")


def test_they_are_those_of_the_oracle() -> None:
    assert [found for seed in range(730_000, 730_300) for found in against_oracle(seed)] == []


def test_they_are_those_of_the_search_from_the_start() -> None:
    assert [found for seed in range(740_000, 740_300) for found in against_the_start(seed)] == []


# ── larger graphs ────────────────────────────────────────────────────────────────────────────────────────────
def graph_of(*edges: tuple[object, object]) -> Graph:
    return Graph(Triple(NamedNode(f"urn:{a}"), NamedNode("urn:p"), NamedNode(f"urn:{b}")) for a, b in edges)


def search(graph: Graph, asked: str, **budget: int) -> PathRun:
    return graph.search(f"QUERY q {asked} {EITHER_WAY}", **budget)  # type: ignore[arg-type]


def lengths(found: Paths) -> list[int]:
    return [len(path) for path in found]


def grid(size: int) -> Graph:
    """Where there are so many paths that nobody can look at all."""
    cells = [(i, j) for i in range(size) for j in range(size)]
    return graph_of(
        *((f"{i}-{j}", f"{i + 1}-{j}") for i, j in cells), *((f"{i}-{j}", f"{i}-{j + 1}") for i, j in cells)
    )


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_where_there_are_countless_paths(restrictor: str) -> None:
    graph = grid(40)
    one = search(graph, f"FROM <urn:0-0> TO <urn:39-39> ANY {restrictor}")
    some = search(graph, f"FROM <urn:0-0> TO <urn:39-39> SHORTEST 100 {restrictor}")
    assert lengths(one.all()) == [78] and one.edges < 30_000
    assert lengths(some.all()) == [78] * 100 and some.edges < 100_000


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_a_second_path_that_is_far_longer(restrictor: str) -> None:
    """Around a ring the other way, whose beginning is at a node that the first path has passed."""
    ring = [(number, (number + 1) % 3000) for number in range(3000)]
    run = search(graph_of(("s", 0), *ring, (7, "t")), f"FROM <urn:s> TO <urn:t> SHORTEST 3 {restrictor}")
    assert lengths(run.all()) == [9, 2995] and run.complete and run.edges < 400_000


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_a_node_with_many_dead_ends(restrictor: str) -> None:
    leaves = [("hub", f"leaf{number}") for number in range(5000)]
    run = search(graph_of(("s", "hub"), ("hub", "t"), *leaves), f"FROM <urn:s> TO <urn:t> SHORTEST 3 {restrictor}")
    assert lengths(run.all()) == [2] and run.complete and run.edges < 200_000


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_many_ways_from_one_node(restrictor: str) -> None:
    ways = [edge for number in range(3000) for edge in (("s", f"way{number}"), (f"way{number}", "t"))]
    run = search(graph_of(*ways), f"FROM <urn:s> TO <urn:t> ALL SHORTEST {restrictor}")
    assert lengths(run.all()) == [2] * 3000 and run.complete and run.edges < 400_000


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_each_pair_of_a_start_and_an_end(restrictor: str) -> None:
    graph = grid(9)
    found = search(graph, f"FROM <urn:0-0>, <urn:3-0> TO <urn:8-8>, <urn:3-0>, <urn:0-2> SHORTEST 2 {restrictor}").all()
    ends = [str(path.nodes[0]).removeprefix("urn:") + " " + str(path.nodes[-1]).removeprefix("urn:") for path in found]
    wanted = {"0-0 8-8": [16, 16], "0-0 3-0": [3, 5], "0-0 0-2": [2, 4], "3-0 8-8": [13, 13], "3-0 0-2": [5, 5]}
    wanted |= {} if restrictor == "ACYCLIC" else {"3-0 3-0": [4, 4] if restrictor == "TRAIL" else [2, 2]}
    by_pair = {pair: [len(path) for path, of in zip(found, ends, strict=True) if of == pair] for pair in set(ends)}
    assert by_pair == wanted


@pytest.mark.parametrize("restrictor", RESTRICTORS)
def test_what_a_budget_cuts_off_is_a_beginning(restrictor: str) -> None:
    """However small the steps in which it is searched."""
    graph, asked = grid(12), f"FROM <urn:0-0> TO <urn:5-5> SHORTEST 300 {restrictor}"
    whole = [path.vertices for path in search(graph, asked).all()]
    for most in (1, 10, 500, 5_000, 20_000):
        run = search(graph, asked, most_edges=most)
        part = [path.vertices for path in run.all()]
        assert part == whole[: len(part)] and run.edges <= most + 20
        assert run.complete == (len(part) == 300)


def test_where_no_path_fits_a_budget_ends_it() -> None:
    """Walks of fifteen steps there are, but no path through so many nodes."""
    graph = graph_of(*((f"a{i}", f"a{j}") for i in range(14) for j in range(i)), ("a0", "t"))
    asked = "QUERY q FROM <urn:a5> TO <urn:t> ANY SHORTEST ACYCLIC (<urn:p>|^<urn:p>){15}/<urn:p>"
    run = graph.search(asked, most_edges=100_000)
    assert not len(run.all()) and not run.complete and run.edges < 101_000
