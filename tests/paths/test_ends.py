"""End points without paths: as the oracle and pyoxigraph have them, within budgets, as tables."""

from __future__ import annotations

import numpy as np
import pytest
import rdflib

from nfa_native.paths.reach_searcher import EndPlan, EndSearcher
from spaseq.errors import OptionError
from spaseq.paths import Graph
from tests.oracle.paths.generate import random_world
from tests.paths.ends import against_oracle, against_pyoxigraph, against_themselves, graph_of, pairs_of
from tests.paths.test_search import EX, LADDER, PREFIX, graph_of as graph_of_edges, node

ROUND = graph_of_edges("a p b", "b p c", "c p a", "b q d")


def test_pairs() -> None:
    found = ROUND.ends(PREFIX + "QUERY far FROM ex:a ex:p+/ex:q? QUERY near FROM ex:a, ex:b ALL WALK ex:q")
    assert sorted(f"{pair.query}: {pair}" for pair in found.by_query()["far"]) == [
        "far: a -> a", "far: a -> b", "far: a -> c", "far: a -> d",
    ]  # fmt: skip
    assert list(map(str, found.by_query()["near"])) == ["b -> d"]
    assert (len(found), found.complete, found.warnings, repr(found)) == (5, True, (), "<5 pairs of nodes>")
    assert found.queries.dtype == found.start_vertices.dtype == found.end_vertices.dtype == np.uint32
    assert len(found.queries) == len(found.start_vertices) == len(found.end_vertices) == 5
    pair = found.by_query()["near"][0]
    assert pair.nodes == (pair.start, pair.end) and isinstance(pair.start, rdflib.URIRef)
    assert [str(term) for term in pair.nodes] == [EX + "b", EX + "d"]
    assert pair.to_dict() == {
        "query": "near", "start": {"type": "uri", "value": EX + "b"}, "end": {"type": "uri", "value": EX + "d"},
    }  # fmt: skip


def test_as_a_table() -> None:
    found = ROUND.ends(PREFIX + "QUERY far FROM ex:b TO ex:d, ex:a ex:p*/ex:q? NOT BACK TO START")
    assert sorted(map(str, found.to_arrow().to_pylist())) == sorted(
        str({"query": "far", "start": f"<{EX}b>", "end": f"<{EX}{end}>"}) for end in "ad"
    )
    assert found.part(1, 2).to_arrow().equals(found.to_arrow().slice(1))
    nothing = ROUND.ends(PREFIX + "QUERY far FROM ex:b ex:nothing")
    assert nothing.to_arrow().schema.equals(found.to_arrow().schema) and not len(nothing)
    assert nothing.warnings == (f"far: no edge has the predicate <{EX}nothing>; did you mean {EX}q?",)


@pytest.mark.parametrize("restrictor", ["TRAIL", "ACYCLIC", "SIMPLE"])
def test_pairs_under_a_restrictor(restrictor: str) -> None:
    graph = graph_of_edges("a p b", "b p a", "b p c")
    ends = {"TRAIL": ["a", "b", "c"], "ACYCLIC": ["b", "c"], "SIMPLE": ["a", "b", "c"]}[restrictor]
    found = graph.ends(f"{PREFIX}QUERY q FROM ex:a ALL {restrictor} ex:p+")
    assert sorted(pair.values()[1].text.removeprefix(EX) for pair in found) == ends


# ── agreement ────────────────────────────────────────────────────────────────────────────────────────────
def test_as_the_oracle() -> None:
    assert [wrong for seed in range(200_000, 200_400) for wrong in against_oracle(seed)] == []


def test_as_property_paths_of_pyoxigraph() -> None:
    assert [wrong for seed in range(5_000, 5_300) for wrong in against_pyoxigraph(seed)] == []


def test_together_as_one_by_one() -> None:
    assert [wrong for seed in range(60) for wrong in against_themselves(seed)] == []


# ── starts, budgets ──────────────────────────────────────────────────────────────────────────────────────
def test_many_starts() -> None:
    """More than a word has bits; each pair once."""
    count = 200
    graph = graph_of_edges(*(f"{n} p {n + 1}" for n in range(count - 1)))
    found = graph.ends(PREFIX + "QUERY q ex:p*", [node(str(n)) for n in range(count)])
    pairs = {(int(start.text[len(EX) :]), int(end.text[len(EX) :])) for start, end in (pair.values() for pair in found)}
    assert pairs == {(a, b) for a in range(count) for b in range(a, count)} and len(pairs) == len(found)


