"""What a question asks of a graph: path queries, each with where its paths begin."""

from __future__ import annotations

import re
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from inspect import isawaitable, iscoroutine
from typing import Any, TypeGuard

import numpy as np

from spaseq.errors import OptionError
from spaseq.languages.paths import parse
from spaseq.paths.edges import GraphEdges
from spaseq.paths.prepared import PreparedPath, prepare
from spaseq.paths.rag.waiting import called, in_thread
from spaseq.paths.starts import vertices_of

Pairs = Iterable[tuple[Any, Any]]
Waiting = Awaitable[Pairs] | AsyncIterable[tuple[Any, Any]]  # what ``async def`` gives, with return or with yield
Resolve = Callable[[str], Pairs | Waiting]

_FILE = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*(?:QUERY|PREFIX|BASE)(?=[\s<#])", re.IGNORECASE)
_KEPT = 1024  # texts of queries
_IS_ASYNC = (
    "resolve is async: call aretrieve instead of retrieve, with LangChain ainvoke or abatch, with LlamaIndex "
    "aretrieve; neo4j-graphrag has no async retrievers"
)


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
        """What a question asks.

        OptionError, QuerySyntaxError, QueryError: ``resolve`` gave something else, or is async.
        """
        begun = self._begun(question)
        if isinstance(begun, ResolvedQuestion):
            return begun
        if iscoroutine(begun):
            begun.close()  # else Python complains that nobody awaits it
        raise OptionError(_IS_ASYNC)

    async def aresolved(self, question: str) -> ResolvedQuestion:
        """As ``resolved``, also if ``resolve`` is async; if it is not, a thread waits for it."""
        begun = await in_thread(self._begun, question)
        if isinstance(begun, ResolvedQuestion):
            return begun
        return await in_thread(self._read_all, question, await _awaited(begun))

    def _begun(self, question: str) -> ResolvedQuestion | Waiting:
        """What a question asks, or what has to be awaited before that is known."""
        if not isinstance(question, str):
            raise OptionError(f"a question is a text, not {question!r:.80}")
        given = called(self._resolve, question)
        return given if isawaitable(given) or _is_stream(given) else self._read_all(question, given)

    def _read_all(self, question: str, given: Any) -> ResolvedQuestion:
        warnings: list[str] = []
        pairs = _pairs(question, given)
        paths = [path for start, query in pairs for path in self._paths(start, query, warnings)]
        return ResolvedQuestion(question, tuple(paths), tuple(dict.fromkeys(warnings)))

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


async def _awaited(begun: Waiting) -> Any:
    given = await begun if isawaitable(begun) else begun
    return [pair async for pair in given] if _is_stream(given) else given


def _is_stream(given: Any) -> TypeGuard[AsyncIterable[Any]]:
    return isinstance(given, AsyncIterable) and not isinstance(given, Iterable)


def _pairs(question: str, given: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _no_pair(question, given)
    for pair in given:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise _no_pair(question, pair)
        yield pair[0], pair[1]


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
