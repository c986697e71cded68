"""Searching: results as columns and paths, budgets, given starts, what is refused."""

from __future__ import annotations

import math
import pickle
import time
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyoxigraph import Literal, NamedNode, Triple

from spaseq.errors import OptionError, QueryError
from spaseq.paths import Graph, prepare
from tests.oracle.paths.generate import random_world
from tests.paths.ends import graph_of as graph_of_world

EX = "http://ex.org/"
PREFIX = f"PREFIX ex: <{EX}> "


def node(name: str) -> NamedNode:
    return NamedNode(EX + name)


def graph_of(*edges: str) -> Graph:
    return Graph([Triple(*map(node, edge.split())) for edge in edges])


LADDER = graph_of(*(f"{n} {way} {n + 1}" for n in range(60) for way in "lr"))  # 2 ** 60 walks from end to end


def test_a_path_has_nodes_and_edges() -> None:
    (path,) = graph_of("a p b", "c q b").match(PREFIX + "QUERY q FROM ex:a ALL WALK ex:p/^ex:q")
    assert (path.query, len(path), str(path)) == ("q", 2, "a -> p -> b -> ^q -> c")
    assert [str(term) for term in path.nodes] == [EX + name for name in "abc"]
    assert [(str(iri), inverse) for iri, inverse in path.edges] == [(EX + "p", False), (EX + "q", True)]
    assert path.to_dict() == {
        "query": "q",
        "nodes": [{"type": "uri", "value": EX + name} for name in "abc"],
        "edges": [{"predicate": EX + "p", "inverse": False}, {"predicate": EX + "q", "inverse": True}],
    }


def test_paths_are_a_sequence_and_columns() -> None:
    graph = graph_of("a p b", "b p c", "c p a")
    found = graph.match(PREFIX + "QUERY one FROM ex:a ALL TRAIL ex:p* QUERY two FROM ex:b ALL WALK ex:p{2}")
    assert [f"{path.query} {path}" for path in found] == [
        "one a", "one a -> p -> b", "one a -> p -> b -> p -> c", "one a -> p -> b -> p -> c -> p -> a",
        "two b -> p -> c -> p -> a",
    ]  # fmt: skip
    assert str(found[-1]) == "b -> p -> c -> p -> a" and [str(one) for one in found[1:2]] == ["a -> p -> b"]
    assert [str(path) for path in found.part(3, 5)] == [str(path) for path in found[3:5]]
    first, last = found.end_points()
    assert (first.tolist(), last.tolist()) == ([0, 0, 0, 0, 1], [0, 1, 2, 0, 0])
    rows = found.to_arrow().to_pylist()
    assert rows[-1] == {
        "query": "two", "nodes": [f"<{EX}{name}>" for name in "bca"], "predicates": [f"{EX}p"] * 2,
        "inverse": [False, False],
    }  # fmt: skip
    nothing = graph.match(PREFIX + "QUERY q FROM ex:a ALL WALK ex:nothing")
    assert nothing.to_arrow().schema.equals(found.to_arrow().schema)


@pytest.mark.parametrize("starts", [[node("b")], ["B"], np.array([1]), np.array([1, 1], np.uint8)])
def test_starts_are_given(starts: Any) -> None:
    graph = Graph([
        *(Triple(*map(node, edge.split())) for edge in ("a p b", "b p c")),
        Triple(node("b"), NamedNode("http://www.w3.org/2000/01/rdf-schema#label"), Literal("B")),
    ])  # fmt: skip
    for query in ("QUERY q ALL WALK ex:p", "QUERY q FROM ex:a ALL WALK ex:p"):
        assert list(map(str, graph.match(PREFIX + query, starts))) == ["b -> p -> c"]


@pytest.mark.parametrize("starts", ["ex:a", 7, np.array([9]), np.array([-1]), [object()]])
def test_starts_that_are_none(starts: Any) -> None:
    with pytest.raises(OptionError):
        graph_of("a p b").match(PREFIX + "QUERY q ALL WALK ex:p", starts)


