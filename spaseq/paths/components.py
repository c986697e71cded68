"""Components of compiled queries, each of which is searched at once: the kernel's searchers, made for starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nfa_native.paths.fixed_searcher import FixedLengthPlan, FixedLengthSearcher
from nfa_native.paths.searcher import PathSearcher
from spaseq.errors import QueryError
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges
from spaseq.paths.queries import (
    BoundPath,
    BoundQuery,
    NamedNodes,
    PreparedPath,
    Vertices,
    bound,
    kernel_selector,
    starts_of,
    symbols,
)
from spaseq.plan.paths.automaton import few_ends, goes_from_both_ends

GivenStarts: TypeAlias = "Mapping[str, Vertices]"  # by the name of the query; others go from their FROM
MOST_COUNT = 2**32 - 1
S = TypeVar("S", bound=Sized)
C = TypeVar("C", bound=Sized)
C_co = TypeVar("C_co", bound=Sized, covariant=True)  # columns of what is found


class ComponentSearch(Protocol[C_co]):
    """A search for the paths of a component, and how far it is."""

    @property
    def at_once(self) -> int:
        """So many edges take a moment: before the clock is looked at, and before Ctrl-C is heard."""

    @property
    def done(self) -> bool:
        """Whether all was found."""

    @property
    def looked_at(self) -> int:
        """Edges that were looked at, and those of the paths that were found."""

    def advance(self, most_edges: int, most_paths: int) -> int:
        """Search on, until so many edges were looked at or that many paths wait; how many wait.

        QueryError: it takes too much.
        """

    def take(self) -> C_co:
        """What was found since the last call."""


class QueryComponent(Protocol[C_co]):
    """Some queries that are searched for together."""

    def begin(self, starts: GivenStarts, warnings: list[str]) -> ComponentSearch[C_co]:
        """A search; ``warnings`` gets what the graph does not have."""

    def few(self, starts: GivenStarts, warnings: list[str]) -> FewFound[C_co] | None:
        """All that there is, if it is little and found in a moment; None: it takes a search."""
        return None


class FewFound(NamedTuple, Generic[C_co]):
    """All of a component, and how many edges were looked at (see ``ComponentSearch``)."""

    columns: C_co
    looked_at: int


@dataclass(frozen=True, slots=True)
class SearchPlan(Generic[C_co]):
    """Queries on a graph in components, those of each in turn; those ``without_from`` must be told where they start."""

    graph: GraphEdges
    names: tuple[str, ...]
    components: tuple[QueryComponent[C_co], ...]
    without_from: tuple[str, ...]


# ── what is made of another component's ───────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class ConvertedComponent(QueryComponent[C], Generic[S, C]):
    """A component, and what ``convert`` makes of the columns that it finds."""

    component: QueryComponent[S]
    convert: Callable[[S], C]

    def begin(self, starts: GivenStarts, warnings: list[str]) -> ConvertedSearch[S, C]:
        """See ``QueryComponent``."""
        return ConvertedSearch(self.component.begin(starts, warnings), self.convert)


@dataclass(frozen=True, slots=True)
class ConvertedSearch(Generic[S, C]):
    """See ``ComponentSearch``."""

    search: ComponentSearch[S]
    convert: Callable[[S], C]

    @property
    def at_once(self) -> int:
        """See ``ComponentSearch``."""
        return self.search.at_once

    @property
    def done(self) -> bool:
        """See ``ComponentSearch``."""
        return self.search.done

    @property
    def looked_at(self) -> int:
        """See ``ComponentSearch``."""
        return self.search.looked_at

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``ComponentSearch``."""
        return self.search.advance(most_edges, most_paths)

    def take(self) -> C:
        """See ``ComponentSearch``."""
        return self.convert(self.search.take())


# ── one query, led by its automaton ──────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class AutomatonComponent(QueryComponent[PathColumns]):
    """A query, the number ``number`` of all."""

    graph: GraphEdges
    query: PreparedPath
    number: int

    def begin(self, starts: GivenStarts, warnings: list[str]) -> AutomatonSearch:
        """See ``QueryComponent``."""
        query, found = self.query.query, self.bound
        some = self.starts_in(starts, warnings)
        selector, count, _ = kernel_selector(query.selector, MOST_COUNT)
        searcher = PathSearcher(
            self.graph.index, found.automaton, some, found.conditions, found.ends,
            query.restrictor.value, selector, count, query.not_back, self._targets,
        )  # fmt: skip
        return AutomatonSearch(searcher, query.name, self.number)

    def starts_in(self, starts: GivenStarts, warnings: list[str]) -> Vertices:
        """Where it starts; ``warnings`` gets what the graph does not have."""
        name = self.query.name
        some, unknown = (starts[name], ()) if name in starts else self._starts
        warnings += (f"{name}: {warning}" for warning in (*self.bound.warnings, *unknown))
        return some

    @cached_property
    def bound(self) -> BoundPath:
        """The query on the graph."""
        return bound(self.graph, self.query)

    @cached_property
    def _starts(self) -> NamedNodes:
        return starts_of(self.graph, self.query)

    @cached_property
    def _targets(self) -> Vertices | None:
        """The few nodes where paths end, if these are searched for from both ends."""
        if not goes_from_both_ends(self.query.query) or self.bound.ends is None:
            return None
        found = np.flatnonzero(self.bound.ends.view(np.bool_)).astype(np.uint32)
        return found if len(found) <= few_ends(self.query.query) else None


