"""Whether an engine of path queries agrees with the oracle.  They meet in texts only.

An engine takes edges, whose terms are as in N-Triples, a text with queries, and starts for queries without FROM.  It
gives the paths, each as the query's name, its nodes, and (predicate, inverse) of its steps.
"""

from __future__ import annotations

import traceback
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Protocol

from tests.oracle.paths.answers import Answers
from tests.oracle.paths.exhaustive import NODES, Pair
from tests.oracle.paths.generate import BLANK, World
from tests.oracle.paths.model import Edge, Path, Query, Step, Term

Found = tuple[str, tuple[Term, ...], tuple[Step, ...]]
MODES = (
    ("ANY SHORTEST", "WALK", False),
    ("ALL SHORTEST", "WALK", False),
    ("SHORTEST", "WALK", True),
    ("ALL", "TRAIL", False),
    ("ALL", "TRAIL", True),
    ("ALL", "ACYCLIC", False),
    ("ALL", "SIMPLE", False),
)


class PathEngine(Protocol):
    def __call__(self, edges: list[Edge], text: str, starts: tuple[Term, ...] | None = None, /) -> Iterable[Found]: ...


def difference(world: World, engine: PathEngine) -> str:
    """What is wrong with the engine's answer; empty if nothing is."""
    try:
        found = ask(world, engine)
        wrong = complaints(world, found)
        if not wrong and ask(world, engine) != found:
            wrong = ["asked again it answers otherwise"]
    except Exception:
        wrong = [traceback.format_exc()]
    return described(world, wrong) if wrong else ""


def ask(world: World, engine: PathEngine) -> list[Found]:
    given = () if world.starts is None else (world.starts,)
    rows = engine(sorted(world.graph.edges), world.text, *given)
    return [(name, tuple(map(one_blank, nodes)), tuple((p, bool(i)) for p, i in steps)) for name, nodes, steps in rows]


def one_blank(node: Term) -> Term:
    """A world has one blank node at most, and an engine may rename it."""
    return BLANK if node.startswith("_:") else node


def complaints(world: World, found: Iterable[Found]) -> list[str]:
    by_query: dict[str, list[Path]] = defaultdict(list)
    for name, nodes, steps in found:
        by_query[name].append(Path(nodes, steps))
    unknown = [f"there is no query {name}" for name in by_query.keys() - world.answers.keys()]
    return unknown + [
        f"{name}: {complaint}"
        for name, answers in world.answers.items()
        for complaint in answers.complaints(by_query[name])
    ]


def described(world: World, wrong: list[str]) -> str:
    edges = "\n".join(" ".join(edge) + " ." for edge in sorted(world.graph.edges))
    starts = f"starts {world.starts}\n" if world.starts is not None else ""
    return f"seed {world.seed}\n{edges}\n{starts}{world.text}" + "\n".join(wrong)


# ── worlds of all small expressions ──────────────────────────────────────────────────────────────────────
def in_all_modes(pair: Pair, number: int = 0) -> World:
    """A world that asks for an expression with many selectors and restrictors."""
    graph, expression = pair
    queries = [
        Query(
            f"q{place}", expression, NODES, None, selector, 2 if selector == "SHORTEST" else None, restrictor, not_back
        )
        for place, (selector, restrictor, not_back) in enumerate(MODES)
    ]
    return World(graph, tuple(queries), None, number)


# ── a slow engine ────────────────────────────────────────────────────────────────────────────────────────
def reference(world: World, mistaken: Callable[[Query], Query] = lambda query: query) -> PathEngine:
    """The oracle as the engine of this world; ``mistaken`` makes it answer another query."""

    def engine(edges: list[Edge], text: str, starts: tuple[Term, ...] | None = None, /) -> list[Found]:
        assert text == world.text
        graph = type(world.graph).of(edges)
        rows = [
            (query.name, path) for query in world.queries for path in Answers(mistaken(query), graph, starts).answer()
        ]
        return [(name, path.nodes, path.steps) for name, path in rows]

    return engine
