"""Path queries that are read, checked and planned, for any number of graphs and processes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from spaseq.errors import OptionError, QueryError
from spaseq.languages.paths import ParsedPathQueries, parse
from spaseq.pattern.paths import PathQuery, is_unbounded
from spaseq.plan.paths.automaton import PathAutomaton, Step, chain_of, path_automaton


@dataclass(frozen=True, eq=False)
class PreparedPath:
    """A query and the automaton of its expression.  It pickles, and never changes."""

    query: PathQuery
    automaton: PathAutomaton

    @property
    def name(self) -> str:
        """What the query is called."""
        return self.query.name

    @cached_property
    def chain(self) -> tuple[Step, ...] | None:
        """The steps of all its paths, if it asks for all walks along a chain of steps."""
        return chain_of(self.automaton) if self.query.is_for_all_walks else None


PathQueries: TypeAlias = "str | os.PathLike[str] | ParsedPathQueries | PathQuery | PreparedPath | Iterable[PathQueries]"


def prepare(queries: PathQueries) -> tuple[PreparedPath, ...]:
    """The queries of a text, a ``pathlib.Path``, of what ``parse`` gave, or of several of these.

    QuerySyntaxError, QueryError: the text is wrong, or asks too much.  OptionError: it is nothing of this, or two
    queries have one name.
    """
    found = tuple(_prepared(queries))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise OptionError(f"two queries are called {twice}")
    return found


def _prepared(queries: PathQueries) -> Iterator[PreparedPath]:
    match queries:
        case PreparedPath():
            yield queries
        case PathQuery():
            yield _planned(queries)
        case ParsedPathQueries():
            for query in queries.queries:
                try:
                    yield _planned(query)
                except QueryError as error:
                    raise queries.error(query.name, error.message, error.hint) from None
        case str() | os.PathLike():
            yield from _prepared(parse(queries))
        case Iterable() if not isinstance(queries, bytes):
            for one in queries:
                yield from _prepared(one)
        case _:
            raise OptionError(f"path queries are a text, a path of a file or several of these, not {queries!r:.80}")


def _planned(query: PathQuery) -> PreparedPath:
    if query.is_for_all_walks and is_unbounded(query.expression):
        raise QueryError("ALL WALK of an expression without a bound may have infinitely many results")
    return PreparedPath(query, path_automaton(query.expression))
