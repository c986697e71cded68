"""Queries on graphs that differ only in constants, at work: each is a row of one query with parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nfa_native.core.arrays import counted
from spaseq.graphs.graph_query import MOST, MOST_HELD, GraphQuery, OnMatch
from spaseq.graphs.parameter_rows import key_of
from spaseq.graphs.parametric_graph_query import ParametricGraphQuery, in_places, rules_of
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences.rule_plan import Key, RulePlan
from spaseq.plan.sequences.templates import Instance, Variation
from spaseq.results.match import ResultShape
from spaseq.results.table import FamilyTable, MatchTable
from spaseq.streams.timestamps import GREATEST

MANY = 16  # times as many results as others give at once


@dataclass(eq=False)
class FamilyQuery:
    """A query of a family; ``place`` is its turn among results of one time."""

    name: str
    instance: Instance
    on_match: OnMatch | None = None
    max_results: int | None = None
    place: int = 0
    results: int = 0
    is_over: bool = False
    counted: int = 0  # results that are not made

    @cached_property
    def query(self) -> Query:
        """What it means."""
        return self.instance.query(self.name)

    @property
    def found(self) -> int:
        """How many results there were so far, given or only counted."""
        return self.results + self.counted


class GraphFamily(ParametricGraphQuery):
    """Some queries of one template, by name, with this ``variation``.  ``plan`` is that of their rules, without any.

    A row is a query's terms, and its name: queries that mean the same are different rules.  Queries that ``come`` run
    when they are brought in, many together, before the next event is there.
    """

    plan: RulePlan

    def __init__(self, plan: RulePlan, empty: MatchTable, variation: Variation) -> None:
        super().__init__(plan, empty, in_order=in_places)
        self.variation = variation
        self.queries: dict[str, FamilyQuery] = {}
        self.coming: dict[Key, int] = {}  # rows, and their places
        self._by_place: dict[int, FamilyQuery] = {}
        self._called: Mapping[int, str] = {}  # what queries are called, by place: tables keep it
        self._titles: Mapping[int, tuple[str, ...]] = {}  # of their columns, where these are called otherwise
        self._shapes: dict[int, ResultShape] = {}  # of their results
        self._bounded = False  # some query ends with so many results

    @property
    def names(self) -> Collection[str]:
        """See ``RunningQuery``."""
        return self.queries.keys()

    def named(self, name: str) -> FamilyQuery:
        """The query of that name."""
        query = self.queries[name]
        member = None if query.is_over else self.rows.get(key := self.key(query))
        if member is not None and member.matcher.count_only:
            assert isinstance(member.plan, RulePlan)
            query.counted = int(rules_of(member).rule_counts()[member.plan.rank_of(key)])
        return query

    def empty_of(self, name: str) -> MatchTable:
        """See ``ParametricGraphQuery``."""
        table = FamilyTable.of(self._empty, self._called, self._titles, self._shapes)
        return table.part(name, self.queries[name].place, 0, 0)

    def key(self, query: FamilyQuery) -> Key:
        """That of the row of a query."""
        return key_in(query, self.variation)

    def run(self, member: GraphQuery, keys: Sequence[Key | None], places: Sequence[int]) -> None:
        """See ``ParametricGraphQuery``; many results are handed over together, as these go apart by query."""
        super().run(member, keys, places)
        member.matcher.bound(MANY * MOST, MANY * MOST_HELD)

    def know(self, query: FamilyQuery) -> None:
        """Another query, of which nothing else is said yet."""
        self.queries[query.name] = self._by_place[query.place] = query
        self._bounded = self._bounded or query.max_results is not None

    def come(self, query: FamilyQuery) -> None:
        """Another query, which runs when it is brought in."""
        self.know(query)
        self.coming[self.key(query)] = query.place

    def brought_in(self) -> None:
        """All queries that came run."""
        self.coming = {}
        self._called = {place: query.name for place, query in self._by_place.items()}
        columns = {place: query.instance.columns for place, query in self._by_place.items()}
        self._titles = {place: its for place, its in columns.items() if its != self._empty.columns}

    def forget(self, name: str) -> bool:
        """See ``RunningQuery``."""
        query = self.queries.pop(name)
        del self._by_place[query.place]
        self._shapes.pop(query.place, None)
        if not query.is_over:
            self._leave(query)
        return not self.queries

    def _leave(self, query: FamilyQuery) -> None:
        """A query finds nothing more."""
        key = self.key(query)
        if self.coming.pop(key, None) is None:
            self._strike(self.drop(key), key)
            self.has_idle = True

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def _counted(self, table: MatchTable) -> MatchTable:
        """Count the results of each query, up to the last one that was asked for."""
        assert table.places is not None
        places, counts = counted(table.places)
        each = [
            (self._by_place.get(place), count) for place, count in zip(places.tolist(), counts.tolist(), strict=True)
        ]
        if self._bounded or any(query is None for query, _ in each):
            table = self._cut(table, places, [_left(query, count) for query, count in each])
        for query, count in each:
            if query is not None:
                self._found(query, _left(query, count))
        self.results += len(table)
        if self.queries and all(query.is_over for query in self.queries.values()):
            self.end()
        return FamilyTable.of(table, self._called, self._titles, self._shapes)

    def _cut(self, table: MatchTable, places: NDArray[np.int64], left: Sequence[int]) -> MatchTable:
        """The first so many results of each place."""
        assert table.places is not None
        kept = np.zeros(len(table), np.bool_)
        for place, most in zip(places.tolist(), left, strict=True):
            kept[np.flatnonzero(table.places == place)[:most]] = True
        return table if kept.all() else table.select(np.flatnonzero(kept))

    def _found(self, query: FamilyQuery, count: int) -> None:
        query.results += count
        if query.results == query.max_results and not query.is_over:
            query.is_over = True
            self._leave(query)

    def needed_since(self, time: int) -> int | None:
        """See ``RunningQuery``."""
        return None if self._bounded and time < GREATEST else super().needed_since(time)

    def statistics(self, came: Mapping[str, int]) -> dict[str, Any]:
        """The counters of all queries together; ``family`` tells how many these are."""
        told = super().statistics(came)
        del told["rows"]
        others = f"{len(self.queries)} queries like it run together, and others have results: by itself (--no-sharing, "
        why = told["why"] or [others + "sharing=False) it tells more"]
        return {"family": len(self.queries), **told, "why": why}


def _left(query: FamilyQuery | None, count: int) -> int:
    """How many of some results a query may still have."""
    if query is None or query.is_over:
        return 0
    return count if query.max_results is None else min(count, query.max_results - query.results)


def key_in(query: FamilyQuery, variation: Variation) -> Key:
    """The key of a query's row, which has its terms for what varies."""
    return (*key_of(variation.row(query.instance)), query.name.encode())
