"""Families of queries in a snapshot: each query is given again, and is a row of its family as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from spaseq.errors import SnapshotError
from spaseq.graphs.background import compiled
from spaseq.graphs.graph_family import FamilyQuery, GraphFamily, key_in
from spaseq.graphs.graph_query import OnMatch
from spaseq.graphs.kind import GraphKind
from spaseq.graphs.matchers import pack_counters
from spaseq.graphs.parameter_rows import key_of
from spaseq.graphs.row_state import Called, MadeMember, gone_of, read_rows, row_states
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences.rule_plan import RulePlan
from spaseq.plan.sequences.templates import Instance, Variation, canonical, instance_of
from spaseq.streams.timestamps import LEAST


def sections_of_family(number: int) -> Called:
    """The sections of the members of a family, which is told by its number."""
    return lambda member: (f"family matcher {member} {number}", f"family results {member} {number}")


def family_states(kind: GraphKind, sections: dict[str, bytes]) -> list[dict[str, Any]]:
    """The families at work; what their matchers hold is put into sections."""
    states = []
    for number, family in enumerate(one for one in kind.core.at_work if isinstance(one, GraphFamily)):
        members = row_states(family, kind.input_of(family), sections, sections_of_family(number))
        for member, state in zip(family.members if members else (), members, strict=True):
            assert isinstance(member.plan, RulePlan)
            state["names"] = [key[-1].decode() for key in member.plan.keys]
        sections[f"family {number}"] = pack_counters(family.counters) if family.is_over else b""
        states.append({"queries": list(family.names), "alike": family.variation.alike,
                       "differs": family.variation.differs, "over": family.is_over,
                       "results": family.results, "members": members})  # fmt: skip
    return states


def counters_of(query: FamilyQuery) -> dict[str, Any]:
    """What a query of a family has counted, as of any query."""
    return {"results": query.results, "newest": LEAST, "evaluated": {}, "max_results": query.max_results or 0,
            "over": query.is_over, "new": False}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class MadeFamily:
    """A family, compiled before the words of the snapshot are read; ``number``: in the snapshot."""

    number: int
    plan: RulePlan
    variation: Variation
    queries: Sequence[FamilyQuery]
    members: Sequence[MadeMember]


def made_families(
    kind: GraphKind, header: Mapping[str, Any], checked: Mapping[str, Query], on_match: OnMatch | None
) -> Iterator[MadeFamily]:
    """The families of a snapshot; ``checked`` are its queries, which are those that it was taken with.

    SnapshotError: some are none of a family.
    """
    counters = {state["name"]: state["counters"] for state in header["queries"]}
    places = {name: place for place, name in enumerate(counters)}
    for number, state in enumerate(header.get("families", ())):
        instances = dict(_instances(state["queries"], checked, _variation(state)))
        queries = [_query(name, one, places[name], on_match, counters[name]) for name, one in instances.items()]
        yield _family(kind, number, state, queries)


def _instances(
    names: Sequence[str], checked: Mapping[str, Query], variation: Variation
) -> Iterator[tuple[str, Instance]]:
    first: Instance | None = None
    for name in names:
        instance = instance_of(checked[name])
        first = first or instance
        if first is None or instance is None or canonical(instance.template) != canonical(first.template):
            raise SnapshotError("the snapshot is damaged: the queries of a family are of none")
        if len(variation.alike) != len(first.row) or variation.including(first, instance) != variation:
            raise SnapshotError("the snapshot is damaged: the queries of a family differ in more than it says")
        yield name, instance


def _variation(state: Mapping[str, Any]) -> Variation:
    return Variation(tuple(state["alike"]), tuple(state["differs"]))


def _query(
    name: str, instance: Instance, place: int, on_match: OnMatch | None, counters: Mapping[str, Any]
) -> FamilyQuery:
    most = counters["max_results"] or None
    return FamilyQuery(name, instance, on_match, most, place, counters["results"], counters["over"])


def _family(kind: GraphKind, number: int, state: Mapping[str, Any], queries: Sequence[FamilyQuery]) -> MadeFamily:
    if not queries:
        raise SnapshotError("the snapshot is damaged: a family has no queries")
    variation = _variation(state)
    plan = RulePlan.of_family(replace(variation.query(queries[0].instance), name=queries[0].name))
    if plan is None:
        raise SnapshotError("the snapshot is damaged: the queries of a family cannot run together")
    places = {key_in(query, variation): query.place for query in queries}
    members = [_member(kind, plan, places, n, one) for n, one in enumerate(state["members"])]
    return MadeFamily(number, plan, variation, queries, members)


def _member(
    kind: GraphKind, plan: RulePlan, places: Mapping[tuple[bytes, ...], int], number: int, state: Mapping[str, Any]
) -> MadeMember:
    rows = read_rows(state)
    known = [(*key_of(row), name.encode()) for row, name in zip(rows, state["names"], strict=True)]
    gone = gone_of(state, rows)
    if any(not is_gone and key not in places for key, is_gone in zip(known, gone, strict=True)):
        raise SnapshotError("the snapshot is damaged: the rows of a family are not its queries")
    if known != sorted(known, key=plan.rank):
        raise SnapshotError("the snapshot is damaged: the rows of a family are not in order")
    keys = [None if is_gone else key for key, is_gone in zip(known, gone, strict=True)]
    its = [0 if key is None else places[key] for key in keys]
    running = plan.running(known, its)
    return MadeMember(running, compiled(running, kind.evaluator), keys, its, number)