def test_unknown_starts_are_warned_of() -> None:
    found = graph_of("a p b").match(PREFIX + "QUERY q ALL WALK ex:p", [node("nowhere"), "nobody", node("a")])
    assert list(map(str, found)) == ["a -> p -> b"]
    assert found.warnings == (f"no node of the graph is <{EX}nowhere>", "no node of the graph is nobody")


def test_a_query_without_from_needs_starts() -> None:
    with pytest.raises(OptionError, match="the query q has no FROM, so it needs starts"):
        graph_of("a p b").match(PREFIX + "QUERY q ALL WALK ex:p")


def test_starts_by_query() -> None:
    graph = graph_of("a p b", "b p c")
    queries = PREFIX + "QUERY one ALL WALK ex:p QUERY two ALL WALK ex:p QUERY three FROM ex:a ALL WALK ex:p"
    found = graph.match(queries, {"one": [node("b")], "two": np.array([0])})
    assert [f"{path.query}: {path}" for path in found] == ["one: b -> p -> c", "two: a -> p -> b", "three: a -> p -> b"]
    with pytest.raises(OptionError, match="for the query four; here are one, two, three"):
        graph.match(queries, {"four": [node("b")]})


def test_prepared_queries_pickle() -> None:
    prepared = pickle.loads(pickle.dumps(prepare(PREFIX + "QUERY q FROM ex:a ALL WALK ex:p/[?x: ?x = ex:b]")))
    for graph in (graph_of("a p b"), graph_of("a p c", "a p b")):
        assert list(map(str, graph.match(prepared))) == ["a -> p -> b"]


# ── budgets ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "query",
    ["ALL WALK (ex:l|ex:r){40}", "ALL TRAIL (ex:l|ex:r)+", "ALL ACYCLIC (ex:l|ex:r)+", "ALL SIMPLE (ex:l|ex:r)+",
     "ALL SHORTEST (ex:l|ex:r)+", "SHORTEST 1000000 (ex:l|ex:r)+", "SHORTEST 1000000 TRAIL (ex:l|ex:r)+"],
)  # fmt: skip
@pytest.mark.parametrize("most", [100, 10_000])
def test_edges_are_bounded(query: str, most: int) -> None:
    """What was found is right, and the same each time."""
    run = LADDER.search(f"{PREFIX}QUERY q FROM ex:0 {query}", most_edges=most)
    found = run.all()
    assert not run.complete and not found.complete and run.edges <= most + 200
    texts = list(map(str, found))
    assert len(set(texts)) == len(texts) >= (most > 1000)
    assert all(text.startswith("0 -> ") for text in texts)
    assert texts == list(map(str, LADDER.match(f"{PREFIX}QUERY q FROM ex:0 {query}", most_edges=most)))


def test_time_is_bounded() -> None:
    query = prepare(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{40}}")
    started = time.process_time()
    found = LADDER.match(query, time_limit=timedelta(milliseconds=5))
    assert not found.complete and len(found) > 0
    assert time.process_time() - started < 1.0  # it is 2 ** 40 walks


def test_results_are_bounded() -> None:
    found = LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{40}}", limit=7)
    assert len(found) == 7 and not found.complete
    assert LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK ex:l", limit=7).complete


@pytest.mark.parametrize("seed", range(60))
def test_complete_says_whether_a_budget_has_left_something_out(seed: int) -> None:
    """Just as many as there are, and just the edges that it takes, are all."""
    world = random_world(seed)
    compiled = graph_of_world(world).compile(world.text)
    whole = list(map(str, compiled.match()))
    for most in {0, max(len(whole) - 1, 0), len(whole), len(whole) + 1}:
        found = compiled.match(limit=most)
        assert list(map(str, found)) == whole[:most] and found.complete == (most >= len(whole))
    run = compiled.search(most_edges=10**9)
    run.all()
    exact = compiled.match(most_edges=run.edges)
    assert exact.complete == (len(exact) == len(whole))


