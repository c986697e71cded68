"""A search for the paths of some queries: lazily, piece by piece, within its budget."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpm.errors import PatternError
from nfa_native.paths.searcher import PathSearcher
from spaseq.errors import OptionError, QueryError
from spaseq.paths.binding import bound
from spaseq.paths.budget import Budget
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Paths
from spaseq.paths.prepared import PreparedPath
from spaseq.pattern.paths import PathSelector, SelectorKind

Starts: TypeAlias = "NDArray[Any] | Iterable[Any] | Mapping[str, NDArray[Any] | Iterable[Any]]"
AT_ONCE = 1 << 14  # edges that are looked at before the clock is, and before Ctrl-C is heard
MOST_WAITING = 1 << 14  # paths that are given together
MOST_COUNT = 2**32 - 1


class PathRun:
    """The paths of queries on a graph, found while ``tables`` is read; ``edges`` were looked at so far,
    or are those of paths that were found.

    ``complete`` is True when all was found, ``warnings`` name what the graph does not have.
    """

    def __init__(
        self, graph: GraphEdges, queries: Sequence[PreparedPath], starts: Starts | None, budget: Budget
    ) -> None:
        self.graph = graph
        self.queries = tuple(queries)
        self.names = tuple(query.name for query in queries)
        self.edges = 0
        self.complete = False
        self.warnings: list[str] = []
        self._starts = self._given(starts)
        self._budget = budget
        self._left = MOST_COUNT if budget.paths is None else budget.paths
        without = [query.name for query in queries if not query.query.starts and query.name not in self._starts]
        if without:
            raise OptionError(f"the query {without[0]} has no FROM, so it needs starts")

    def _given(self, starts: Starts | None) -> dict[str, NDArray[np.uint32]]:
        """The starts of queries that have others than those of FROM, by name."""
        if starts is None:
            return {}
        if not isinstance(starts, Mapping):
            return dict.fromkeys(self.names, vertices_of(self.graph, starts, self.warnings))
        if unknown := [name for name in starts if name not in self.names]:
            raise OptionError(f"starts are given for the query {unknown[0]}; here are {', '.join(self.names)}")
        return {name: vertices_of(self.graph, some, self.warnings) for name, some in starts.items()}

    def tables(self) -> Iterator[Paths]:
        """Paths as they are found, in pieces of one query each."""
        deadline = None if self._budget.seconds is None else time.monotonic() + self._budget.seconds
        for number, query in enumerate(self.queries):
            searcher = self._searcher(query)
            while not searcher.done:
                if not self._may_go_on(deadline):
                    return
                columns = self._advanced(searcher, number)
                if len(columns.ends):
                    self._left -= len(columns.ends)
                    yield Paths(self.graph, self.names, columns, False, self.warnings)
        self.complete = True

    def all(self) -> Paths:
        """All paths together."""
        parts = [table.columns for table in self.tables()]
        return Paths(self.graph, self.names, PathColumns.join(parts), self.complete, self.warnings)

    def none(self) -> Paths:
        """No paths."""
        return Paths(self.graph, self.names, PathColumns.join(()), self.complete, self.warnings)

    def _searcher(self, query: PreparedPath) -> PathSearcher:
        found = bound(self.graph, query, self._starts.get(query.name))
        self.warnings += [f"{query.name}: {warning}" for warning in found.warnings]
        selector, count = _kernel_selector(query.query.selector)
        return PathSearcher(
            self.graph.index, found.automaton, found.starts, found.conditions, found.ends,
            query.query.restrictor.value, selector, count, query.query.not_back,
        )  # fmt: skip

    def _advanced(self, searcher: PathSearcher, number: int) -> PathColumns:
        """What so many edges more give."""
        before = searcher.looked_at
        most = AT_ONCE if self._budget.edges is None else min(AT_ONCE, self._budget.edges - self.edges)
        try:
            searcher.advance(most, min(MOST_WAITING, self._left))
        except ValueError as error:
            raise QueryError(f"{self.names[number]}: {error}") from None
        self.edges += searcher.looked_at - before
        ends, vertices, symbols = searcher.take()
        return PathColumns(np.full(len(ends), number, np.uint32), ends, vertices, symbols)

    def _may_go_on(self, deadline: float | None) -> bool:
        has_edges = self._budget.edges is None or self.edges < self._budget.edges
        return self._left > 0 and has_edges and (deadline is None or time.monotonic() < deadline)


def vertices_of(graph: GraphEdges, starts: Starts, warnings: list[str]) -> NDArray[np.uint32]:
    """The numbers of nodes that are given by number, as terms, or by name, each once; of unknown ones is warned.

    OptionError: a number is none of a node, or something is no node.
    """
    if isinstance(starts, np.ndarray) and starts.dtype.kind in "iu":
        if len(starts) and not 0 <= int(starts.min()) <= int(starts.max()) < graph.node_count:
            raise OptionError(f"the nodes of the graph have the numbers from 0 to {graph.node_count - 1}")
        _, places = np.unique(starts, return_index=True)
        return np.ascontiguousarray(starts[np.sort(places)], np.uint32)
    if isinstance(starts, str) or not isinstance(starts, Iterable):
        raise OptionError(f"starts are an array of numbers, or an iterable of terms or names, not {starts!r:.80}")
    found: dict[int, None] = {}
    for one in starts:
        some = _vertices(graph, one)
        if not some:
            warnings.append(f"no node of the graph is {one!s:.200}")
        found |= dict.fromkeys(some)
    return np.fromiter(found, np.uint32, len(found))


def _vertices(graph: GraphEdges, start: Any) -> list[int]:
    if type(start) is str:
        named: list[int] = graph.labelled(start).tolist()
        return named
    try:
        vertex = graph.vertex(start)
    except PatternError as error:
        raise OptionError(f"starts are nodes or names: {error}") from None
    return [] if vertex is None else [vertex]


def _kernel_selector(selector: PathSelector) -> tuple[str, int]:
    """The kernel's selector, and its count: any k paths are, for one, the k shortest."""
    match selector.kind:
        case SelectorKind.ALL | SelectorKind.ALL_SHORTEST:
            return selector.kind.value, 1
        case SelectorKind.ANY_SHORTEST:
            return "SHORTEST", 1
    return "SHORTEST", min(selector.count, MOST_COUNT)
