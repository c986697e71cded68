"""Pairs of nodes that were found, as columns of numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.columns import PathColumns, ranges

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
