"""Queries whose walks have a fixed number of steps: all of them are searched for together, by loops over neighbours."""

from collections.abc import Iterable, Sequence

import numpy
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex

Starts = NDArray[numpy.uint32]
FixedQuery = tuple[Sequence[Sequence[int]], Starts, NDArray[numpy.uint8] | None, bool]

class FixedLengthPlan:
    """Frozen queries on a graph: of each the symbols of every step, its starts, where it may end, whether NOT BACK.

    ``ends`` say of each vertex whether a walk may end there (None: anywhere).  ValueError: a symbol or a vertex is not
    there, or a query has no step.
    """

    edges: EdgeIndex
    queries: int
    def __init__(self, edges: EdgeIndex, queries: Iterable[FixedQuery]) -> None: ...
    def few_walks(
        self, starts: Sequence[Starts] | None = None
    ) -> tuple[Starts, NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint32], int] | None:
        """What a searcher finds, and the edges that it looks at, at once; None: it is too much for that.

        ``starts`` and columns are those of ``FixedLengthSearcher``.
        """

class FixedLengthSearcher:
    """A search for the walks of a plan; ``starts`` are some for each query (None: those of the plan)."""

    plan: FixedLengthPlan
    def __init__(self, plan: FixedLengthPlan, starts: Sequence[Starts] | None = None) -> None: ...
    @property
    def done(self) -> bool:
        """Whether all was found."""

    @property
    def looked_at(self) -> int:
        """Edges that were looked at, and those of the walks that were found."""

    def advance(self, most_edges: int, most_paths: int) -> int:
        """Search on until all is found, so many edges were looked at, or as many walks wait; how many wait."""

    def take(self) -> tuple[Starts, NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint32]]:
        """queries, ends, vertices, symbols: the walks found since the last call, and whose they are.

        Walk i has the steps ends[i - 1] to ends[i] of ``symbols``, and one vertex more: from ends[i - 1] + i on.
        """