def test_starts_of_each_query() -> None:
    text = PREFIX + "QUERY one ex:p QUERY two ex:p QUERY three FROM ex:b ex:p/ex:p"
    compiled = ROUND.compile(text)
    for one, two in [("a", "b"), ("c", "c"), ("b", "a")] * 8:
        found = compiled.ends({"one": [node(one)], "two": [node(two)]}).by_query()
        follows = {"a": "b", "b": "c", "c": "a"}
        assert list(map(str, found["one"])) == [f"{one} -> {follows[one]}"]
        assert list(map(str, found["two"])) == [f"{two} -> {follows[two]}"]
        assert list(map(str, found["three"])) == ["b -> a"]
    with pytest.raises(OptionError, match="the query one has no FROM"):
        compiled.ends()


@pytest.mark.parametrize("seed", range(40))
def test_what_a_budget_leaves_is_right(seed: int) -> None:
    world = random_world(seed)
    graph = graph_of(world)
    whole = pairs_of(graph.ends(world.text))
    for size in range(0, len(whole) + 2):
        found = graph.ends(world.text, limit=size)
        assert pairs_of(found) == whole[:size] and found.complete == (size >= len(whole))
    for size in (0, 1, 2, 5, 20):
        found = graph.ends(world.text, most_edges=size)
        assert pairs_of(found) == whole[: len(found)] and (not found.complete or len(found) == len(whole))


def test_edges_are_bounded() -> None:
    found = LADDER.ends(f"{PREFIX}QUERY q FROM ex:0 (ex:l|ex:r)+", most_edges=50)
    assert not found.complete and 0 <= len(found) < 60


@pytest.mark.parametrize("most", [1, 3, 1000])
@pytest.mark.parametrize("starts", [1, 20])
def test_pieces_are_the_whole(most: int, starts: int) -> None:
    """However little is searched at a time."""
    some, plan = np.arange(starts, dtype=np.uint32), EndPlan(LADDER.index, [[0, 2], [1]], [1, 1, 1, 1], MOVES, ENDS)
    searcher, found = EndSearcher(plan, some), []
    for _ in range(200_000):
        if searcher.done:
            break
        searcher.advance(most, most)
        queries, begins, run_ends, ends = searcher.take()
        lengths = np.diff(run_ends.astype(np.int64), prepend=0)
        found += list(zip(np.repeat(queries, lengths), np.repeat(begins, lengths), ends, strict=True))
    graph_walks = LADDER.ends([f"{PREFIX}QUERY q{n} (ex:l|ex:r)*{rest}" for n, rest in enumerate(["", "/^ex:l"])], some)
    expected = zip(graph_walks.queries, graph_walks.start_vertices, graph_walks.end_vertices, strict=True)
    assert sorted(map(tuple, np.array(found).tolist())) == sorted(map(tuple, np.array(list(expected)).tolist()))


MOVES = [(0, 1, None, 0), (1, 1, 0, 0), (1, 2, 1, 0), (2, 3, None, 0)]
ENDS = [(1, None), (3, None)]


def test_a_large_repetition_of_a_large_expression() -> None:
    graph = graph_of_edges(*(f"{n} p {(n + 1) % 7}" for n in range(7)))
    found = graph.ends(f"{PREFIX}QUERY q FROM ex:0 (ex:p{{1000}})+")
    assert len(found) == 7  # 1000 is 6 in the round of 7


# ── the kernel ───────────────────────────────────────────────────────────────────────────────────────────
def test_the_kernel_refuses_what_does_not_fit() -> None:
    index, start = LADDER.index, np.zeros(1, np.uint32)
    moves = [(0, 1, 0, 0)]
    for arguments, message in [
        (([[9]], [1, 1], moves, []), "no symbol 9"), (([[0]], [2], [], []), "walks begin in a part with one state"),
        (([[0]], [1, 0], [], []), "a part has no state"), (([[0]], [1], moves, []), "no state 1"),
        (([[0]], [1, 1], [(1, 0, 0, 0)], []), "from state 1 to state 0"), (([], [1, 1], moves, []), "no step 0"),
        (([[0]], [1, 1], [(1, 1, None, 0)], []), "from state 1 to state 1"),
        (([[0]], [1, 1], [(0, 1, 0, 2)], []), "a condition that is not there"),
        (([[0]], [1, 1], moves, [(2, None)]), "no state 2"),
        (([[0]], [1, 1], moves, [(1, np.zeros(1, np.uint8))]), "1 flags came"),
    ]:  # fmt: skip
        with pytest.raises((ValueError, TypeError), match=message):
            EndPlan(index, *arguments)
    plan = EndPlan(index, [[0]], [1, 1], moves, [(1, None)])
    with pytest.raises(ValueError, match="no vertex 100"):
        EndSearcher(plan, start + 100)


def test_graphs_without_edges() -> None:
    assert len(Graph([]).ends(PREFIX + "QUERY q FROM ex:a ex:p*")) == 0
