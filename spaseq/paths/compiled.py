"""Queries on a graph, ready to be searched for again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import groupby

from spaseq.paths.best import BestPaths, BestSearch, WeightsOf
from spaseq.paths.budget import Budget
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Paths
from spaseq.paths.parts import AutomatonPart, ChainsPart, QueryPart, SearchPlan
from spaseq.paths.prepared import PreparedPath
from spaseq.paths.run import PathRun
from spaseq.paths.starts import Starts, given_starts
from spaseq.paths.weights import StepWeights


class CompiledPaths:
    """Queries on a graph (``Graph.compile``): what they need of it is looked up once, not for each search.

    Queries for all walks of a fixed form (``:a/^:b/:c``) that follow each other are searched for together.  It never
    changes, so threads may share it.
    """

    def __init__(self, graph: GraphEdges, queries: Sequence[PreparedPath]) -> None:
        self.graph = graph
        self.queries = tuple(queries)
        without = tuple(one.name for one in queries if not one.query.starts)
        self._plan = SearchPlan(graph, tuple(one.name for one in queries), tuple(_parts(graph, queries)), without)

    def match(
        self,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> Paths:
        """All paths, or as many as a budget allows; arguments and errors as of ``Graph.search``."""
        return self.search(starts, limit, time_limit, most_edges).all()

    def search(
        self,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> PathRun:
        """A search, which gives paths as it finds them; arguments and errors as of ``Graph.search``."""
        return PathRun(self._plan, starts, Budget.of(limit, time_limit, most_edges))

    def best(
        self,
        weights: StepWeights | WeightsOf,
        top: int = 10,
        starts: Starts | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> BestPaths:
        """The ``top`` best paths of all queries together: see ``Graph.best``."""
        budget, warnings = Budget.of(None, time_limit, most_edges), list[str]()
        given = given_starts(self._plan, starts, warnings)
        search = BestSearch(self.graph, top)
        for part in self._alone:
            search.add(part.number, part, part.starts_in(given, warnings), weights)
        search.go_on(budget)
        return search.found(self._plan.names, warnings)

    @cached_property
    def _alone(self) -> tuple[AutomatonPart, ...]:
        """The queries one by one."""
        return tuple(AutomatonPart(self.graph, query, number) for number, query in enumerate(self.queries))

    def __repr__(self) -> str:
        return f"<{len(self.queries):,} path queries on {self.graph!r}>"


def _parts(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryPart]:
    """All queries in parts, in turn: those that are chains together."""
    for is_chain, some in groupby(enumerate(queries), lambda one: one[1].chain is not None):
        numbered = list(some)
        if is_chain:
            yield ChainsPart(graph, [query for _, query in numbered], numbered[0][0])
        else:
            yield from (AutomatonPart(graph, query, number) for number, query in numbered)