def test_later_queries_are_looked_at_behind_a_limit() -> None:
    first, none, more = (f"QUERY {name} FROM ex:0 {way} " for name, way in
                         (("a", "ALL WALK ex:l"), ("b", "ANY ACYCLIC ex:none"), ("c", "ALL WALK ex:r{2}")))  # fmt: skip
    assert LADDER.match(PREFIX + first + none, limit=1).complete
    assert not LADDER.match(PREFIX + first + none + more, limit=1).complete
    assert LADDER.ends(PREFIX + first + none, limit=1).complete
    assert not LADDER.ends(PREFIX + first + none + more, limit=1).complete


def test_to_look_behind_a_limit_takes_no_longer_than_a_moment() -> None:
    """Here is one path, and 2 ** 40 beginnings that lead nowhere: nobody knows that there is no other one."""
    run = LADDER.search(f"{PREFIX}QUERY q FROM ex:0 TO ex:1 ALL ACYCLIC ex:l/(ex:l|ex:r)*", limit=1)
    assert len(run.all()) == 1 and not run.complete and run.edges <= 1 << 17


@pytest.mark.parametrize("budget", [
    {"limit": -1}, {"limit": 1.5}, {"most_edges": "1"}, {"time_limit": -1}, {"time_limit": 0}, {"time_limit": math.nan},
    {"time_limit": timedelta(0)}, {"time_limit": True}, {"time_limit": "5 s"},
])  # fmt: skip
def test_budgets_that_are_none(budget: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(budget))):
        LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK ex:l", **budget)


@pytest.mark.parametrize("time_limit", [math.inf, 10**400, timedelta.max])
def test_time_without_end_is_no_budget(time_limit: Any) -> None:
    assert LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK ex:l", time_limit=time_limit).complete


def test_tables_come_as_they_are_found() -> None:
    run = LADDER.search(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{40}}")
    first = next(run.tables())
    assert 0 < len(first) <= 1 << 14 and not run.complete


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────
def test_queries_that_are_too_large() -> None:
    graph = graph_of("a p b")
    with pytest.raises(QueryError, match="more than 10,000 steps"):
        graph.match(PREFIX + "QUERY q FROM ex:a ALL WALK ((ex:p{1000}){100})")
    with pytest.raises(QueryError, match="too many of its steps may follow each other"):
        graph.match(PREFIX + "QUERY q FROM ex:a ANY SHORTEST ((ex:p?/ex:q?){1000})*")


def test_deep_paths() -> None:
    """Vertices and edges of long paths are looked up, not looked through."""
    graph = graph_of(*(f"{n} p {n + 1}" for n in range(3000)), "3000 p 5")
    for restrictor, length in (("TRAIL", 3001), ("ACYCLIC", 3000), ("SIMPLE", 3000)):
        found = graph.match(f"{PREFIX}QUERY q FROM ex:0 {restrictor} ex:p+")
        assert max(map(len, found)) == length == len(found)


def test_arrow_of_many_paths() -> None:
    found = LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK (ex:l|ex:r){{10}}")
    table = found.to_arrow()
    assert isinstance(table, pyarrow.Table) and table.num_rows == 1024
    assert len({tuple(row) for row in table.column("predicates").to_pylist()}) == 1024


@pytest.mark.parametrize("starts", [0, [0], (0, 0), range(1), np.int64(0), np.array([0]), [np.uint32(0)], {"q": [0]}])
def test_starts_may_be_numbers(starts: Any) -> None:
    query = f"{PREFIX}QUERY q FROM ex:9 ALL WALK ex:l"
    assert list(map(str, LADDER.match(query, starts))) == ["0 -> l -> 1"]


@pytest.mark.parametrize("starts", [
    np.array(0), np.array([[0]]), np.array(None), {"q": np.array([[0]])}, [-1], [2**70], [True], True, [0, "a"], [0.5],
    np.array([0.5]), b"0", [[0]],
])  # fmt: skip
def test_starts_of_other_forms_are_refused(starts: Any) -> None:
    with pytest.raises(OptionError, match=r"starts|numbers from 0 to 60"):
        LADDER.match(f"{PREFIX}QUERY q FROM ex:0 ALL WALK ex:l", starts)
