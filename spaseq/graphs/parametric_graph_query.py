"""A query with parameters on streams of graphs: a ``GraphQuery`` for rows that can run together, one for each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from nfa_native.core.counters import numbers_of, tree_of
from nfa_native.joins.rule_matcher import RuleMatcher
from nfa_native.terms.dictionary import Terms
from spaseq.graphs.graph_query import GraphQuery, OnMatch
from spaseq.graphs.matchers import Words, at_rest, pack_counters, unpack_counters
from spaseq.graphs.parameter_rows import row_of
from spaseq.pattern.sequences import Query, Row
from spaseq.plan.sequences import Plan
from spaseq.plan.sequences.rule_plan import Key, RulePlan
from spaseq.results.match import DerivedEvent
from spaseq.results.table import MatchTable, merged_tables
from spaseq.runtime.parametric_query import ParametricQuery
from spaseq.runtime.shed import Shed, all_shed
from spaseq.streams.timestamps import LEAST

Sources: TypeAlias = Sequence[tuple[GraphQuery, Iterable[MatchTable]]]


def in_places(sources: Sources) -> Iterator[MatchTable]:
    """The results of members by the time at which they were decided; among equals in the order of their places."""
    placed = [_placed(member, tables) for member, tables in sources]
    if placed:
        yield from (run for part in merged_tables(placed, [0] * len(placed)) for run in part.runs())


def ordered(sources: Sources) -> Iterator[MatchTable]:
    """The same as of one query, whose rows do not show."""
    return (replace(run, places=None) for run in in_places(sources))


def _placed(member: GraphQuery, tables: Iterable[MatchTable]) -> Iterator[MatchTable]:
    """Tables that say of which row their results are."""
    for table in tables:
        yield table if table.places is not None else replace(table, places=np.full(len(table), member.place))


class ParametricGraphQuery(ParametricQuery[GraphQuery]):
    """``plan`` is that of the query with its parameters, which describes it; members have their own.

    ``empty`` is a table of its results without any.
    """

    def __init__(
        self,
        plan: Plan,
        empty: MatchTable,
        on_match: OnMatch | None = None,
        max_results: int | None = None,
        in_order: Callable[[Sources], Iterator[MatchTable]] = ordered,
    ) -> None:
        super().__init__(plan.query.name, plan.query.into, in_order, max_results)
        self.plan = plan
        self.on_match = on_match
        self.derived: list[DerivedEvent] = []  # events that no stream has got yet
        self.next_place = 0  # of a row that comes
        self.has_idle = False  # members may run no row any more, and still be fed
        self._empty = empty
        self._shed = Shed()  # by members that are gone
        self.counters: Mapping[str, Any] = {}  # of all rows, when it is over

    @property
    def query(self) -> Query:
        """What it means, with its parameters."""
        return self.plan.query

    def named(self, name: str) -> QueryByName:
        """The query of that name: itself."""
        return self

    def run(self, member: GraphQuery, keys: Sequence[Key | None], places: Sequence[int]) -> None:
        """Some more rows, by their ranks among those that the member runs, and their places; None: one that is gone."""
        assert len(keys) > 1 or keys[0] is not None
        self.add(member, (key for key in keys if key is not None))
        for rank in (rank for rank, key in enumerate(keys) if key is None):
            self._strike_rank(member, rank)
        member.place = places[0]
        self.next_place = max(self.next_place, 1 + max(places))

    def member_for(self, fixed: tuple[bytes, ...]) -> GraphQuery | None:
        """What can run more rows that have this in common, beside those that it runs."""
        for member in self.members:
            plan = member.plan
            if isinstance(plan, RulePlan) and plan.fixed == fixed and plan.takes_rules(rules_of(member)):
                return member
        return None

    def extend(self, member: GraphQuery, keys: Sequence[Key], places: Sequence[int]) -> None:
        """Let a member run more rows, which see what comes from now on; it forgets for good those that are gone."""
        plan, matcher = member.plan, rules_of(member)
        assert isinstance(plan, RulePlan)
        member.plan, origins = plan.changed(matcher.stands.tolist(), keys, places)
        member.complete()
        member.plan.change(matcher, origins)
        self.add(member, keys)
        self.next_place = max(self.next_place, 1 + max(places))

    def terms(self) -> Iterator[Row]:
        """The terms of the rows, in their order."""
        return map(row_of, self.rows)

    def _strike(self, member: GraphQuery, key: Key) -> None:
        assert isinstance(member.plan, RulePlan)
        self._strike_rank(member, member.plan.rank_of(key))

    def _strike_rank(self, member: GraphQuery, rank: int) -> None:
        matcher = rules_of(member)
        matcher.strike(rank)
        member.forget_rule(matcher.words[:, rank])

    def empty_of(self, name: str) -> MatchTable:
        """A table of results of the query of that name without any."""
        return self._empty

    def sweep_soon(self) -> None:
        """Free soon what has left the window."""
        for member in self.members:
            member.sweep_soon()

    def count_only(self) -> None:
        """Count results, where that is possible, instead of making them; before any event."""
        for member in self.members:
            member.count_only()

    @property
    def found(self) -> int:
        """How many results there were so far, given or only counted."""
        counted: int = sum(member.found for member in self.members if member.matcher.count_only)
        return self.results + counted

    def _counted(self, table: MatchTable) -> MatchTable:
        table = super()._counted(table)
        self.derived += table.derived or ()
        return table

    @property
    def shed(self) -> Shed:
        """What was left out, to keep work within a bound."""
        return self._shed + all_shed(member.shed for member in self.members)

    def forget_member(self, member: GraphQuery) -> None:
        """See ``ParametricQuery``."""
        self._shed += member.shed
        super().forget_member(member)

    def end(self) -> None:
        """See ``ParametricQuery``; what statistics tell is kept."""
        self._shed = self.shed
        self.counters = self._summed()
        super().end()

    def groups(self) -> int:
        """Groups of partial matches that are kept; quickly told."""
        return sum(member.groups() for member in self.members)

    def statistics(self, came: Mapping[str, int]) -> dict[str, Any]:
        """The counters of all matchers together, in the words of the query; ``came``: events by stream IRI."""
        each = Counter[int]()
        for member in self.members:
            each.update(member.evaluated)
        counters = at_rest(self.counters) if self.is_over else self._summed()
        told = next((member.plan for member in self.members if isinstance(member.plan, RulePlan)), self.plan)
        return {"rows": len(self.rows), **told.report(counters, came, each), **self.shed.statistics()}

    def _summed(self) -> dict[str, Any]:
        """The counters of the members' matchers, each the sum of theirs."""
        found = [member.matcher.statistics() for member in self.members] or [self.plan.start(Terms()).statistics()]
        summed: dict[str, Any] = tree_of(np.sum([numbers_of(one) for one in found], axis=0), found[0])
        summed["events"] = max((one["events"] for one in found), default=0)  # all see the same
        return summed

    # ── snapshot ─────────────────────────────────────────────────────────────────────────────────────────
    def snapshot(self) -> tuple[dict[str, Any], bytes, bytes]:
        """Counters, and when it is over what is left of its members; these have their own."""
        counters = {"results": self.results, "newest": LEAST, "evaluated": {}, "max_results": self.max_results or 0,
                    "over": self.is_over, "new": False}  # fmt: skip
        if self._shed != Shed():
            counters["shed"] = self._shed.state()
        return counters, pack_counters(self.counters) if self.is_over else b"", b""

    def restore(self, counters: dict[str, Any], data: bytes) -> None:
        """Take over what ``snapshot`` gave, before anything else happens."""
        self.results = counters["results"]
        self._shed = Shed.of_state(counters["shed"]) if "shed" in counters else Shed()
        if counters["over"]:
            self.end()
            self.counters = unpack_counters(self.plan.start(Terms()), data)

    def trace(self) -> list[Words]:
        """All words that are held."""
        return [words for member in self.members for words in member.trace()]


def rules_of(member: GraphQuery) -> RuleMatcher:
    """The matcher of a member that runs rows together."""
    assert isinstance(member.matcher, RuleMatcher)
    return member.matcher


def rows_of(member: GraphQuery) -> tuple[Sequence[Row], Sequence[int], Sequence[int]]:
    """The rows that a member runs, by rank, their places, and which of them are gone."""
    if isinstance(member.plan, RulePlan):
        return (
            [row_of(key[: len(member.plan.names)]) for key in member.plan.keys],
            list(member.plan.places),
            np.flatnonzero(~rules_of(member).stands).tolist(),
        )
    return [member.plan.query.row or ()], [member.place], []


class QueryByName(Protocol):
    """What is asked of a query by its name."""

    @property
    def query(self) -> Query:
        """What it means."""

    @property
    def on_match(self) -> OnMatch | None:
        """What its matches are given to."""

    @property
    def max_results(self) -> int | None:
        """With how many results it is over."""

    @property
    def is_over(self) -> bool:
        """Whether it is."""

    @property
    def found(self) -> int:
        """How many results there were so far, given or only counted."""


AnyGraphQuery: TypeAlias = "GraphQuery | ParametricGraphQuery"
