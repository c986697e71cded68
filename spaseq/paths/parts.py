"""Parts of compiled queries, each of which is searched for at once: the kernel's searchers, made for given starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from nfa_native.paths.fixed_searcher import FixedLengthPlan, FixedLengthSearcher
from nfa_native.paths.searcher import PathSearcher
from spaseq.errors import QueryError
from spaseq.paths.binding import (
    BoundPath,
    Flags,
    NamedNodes,
    Vertices,
    bound,
    ends_of,
    starts_of,
    symbols,
    unknown_predicates,
)
from spaseq.paths.columns import PathColumns
from spaseq.paths.edges import GraphEdges
from spaseq.paths.prepared import PreparedPath
from spaseq.pattern.paths import PathSelector, SelectorKind

GivenStarts: TypeAlias = "Mapping[str, Vertices]"  # by the name of the query; others go from their FROM
MOST_COUNT = 2**32 - 1
C_co = TypeVar("C_co", bound=Sized, covariant=True)  # columns of what is found


class PartSearch(Protocol[C_co]):
    """A search for the paths of a part, and how far it is."""

    @property
    def at_once(self) -> int:
        """So many edges take a moment: before the clock is looked at, and before Ctrl-C is heard."""

    @property
    def done(self) -> bool:
        """Whether all was found."""

    @property
    def looked_at(self) -> int:
        """Edges that were looked at, and those of the paths that were found."""

    def advance(self, most_edges: int, most_paths: int) -> None:
        """Search on, until so many edges were looked at or that many paths found.  QueryError: it takes too much."""

    def take(self) -> C_co:
        """What was found since the last call."""


class QueryPart(Protocol[C_co]):
    """Some queries that are searched for together."""

    def begin(self, starts: GivenStarts, warnings: list[str]) -> PartSearch[C_co]:
        """A search; ``warnings`` gets what the graph does not have."""


@dataclass(frozen=True, slots=True)
class SearchPlan(Generic[C_co]):
    """Queries on a graph in parts, those of one part in turn; those ``without_from`` must be told where they start."""

    graph: GraphEdges
    names: tuple[str, ...]
    parts: tuple[QueryPart[C_co], ...]
    without_from: tuple[str, ...]


# ── one query, led by its automaton ──────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class AutomatonPart:
    """A query, the number ``number`` of all."""

    graph: GraphEdges
    query: PreparedPath
    number: int

    def begin(self, starts: GivenStarts, warnings: list[str]) -> AutomatonSearch:
        """See ``QueryPart``."""
        query, found = self.query.query, self._bound
        some, unknown = (starts[query.name], ()) if query.name in starts else self._starts
        warnings += (f"{query.name}: {warning}" for warning in (*found.warnings, *unknown))
        selector, count = _kernel_selector(query.selector)
        searcher = PathSearcher(
            self.graph.index, found.automaton, some, found.conditions, found.ends,
            query.restrictor.value, selector, count, query.not_back,
        )  # fmt: skip
        return AutomatonSearch(searcher, query.name, self.number)

    @cached_property
    def _bound(self) -> BoundPath:
        return bound(self.graph, self.query)

    @cached_property
    def _starts(self) -> NamedNodes:
        return starts_of(self.graph, self.query)


@dataclass(frozen=True, slots=True)
class AutomatonSearch:
    """See ``PartSearch``."""

    searcher: PathSearcher
    name: str
    number: int

    @property
    def at_once(self) -> int:
        """See ``PartSearch``."""
        return 1 << 14

    @property
    def done(self) -> bool:
        """See ``PartSearch``."""
        return self.searcher.done

    @property
    def looked_at(self) -> int:
        """See ``PartSearch``."""
        return self.searcher.looked_at

    def advance(self, most_edges: int, most_paths: int) -> None:
        """See ``PartSearch``."""
        try:
            self.searcher.advance(most_edges, most_paths)
        except ValueError as error:
            raise QueryError(f"{self.name}: {error}") from None

    def take(self) -> PathColumns:
        """See ``PartSearch``."""
        ends, vertices, taken = self.searcher.take()
        return PathColumns(np.full(len(ends), self.number, np.uint32), ends, vertices, taken)


def _kernel_selector(selector: PathSelector) -> tuple[str, int]:
    """The kernel's selector, and its count: any k paths are, for one, the k shortest."""
    match selector.kind:
        case SelectorKind.ALL | SelectorKind.ALL_SHORTEST:
            return selector.kind.value, 1
        case SelectorKind.ANY_SHORTEST:
            return "SHORTEST", 1
    return "SHORTEST", min(selector.count, MOST_COUNT)


# ── many queries, each a chain of steps ──────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class BoundChain:
    """A query for all walks along a chain of steps, on a graph: the symbols of each step, and from where to where."""

    name: str
    steps: tuple[list[int], ...]
    starts: NamedNodes
    ends: Flags | None
    not_back: bool
    warnings: tuple[str, ...]

    @staticmethod
    def of(graph: GraphEdges, query: PreparedPath) -> BoundChain:
        """A query that is a chain."""
        steps = tuple(symbols(graph.labels, step) for step in query.chain or ())
        ends, unknown = ends_of(graph, query)
        warnings = (*unknown_predicates(graph, query), *unknown)
        return BoundChain(query.name, steps, starts_of(graph, query), ends, query.query.not_back, warnings)

    def told(self, starts: GivenStarts) -> Iterator[str]:
        """What the graph does not have."""
        given = self.name in starts
        return (f"{self.name}: {warning}" for warning in (*self.warnings, *(() if given else self.starts.warnings)))


@dataclass(frozen=True)
class ChainsPart:
    """Queries that are chains, the first of which has the number ``first`` of all."""

    graph: GraphEdges
    queries: Sequence[PreparedPath]
    first: int

    def begin(self, starts: GivenStarts, warnings: list[str]) -> ChainsSearch:
        """See ``QueryPart``."""
        if self._unknown:
            warnings += (warning for chain in self._chains for warning in chain.told(starts))
        given = None
        if starts:
            given = [starts.get(chain.name, chain.starts.vertices) for chain in self._chains]
        return ChainsSearch(FixedLengthSearcher(self._plan, given), self.first)

    @cached_property
    def _chains(self) -> tuple[BoundChain, ...]:
        return tuple(BoundChain.of(self.graph, query) for query in self.queries)

    @cached_property
    def _unknown(self) -> bool:
        return any(chain.warnings or chain.starts.warnings for chain in self._chains)

    @cached_property
    def _plan(self) -> FixedLengthPlan:
        rows = ((chain.steps, chain.starts.vertices, chain.ends, chain.not_back) for chain in self._chains)
        return FixedLengthPlan(self.graph.index, rows)


@dataclass(frozen=True, slots=True)
class ChainsSearch:
    """See ``PartSearch``."""

    searcher: FixedLengthSearcher
    first: int

    @property
    def at_once(self) -> int:
        """See ``PartSearch``."""
        return 1 << 17

    @property
    def done(self) -> bool:
        """See ``PartSearch``."""
        return self.searcher.done

    @property
    def looked_at(self) -> int:
        """See ``PartSearch``."""
        return self.searcher.looked_at

    def advance(self, most_edges: int, most_paths: int) -> None:
        """See ``PartSearch``."""
        self.searcher.advance(most_edges, most_paths)

    def take(self) -> PathColumns:
        """See ``PartSearch``."""
        queries, ends, vertices, taken = self.searcher.take()
        return PathColumns(queries + np.uint32(self.first) if self.first else queries, ends, vertices, taken)
