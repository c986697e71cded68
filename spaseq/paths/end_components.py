"""Components of compiled queries whose paths are not made: their end points are searched, or they are counted.

What cannot be counted without making the paths is counted by finding them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from nfa_native.paths.reach_searcher import EndPlan, EndSearcher
from nfa_native.paths.walk_counter import WalkCounter
from spaseq.errors import QueryError
from spaseq.paths.columns import EndColumns
from spaseq.paths.components import AutomatonComponent, ConvertedComponent, GivenStarts, QueryComponent
from spaseq.paths.edges import GraphEdges
from spaseq.paths.queries import BoundQuery, PreparedPath, Vertices, condition_flags, symbols
from spaseq.pattern.paths import NodeCondition, PathSelector, Restrictor, SelectorKind
from spaseq.plan.paths.automaton import MOST_CONDITIONS
from spaseq.plan.paths.merging import AutomatonMerger, Steps

ONE_EACH = PathSelector(SelectorKind.ANY_SHORTEST)  # a path for each pair
MOST_PLANS = 16  # so many more than queries are kept: starts may be given in many ways


def end_components(
    graph: GraphEdges, numbered: Sequence[tuple[int, PreparedPath]], often: bool
) -> Iterator[QueryComponent[EndColumns]]:
    """Queries and their numbers in components: walks together, others one by one; ``often``: it will be asked again."""
    walks = [(number, query) for number, query in numbered if query.query.restrictor is Restrictor.WALK]
    if walks:
        yield WalkEndsComponent(graph, [query for _, query in walks], [number for number, _ in walks], often)
    for number, query in numbered:
        if query.query.restrictor is not Restrictor.WALK:
            yield ConvertedComponent(AutomatonComponent(graph, one_each(query), number), EndColumns.of_paths)


def one_each(query: PreparedPath) -> PreparedPath:
    """The query for one path of each pair."""
    return PreparedPath(replace(query.query, selector=ONE_EACH), query.automaton)


# ── walks ────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class EndGroup:
    """Queries from the same starts, by their places in the component, and the starts."""

    places: tuple[int, ...]
    starts: Vertices


@dataclass(frozen=True)
class WalkEndsComponent(QueryComponent[EndColumns]):
    """Queries for walks, query i the number ``numbers[i]`` of all: those with the same starts are one automaton.

    ``often``: the edges of repetitions are laid side by side before the first search.
    """

    graph: GraphEdges
    queries: Sequence[PreparedPath]
    numbers: Sequence[int]
    often: bool
    _plans: dict[tuple[int, ...], EndPlan] = field(default_factory=dict)

    def begin(self, starts: GivenStarts, warnings: list[str]) -> WalkEndsSearch:
        """See ``QueryComponent``."""
        warnings += (warning for one in self._bound for warning in one.told(starts))
        return WalkEndsSearch(self, list(self._groups(starts)))

    def plan(self, group: EndGroup) -> EndPlan:
        """The automaton of a group."""
        found = self._plans.get(group.places)
        if found is None:
            found = end_plan(self.graph, [self._bound[place] for place in group.places])
            if self.often:
                found.merge_rows()
            if len(self._plans) >= len(self.queries) + MOST_PLANS:
                self._plans.clear()
            self._plans[group.places] = found
        return found

    @cached_property
    def _bound(self) -> tuple[BoundQuery, ...]:
        return tuple(BoundQuery.of(self.graph, query) for query in self.queries)

    def _groups(self, starts: GivenStarts) -> Iterator[EndGroup]:
        """Those with the same starts that may, or may not, come back to them."""
        found: dict[tuple[bytes, bool], list[int]] = {}
        for place, one in enumerate(self._bound):
            key = one.starts_in(starts).tobytes(), one.query.query.not_back
            found.setdefault(key, []).append(place)
        for (some, _), places in found.items():
            vertices = np.frombuffer(some, np.uint32)
            yield from (EndGroup(tuple(few), vertices) for few in self._with_few_conditions(places))

    def _with_few_conditions(self, places: Iterable[int]) -> Iterator[list[int]]:
        """As many in turn as an automaton has room for."""
        few: list[int] = []
        known: set[NodeCondition] = set()
        for place in places:
            conditions = self.queries[place].automaton.conditions
            if len(known.union(conditions)) > MOST_CONDITIONS:
                yield few
                few, known = [], set()
            few.append(place)
            known.update(conditions)
        yield few


class WalkEndsSearch:
    """See ``ComponentSearch``.  Groups are searched for one after the other."""

    at_once = 1 << 20

    def __init__(self, component: WalkEndsComponent, groups: Iterable[EndGroup]) -> None:
        self._component = component
        self._left = deque(groups)
        self.looked_at = 0
        self._open(self._left.popleft())

    @property
    def done(self) -> bool:
        """See ``ComponentSearch``."""
        return not self._left and self._searcher.done

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``ComponentSearch``; what waits must be taken when a group is done."""
        if self._searcher.done:
            self._open(self._left.popleft())
        before = self._searcher.looked_at
        waiting = self._searcher.advance(most_edges, most_paths)
        self.looked_at += self._searcher.looked_at - before
        return waiting

    def take(self) -> EndColumns:
        """See ``ComponentSearch``."""
        queries, starts, run_ends, ends = self._searcher.take()
        return EndColumns(self._numbers[queries], starts, run_ends, ends)

    def _open(self, group: EndGroup) -> None:
        self._numbers = np.array([self._component.numbers[place] for place in group.places], np.uint32)
        try:
            self._searcher = EndSearcher(self._component.plan(group), group.starts)
        except ValueError as error:
            raise QueryError(f"{self._component.queries[group.places[0]].name}: {error}") from None


