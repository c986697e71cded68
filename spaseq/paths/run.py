"""A search for the paths of some queries: lazily, piece by piece, within its budget."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpm.errors import PatternError
from spaseq.errors import OptionError
from spaseq.paths.adjacency import are_among
from spaseq.paths.budget import Budget
from spaseq.paths.columns import PathColumns
from spaseq.paths.count_parts import Counts
from spaseq.paths.counts import PathCounts
from spaseq.paths.edges import GraphEdges
from spaseq.paths.end_columns import EndColumns
from spaseq.paths.ends import EndPoints
from spaseq.paths.found import Paths
from spaseq.paths.parts import MOST_COUNT, PartSearch, SearchPlan

Starts: TypeAlias = "int | NDArray[Any] | Iterable[Any] | Mapping[str, int | NDArray[Any] | Iterable[Any]]"
MOST_WAITING = 1 << 16  # paths that are given together
C = TypeVar("C", bound=Sized)


class SearchRun(Generic[C]):
    """What is found for queries on a graph, as columns.

    ``edges`` were looked at so far, or are those of what was found.  ``complete`` is True when all was found,
    ``warnings`` name what the graph does not have.
    """

    def __init__(self, plan: SearchPlan[C], starts: Starts | None, budget: Budget) -> None:
        self.graph = plan.graph
        self.names = plan.names
        self._parts = plan.parts
        self.edges = 0
        self.complete = False
        self.warnings: list[str] = []
        self._starts = self._given(starts)
        self._budget = budget
        self._left = MOST_COUNT if budget.paths is None else budget.paths
        if without := [name for name in plan.without_from if name not in self._starts]:
            raise OptionError(f"the query {without[0]} has no FROM, so it needs starts")

    def _given(self, starts: Starts | None) -> dict[str, NDArray[np.uint32]]:
        """The starts of queries that have others than those of FROM, by name."""
        if starts is None:
            return {}
        if not isinstance(starts, Mapping):
            return dict.fromkeys(self.names, vertices_of(self.graph, starts, self.warnings))
        if unknown := starts.keys() - set(self.names):
            raise OptionError(f"starts are given for the query {min(unknown)}; here are {', '.join(self.names)}")
        return {name: vertices_of(self.graph, some, self.warnings) for name, some in starts.items()}

    def found(self) -> Iterator[C]:
        """Columns as they are found."""
        deadline = None if self._budget.seconds is None else time.monotonic() + self._budget.seconds
        for part in self._parts:
            search = part.begin(self._starts, self.warnings)
            while not search.done:
                if not self._may_go_on(deadline):
                    return
                columns = self._advanced(search)
                if len(columns):
                    self._left -= len(columns)
                    yield columns
        self.complete = True

    def _advanced(self, search: PartSearch[C]) -> C:
        """What so many edges more give."""
        before = search.looked_at
        most = search.at_once
        if self._budget.edges is not None:
            most = min(most, self._budget.edges - self.edges)
        search.advance(most, min(MOST_WAITING, self._left))
        self.edges += search.looked_at - before
        return search.take()

    def _may_go_on(self, deadline: float | None) -> bool:
        has_edges = self._budget.edges is None or self.edges < self._budget.edges
        return self._left > 0 and has_edges and (deadline is None or time.monotonic() < deadline)


class PathRun(SearchRun[PathColumns]):
    """The paths of queries on a graph, found while ``tables`` is read; see ``SearchRun``."""

    def tables(self) -> Iterator[Paths]:
        """Paths as they are found, in pieces of one query each, those of one query in turn."""
        for columns in self.found():
            for start, stop in columns.of_each_query():
                yield Paths(self.graph, self.names, columns.part(start, stop), False, self.warnings)

    def all(self) -> Paths:
        """All paths together."""
        parts = list(self.found())
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

    def all(self) -> PathCounts:
        """Those of each query."""
        counts = dict.fromkeys(self.names, 0)
        for some in self.found():
            for number, count in some.items():
                counts[self.names[number]] += count
        return PathCounts(counts, self.complete, self.warnings)


def vertices_of(graph: GraphEdges, starts: Starts, warnings: list[str]) -> NDArray[np.uint32]:
    """The numbers of nodes that are given by number, as terms, or by name, each once; of unknown ones is warned.

    OptionError: a number is none of a node, or something is no node.
    """
    if type(starts) is int:
        _check_vertices(graph, starts, starts)
        return _nodes(graph, np.array([starts], np.uint32), warnings)
    if isinstance(starts, np.ndarray) and starts.dtype.kind in "iu":
        if len(starts):
            _check_vertices(graph, int(starts.min()), int(starts.max()))
        _, places = np.unique(starts, return_index=True)
        return _nodes(graph, np.ascontiguousarray(starts[np.sort(places)], np.uint32), warnings)
    if isinstance(starts, str) or not isinstance(starts, Iterable):
        raise OptionError(
            f"starts are a number or an array of them, or an iterable of terms or names, not {starts!r:.80}"
        )
    found: dict[int, None] = {}
    for one in starts:
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
        raise OptionError(f"starts are nodes or names: {error}") from None
    return [] if vertex is None else [vertex]
