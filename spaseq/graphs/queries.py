"""Queries as users give them, and how the queries of an engine depend on each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from spaseq.errors import OptionError, QueryError
from spaseq.graphs.prepared import AnyQuery, Prepared, checked_query
from spaseq.pattern.sequences import Construction, Query
from spaseq.plan.sequences import Plan, compile_plan

Supply = TypeVar("Supply")


def as_query(query: AnyQuery, name: str | None, taken: Iterable[str]) -> Query:
    """The checked query under a name that is not ``taken``: ``name``, else its own, else ``query1``, ``query2`` …

    QuerySyntaxError, QueryError or OptionError as ``parse``; OptionError if ``name`` is taken, or it is no query.
    """
    if not isinstance(name, str | None):
        raise OptionError(f"the name of a query is a text, not {name!r:.80}")
    names = set(taken)
    checked = checked_query(query)
    wanted = name if name is not None else checked.name
    if wanted and wanted in names:
        raise OptionError(f'there is a query named "{wanted}" already')
    return replace(checked, name=wanted or _free_name(names))


def plan_of(query: AnyQuery, checked: Query) -> Plan:
    """How ``checked`` is evaluated, what ``as_query`` gave for ``query``.  QueryError: it is too large to plan."""
    return query.plan.named(checked.name) if isinstance(query, Prepared) else compile_plan(checked)


def _free_name(taken: set[str]) -> str:
    return next(name for number in range(1, len(taken) + 2) if (name := f"query{number}") not in taken)


def derived_stream(query: Query) -> str | None:
    """The stream that the query derives; None for a SELECT."""
    return query.form.into if isinstance(query.form, Construction) else None


def stream_order(queries: Sequence[Query]) -> dict[str, int]:
    """A rank for every stream, derived ones after all that they depend on; QueryError if one depends on itself."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for query in queries:
        sources = [stream.iri for stream in query.streams]
        for iri in sources:
            sorter.add(iri)
        into = derived_stream(query)
        if into is not None:
            sorter.add(into, *sources)
    try:
        return {iri: rank for rank, iri in enumerate(sorter.static_order())}
    except CycleError as error:
        cycle = " → ".join(f"<{iri}>" for iri in error.args[1])
        raise QueryError(f"a derived stream would depend on itself: {cycle}") from None


def resolve_stream(stream: str, queries: Iterable[Query]) -> str:
    """The IRI of a stream that a query reads, from its IRI or the short name that queries give it.

    OptionError: no query reads it, or the name stands for different streams.
    """
    streams = [item for query in queries for item in query.streams]
    if any(item.iri == stream for item in streams):
        return stream
    named = sorted({item.iri for item in streams if item.name == stream})
    if len(named) == 1:
        return named[0]
    if named:
        several = ", ".join(f"<{iri}>" for iri in named)
        raise OptionError(f'the name "{stream}" stands for different streams: {several}; give the IRI')
    known = ", ".join(sorted({item.name for item in streams})) or "none"
    raise OptionError(f'no query reads a stream "{stream}"; streams that are read: {known}')


def supplied_streams(queries: Sequence[Query], streams: Mapping[str, Supply]) -> dict[str, Supply]:
    """``streams`` (by name or IRI) by IRI; OptionError if one is missing, unknown, derived or given twice."""
    if not isinstance(streams, Mapping):
        raise OptionError(f"streams are given as a mapping of names or IRIs to sources, not {streams!r:.80}")
    supplied: dict[str, Supply] = {}
    derived = {into for query in queries if (into := derived_stream(query)) is not None}
    for name, source in streams.items():
        iri = resolve_stream(name, queries)
        if iri in derived:
            raise OptionError(f"the stream <{iri}> is derived by a query and cannot be given too")
        if iri in supplied:
            raise OptionError(f"the stream <{iri}> is given twice")
        supplied[iri] = source
    for query in queries:
        for stream in query.streams:
            if stream.iri not in supplied and stream.iri not in derived:
                raise OptionError(f'the query "{query.name}" reads the stream {_shown(stream.name, stream.iri)}, '
                                  "which nothing supplies")  # fmt: skip
    return supplied


def _shown(name: str, iri: str) -> str:
    return f"<{iri}>" if name == iri else f"{name} <{iri}>"
