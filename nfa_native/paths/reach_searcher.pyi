from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex

Flags = NDArray[numpy.uint8]
Numbers = NDArray[numpy.uint32]

class EndPlan:
    """Frozen queries on a graph: of steps their symbols, of parts of an automaton how many states they have, its moves,
    the last state of each query.

    A move is (state, state, number of its step or None: it stays, guard), a query (state, where it may end or None:
    anywhere).  Parts are strongly connected, and each stands behind all that lead to it; the first is state 0, where walks
    begin, and moves that stay lead from part to part.  ValueError: something is not there, or does not come in its order.
    """

    edges: EdgeIndex
    states: int
    def __init__(
        self,
        edges: EdgeIndex,
        steps: Sequence[Sequence[int]],
        parts: Sequence[int],
        moves: Sequence[tuple[int, int, int | None, int]],
        queries: Sequence[tuple[int, Flags | None]],
        conditions: Sequence[Flags] = (),
        not_back: bool = False,
    ) -> None: ...
    def merge_rows(self) -> None:
        """Lay the edges of a repetition's symbols side by side, before the first search."""

class EndSearcher:
    """A search for the end points of a plan's queries from ``starts``, each of which comes once.

    ValueError: there is no such vertex, or the plan is too large for the graph.
    """

    plan: EndPlan
    def __init__(self, plan: EndPlan, starts: Numbers) -> None: ...
    @property
    def done(self) -> bool:
        """Whether all was found."""

    @property
    def looked_at(self) -> int:
        """Edges and vertices that were looked at, and pairs that were found."""

    def advance(self, most_edges: int, most_pairs: int) -> int:
        """Search on until all is found, so many edges were looked at, or as many pairs wait; how many wait."""

    def take(self) -> tuple[Numbers, Numbers, NDArray[numpy.uint64], Numbers]:
        """queries, starts, run_ends, ends: the pairs found since the last call.

        Run i is of one query and one start, and has the ``ends`` from run_ends[i - 1] to run_ends[i].
        """
