"""How the queries of one input share a bound on work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spaseq.graphs.graph_query import GraphQuery
from spaseq.graphs.parametric_graph_query import AnyGraphQuery
from spaseq.runtime.bounded import Bound, shares


def share(bound: Bound, queries: Sequence[AnyGraphQuery], work: float, at_once: float = 0) -> None:
    """Give each of all ``queries`` of an input its part of the ``work`` for an event, by what it took lately.

    Each has done what it was told.  A query with ``max_results`` has a fixed part, also when it is over: when that is
    depends on who takes its results.  ``at_once``: what a single event may take; 0: as much as is the rule.
    """
    priorities = {query: bound.priority(query.plan.query.name) for query in queries}
    fair, left = work / sum(priorities.values()), work
    rates: dict[GraphQuery, float] = {}
    for query, priority in priorities.items():
        if query.max_results is not None:
            rates |= _fixed(query, fair * priority)
            left -= fair * priority
    rates |= _shared({query: priority for query, priority in priorities.items() if query.max_results is None}, left)
    for member, rate in rates.items():
        member.bound_work(rate, at_once * rate / work)


def _fixed(query: AnyGraphQuery, work: float) -> dict[GraphQuery, float]:
    """A part for a query, whatever it takes."""
    running = _running(query)
    return {member: work / len(running) for member in running}


def _shared(priorities: Mapping[AnyGraphQuery, float], work: float) -> dict[GraphQuery, float]:
    """What is left, shared by queries; the rows of one with parameters have its priority together."""
    members = {
        member: priority / len(running)
        for query, priority in priorities.items()
        for running in [_running(query)]
        for member in running
    }
    if not members:
        return {}
    rates = shares(work, list(members.values()), [member.meter.needed for member in members])
    return dict(zip(members, rates, strict=True))


def _running(query: AnyGraphQuery) -> list[GraphQuery]:
    return [member for member in query.members if not member.is_over]
