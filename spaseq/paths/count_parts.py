"""Parts of compiled queries whose paths are counted: where that is possible without making them, else by finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from nfa_native.paths.walk_counter import WalkCounter
from spaseq.errors import QueryError
from spaseq.paths.binding import BoundPath, NamedNodes, bound, starts_of
from spaseq.paths.edges import GraphEdges
from spaseq.paths.end_parts import end_parts
from spaseq.paths.parts import AutomatonPart, GivenStarts, PartSearch, QueryPart
from spaseq.paths.prepared import PreparedPath
from spaseq.pattern.paths import PathQuery, Restrictor, SelectorKind

Counts: TypeAlias = "Mapping[int, int]"  # paths, by the number of their query


class CountableColumns(Protocol):
    """Columns of what was found."""

    def __len__(self) -> int:
        """How much was found."""

    def counts_by_query(self) -> Counts:
        """How much of each query."""


def count_parts(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryPart[Counts]]:
    """All queries in parts: as pairs of nodes those that have a path for each, in one search."""
    pairs = [(number, one) for number, one in enumerate(queries) if has_one_each(one.query)]
    yield from map(FoundPart, end_parts(graph, pairs, often=False))
    for number, one in enumerate(queries):
        if is_for_all_walks(one.query):
            yield WalkCountPart(graph, one, number)
        elif not has_one_each(one.query):
            yield FoundPart(AutomatonPart(graph, one, number))


def has_one_each(query: PathQuery) -> bool:
    """Whether it has one path for each pair of nodes between which there are some."""
    return query.selector.kind not in (SelectorKind.ALL, SelectorKind.ALL_SHORTEST) and query.selector.count == 1


def is_for_all_walks(query: PathQuery) -> bool:
    """Whether it asks for all walks, which then have a bound."""
    return query.selector.kind is SelectorKind.ALL and query.restrictor is Restrictor.WALK


# ── all walks: counted by length ─────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class WalkCountPart:
    """A query for all walks, the number ``number`` of all."""

    graph: GraphEdges
    query: PreparedPath
    number: int

    def begin(self, starts: GivenStarts, warnings: list[str]) -> WalkCountSearch:
        """See ``QueryPart``."""
        name, found = self.query.name, self._bound
        some, unknown = (starts[name], ()) if name in starts else self._starts
        warnings += (f"{name}: {warning}" for warning in (*found.warnings, *unknown))
        not_back = self.query.query.not_back
        counter = WalkCounter(self.graph.index, found.automaton, some, found.conditions, found.ends, not_back)
        return WalkCountSearch(counter, name, self.number)

    @cached_property
    def _bound(self) -> BoundPath:
        return bound(self.graph, self.query)

    @cached_property
    def _starts(self) -> NamedNodes:
        return starts_of(self.graph, self.query)


class WalkCountSearch:
    """See ``PartSearch``."""

    at_once = 1 << 18

    def __init__(self, counter: WalkCounter, name: str, number: int) -> None:
        self._counter = counter
        self._name = name
        self._number = number
        self._taken = 0

    @property
    def done(self) -> bool:
        """See ``PartSearch``."""
        return self._counter.done

    @property
    def looked_at(self) -> int:
        """See ``PartSearch``."""
        return self._counter.looked_at

    def advance(self, most_edges: int, most_paths: int) -> None:
        """See ``PartSearch``; so many edges alone are kept."""
        try:
            self._counter.advance(most_edges)
        except ValueError as error:
            raise QueryError(f"{self._name}: {error}") from None

    def take(self) -> Counts:
        """See ``PartSearch``."""
        more, self._taken = self._counter.total - self._taken, self._counter.total
        return {self._number: more} if more else {}


# ── others: what is found is counted, and forgotten ──────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class FoundPart:
    """A part whose results are counted."""

    part: QueryPart[CountableColumns]

    def begin(self, starts: GivenStarts, warnings: list[str]) -> FoundSearch:
        """See ``QueryPart``."""
        return FoundSearch(self.part.begin(starts, warnings))


@dataclass(frozen=True, slots=True)
class FoundSearch:
    """See ``PartSearch``."""

    search: PartSearch[CountableColumns]

    @property
    def at_once(self) -> int:
        """See ``PartSearch``."""
        return self.search.at_once

    @property
    def done(self) -> bool:
        """See ``PartSearch``."""
        return self.search.done

    @property
    def looked_at(self) -> int:
        """See ``PartSearch``."""
        return self.search.looked_at

    def advance(self, most_edges: int, most_paths: int) -> None:
        """See ``PartSearch``."""
        self.search.advance(most_edges, most_paths)

    def take(self) -> Counts:
        """See ``PartSearch``."""
        return self.search.take().counts_by_query()
