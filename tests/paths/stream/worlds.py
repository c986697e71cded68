"""Random streams of edges: a world of the oracle whose edges come, come again and go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from tests.oracle.chooser import Seeded
from tests.oracle.paths.generate import BLANK, IRIS, World, random_world
from tests.oracle.paths.model import Edge, Graph, Label, Negated, Query, Repeat, Term
from tests.oracle.paths.text import EXAMPLE, to_text

ANONYMOUS = f"<{EXAMPLE}anonymous>"  # blank nodes are those of one event alone

FARTHER = tuple(f"<{EXAMPLE}n{place}>" for place in range(4, 7))
EXCEPT = tuple((f"<{EXAMPLE}except{number}>", number % 2 == 0) for number in range(40))
MANY = Query("many", Repeat(Negated(EXCEPT), 1, 2), IRIS[:1], restrictor="TRAIL")  # its predicates are many


@dataclass(frozen=True)
class EdgeWorld:
    """Queries without labels; ``events`` are times, which do not fall, with the edges that come together."""

    queries: tuple[Query, ...]
    events: tuple[tuple[int, tuple[Edge, ...]], ...]
    window: int
    starts: tuple[Term, ...] | None
    seed: int

    @cached_property
    def text(self) -> str:
        return to_text(self.queries, Seeded(self.seed))

    def graph(self, number: int, *, before: bool = False) -> Graph:
        """The graph with an event, or just before it, at its time."""
        now = self.events[number][0]
        came = self.events[: number + (not before)]
        return Graph.of(edge for time, edges in came if now - time <= self.window for edge in edges)

    def described(self) -> str:
        lines = [f"{time}: {'; '.join(map(' '.join, edges))}" for time, edges in self.events]
        return "\n".join([f"seed {self.seed}, window {self.window}, starts {self.starts}", self.text, *lines])


def edge_world(seed: int) -> EdgeWorld:
    """The same for the same seed."""
    world = random_world(seed, given_starts=seed % 10 == 9)
    chooser = Seeded(seed)
    edges = [renamed(edge) for edge in sorted(world.graph.edges)]
    queries = tuple(map(unlabelled, world.queries)) + (MANY,) * (seed % 4 == 3 and not world.starts)
    if seed % 5 == 2:
        queries = tuple(replace(query, starts=query.starts and (*IRIS, *FARTHER)) for query in queries)
    time, events = chooser.pick((-5, 0, 10**15)), []
    for _ in range(chooser.integer(4, 14)):
        time += chooser.pick((0, 1, 1, 1, 2, 3, 9))
        events.append((time, tuple(chooser.pick(edges) for _ in range(chooser.pick((1, 1, 1, 2, 3, 6))))))
    return EdgeWorld(queries, tuple(events), chooser.pick((1, 2, 3, 5, 8, 20)), starts_of(world), seed)


def renamed(edge: Edge) -> Edge:
    subject, predicate, end = (ANONYMOUS if term == BLANK else term for term in edge)
    return subject, predicate, end


def unlabelled(query: Query) -> Query:
    return replace(query, starts=named(query.starts), targets=named(query.targets))


def named(places: tuple[Term | Label, ...] | None) -> tuple[Term, ...] | None:
    if places is None:
        return None
    return tuple(place for place in places if not isinstance(place, Label)) or (IRIS[1],)


def starts_of(world: World) -> tuple[Term, ...] | None:
    if world.starts is None:
        return None
    return tuple(dict.fromkeys(ANONYMOUS if term == BLANK else term for term in world.starts))
