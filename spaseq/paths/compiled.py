"""Queries on a graph, ready to be searched for again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import groupby

from spaseq.paths.budget import Budget
from spaseq.paths.columns import PathColumns
from spaseq.paths.count_parts import Counts, count_parts
from spaseq.paths.counts import PathCounts
from spaseq.paths.edges import GraphEdges
from spaseq.paths.end_columns import EndColumns
from spaseq.paths.end_parts import end_parts
from spaseq.paths.ends import EndPoints
from spaseq.paths.found import Paths
from spaseq.paths.parts import AutomatonPart, ChainsPart, QueryPart, SearchPlan
from spaseq.paths.prepared import PreparedPath
from spaseq.paths.run import CountRun, EndsRun, PathRun, Starts


class CompiledPaths:
    """Queries on a graph (``Graph.compile``): what they need of it is looked up once, not for each search.

    Queries for all walks of a fixed form (``:a/^:b/:c``) that follow each other are searched for together.  It never
    changes, so threads may share it.
    """

    def __init__(self, graph: GraphEdges, queries: Sequence[PreparedPath]) -> None:
        self.graph = graph
        self.queries = tuple(queries)
        self._names = tuple(one.name for one in queries)
        self._without = tuple(one.name for one in queries if not one.query.starts)

    @cached_property
    def _plan(self) -> SearchPlan[PathColumns]:
        return SearchPlan(self.graph, self._names, tuple(_parts(self.graph, self.queries)), self._without)

    @cached_property
    def _counting(self) -> SearchPlan[Counts]:
        return SearchPlan(self.graph, self._names, tuple(count_parts(self.graph, self.queries)), self._without)

    @cached_property
    def _ends(self) -> SearchPlan[EndColumns]:
        return self._end_plan(often=True)

    def _end_plan(self, often: bool) -> SearchPlan[EndColumns]:
        parts = end_parts(self.graph, list(enumerate(self.queries)), often)
        return SearchPlan(self.graph, self._names, tuple(parts), self._without)

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

    def ends(
        self,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> EndPoints:
        """All pairs of nodes that have a path, or as many as a budget allows; arguments and errors as of
        ``Graph.ends``."""
        return EndsRun(self._ends, starts, Budget.of(limit, time_limit, most_edges)).all()

    def ends_once(self, starts: Starts | None, budget: Budget) -> EndPoints:
        """As ``ends``, if nobody will ask again."""
        return EndsRun(self._end_plan(often=False), starts, budget).all()

    def counts(
        self,
        starts: Starts | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> PathCounts:
        """How many paths each query has; arguments and errors as of ``Graph.counts``."""
        return CountRun(self._counting, starts, Budget.of(None, time_limit, most_edges)).all()

    def __repr__(self) -> str:
        return f"<{len(self.queries):,} path queries on {self.graph!r}>"


def _parts(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryPart[PathColumns]]:
    """All queries in parts, in turn: those that are chains together."""
    for is_chain, some in groupby(enumerate(queries), lambda one: one[1].chain is not None):
        numbered = list(some)
        if is_chain:
            yield ChainsPart(graph, [query for _, query in numbered], numbered[0][0])
        else:
            yield from (AutomatonPart(graph, query, number) for number, query in numbered)