# ── plans ────────────────────────────────────────────────────────────────────────────────────────────────────
def end_plan(graph: GraphEdges, queries: Sequence[BoundQuery]) -> EndPlan:
    """One automaton for queries with the same starts.  QueryError: a condition cannot be evaluated."""
    merger = AutomatonMerger()
    for one in queries:
        merger.add(one.query.automaton)
    merged, numbers = merger.merged(), dict[tuple[int, ...], int]()
    moves = [
        (move.origin, move.target, None if move.steps is None else _number(numbers, graph, move.steps), move.guard)
        for move in merged.moves
    ]
    return EndPlan(
        graph.index, list(numbers), merged.components, moves,
        [(state, one.ends) for state, one in zip(merged.ends, queries, strict=True)],
        [condition_flags(graph, condition) for condition in merged.conditions], queries[0].query.query.not_back,
    )  # fmt: skip


def _number(numbers: dict[tuple[int, ...], int], graph: GraphEdges, steps: Steps) -> int:
    """The number of what one of these steps takes."""
    taken = {symbol for step in steps for symbol in symbols(graph.labels, step)}
    return numbers.setdefault(tuple(sorted(taken)), len(numbers))


# ── counted without making the paths, where that is possible ─────────────────────────────────────────────
Counts: TypeAlias = "Mapping[int, int]"  # paths, by the number of their query


class CountableColumns(Protocol):
    """Columns of what was found."""

    def __len__(self) -> int:
        """How much was found."""

    def counts_by_query(self) -> Counts:
        """How much of each query."""


def count_components(graph: GraphEdges, queries: Sequence[PreparedPath]) -> Iterator[QueryComponent[Counts]]:
    """All queries in components: as pairs of nodes those that have a path for each, in one search; others one by one.

    All walks are counted by length; what else is found is counted, and forgotten.
    """
    pairs = [(number, one) for number, one in enumerate(queries) if one.query.has_one_each]
    yield from (ConvertedComponent(component, _counted) for component in end_components(graph, pairs, often=False))
    for number, one in enumerate(queries):
        component = AutomatonComponent(graph, one, number)
        if one.query.is_for_all_walks:
            yield WalkCountComponent(component)
        elif not one.query.has_one_each:
            yield ConvertedComponent(component, _counted)


def _counted(columns: CountableColumns) -> Counts:
    return columns.counts_by_query()


# ── all walks: counted by length ─────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class WalkCountComponent(QueryComponent[Counts]):
    """A query for all walks."""

    component: AutomatonComponent

    def begin(self, starts: GivenStarts, warnings: list[str]) -> WalkCountSearch:
        """See ``QueryComponent``."""
        query, found = self.component.query.query, self.component.bound
        some = self.component.starts_in(starts, warnings)
        index = self.component.graph.index
        counter = WalkCounter(index, found.automaton, some, found.conditions, found.ends, query.not_back)
        return WalkCountSearch(counter, query.name, self.component.number)


class WalkCountSearch:
    """See ``ComponentSearch``."""

    at_once = 1 << 18

    def __init__(self, counter: WalkCounter, name: str, number: int) -> None:
        self._counter = counter
        self._name = name
        self._number = number
        self._taken = 0

    @property
    def done(self) -> bool:
        """See ``ComponentSearch``."""
        return self._counter.done

    @property
    def looked_at(self) -> int:
        """See ``ComponentSearch``."""
        return self._counter.looked_at

    def advance(self, most_edges: int, most_paths: int) -> int:
        """See ``ComponentSearch``; so many edges alone are kept, and a count waits as one."""
        try:
            self._counter.advance(most_edges)
        except ValueError as error:
            raise QueryError(f"{self._name}: {error}") from None
        return int(self._counter.total > self._taken)

    def take(self) -> Counts:
        """See ``ComponentSearch``."""
        more, self._taken = self._counter.total - self._taken, self._counter.total
        return {self._number: more} if more else {}
