"""A search for the paths of some queries: lazily, piece by piece, within its budget."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sized
from typing import ClassVar, Generic, TypeVar

from spaseq.paths.budget import LEAST_LOOK, UNLIMITED, Budget, BudgetClock
from spaseq.paths.columns import PathColumns
from spaseq.paths.count_parts import Counts
from spaseq.paths.counts import PathCounts
from spaseq.paths.end_columns import EndColumns
from spaseq.paths.ends import EndPoints
from spaseq.paths.found import Paths
from spaseq.paths.parts import MOST_COUNT, PartSearch, SearchPlan
from spaseq.paths.starts import Starts, given_starts

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
        self._parts = plan.parts
        self.edges = 0
        self.complete = False
        self.warnings: list[str] = []
        self._starts = given_starts(plan, starts, self.warnings)
        self._budget = budget
        self._left = self.most_results if budget.paths is None else budget.paths
        self._last_look = 0  # the edge at which nobody looks on for more than the limit

    def found(self, least: int = 1, most: int = MOST_TOGETHER) -> Iterator[C]:
        """Columns as they are found, of so many results unless it is the end of a part, or of the search."""
        clock = BudgetClock(self._budget)
        for part in self._parts:
            if self._budget is UNLIMITED and (few := part.few(self._starts, self.warnings)) is not None:
                self.edges += few.looked_at
                yield few.columns
                continue
            search = part.begin(self._starts, self.warnings)
            yield from self._of_search(search, clock, least, most)
            if not search.done and self._has_more(search, clock):
                return
        self.complete = True

    def _has_more(self, search: PartSearch[C], clock: BudgetClock) -> bool:
        """Whether there may be more than the budget has allowed: it looks a step further, behind a limit many."""
        waiting = search.advance(1, 1) if self._left else self._looked_on(search, clock)
        return waiting > 0 or not search.done

    def _looked_on(self, search: PartSearch[C], clock: BudgetClock) -> int:
        """Look for one more than the limit, as long as all has taken, and for a moment; how many wait."""
        self._last_look = self._last_look or self.edges + max(self.edges, LEAST_LOOK)
        waiting = 0
        while not (waiting or search.done) and self.edges < self._last_look and clock.allows_more(self.edges):
            waiting = self._advanced(search, clock, self._last_look - self.edges, 1)
        return waiting

    def _of_search(self, search: PartSearch[C], clock: BudgetClock, least: int, most: int) -> Iterator[C]:
        may_go_on = True
        while may_go_on and not search.done:
            waiting = 0
            while waiting < least and not search.done and (may_go_on := self._may_go_on(clock, waiting)):
                waiting = self._advanced(search, clock, search.at_once, min(most, self._left))
            if waiting:
                self._left -= waiting
                yield search.take()

    def _advanced(self, search: PartSearch[C], clock: BudgetClock, most_edges: int, most: int) -> int:
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
