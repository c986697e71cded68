"""What questions ask of a graph: path queries, each with where its paths begin; searched together, or best first.

The queries of many questions are one search: each query once, with the starts of all who ask it.  Functions that are
not ours are called without holding up an event loop.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from inspect import isawaitable, iscoroutine
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from spaseq.errors import OptionError
from spaseq.languages.paths import parse
from spaseq.paths.best import BestPaths, BestSearch
from spaseq.paths.budget import Budget
from spaseq.paths.components import AutomatonComponent, GivenStarts
from spaseq.paths.edges import GraphEdges
from spaseq.paths.graph import Graph
from spaseq.paths.queries import PreparedPath, prepare
from spaseq.paths.rag.scoring import StepScorer
from spaseq.paths.results import Paths
from spaseq.paths.search import vertices_of
from spaseq.pattern.paths import EdgeStep, PathQuery, SelectorKind
from spaseq.plan.paths.automaton import PathAutomaton, chain_of

Given = TypeVar("Given")
Found = TypeVar("Found")


def called(function: Callable[..., Found], *given: Any) -> Found:
    """What a function gives.  RuntimeError: it raised StopIteration, which no future can hold."""
    try:
        return function(*given)
    except StopIteration as error:
        raise RuntimeError("StopIteration was raised by a function that is no iterator") from error


async def in_thread(function: Callable[..., Found], *given: Any) -> Found:
    """As ``called``, by a thread."""
    from asyncio import to_thread

    return await to_thread(called, function, *given)


async def gathered(
    function: Callable[[Given], Awaitable[Found]], given: Sequence[Given], at_once: int | None
) -> list[Found]:
    """What an async function gives for each, in the same order; for so many at once, None: for all."""
    from asyncio import Semaphore, gather

    gate = Semaphore(len(given) if at_once is None else at_once)

    async def one(each: Given) -> Found:
        async with gate:
            return await function(each)

    return await gather(*map(one, given))


# ── what a question asks ─────────────────────────────────────────────────────────────────────────────────
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


# ── many questions as one search ─────────────────────────────────────────────────────────────────────────
Key = tuple[PathQuery, bool]  # a query without its name, and whether its starts are those of FROM


class QuestionBatch:
    """Queries, in the search called ``q0``, ``q1`` and so on, by number."""

    def __init__(self, asked: Iterable[ResolvedQuestion]) -> None:
        self._numbers: dict[Key, int] = {}
        self._queries: list[PreparedPath] = []
        self._starts: dict[int, dict[int, None]] = {}
        for one in asked:
            for path in one.paths:
                self._add(path)

    def _add(self, path: ResolvedPath) -> None:
        number = self._numbers.setdefault(key_of(path), len(self._queries))
        if number == len(self._queries):
            query = replace(path.query.query, name=f"q{number}")
            self._queries.append(PreparedPath(query, path.query.automaton))
        if path.starts is not None:
            self._starts.setdefault(number, {}).update(dict.fromkeys(path.starts))

    def match(self, graph: Graph, time_limit: float | None, most_edges: int | None) -> FoundPaths:
        """All paths of all questions, in one call."""
        starts = {
            self._queries[number].name: np.fromiter(some, np.uint32, len(some)) for number, some in self._starts.items()
        }
        found = graph.match(self._queries, starts, time_limit=time_limit, most_edges=most_edges)
        return FoundPaths(self._numbers, found, graph.vertex_count)


class FoundPaths:
    """What a batch found in a graph of so many vertices, and which question gets what."""

    def __init__(self, numbers: dict[Key, int], found: Paths, vertex_count: int) -> None:
        self.complete = found.complete
        self._numbers = numbers
        self._found = found
        self._vertex_count = vertex_count
        keys = found.columns.queries.astype(np.int64) * self._vertex_count + found.end_points()[0]
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._warnings = defaultdict(list)
        for warning in found.warnings:
            name, _, message = warning.partition(": ")
            self._warnings[name].append(message)

    def of(self, asked: ResolvedQuestion) -> Paths:
        """The paths of one question, in the order of its queries, and what it must be warned of."""
        places = [self._places(path) for path in asked.paths]
        columns = self._found.columns.take(np.concatenate([np.empty(0, np.int64), *places]))
        numbers = np.repeat(np.arange(len(places), dtype=np.uint32), [len(some) for some in places])
        names = [path.name for path in asked.paths]
        warnings = dict.fromkeys([*asked.warnings, *self._warned(asked)])
        return Paths(self._found.graph, names, replace(columns, queries=numbers), self.complete, [*warnings])

    def _places(self, path: ResolvedPath) -> NDArray[np.int64]:
        """Where the paths of a query are, from its starts alone, in the order in which they were found."""
        first = self._numbers[key_of(path)] * self._vertex_count
        if path.starts is None:
            return self._between(first, first + self._vertex_count)
        parts = [self._between(first + start, first + start + 1) for start in path.starts]
        return np.concatenate([np.empty(0, np.int64), *parts])

    def _between(self, first: int, end: int) -> NDArray[np.int64]:
        start, stop = np.searchsorted(self._keys, [first, end])
        return self._order[start:stop]

    def _warned(self, asked: ResolvedQuestion) -> Iterator[str]:
        for path in asked.paths:
            for message in self._warnings.get(f"q{self._numbers[key_of(path)]}", ()):
                yield f"{path.name}: {message}"


def key_of(path: ResolvedPath) -> Key:
    """What is the same for all who ask the same."""
    return replace(path.query.query, name=""), path.starts is None


# ── each question by a search of its own ─────────────────────────────────────────────────────────────────
FEW_STEPS = 2  # of paths of which there are few


def goes_best_first(scorer: StepScorer, asked: Iterable[ResolvedQuestion], budget: Budget) -> bool:
    """Whether questions are answered best first, for this is possible and of use.

    It is possible if their queries are for ALL paths, and the scorer does not give scores otherwise than by the weights
    of steps.  It is of use within a budget, and where there may be many paths: of more than two steps, some of them
    along one of several relations.  Else to find all of them is fast.
    """
    queries = {key_of(path): path.query for one in asked for path in one.paths}.values()
    is_possible = type(scorer).scores is StepScorer.scores and all(
        one.query.selector.kind is SelectorKind.ALL for one in queries
    )
    return is_possible and (budget != Budget() or any(map(_has_many_paths, queries)))


def _has_many_paths(query: PreparedPath) -> bool:
    steps = chain_of(query.automaton)
    is_narrow = steps is not None and all(isinstance(step, EdgeStep) for step in steps)
    return not is_narrow and _is_longer(query.automaton, FEW_STEPS)


def _is_longer(automaton: PathAutomaton, steps: int) -> bool:
    """Whether paths may have more than so many steps."""
    reached = {0}
    for _ in range(steps + 1):
        reached = {to for state in reached for to, _ in automaton.states[state].transitions}
    return bool(reached)


class QuestionSearches:
    """Searches for the ``top`` best paths of questions in a graph, by the weights of a scorer."""

    def __init__(self, graph: Graph, scorer: StepScorer, top: int) -> None:
        self._graph = graph
        self._scorer = scorer
        self._top = top
        self._components: dict[Key, AutomatonComponent] = {}

    def found(self, asked: Sequence[ResolvedQuestion], budget: Budget) -> Iterator[BestPaths]:
        """Those of each question, in turn; each has an equal share of what those before it leave of the budget."""
        edges, deadline = budget.edges, None if budget.seconds is None else time.monotonic() + budget.seconds
        for place, one in enumerate(asked):
            left = len(asked) - place
            seconds = None if deadline is None else max(deadline - time.monotonic(), 0) / left
            search, paths = self._of_one(one, Budget(None, seconds, None if edges is None else edges // left))
            edges = None if edges is None else edges - search.edges
            yield paths

    def _of_one(self, asked: ResolvedQuestion, budget: Budget) -> tuple[BestSearch, BestPaths]:
        search, warnings = BestSearch(self._graph, self._top), list(asked.warnings)
        weights = self._scorer.weights_on(self._graph, asked.question)
        for number, path in enumerate(asked.paths):
            component, unknown = self._component(path), list[str]()
            starts = component.starts_in(_given(component, path), unknown)
            warnings += (f"{path.name}{warning.removeprefix(component.query.name)}" for warning in unknown)
            search.add(number, component, starts if path.starts is not None else np.sort(starts), weights)
        search.go_on(budget)
        return search, search.found([path.name for path in asked.paths], list(dict.fromkeys(warnings)))

    def _component(self, path: ResolvedPath) -> AutomatonComponent:
        """The query of a path on the graph, once for all who ask it."""
        return self._components.setdefault(key_of(path), AutomatonComponent(self._graph, path.query, 0))


def _given(component: AutomatonComponent, path: ResolvedPath) -> GivenStarts:
    return {} if path.starts is None else {component.query.name: np.array(path.starts, np.uint32)}
