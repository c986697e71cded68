"""The oracle against itself without its short cuts, and against pyoxigraph."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest

from .answers import Answers
from .endpoints import end_points
from .exhaustive import one_predicate, two_predicates
from .generate import Size, World, random_world
from .matches import matches
from .model import Graph, Path, Query, longest
from .walks import comes_back, permitted, walks

TINY = Size(nodes=4, edges=4, predicates=2, depth=3)
FAR = 5  # so many steps the plain enumeration looks


@pytest.mark.parametrize("hundred", range(10))
def test_end_points_are_those_of_pyoxigraph(hundred: int) -> None:
    """2,000 worlds."""
    for seed in range(hundred * 200, hundred * 200 + 200):
        world = random_world(seed, Size())
        for query in world.queries:
            assert_end_points(world.graph, query)


def assert_end_points(graph: Graph, query: Query) -> None:
    found = Answers(Query("all", query.expression, selector="ANY SHORTEST"), graph, graph.nodes).due
    assert found.keys() == end_points(graph, query.expression), (graph, query)


@pytest.mark.parametrize("fifty", range(6))
def test_nothing_is_missed_by_looking_where_residues_lead(fifty: int) -> None:
    """All walks without pruning, filtered by the definition, in 300 worlds."""
    for seed in range(fifty * 50, fifty * 50 + 50):
        world = random_world(seed, TINY)
        for answers in world.answers.values():
            assert_same_as_plain(answers)


def assert_same_as_plain(answers: Answers) -> None:
    """Where the plain enumeration looks far enough, it finds what is due; what it finds is never shorter."""
    by_pair = defaultdict(list)
    for path in plain(answers):
        by_pair[path.ends].append(path)
    for pair in by_pair.keys() | answers.due.keys():
        if by_pair[pair] or min(map(len, answers.answer_of(pair))) <= FAR:
            assert_same_pair(answers, pair, by_pair[pair])


def assert_same_pair(answers: Answers, pair: tuple[str, str], paths: list[Path]) -> None:
    query, due, lengths = answers.query, answers.due[pair], sorted(map(len, paths))
    if query.selects == "ALL SHORTEST":
        assert due.paths == frozenset(path for path in paths if len(path) == lengths[0])
    elif query.selects == "ALL":
        assert frozenset(path for path in due.paths if len(path) <= FAR) == frozenset(paths)
    elif query.selects == "ANY" or due.lengths is None:
        assert due.number == min(query.at_most, len(paths)) or due.number > len(paths)
    else:
        assert tuple(length for length in due.lengths if length <= FAR) == tuple(lengths[: query.at_most])


def plain(answers: Answers) -> list[Path]:
    query = answers.query
    found = [path for source in answers.sources for path in walks(answers.graph, source, FAR)]
    found = [path for path in found if permitted(query.restricts, path) and path.nodes[-1] in answers.targets]
    found = [path for path in found if not (query.not_back and comes_back(path))]
    return [path for path in found if matches(path, query.expression)]


@pytest.mark.parametrize("seed", range(40))
def test_no_shorter_walk_lies_beyond_the_bound(seed: int) -> None:
    """Three times as far there are the same lengths."""
    world = random_world(seed, TINY)
    for answers in world.answers.values():
        for source in answers.sources:
            product, count = answers.product(source), answers.query.at_most or 1
            assert product.lengths(count) == product.lengths(count, 3 * product.bound(count) + 3)


def test_own_answers_are_right() -> None:
    for seed in range(300):
        for given in (False, True):
            for answers in random_world(seed, given_starts=given).answers.values():
                assert answers.complaints(answers.answer()) == []


def test_exhaustive_of_one_predicate() -> None:
    for graph, expression in one_predicate():
        assert_end_points(graph, Query("q", expression))


@pytest.mark.deep
def test_exhaustive_of_two_predicates() -> None:
    for graph, expression in two_predicates():
        assert_end_points(graph, Query("q", expression))


def test_the_longest_match_is_known() -> None:
    for seed in range(200):
        world = random_world(seed, TINY)
        for query in world.queries:
            everything = replace(query, selector="SHORTEST", count=3, restrictor="WALK")
            due = Answers(everything, world.graph).due.values()
            assert all(length <= longest(query.expression) for one in due for length in one.lengths)


def test_worlds_repeat() -> None:
    assert [random_world(seed).text for seed in range(20)] == [random_world(seed).text for seed in range(20)]


def test_worlds_have_everything() -> None:
    queries = [query for seed in range(300) for query in random_world(seed).queries]
    assert {query.selector for query in queries} == {None, "ALL", "ANY", "ALL SHORTEST", "ANY SHORTEST", "SHORTEST"}
    assert {query.restrictor for query in queries} == {None, "WALK", "TRAIL", "ACYCLIC", "SIMPLE"}
    assert {query.not_back for query in queries} == {False, True}


def answered(world: World) -> bool:
    return any(answers.due for answers in world.answers.values())


def test_most_worlds_have_answers() -> None:
    assert sum(answered(random_world(seed)) for seed in range(300)) > 150
