"""A search for the paths of some queries: from where users say, lazily, piece by piece, within its budget.

Queries on a graph are compiled once, to be searched again and again.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from datetime import timedelta
from functools import cached_property
from itertools import groupby
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpm.errors import PatternError
from spaseq.errors import OptionError
from spaseq.paths.best import BestPaths, BestSearch, StepWeights, WeightsOf
from spaseq.paths.budget import LEAST_LOOK, UNLIMITED, Budget, BudgetClock
from spaseq.paths.columns import EndColumns, PathColumns, PathCounts
from spaseq.paths.components import (
    MOST_COUNT,
    AutomatonComponent,
    ChainsComponent,
    ComponentSearch,
    QueryComponent,
    SearchPlan,
)
from spaseq.paths.edges import GraphEdges, are_among
from spaseq.paths.end_components import Counts, count_components, end_components
from spaseq.paths.queries import PreparedPath
from spaseq.paths.results import EndPoints, Paths

Starts: TypeAlias = "int | NDArray[Any] | Iterable[Any] | Mapping[str, int | NDArray[Any] | Iterable[Any]]"

STARTS = "starts are nodes or names, or numbers of nodes: one number, or an iterable of one of both"


def given_starts(plan: SearchPlan[Any], starts: Starts | None, warnings: list[str]) -> dict[str, NDArray[np.uint32]]:
    """The starts of queries that have others than those of FROM, by name; of unknown ones is warned.

    OptionError: there is no such query, a query has neither these nor FROM, or as of ``vertices_of``.
    """
    found = _by_query(plan, starts, warnings)
    if without := [name for name in plan.without_from if name not in found]:
        raise OptionError(f"the query {without[0]} has no FROM, so it needs starts")
    return found


def _by_query(plan: SearchPlan[Any], starts: Starts | None, warnings: list[str]) -> dict[str, NDArray[np.uint32]]:
    if starts is None:
        return {}
    if not isinstance(starts, Mapping):
        return dict.fromkeys(plan.names, vertices_of(plan.graph, starts, warnings))
    if unknown := starts.keys() - set(plan.names):
        raise OptionError(f"starts are given for the query {min(unknown)}; here are {', '.join(plan.names)}")
    return {name: vertices_of(plan.graph, some, warnings) for name, some in starts.items()}


def vertices_of(graph: GraphEdges, starts: Starts, warnings: list[str]) -> NDArray[np.uint32]:
    """The numbers of nodes that are given by number, as terms, or by name, each once; of unknown ones is warned.

    OptionError: a number is none of a node, or something is no node.
    """
    if _is_number(starts):
        return _numbered(graph, [starts], warnings)
    if isinstance(starts, np.ndarray) and starts.ndim != 1:
        raise OptionError(f"an array of starts has one dimension, this one has {starts.ndim}")
    if isinstance(starts, np.ndarray) and starts.dtype.kind in "iu":
        return _numbered(graph, starts, warnings)
    if isinstance(starts, str | bytes) or not isinstance(starts, Iterable):
        raise OptionError(f"{STARTS}, not {starts!r:.80}")
    given = list(starts)
    if given and all(map(_is_number, given)):
        return _numbered(graph, given, warnings)
    return _termed(graph, given, warnings)


def _is_number(start: Any) -> bool:
    return isinstance(start, int | np.integer) and not isinstance(start, bool)


def _numbered(graph: GraphEdges, numbers: Sequence[Any] | NDArray[Any], warnings: list[str]) -> NDArray[np.uint32]:
    if len(numbers):
        _check_vertices(graph, int(np.min(numbers)), int(np.max(numbers)))
    starts = np.asarray(numbers, np.uint32)
    _, places = np.unique(starts, return_index=True)
    return _nodes(graph, starts[np.sort(places)], warnings)


def _termed(graph: GraphEdges, nodes: Iterable[Any], warnings: list[str]) -> NDArray[np.uint32]:
    found: dict[int, None] = {}
    for one in nodes:
        some = _vertices(graph, one)
        if not some:
            warnings.append(f"no node of the graph is {one!s:.200}")
        found |= dict.fromkeys(some)
    return np.fromiter(found, np.uint32, len(found))


def _nodes(graph: GraphEdges, vertices: NDArray[np.uint32], warnings: list[str]) -> NDArray[np.uint32]:
    """Those of them that have edges; of others is warned."""
    if not len(graph.idle):
        return vertices
    is_idle = are_among(vertices, graph.idle)
    warnings += (f"no edge has the node {vertex}" for vertex in vertices[is_idle].tolist())
    return vertices[~is_idle]


def _check_vertices(graph: GraphEdges, least: int, largest: int) -> None:
    """OptionError: one of these numbers is none of a node."""
    if not 0 <= least <= largest < graph.vertex_count:
        raise OptionError(f"the nodes of the graph have the numbers from 0 to {graph.vertex_count - 1}")


def _vertices(graph: GraphEdges, start: Any) -> list[int]:
    if type(start) is str:
        named: list[int] = graph.labelled(start).tolist()
        return named
    try:
        vertex = graph.vertex(start)
    except PatternError as error:
        raise OptionError(f"{STARTS}: {error}") from None
    return [] if vertex is None else [vertex]


# ── searches ─────────────────────────────────────────────────────────────────────────────────────────────
MOST_TOGETHER = 1 << 16  # paths that are given as they are found
C = TypeVar("C", bound=Sized)


class SearchRun(Generic[C]):
    """What is found for queries on a graph, as columns.

    ``edges`` were looked at so far, or are those of what was found.  ``complete`` is True when it is known that all was
    found, ``warnings`` name what the graph does not have.
    """

    most_results: ClassVar[int] = MOST_COUNT  # if the budget sets no limit

    def __init__(self, plan: SearchPlan[C], starts: Starts | None, budget: Budget) -> None:
        self.graph = plan.graph
        self.names = plan.names
        self._components = plan.components
        self.edges = 0
        self.complete = False
        self.warnings: list[str] = []
        self._starts = given_starts(plan, starts, self.warnings)
        self._budget = budget
        self._left = self.most_results if budget.paths is None else budget.paths
        self._last_look = 0  # the edge at which nobody looks on for more than the limit

    def found(self, least: int = 1, most: int = MOST_TOGETHER) -> Iterator[C]:
        """Columns as they are found, of so many results unless it is the end of a component, or of the search."""
        clock = BudgetClock(self._budget)
        for component in self._components:
            if self._budget is UNLIMITED and (few := component.few(self._starts, self.warnings)) is not None:
                self.edges += few.looked_at
                yield few.columns
                continue
            search = component.begin(self._starts, self.warnings)
            yield from self._of_search(search, clock, least, most)
            if not search.done and self._has_more(search, clock):
                return
        self.complete = True

    def _has_more(self, search: ComponentSearch[C], clock: BudgetClock) -> bool:
        """Whether there may be more than the budget has allowed: it looks a step further, behind a limit many."""
        waiting = search.advance(1, 1) if self._left else self._looked_on(search, clock)
        return waiting > 0 or not search.done

    def _looked_on(self, search: ComponentSearch[C], clock: BudgetClock) -> int:
        """Look for one more than the limit, as long as all has taken, and for a moment; how many wait."""
        self._last_look = self._last_look or self.edges + max(self.edges, LEAST_LOOK)
        waiting = 0
        while not (waiting or search.done) and self.edges < self._last_look and clock.allows_more(self.edges):
            waiting = self._advanced(search, clock, self._last_look - self.edges, 1)
        return waiting

    def _of_search(self, search: ComponentSearch[C], clock: BudgetClock, least: int, most: int) -> Iterator[C]:
        may_go_on = True
        while may_go_on and not search.done:
            waiting = 0
            while waiting < least and not search.done and (may_go_on := self._may_go_on(clock, waiting)):
                waiting = self._advanced(search, clock, search.at_once, min(most, self._left))
            if waiting:
                self._left -= waiting
                yield search.take()

    def _advanced(self, search: ComponentSearch[C], clock: BudgetClock, most_edges: int, most: int) -> int:
        """Look at some edges more; how many results wait then."""
        before = search.looked_at
        waiting = search.advance(clock.next_edges(min(most_edges, search.at_once), self.edges), most)
        self.edges += search.looked_at - before
        return waiting

    def _may_go_on(self, clock: BudgetClock, waiting: int) -> bool:
        return waiting < self._left and clock.allows_more(self.edges)


class PathRun(SearchRun[PathColumns]):
    """The paths of queries on a graph, found while ``tables`` is read; see ``SearchRun``."""

    def tables(self) -> Iterator[Paths]:
        """Paths as they are found, in pieces of one query each, those of one query in turn."""
        for columns in self.found():
            for start, stop in columns.of_each_query():
                yield Paths(self.graph, self.names, columns.part(start, stop), False, self.warnings)

    def all(self) -> Paths:
        """All paths together."""
        parts = list(self.found(MOST_COUNT, MOST_COUNT))  # one of each part: none is copied when they are joined
        return Paths(self.graph, self.names, PathColumns.join(parts), self.complete, self.warnings)

    def none(self) -> Paths:
        """No paths."""
        return Paths(self.graph, self.names, PathColumns.join(()), self.complete, self.warnings)


class EndsRun(SearchRun[EndColumns]):
    """The end points of paths; see ``SearchRun``."""

    def all(self) -> EndPoints:
        """All pairs together."""
        parts = list(self.found())
        return EndPoints(self.graph, self.names, EndColumns.join(parts), self.complete, self.warnings)


class CountRun(SearchRun[Counts]):
    """How many paths there are; see ``SearchRun``."""

    most_results = sys.maxsize  # they are not kept

    def all(self) -> PathCounts:
        """Those of each query."""
        counts = dict.fromkeys(self.names, 0)
        for some in self.found():
            for number, count in some.items():
                counts[self.names[number]] += count
        return PathCounts(counts, self.complete, self.warnings)


# ── compiled queries ─────────────────────────────────────────────────────────────────────────────────────
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
        return SearchPlan(self.graph, self._names, tuple(_components(self.graph, self.queries)), self._without)

    @cached_property
    def _counting(self) -> SearchPlan[Counts]:
        return SearchPlan(self.graph, self._names, tuple(count_components(self.graph, self.queries)), self._without)

    @cached_property
    def _ends(self) -> SearchPlan[EndColumns]:
        return self._end_plan(often=True)

    def _end_plan(self, often: bool) -> SearchPlan[EndColumns]:
        components = end_components(self.graph, list(enumerate(self.queries)), often)
        return SearchPlan(self.graph, self._names, tuple(components), self._without)

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
        for component in self._alone:
            search.add(component.number, component, component.starts_in(given, warnings), weights)
        search.go_on(budget)
        return search.found(self._plan.names, warnings)

    @cached_property
    def _alone(self) -> tuple[AutomatonComponent, ...]:
        """The queries one by one."""
        return tuple(AutomatonComponent(self.graph, query, number) for number, query in enumerate(self.queries))

    def __repr__(self) -> str:
        return f"<{len(self.queries):,} path queries on {self.graph!r}>"


def _components(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryComponent[PathColumns]]:
    """All queries in components, in turn: those that are chains together."""
    for is_chain, some in groupby(enumerate(queries), lambda one: one[1].chain is not None):
        numbered = list(some)
        if is_chain:
            yield ChainsComponent(graph, [query for _, query in numbered], numbered[0][0])
        else:
            yield from (AutomatonComponent(graph, query, number) for number, query in numbered)
