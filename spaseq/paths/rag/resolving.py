"""What a question asks of a graph: path queries, each with where its paths begin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from spaseq.errors import OptionError
from spaseq.languages.paths import parse
from spaseq.paths.edges import GraphEdges
from spaseq.paths.prepared import PreparedPath, prepare
from spaseq.paths.starts import vertices_of

Resolve = Callable[[str], Iterable[tuple[Any, Any]]]

_FILE = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*(?:QUERY|PREFIX|BASE)(?=[\s<#])", re.IGNORECASE)
_KEPT = 1024  # texts of queries


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """One query of a question; ``starts`` are numbers of nodes, or None for those of FROM.

    ``name`` is what its paths are told to be of: the name of a whole query, the text of an expression.
    """

    query: PreparedPath
    name: str
    starts: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question, with all queries it asks; ``warnings`` name starts that the graph does not have."""

    question: str
    paths: tuple[ResolvedPath, ...]
    warnings: tuple[str, ...]


class QuestionResolver:
    """Makes queries of questions, by a function that says which: see ``PathRetrieval``."""

    def __init__(self, graph: GraphEdges, resolve: Resolve) -> None:
        self._graph = graph
        self._resolve = resolve
        self._read = lru_cache(_KEPT)(_read)

    def resolved(self, question: str) -> ResolvedQuestion:
        """What a question asks.  OptionError, QuerySyntaxError, QueryError: ``resolve`` gave something else."""
        if not isinstance(question, str):
            raise OptionError(f"a question is a text, not {question!r:.80}")
        warnings: list[str] = []
        paths = [path for start, query in self._pairs(question) for path in self._paths(start, query, warnings)]
        return ResolvedQuestion(question, tuple(paths), tuple(dict.fromkeys(warnings)))

    def _pairs(self, question: str) -> Iterator[tuple[Any, Any]]:
        given = self._resolve(question)
        if isinstance(given, str) or not isinstance(given, Iterable):
            raise _no_pair(question, given)
        for pair in given:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise _no_pair(question, pair)
            yield pair[0], pair[1]

    def _paths(self, start: Any, query: Any, warnings: list[str]) -> Iterator[ResolvedPath]:
        starts = None if start is None else self._vertices(start, warnings)
        for prepared, name in self._read(query) if isinstance(query, str) else _named(prepare(query)):
            if starts is None and not prepared.query.starts:
                raise OptionError(f"the path query {name} has no FROM, so it needs a start")
            yield ResolvedPath(prepared, name, starts)

    def _vertices(self, start: Any, warnings: list[str]) -> tuple[int, ...]:
        is_number = isinstance(start, int | np.integer) and not isinstance(start, bool)
        found = vertices_of(self._graph, np.array([start]) if is_number else [start], warnings)
        return tuple(found.tolist())


def _no_pair(question: str, given: Any) -> OptionError:
    return OptionError(
        f"resolve gives pairs of a start and a path query; for the question {question!r:.80} it gave {given!r:.80}"
    )


def _named(queries: Iterable[PreparedPath]) -> tuple[tuple[PreparedPath, str], ...]:
    return tuple((query, query.name) for query in queries)


def _read(text: str) -> tuple[tuple[PreparedPath, str], ...]:
    """The queries in a text, each with its name; an expression alone is a query that is called by its text."""
    if _FILE.match(text):
        return _named(prepare(text))
    (query,) = prepare(parse(f"QUERY path {text}", "<resolve>"))
    return ((query, text.strip()),)
