"""The best paths, best first: those of the brute-force oracle, ranked by the definition; budgets; what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from pyoxigraph import NamedNode, Triple

from nfa_native.paths.best_searcher import BestFirstSearcher
from nfa_native.paths.searcher import EdgeIndex, ExpressionAutomaton
from spaseq.errors import OptionError, QueryError
from spaseq.paths import BestPaths, Graph, StepWeights, prepare
from tests.oracle.paths.answers import Answers, nodes_at
from tests.oracle.paths.generate import World, random_world
from tests.oracle.paths.model import Path as OraclePath
from tests.oracle.paths.product import TooLargeError
from tests.paths.agreement import one_blank
from tests.paths.engine import term_of, term_triples

Route = tuple[tuple[int, ...], tuple[int, ...]]  # vertices, symbols
WEIGHTS = (-1, -0.5, 0, 0, 0, 1 / 3, 0.5, 0.5, 1)


# ── the definition ───────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Ranked:
    """A world whose queries ask for all paths, and what steps weigh in its graph."""

    world: World
    graph: Graph
    weights: StepWeights

    @staticmethod
    def of(seed: int) -> Ranked:
        """With few different weights, so that many paths score the same."""
        world = of_all_paths(random_world(seed, given_starts=seed % 5 == 4))
        graph, chance = Graph(term_triples(sorted(world.graph.edges))), np.random.default_rng(seed)
        relations, nodes = (chance.choice(WEIGHTS, count) for count in (len(graph.predicates), graph.vertex_count))
        return Ranked(world, graph, StepWeights(relations, nodes))

    def best(self, top: int, most_edges: int | None = None) -> BestPaths:
        starts = self.world.starts
        given = None if starts is None else list(map(term_of, starts))
        return self.graph.best(self.world.text, self.weights, top, given, most_edges=most_edges)

    def by_definition(self) -> list[tuple[Fraction, str, Route]]:
        """All paths, each once, in order: by score, length, query, start, steps."""
        rows = []
        for number, (name, answers) in enumerate(self.world.answers.items()):
            starts = self.starts(answers)
            for path in {path for due in answers.due.values() for path in due.paths or ()}:
                vertices, symbols = route = self.route(path)
                steps = tuple(zip(symbols, vertices[1:], strict=True))
                order = -self.score(vertices, symbols), len(path), number, starts.index(vertices[0]), steps
                rows.append((order, name, route))
        found: dict[Route, tuple[Fraction, str, Route]] = {}
        for order, name, route in sorted(rows):
            found.setdefault(route, (-order[0], name, route))
        return list(found.values())

    def starts(self, answers: Answers) -> list[int]:
        """In their order: those of one label by number."""
        places = answers.query.starts or answers.starts or ()
        nodes = [sorted(self.numbers[node] for node in nodes_at(answers.graph, (place,))) for place in places]
        return list(dict.fromkeys(vertex for some in nodes for vertex in some))

    def route(self, path: OraclePath) -> Route:
        vertices = [self.numbers[node] for node in path.nodes]
        symbols = [2 * self.graph.numbers[predicate[1:-1]] + inverse for predicate, inverse in path.steps]
        return tuple(vertices), tuple(symbols)

    @cached_property
    def numbers(self) -> dict[str, int]:
        terms = (self.graph.terms.value(vertex).to_ntriples() for vertex in range(self.graph.vertex_count))
        return {one_blank(text): vertex for vertex, text in enumerate(terms)}

    def score(self, vertices: tuple[int, ...], symbols: tuple[int, ...]) -> Fraction:
        """The mean weight of its steps."""
        steps = [
            Fraction(self.weights.relations[symbol >> 1]) + Fraction(self.weights.nodes[vertex])
            for symbol, vertex in zip(symbols, vertices[1:], strict=True)
        ]
        return sum(steps, Fraction(0)) / len(steps) if steps else Fraction(0)


def of_all_paths(world: World) -> World:
    """The same queries, for all of their paths."""
    queries = tuple(replace(query, selector="ALL", count=None) for query in world.queries)
    queries = tuple(replace(query, restrictor="TRAIL") if query.refused else query for query in queries)
    return replace(world, queries=queries)


def rankings(seeds: Iterable[int]) -> Iterator[tuple[Ranked, list[tuple[Fraction, str, Route]]]]:
    for seed in seeds:
        ranked = Ranked.of(seed)
        try:
            yield ranked, ranked.by_definition()
        except TooLargeError:
            continue


def rows(found: BestPaths) -> list[tuple[float, str, Route]]:
    return [
        (score, path.query, (path.vertices, path.symbols))
        for path, score in zip(found, found.scores.tolist(), strict=True)
    ]


def test_they_are_those_of_the_definition() -> None:
    compared = 0
    for ranked, wanted in rankings(range(700_000, 700_200)):
        expected = [(float(score), name, route) for score, name, route in wanted]
        for top in (1, 5, 1000):
            found = ranked.best(top)
            assert found.complete and rows(found) == expected[:top], (ranked.world.seed, top)
        compared += len(expected) > 5
    assert compared > 25


def test_a_budget_gives_the_best_that_were_found() -> None:
    """Each is a path with its score, in order; what is complete is exact; the same each time."""
    cut = 0
    for ranked, wanted in rankings(range(701_000, 701_050)):
        scores = {route: float(score) for score, _, route in wanted}
        expected = [float(score) for score, _, _ in wanted]
        for most in (0, 1, 2, 5, 13, 34):
            found = ranked.best(3, most)
            assert found.edges <= most and rows(found) == rows(ranked.best(3, most))
            assert all(score == scores[route] for score, _, route in rows(found))
            assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
            assert not found.complete or found.scores.tolist() == expected[:3]
            cut += not found.complete
    assert cut > 40


# ── examples ─────────────────────────────────────────────────────────────────────────────────────────────
def node(name: str) -> NamedNode:
    return NamedNode(f"urn:{name}")


def graph_of(*edges: str) -> Graph:
    return Graph([Triple(*map(node, edge.split())) for edge in edges])


def weights_of(graph: Graph, weigh: Callable[[str], float]) -> StepWeights:
    """By the names of predicates and nodes."""
    nodes = [weigh(graph.terms.value(vertex).text) for vertex in range(graph.vertex_count)]
    return StepWeights(np.array(list(map(weigh, graph.predicates))), np.array(nodes))


def test_a_path_scores_the_mean_of_its_steps() -> None:
    graph = graph_of("a likes b", "b likes c", "b hates d")
    known = {"urn:likes": 1.0, "urn:hates": -1.0, "urn:c": 0.5}
    weights = weights_of(graph, lambda name: known.get(name, 0.0))
    found = graph.best("QUERY q FROM <urn:a> ALL WALK !(){1,2}", weights)
    assert [f"{score} {path}" for path, score in zip(found, found.scores, strict=True)] == [
        "1.25 urn:a -> urn:likes -> urn:b -> urn:likes -> urn:c", "1.0 urn:a -> urn:likes -> urn:b",
        "0.0 urn:a -> urn:likes -> urn:b -> urn:hates -> urn:d",
    ]  # fmt: skip


LADDER = graph_of(*(f"{n} {way} {n + 1}" for n in range(40) for way in ("left", "right")))
FORTY = prepare("QUERY q FROM <urn:0> ALL WALK (<urn:left>|<urn:right>){40}")


def test_the_best_of_very_many_walks() -> None:
    """2 ** 40 walks, whose best one is known at once where weights are those of relations."""
    found = LADDER.best(FORTY, weights_of(LADDER, lambda name: float(name == "urn:left")), top=3)
    left = 2 * LADDER.numbers["urn:left"]
    assert found.complete and found.scores.tolist() == [1, 39 / 40, 39 / 40]
    assert set(found[0].symbols) == {left} and found.edges < 10_000


@pytest.mark.parametrize("most", [100, 1000, 10_000])
def test_a_budget_is_not_spent_on_beginnings_alone(most: int) -> None:
    """Where bounds say little there are paths all the same, and better ones than by chance."""
    graph = graph_of(*(f"{n}.{a} to {n + 1}.{b}" for n in range(40) for a in "lr" for b in "lr"))
    weights = StepWeights(np.zeros(1), np.random.default_rng(3).random(graph.vertex_count))
    found = graph.best("QUERY q FROM <urn:0.l> ALL WALK <urn:to>{40}", weights, top=5, most_edges=most)
    assert not found.complete and len(found) >= min(5, most // 100)
    assert found.scores[0] > weights.nodes.mean() + 0.1


def test_equal_scores_cost_little() -> None:
    """Of very many paths that score the same the first ones are taken."""
    found = LADDER.best(FORTY, weights_of(LADDER, lambda name: 0.0), top=4)
    first = LADDER.match(FORTY, limit=4)
    assert found.complete and list(found) == list(first) and found.edges < 5_000


def test_long_paths() -> None:
    graph = graph_of(*(f"{n} p {n + 1}" for n in range(500)), "500 p 3")
    weights = weights_of(graph, lambda name: float(name == "urn:500"))
    for restrictor, length in (("TRAIL", 500), ("ACYCLIC", 500), ("SIMPLE", 500)):
        found = graph.best(f"QUERY q FROM <urn:0> {restrictor} <urn:p>+", weights, top=2)
        assert found.complete and [len(path) for path in found] == [length, 501 if restrictor == "TRAIL" else 1]


def test_weights_by_start() -> None:
    """Each start has its own weights, and all paths are ranked together."""
    graph = graph_of("a p b", "c p d", "e p f")
    found = graph.best(
        "QUERY q ALL WALK <urn:p>", lambda start: StepWeights(np.array([1.0 + start]), np.zeros(6)), starts=np.arange(6)
    )
    assert found.scores.tolist() == sorted((1.0 + path.vertices[0] for path in found), reverse=True)
    assert len(found) == 3


# ── weights ──────────────────────────────────────────────────────────────────────────────────────────────
def test_sums_of_weights_are_exact() -> None:
    """Whatever is added to whatever."""
    weights = StepWeights(np.array([0.1, 0.7]), np.random.default_rng(1).random(100))
    for _ in range(20):
        some = np.random.default_rng(1).permutation(weights.nodes)
        assert sum(map(Fraction, some.tolist())) == Fraction(float(some.sum())) == Fraction(sum(some.tolist()))
    assert np.abs(weights.relations - [0.1, 0.7]).max() <= 2**-32
    assert StepWeights(np.array([1, 3]), np.array([])).relations.tolist() == [1, 3]


@pytest.mark.parametrize("wrong", [["a"], [float("nan")], [float("inf")], [[1.0]], None, [1e301]])
def test_weights_that_are_none(wrong: Any) -> None:
    with pytest.raises(OptionError, match="weights are an array of"):
        StepWeights(wrong, np.zeros(2))


@pytest.mark.parametrize(("relations", "nodes"), [(1, 41), (2, 40), (0, 0)])
def test_weights_of_another_graph(relations: int, nodes: int) -> None:
    with pytest.raises(OptionError, match="in the graph, but weights of"):
        LADDER.best(FORTY, StepWeights(np.zeros(relations), np.zeros(nodes)))


@pytest.mark.parametrize("wrong", [None, 3, lambda start: 3, lambda start: None])
def test_what_is_no_weights(wrong: Any) -> None:
    with pytest.raises(OptionError, match="weights are StepWeights, or a function that gives those of a start, not"):
        LADDER.best(FORTY, wrong)


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("top", [0, -1, 1.5, True, None])
def test_tops_that_are_none(top: Any) -> None:
    with pytest.raises(OptionError, match="top is a number from 1 on"):
        LADDER.best(FORTY, StepWeights(np.zeros(2), np.zeros(41)), top)


def test_other_selectors() -> None:
    with pytest.raises(QueryError, match="q: the best paths are those of ALL paths, not of ANY SHORTEST"):
        LADDER.best("QUERY q FROM <urn:0> ANY SHORTEST !()+", StepWeights(np.zeros(2), np.zeros(41)))


def test_too_much_to_keep() -> None:
    """The search ends, and says so."""
    index = LADDER.index
    automaton = ExpressionAutomaton([((), ((1, 0),), ()), ((0, 2), ((1, 0),), (0,))], index.symbols, 0)
    searcher = BestFirstSearcher(index, 3, 100)
    searcher.add(0, automaton, np.zeros(1, np.uint32), np.zeros(2), np.random.default_rng(1).random(41))
    while not searcher.done:
        searcher.advance(10)
    assert searcher.full and len(searcher.best()[0]) == 3


def test_the_kernel_refuses_what_does_not_fit() -> None:
    index, start, labels, vertices = LADDER.index, np.zeros(1, np.uint32), np.zeros(2), np.zeros(41)
    automaton = ExpressionAutomaton([((), (), (0,))], 0, 0)
    for arguments in (
        (start + 41, labels, vertices), (start, labels[:1], vertices), (start, labels, vertices[:1]),
        (start, labels, vertices, [np.zeros(41, np.uint8)]), (start, labels, vertices, (), np.zeros(2, np.uint8)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"no vertex|weights of|conditions|flags"):
            BestFirstSearcher(index, 1).add(0, automaton, *arguments)
    with pytest.raises(ValueError, match="symbols that the graph does not have"):
        BestFirstSearcher(EdgeIndex(41), 1).add(
            0, ExpressionAutomaton([((), (), ())], 2, 0), start, np.zeros(0), vertices
        )
    with pytest.raises(ValueError, match="the best 0 paths"):
        BestFirstSearcher(index, 0)


def test_unknown_nodes_are_warned_of() -> None:
    found = LADDER.best(FORTY, StepWeights(np.zeros(2), np.zeros(41)), starts=["nobody"])
    assert found.complete and len(found) == 0 and found.warnings == ("no node of the graph is nobody",)
