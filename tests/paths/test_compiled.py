"""Queries compiled for a graph: searched for again and again, chains of steps together."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from pyoxigraph import NamedNode, Triple

from nfa_native.paths.fixed_searcher import FixedLengthPlan, FixedLengthSearcher
from spaseq.errors import OptionError
from spaseq.paths import Graph, prepare

EDGES = [(a, p, b) for a in range(6) for p, b in (("p", a * 2 % 6), ("q", 5 - a))]
QUERIES = """QUERY one FROM <urn:n1> ALL WALK :p/^:q
QUERY two FROM <urn:n1>, <urn:n2> ALL WALK :p/(:p|:q)
QUERY three FROM <urn:n3> TO <urn:n4>, <urn:n0> ALL WALK ^:q/!(:q|^:p)/:p NOT BACK TO START
QUERY four FROM <urn:n1> :p+
QUERY five ALL WALK :q
"""


def node(number: int) -> NamedNode:
    return NamedNode(f"urn:n{number}")


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(Triple(node(a), NamedNode(f"urn:relation:{p}"), node(b)) for a, p, b in EDGES)


def test_the_same_as_one_by_one(graph: Graph) -> None:
    queries, starts = prepare(QUERIES), {"five": np.arange(6), "one": ["no", node(2)]}
    compiled = graph.compile(queries)
    for _ in range(2):
        found = compiled.match(starts)
        alone = [
            graph.match(query, {query.name: starts[query.name]} if query.name in starts else None) for query in queries
        ]
        assert list(map(str, found)) == [str(path) for one in alone for path in one]
        assert [path.query for path in found] == [path.query for one in alone for path in one]
        assert found.complete and found.warnings == ("no node of the graph is no",)
    assert len(found) > 12


def test_what_is_a_chain() -> None:
    texts = [":p", "^:p/:q", "!(:p|^:q)/:p", ":p{2}", "(:p|:q)/:p", ":p?", ":p+", ":p/[?x: true]", "[?x: true]"]
    chains = [prepare(f"QUERY q FROM <urn:n1> {text}")[0].chain for text in texts]
    assert [len(chain) if chain else 0 for chain in chains] == [1, 2, 2, 2, 0, 0, 0, 0, 0]
    assert prepare("QUERY q FROM <urn:n1> TRAIL :p/:q")[0].chain is None


@pytest.mark.parametrize("most", range(0, 40, 3))
def test_budgets_hold_for_all_together(graph: Graph, most: int) -> None:
    compiled = graph.compile(QUERIES)
    whole = list(map(str, compiled.match({"five": np.arange(6)})))
    some = compiled.match({"five": np.arange(6)}, limit=most)
    assert list(map(str, some)) == whole[:most] and some.complete == (most >= len(whole))
    run = compiled.search({"five": np.arange(6)}, most_edges=most)
    assert list(map(str, found := run.all())) == whole[: len(found)] and run.edges <= most + 3


def test_starts(graph: Graph) -> None:
    compiled = graph.compile("QUERY q ALL WALK :q")
    assert [str(path) for path in compiled.match(3)] == [str(path) for path in compiled.match(np.array([3]))]
    for wrong in (6, -1, np.array([6])):
        with pytest.raises(OptionError, match="numbers from 0 to 5"):
            compiled.match(wrong)
    with pytest.raises(OptionError, match="the query q has no FROM"):
        compiled.match()


def test_threads_share_them(graph: Graph) -> None:
    compiled = graph.compile(QUERIES)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda start: list(map(str, compiled.match({"five": start}))), list(range(6)) * 20))
    assert found == [list(map(str, compiled.match({"five": start}))) for start in list(range(6)) * 20]


def test_the_kernel_refuses_what_does_not_fit(graph: Graph) -> None:
    index, start = graph.index, np.zeros(1, np.uint32)
    for query, message in [
        (((), start, None, False), "no step"), ((((9,),), start, None, False), "no symbol 9"),
        ((((0,),), start + 6, None, False), "no vertex 6"), ((((0,),), start, np.zeros(2, np.uint8), False), "2 flags"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            FixedLengthPlan(index, [query])
    plan = FixedLengthPlan(index, [(((0,),), start, None, False)])
    with pytest.raises(ValueError, match="starts of 0 queries were given, not of 1"):
        FixedLengthSearcher(plan, [])


@pytest.mark.parametrize("seed", range(30))
def test_few_walks_are_those_that_a_search_finds(seed: int) -> None:
    choose = random.Random(seed)
    names = [f"urn:n{number}" for number in range(choose.choice((3, 12)))]
    edges = {(choose.choice(names), f"urn:relation:{choose.choice('pq')}", choose.choice(names)) for _ in range(25)}
    graph = Graph(Triple(*map(NamedNode, edge)) for edge in edges)
    texts = (":p", ":p/^:q", "!(:p|^:q)/:p/!()", "!()/!(^:p)/:q/^:p", "!()/!()")
    ends = ("", f"TO <{choose.choice(names)}>", f"TO <{choose.choice(names)}>, <urn:no>")
    queries = "\n".join(
        f"QUERY q{number} ALL WALK {text} {choose.choice(('', 'NOT BACK TO START'))}".replace("ALL", f"{end} ALL")
        for number, (text, end) in enumerate((text, choose.choice(ends)) for text in texts)
    )
    compiled = graph.compile(queries)
    starts = {f"q{number}": choose.sample(range(graph.vertex_count), 2) for number in range(len(texts))}
    given = {name: np.array(some) for name, some in starts.items()}
    at_once, searched = compiled.search(given), compiled.search(given, limit=1 << 20)
    assert list(map(str, at_once.all())) == list(map(str, searched.all()))
    assert (at_once.edges, at_once.complete, at_once.warnings) == (searched.edges, True, searched.warnings)


def test_many_walks_are_no_few(graph: Graph) -> None:
    names = [NamedNode(f"urn:n{number}") for number in range(60)]
    many = Graph(Triple(one, NamedNode("urn:relation:p"), other) for one in names for other in names)
    (component,) = many.compile("QUERY q FROM <urn:n1> ALL WALK :p/:p/:p")._plan.components
    assert component.few({}, []) is None
    assert len(many.match("QUERY q FROM <urn:n1> ALL WALK :p/:p/:p")) == 60**3
    assert (
        graph.compile("QUERY q FROM <urn:n1> ALL WALK " + "/".join([":p"] * 9))._plan.components[0].few({}, []) is None
    )
