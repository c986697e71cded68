"""Parts of compiled queries whose paths are counted: where that is possible without making them, else by finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from nfa_native.paths.walk_counter import WalkCounter
from spaseq.errors import QueryError
from spaseq.paths.edges import GraphEdges
from spaseq.paths.end_parts import end_parts
from spaseq.paths.parts import AutomatonPart, ConvertedPart, GivenStarts, QueryPart
from spaseq.paths.prepared import PreparedPath

Counts: TypeAlias = "Mapping[int, int]"  # paths, by the number of their query


class CountableColumns(Protocol):
    """Columns of what was found."""

    def __len__(self) -> int:
        """How much was found."""

    def counts_by_query(self) -> Counts:
        """How much of each query."""


def count_parts(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryPart[Counts]]:
    """All queries in parts: as pairs of nodes those that have a path for each, in one search; others one by one.

    All walks are counted by length; what else is found is counted, and forgotten.
    """
    pairs = [(number, one) for number, one in enumerate(queries) if one.query.has_one_each]
    yield from (ConvertedPart(part, _counted) for part in end_parts(graph, pairs, often=False))
    for number, one in enumerate(queries):
        part = AutomatonPart(graph, one, number)
        if one.query.is_for_all_walks:
            yield WalkCountPart(part)
        elif not one.query.has_one_each:
            yield ConvertedPart(part, _counted)


def _counted(columns: CountableColumns) -> Counts:
    return columns.counts_by_query()


# ── all walks: counted by length ─────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class WalkCountPart(QueryPart[Counts]):
    """A query for all walks."""

    part: AutomatonPart

    def begin(self, starts: GivenStarts, warnings: list[str]) -> WalkCountSearch:
        """See ``QueryPart``."""
        query, found = self.part.query.query, self.part.bound
        some = self.part.starts_in(starts, warnings)
        index = self.part.graph.index
        counter = WalkCounter(index, found.automaton, some, found.conditions, found.ends, query.not_back)
        return WalkCountSearch(counter, query.name, self.part.number)


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

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``PartSearch``; so many edges alone are kept, and a count waits as one."""
        try:
            self._counter.advance(most_edges)
        except ValueError as error:
            raise QueryError(f"{self._name}: {error}") from None
        return int(self._counter.total > self._taken)

    def take(self) -> Counts:
        """See ``PartSearch``."""
        more, self._taken = self._counter.total - self._taken, self._counter.total
        return {self._number: more} if more else {}
