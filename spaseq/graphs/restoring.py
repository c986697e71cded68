"""The queries of a snapshot, at work again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spaseq.errors import SnapshotError
from spaseq.graphs.background import Compiled
from spaseq.graphs.family_state import MadeFamily, sections_of_family
from spaseq.graphs.graph_family import GraphFamily
from spaseq.graphs.graph_input import GraphInput
from spaseq.graphs.graph_query import GraphQuery, OnMatch, empty_table
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.matchers import AnyMatcher, WordMap, unpack_counters
from spaseq.graphs.parametric_graph_query import AnyGraphQuery, ParametricGraphQuery
from spaseq.graphs.row_state import Called, Made, MadeMember, sections_of_rows
from spaseq.graphs.sampling import Snapshot
from spaseq.plan.sequences import Plan


@dataclass(frozen=True, slots=True)
class Restoring:
    """What queries are made of again; states by name, ``given`` those of rows."""

    kind: GraphKind
    counters: Mapping[str, dict[str, Any]]
    given: Mapping[str, list[dict[str, Any]]]
    families: Sequence[dict[str, Any]]
    sections: Mapping[str, bytes]
    word_map: WordMap
    on_match: OnMatch | None
    was_bounded: bool

    def query(self, made: Made | MadeFamily, merged: GraphInput) -> AnyGraphQuery:
        """A query, or a family, on its input."""
        if isinstance(made, MadeFamily):
            return self._family(made, merged)
        name = made.plan.query.name
        counters = self.counters[name]
        if made.compiled is None:
            return self._with_rows(made, merged, counters)
        parts = self.sections[f"matcher {name}"], self.sections[f"results {name}"]
        return self._running(made.plan, made.compiled, merged, counters, parts, self.on_match)

    def _running(
        self,
        plan: Plan,
        compiled: Compiled,
        merged: GraphInput,
        counters: dict[str, Any],
        parts: tuple[bytes, bytes],
        on_match: OnMatch | None,
    ) -> GraphQuery:
        data, remembered = parts
        matcher = None if counters["over"] else self._matcher(plan, compiled, merged, counters["new"], data)
        most = counters["max_results"] or None
        running = self.kind.running(plan, compiled, merged, matcher, on_match, most)
        running.restore(counters, remembered, self.word_map)
        if running.is_bounded and self.kind.bound is None:
            running.bound_work(0)
            self.kind.as_asked(running.matcher)
        if matcher is None:
            running.counters = unpack_counters(plan.start(self.kind.terms, automaton=compiled.automaton), data)
        return running

    def _with_rows(self, made: Made, merged: GraphInput, counters: dict[str, Any]) -> ParametricGraphQuery:
        """A query with parameters: rows that are not wanted any more are forgotten, new ones begin now."""
        name = made.plan.query.name
        called = sections_of_rows(name)
        found = self.kind.parametric_query(made.plan, merged, self.on_match, counters["max_results"] or None)
        for one in made.members if not counters["over"] else ():
            state = None if one.number is None else self.given[name][one.number]
            self._run(found, one, state, called, merged)
        found.restore(counters, self.sections[f"matcher {name}"])
        return found

    def _family(self, made: MadeFamily, merged: GraphInput) -> GraphFamily:
        """Queries that run as one."""
        state = self.families[made.number]
        called = sections_of_family(made.number)
        found = GraphFamily(made.plan, empty_table(made.plan, merged.names, self.kind.terms), made.variation)
        for query in made.queries:
            found.know(query)
        for one in made.members if not state["over"] else ():
            assert one.number is not None
            self._run(found, one, state["members"][one.number], called, merged)
        found.brought_in()
        found.restore(state, self.sections[f"family {made.number}"])
        return found

    def _run(
        self,
        query: ParametricGraphQuery,
        one: MadeMember,
        state: dict[str, Any] | None,
        called: Called,
        merged: GraphInput,
    ) -> None:
        """Let rows of a query run, from where they were, or, without a state, from now on."""
        if state is None or one.number is None:
            matcher = self._new_matcher(one.plan, one.compiled, merged)
            member = self.kind.running(one.plan, one.compiled, merged, matcher)
            member.since = self._since(1 + max((state["age"] for state in self._members()), default=0))
        else:
            matcher_of, results_of = called(one.number)
            parts = self.sections[matcher_of], self.sections[results_of]
            member = self._running(one.plan, one.compiled, merged, state["counters"], parts, None)
            member.since = self._since(state["age"])
        query.run(member, one.keys, one.places)

    def _members(self) -> list[dict[str, Any]]:
        """The states of all members of queries."""
        given = (state for states in self.given.values() for state in states)
        return [*given, *(state for family in self.families for state in family["members"])]

    def _since(self, age: int) -> int:
        """The version of the background from which on a row sees events; SnapshotError: there can be no such one."""
        if age > 1 + len(self._members()):
            raise SnapshotError("the snapshot is damaged: a row is younger than it can be")
        while self.kind.evaluator.version < age:
            self.kind.evaluator.renew_version()
        return age

    def _new_matcher(self, plan: Plan, compiled: Compiled, merged: GraphInput) -> AnyMatcher:
        matcher = self.kind.started(plan, compiled.automaton)
        matcher.advance(merged.advanced)
        return matcher

    def _matcher(self, plan: Plan, compiled: Compiled, merged: GraphInput, is_new: bool, data: bytes) -> AnyMatcher:
        if is_new:  # its number for the oldest event says nothing
            return self._new_matcher(plan, compiled, merged)
        snapshot = Snapshot(data, self.was_bounded)
        matcher = self.kind.restored_matcher(plan, compiled.automaton, snapshot, self.word_map)
        if not merged.names.base <= matcher.oldest_event() <= matcher.next_event <= merged.names.next:
            raise SnapshotError("the snapshot is damaged: it does not have the names of all events")
        if not merged.finished and matcher.next_time > merged.watermark:
            raise SnapshotError(f'the snapshot is damaged: query "{plan.query.name}" knows events that are yet to come')
        return matcher
