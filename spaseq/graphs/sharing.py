"""How the queries of one input share a bound on work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.parametric_graph_query import AnyGraphQuery
from spaseq.runtime.bounded import Bound, shares


def share(bound: Bound, queries: Sequence[AnyGraphQuery]) -> None:
    """Give each of all ``queries`` of an input its part, by what it took lately; each has done what it was told.

    A query with ``max_results`` has a fixed part, also when it is over: when that is depends on who takes its results.
    """
    priorities = {query: bound.priority(query.plan.query.name) for query in queries}
    fair, left = bound.work / sum(priorities.values()), bound.work
    for query, priority in priorities.items():
        if query.max_results is not None:
            _give(query, fair * priority)
            left -= fair * priority
    _share({query: priority for query, priority in priorities.items() if query.max_results is None}, left)


def _give(query: AnyGraphQuery, work: float) -> None:
    """A part for a query, whatever it takes."""
    running = _running(query)
    for member in running:
        member.bound_work(work / len(running))


def _share(priorities: Mapping[AnyGraphQuery, float], work: float) -> None:
    """Let queries share what is left; the rows of one with parameters have its priority together."""
    members = {
        member: priority / len(running)
        for query, priority in priorities.items()
        for running in [_running(query)]
        for member in running
    }
    if members:
        rates = shares(work, list(members.values()), [member.meter.needed for member in members])
        for member, rate in zip(members, rates, strict=True):
            member.bound_work(rate)


def _running(query: AnyGraphQuery) -> list[GraphQuery]:
    return [member for member in query.members if not member.is_over]
