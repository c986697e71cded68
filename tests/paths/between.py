"""Paths under a restrictor with both ends given: beside the oracle, and beside the search from the start alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
from pyoxigraph import NamedNode, Triple

from nfa_native.paths.searcher import PathSearcher
from spaseq.paths import Graph, prepare
from spaseq.paths.queries import Vertices, bound
from tests.oracle.chooser import Seeded
from tests.oracle.paths.generate import World, random_world
from tests.oracle.paths.model import RESTRICTORS, Query
from tests.oracle.paths.product import TooLargeError
from tests.paths.agreement import difference
from tests.paths.engine import paths

SELECTORS = ("ANY", "ANY SHORTEST", "SHORTEST", "SHORTEST", "ALL SHORTEST")
EXPRESSIONS = (
    "!()+", "(!()|^!())+", "(:0|^:1)*", "(:0/:1)+", "((:0|:1)/(:0|^:1)/!())+", ":0*/^:1+", "(:0|:1){2,5}",
    "((!()|^!()){3})+", "(:0?/(:1|^:0)){1,4}", "(:0|:0/:1|^:1)+", "(:0/[?x: STR(?x) > 'urn:3']|^:1)+",
)  # fmt: skip


# ── the oracle ───────────────────────────────────────────────────────────────────────────────────────────────
def world_between(seed: int) -> World:
    """A world whose queries have both ends, a restrictor, and a selector that chooses."""
    for attempt in range(100):
        world, chooser = random_world(seed * 100 + attempt), Seeded(seed * 100 + attempt)
        nodes = [node for node in world.graph.nodes if node.startswith("<")] or ["<urn:nowhere>"]
        found = replace(world, queries=tuple(_between(query, chooser, nodes) for query in world.queries), seed=seed)
        try:
            number = sum(len(answers.due) for answers in found.answers.values())
        except TooLargeError:
            continue
        if number or attempt % 3 == 2:
            return found
    raise AssertionError("no world is small enough")


def _between(query: Query, chooser: Seeded, nodes: list[str]) -> Query:
    selector = chooser.pick(SELECTORS)
    return replace(
        query,
        selector=selector,
        count=chooser.pick((None, 1, 2, 3, 7)) if selector in ("ANY", "SHORTEST") else None,
        restrictor=chooser.pick(RESTRICTORS[1:]),
        targets=tuple(chooser.pick(nodes) for _ in range(chooser.pick((1, 1, 3)))),
        not_back=chooser.chance(15),
    )


def against_oracle(seed: int) -> list[str]:
    """What differs in one world."""
    found = difference(world_between(seed), paths)
    return [found] if found else []


# ── the search from the start ────────────────────────────────────────────────────────────────────────────────
def against_the_start(seed: int) -> list[str]:
    """What differs from the search that does not know the ends, in one graph of some ten nodes."""
    chance = np.random.default_rng(seed)
    graph, text = _random_graph(chance), _random_query(chance)
    ends = np.unique(chance.integers(0, graph.vertex_count, chance.integers(1, 4))).astype(np.uint32)
    start = np.array([chance.integers(0, graph.vertex_count)], np.uint32)
    whole, other = (_answer(graph, text, start, ends, both) for both in (True, False))
    asked = f"seed {seed}: {start} to {ends}: {text}"
    wrong = [] if _comparable(text, whole) == _comparable(text, other) else [f"{asked}: {whole} against {other}"]
    if len(set(whole)) < len(whole):
        wrong.append(f"{asked}: twice: {whole}")
    pieces = _answer(graph, text, start, ends, True, int(chance.integers(1, 50)))
    return wrong if pieces == whole else [*wrong, f"{asked}: in pieces {pieces} against {whole}"]


Found = tuple[tuple[int, ...], tuple[int, ...]]  # vertices, symbols


def _random_graph(chance: np.random.Generator) -> Graph:
    nodes, edges = chance.integers(2, 11), chance.integers(2, 22)
    rows = chance.integers(0, nodes, (edges, 2)).tolist()
    label = lambda: NamedNode(f"urn:relation:{chance.integers(0, 3)}")  # noqa: E731
    return Graph(Triple(NamedNode(f"urn:{a}"), label(), NamedNode(f"urn:{b}")) for a, b in rows)


def _random_query(chance: np.random.Generator) -> str:
    selector = ("ALL SHORTEST", "SHORTEST 1", "SHORTEST 2", "SHORTEST 9", "SHORTEST 400")[chance.integers(0, 5)]
    back = " NOT BACK TO START" * int(chance.random() < 0.2)
    expression = EXPRESSIONS[chance.integers(0, len(EXPRESSIONS))]
    for name in "01":
        expression = expression.replace(f":{name}", f"<urn:relation:{name}>")
    return f"{selector} {RESTRICTORS[chance.integers(1, 4)]} {expression}{back}"


def _answer(graph: Graph, text: str, starts: Vertices, ends: Vertices, both: bool, most: int = 1 << 20) -> list[Found]:
    (query,) = prepare(f"QUERY q {text}")
    found, flags, selector = bound(graph, query), np.zeros(graph.vertex_count, np.uint8), query.query.selector
    flags[ends] = 1
    searcher = PathSearcher(
        graph.index, found.automaton, starts, found.conditions, flags, query.query.restrictor.value,
        selector.kind.value, selector.count, query.query.not_back, ends if both else None,
    )  # fmt: skip
    return list(_all(searcher, most))


def _all(searcher: PathSearcher, most: int) -> Iterator[Found]:
    while not searcher.done:
        searcher.advance(most, most)
        stops, vertices, symbols = searcher.take()
        for number, (start, stop) in enumerate(pairwise([0, *stops.tolist()])):
            yield tuple(vertices[start + number : stop + number + 1].tolist()), tuple(symbols[start:stop].tolist())


def _comparable(text: str, found: list[Found]) -> object:
    """Of the shortest paths of each pair of nodes all, else how long they are."""
    if text.startswith("ALL"):
        return set(found)
    return Counter((vertices[0], vertices[-1], len(symbols)) for vertices, symbols in found)
