"""Queries that are prepared once: read, checked and planned, to be used by any number of engines."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from spaseq.errors import OptionError
from spaseq.languages.query_text import made_of_file
from spaseq.languages.spaseq import ParsedQuery, parse
from spaseq.pattern.sequences import Query
from spaseq.plan.sequences import Plan, compile_plan

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
        return hashlib.sha256(repr(replace(self.query, name="")).encode()).hexdigest()[:32]

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
