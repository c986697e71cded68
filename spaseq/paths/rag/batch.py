"""The queries of many questions as one search: each query once, with the starts of all who ask it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.found import Paths
from spaseq.paths.graph import Graph
from spaseq.paths.prepared import PreparedPath
from spaseq.paths.rag.resolving import ResolvedPath, ResolvedQuestion
from spaseq.pattern.paths import PathQuery

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
