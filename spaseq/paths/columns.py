"""Paths that were found, as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


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

    def part(self, start: int, stop: int) -> PathColumns:
        """Paths ``start`` … ``stop - 1``."""
        first = int(self.ends[start - 1]) if start else 0
        ends = self.ends[start:stop] - np.uint64(first)
        last = first + (int(ends[-1]) if len(ends) else 0)
        vertices = self.vertices[first + start : last + start + len(ends)]
        return PathColumns(self.queries[start:stop], ends, vertices, self.symbols[first:last])

    @staticmethod
    def join(parts: Sequence[PathColumns]) -> PathColumns:
        """Several, one after the other."""
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