@dataclass(frozen=True, slots=True)
class AutomatonSearch:
    """See ``ComponentSearch``."""

    searcher: PathSearcher
    name: str
    number: int

    @property
    def at_once(self) -> int:
        """See ``ComponentSearch``."""
        return 1 << 14

    @property
    def done(self) -> bool:
        """See ``ComponentSearch``."""
        return self.searcher.done

    @property
    def looked_at(self) -> int:
        """See ``ComponentSearch``."""
        return self.searcher.looked_at

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``ComponentSearch``."""
        try:
            return self.searcher.advance(most_edges, most_paths)
        except ValueError as error:
            raise QueryError(f"{self.name}: {error}") from None

    def take(self) -> PathColumns:
        """See ``ComponentSearch``."""
        ends, vertices, taken = self.searcher.take()
        return PathColumns(np.full(len(ends), self.number, np.uint32), ends, vertices, taken)


# ── many queries, each a chain of steps ──────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class ChainsComponent(QueryComponent[PathColumns]):
    """Queries that are chains, the first of which has the number ``first`` of all."""

    graph: GraphEdges
    queries: Sequence[PreparedPath]
    first: int

    def begin(self, starts: GivenStarts, warnings: list[str]) -> ChainsSearch:
        """See ``QueryComponent``."""
        self._warn(starts, warnings)
        return ChainsSearch(FixedLengthSearcher(self._plan, self._given(starts)), self.first)

    def few(self, starts: GivenStarts, warnings: list[str]) -> FewFound[PathColumns] | None:
        """See ``QueryComponent``."""
        found = self._plan.few_walks(self._given(starts))
        if found is None:
            return None
        self._warn(starts, warnings)
        queries, ends, vertices, taken, looked_at = found
        return FewFound(_columns(self.first, queries, ends, vertices, taken), looked_at)

    def _given(self, starts: GivenStarts) -> list[Vertices] | None:
        """Where each query begins; None: where it says."""
        return [one.starts_in(starts) for one in self._bound] if starts else None

    def _warn(self, starts: GivenStarts, warnings: list[str]) -> None:
        if self._unknown:
            warnings += (warning for one in self._bound for warning in one.told(starts))

    @cached_property
    def _bound(self) -> tuple[BoundQuery, ...]:
        return tuple(BoundQuery.of(self.graph, query) for query in self.queries)

    @cached_property
    def _unknown(self) -> bool:
        return any(one.warnings or one.starts.warnings for one in self._bound)

    @cached_property
    def _plan(self) -> FixedLengthPlan:
        rows = (
            (self._steps(one.query), one.starts.vertices, one.ends, one.query.query.not_back) for one in self._bound
        )
        return FixedLengthPlan(self.graph.index, rows)

    def _steps(self, query: PreparedPath) -> tuple[list[int], ...]:
        """The symbols of each step of a chain."""
        return tuple(symbols(self.graph.labels, step) for step in query.chain or ())


@dataclass(frozen=True, slots=True)
class ChainsSearch:
    """See ``ComponentSearch``."""

    searcher: FixedLengthSearcher
    first: int

    @property
    def at_once(self) -> int:
        """See ``ComponentSearch``."""
        return 1 << 15

    @property
    def done(self) -> bool:
        """See ``ComponentSearch``."""
        return self.searcher.done

    @property
    def looked_at(self) -> int:
        """See ``ComponentSearch``."""
        return self.searcher.looked_at

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``ComponentSearch``."""
        return self.searcher.advance(most_edges, most_paths)

    def take(self) -> PathColumns:
        """See ``ComponentSearch``."""
        return _columns(self.first, *self.searcher.take())


def _columns(
    first: int, queries: Vertices, ends: NDArray[np.uint64], vertices: Vertices, taken: Vertices
) -> PathColumns:
    """Walks of chains, the first of which has the number ``first`` of all queries."""
    return PathColumns(queries + np.uint32(first) if first else queries, ends, vertices, taken)
