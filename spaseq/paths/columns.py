"""Paths and pairs of nodes that were found, as columns of numbers; and how many paths queries have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nfa_native.core.arrays import ranges


class PathCounts(Mapping[str, int]):
    """How many paths each query has, by its name.

    ``complete`` is False if a budget ended the search: there are so many at least.  ``warnings`` name what the graph
    does not have.
    """

    def __init__(self, counts: Mapping[str, int], complete: bool, warnings: Sequence[str]) -> None:
        self._counts = dict(counts)
        self.complete = complete
        self.warnings = tuple(warnings)

    def __getitem__(self, name: str) -> int:
        return self._counts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def total(self) -> int:
        """Those of all queries together."""
        return sum(self._counts.values())

    def __repr__(self) -> str:
        return f"<{self._counts}{'' if self.complete else ', not all'}>"


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class PathColumns:
    """``n`` paths of one graph; path i has the steps ``ends[i - 1]`` to ``ends[i]``, and one node more.

    ``queries`` (uint32[n]) says whose they are; ``vertices`` are the nodes of all paths, ``symbols`` the steps: twice
    the number of the predicate, and 1 more if the edge is taken from its object to its subject.
    """

    queries: NDArray[np.uint32]
    ends: NDArray[np.uint64]
    vertices: NDArray[np.uint32]
    symbols: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.ends)

    def counts_by_query(self) -> Mapping[int, int]:
        """How many paths each query has that has some."""
        found, counts = np.unique(self.queries, return_counts=True)
        return dict(zip(found.tolist(), counts.tolist(), strict=True))

    def end_points(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """uint32[n], uint32[n]: the first and the last node of each path."""
        steps = np.concatenate([np.zeros(1, np.int64), self.ends.astype(np.int64)])
        places = np.arange(len(self))
        return self.vertices[steps[:-1] + places], self.vertices[steps[1:] + places]

    def part(self, start: int, stop: int) -> PathColumns:
        """Paths ``start`` … ``stop - 1``."""
        first = int(self.ends[start - 1]) if start else 0
        ends = self.ends[start:stop] - np.uint64(first)
        last = first + (int(ends[-1]) if len(ends) else 0)
        vertices = self.vertices[first + start : last + start + len(ends)]
        return PathColumns(self.queries[start:stop], ends, vertices, self.symbols[first:last])

    def of_each_query(self) -> Iterator[tuple[int, int]]:
        """Where the paths of each query in turn begin and end."""
        if len(self.queries):
            changes = np.flatnonzero(self.queries[1:] != self.queries[:-1]) + 1
            yield from pairwise((0, *changes.tolist(), len(self.queries)))

    def take(self, places: NDArray[np.int64]) -> PathColumns:
        """The paths at these places, in this order."""
        starts = np.concatenate([np.zeros(1, np.int64), self.ends.astype(np.int64)])
        lengths = starts[places + 1] - starts[places]
        steps, nodes = ranges(starts[places], lengths), ranges(starts[places] + places, lengths + 1)
        ends = np.cumsum(lengths).astype(np.uint64)
        return PathColumns(self.queries[places], ends, self.vertices[nodes], self.symbols[steps])

    @staticmethod
    def join(parts: Sequence[PathColumns]) -> PathColumns:
        """Several, one after the other."""
        if len(parts) == 1:
            return parts[0]
        ends, steps = [np.empty(0, np.uint64)], 0
        for part in parts:
            ends.append(part.ends + np.uint64(steps))
            steps += len(part.symbols)
        none = np.empty(0, np.uint32)
        return PathColumns(
            np.concatenate([none, *(part.queries for part in parts)]),
            np.concatenate(ends),
            np.concatenate([none, *(part.vertices for part in parts)]),
            np.concatenate([none, *(part.symbols for part in parts)]),
        )


# ── pairs of nodes ───────────────────────────────────────────────────────────────────────────────────────
Numbers = NDArray[np.uint32]


@dataclass(frozen=True)
class EndColumns:
    """Pairs in runs: run i is of the query ``queries[i]`` with the start ``starts[i]``.

    It has the ``ends`` from ``run_ends[i - 1]`` to ``run_ends[i]``.
    """

    queries: Numbers
    starts: Numbers
    run_ends: NDArray[np.uint64]
    ends: Numbers

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """How many pairs each run has."""
        lengths: NDArray[np.int64] = self.run_ends.astype(np.int64)
        lengths[1:] -= lengths[:-1].copy()
        return lengths

    def counts_by_query(self) -> Mapping[int, int]:
        """How many pairs each query has that has some."""
        counts = np.bincount(self.queries, self.lengths).astype(np.int64)  # below 2^53
        return {query: int(counts[query]) for query in np.flatnonzero(counts).tolist()}

    def of(self, query: int) -> EndColumns:
        """The pairs of one query."""
        chosen = np.flatnonzero(self.queries == query)
        lengths = self.lengths[chosen]
        places = ranges(self.run_ends[chosen].astype(np.int64) - lengths, lengths)
        run_ends = np.cumsum(lengths).astype(np.uint64)
        return EndColumns(self.queries[chosen], self.starts[chosen], run_ends, self.ends[places])

    def part(self, start: int, stop: int) -> EndColumns:
        """Pairs ``start`` … ``stop - 1``."""
        ends = self.ends[start:stop]
        bounds = np.clip(self.run_ends.astype(np.int64) - start, 0, len(ends))
        kept = np.flatnonzero(np.diff(bounds, prepend=0))
        return EndColumns(self.queries[kept], self.starts[kept], bounds[kept].astype(np.uint64), ends)

    @staticmethod
    def of_paths(paths: PathColumns) -> EndColumns:
        """The end points of paths, no two of which have the same."""
        starts, ends = paths.end_points()
        return EndColumns(paths.queries, starts, np.arange(1, len(paths) + 1, dtype=np.uint64), ends)

    @staticmethod
    def join(parts: Sequence[EndColumns]) -> EndColumns:
        """Several, one after the other."""
        if len(parts) == 1:
            return parts[0]
        run_ends, pairs = [np.empty(0, np.uint64)], 0
        for part in parts:
            run_ends.append(part.run_ends + np.uint64(pairs))
            pairs += len(part)
        none = np.empty(0, np.uint32)
        return EndColumns(
            np.concatenate([none, *(part.queries for part in parts)]),
            np.concatenate([none, *(part.starts for part in parts)]),
            np.concatenate(run_ends),
            np.concatenate([none, *(part.ends for part in parts)]),
        )
