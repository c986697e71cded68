"""Queries on graphs: what users give becomes plans, once for any number of engines, and how these depend on others."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from itertools import count
from typing import TypeAlias, TypeVar

from spaseq.errors import OptionError, QueryError
from spaseq.languages.query_text import made_of_file
from spaseq.languages.spaseq import ParsedQuery, parse
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences import Plan, compile_plan

Supply = TypeVar("Supply")


def as_query(query: AnyQuery, name: str | None, taken: Container[str]) -> Query:
    """The checked query under a name that is not ``taken``: ``name``, else its own, else ``query1``, ``query2`` …

    QuerySyntaxError, QueryError or OptionError as ``parse``; OptionError if ``name`` is taken, or it is no query.
    """
    check_is_name(name)
    checked = checked_query(query)
    return replace(checked, name=free_name(checked.name if name is None else name, taken))


def check_is_name(name: str | None) -> None:
    """OptionError: it is something else."""
    if not isinstance(name, str | None):
        raise OptionError(f"the name of a query is a text, not {name!r:.80}")


def free_name(wanted: str, taken: Container[str]) -> str:
    """A name that is not ``taken``: if none is wanted, ``query1``, ``query2`` …  OptionError: it is taken."""
    if wanted and wanted in taken:
        raise OptionError(f'there is a query named "{wanted}" already')
    return wanted or next(free for number in count(1) if (free := f"query{number}") not in taken)


def plan_of(query: AnyQuery, checked: Query) -> Plan:
    """How ``checked`` is evaluated, what ``as_query`` gave for ``query``.  QueryError: it is too large to plan."""
    return query.plan.named(checked.name) if isinstance(query, Prepared) else compile_plan(checked)


def stream_order(queries: Sequence[Query]) -> dict[str, int]:
    """A rank for every stream, derived ones after all that they depend on; QueryError if one depends on itself."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for query in queries:
        sources = [stream.iri for stream in query.streams]
        for iri in sources:
            sorter.add(iri)
        into = query.into
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
    derived = {into for query in queries if (into := query.into) is not None}
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


MOST_REMEMBERED = 256  # of the queries that were prepared, in a process


class Prepared:
    """A query that is read, checked and planned; wherever a query may stand, it may stand.  It never changes.

    Engines with the same prepared queries and the same ``Background`` share what is compiled for them, too: automata,
    graph patterns and the knowledge that these look at.  It pickles as its text, and is prepared again once in a
    process.  Made by ``prepare``.
    """

    __slots__ = ("__weakref__", "_plan", "_source")

    def __init__(self, source: str | Query, plan: Plan) -> None:
        self._source = source
        self._plan = plan

    @property
    def query(self) -> Query:
        """What it means."""
        return self._plan.query

    @property
    def plan(self) -> Plan:
        """How it is evaluated."""
        return self._plan

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits, equal in all processes for queries that mean the same, whatever they are called."""
        text = repr(replace(self.query, name="")) + self.query.of_row
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def __reduce__(self) -> tuple[Callable[..., Prepared], tuple[str | Query]]:
        return _prepared, (self._source,)

    def __repr__(self) -> str:
        return f"Prepared({self.query.name or self.fingerprint})"


AnyQuery: TypeAlias = "str | os.PathLike[str] | ParsedQuery | Query | Prepared"


def prepare(query: AnyQuery) -> Prepared:
    """The query, a text, a ``pathlib.Path`` or what ``parse`` gives, ready for any number of engines.

    Raises QuerySyntaxError or QueryError as ``parse``, QueryError if it is too large to plan, OptionError if it is no
    query.
    """
    if isinstance(query, Prepared):
        return query
    if isinstance(query, os.PathLike):
        return made_of_file(query, _prepared, parse)
    return _prepared(query if isinstance(query, str) else checked_query(query))


def checked_query(query: AnyQuery) -> Query:
    """What a query means; errors as of ``prepare``."""
    if isinstance(query, str | os.PathLike):
        query = parse(query)
    checked = query.query if isinstance(query, ParsedQuery | Prepared) else query
    if not isinstance(checked, Query):
        known = "a query is a text, a pathlib.Path or what spaseq.parse or spaseq.prepare gives"
        raise OptionError(f"{known}, not {type(query).__name__}")
    return checked


@lru_cache(maxsize=MOST_REMEMBERED)
def _prepared(source: str | Query) -> Prepared:
    return Prepared(source, compile_plan(checked_query(source)))
