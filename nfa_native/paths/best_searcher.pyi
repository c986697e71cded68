"""The best paths of queries, best first: what Python sees of the search."""

from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex, ExpressionAutomaton

class BestFirstSearcher:
    """A search for the ``top`` best paths of some queries together, which are added one after the other.

    At most so many beginnings of paths, and ways on from them, are kept (``most_kept``); if there are more, ``full`` is True and the
    search over.  ValueError: there are no such numbers.
    """

    edges: EdgeIndex
    def __init__(self, edges: EdgeIndex, top: int, most_kept: int = ...) -> None: ...
    def add(
        self,
        number: int,
        automaton: ExpressionAutomaton,
        starts: NDArray[numpy.uint32],
        labels: NDArray[numpy.float64],
        vertices: NDArray[numpy.float64],
        conditions: Sequence[NDArray[numpy.uint8]] = (),
        ends: NDArray[numpy.uint8] | None = None,
        restrictor: str = "WALK",
        not_back: bool = False,
    ) -> None:
        """The query of this number, from starts for which steps have these weights; see `PathSearcher`.

        Numbers do not fall.  A step weighs what its label does (``labels``) and what the vertex does to which it leads (``vertices``):
        multiples of one unit, none above 2 ** 32 of them, so that sums are exact.  Each start comes once with a query.
        ValueError: something does not fit the graph or the automaton.
        """

    @property
    def done(self) -> bool:
        """Whether the best paths are known, or the search is full."""

    @property
    def full(self) -> bool:
        """Whether there was too much to keep, so that the paths are not surely the best."""

    @property
    def looked_at(self) -> int:
        """Edges that were looked at."""

    def advance(self, most_edges: int) -> None:
        """Search on until the best paths are known, so many edges were looked at, or a moment has passed.

        ValueError: the automaton gets too many states.
        """

    def best(
        self,
    ) -> tuple[
        NDArray[numpy.uint32], NDArray[numpy.float64], NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint32]
    ]:
        """queries, scores, ends, vertices, symbols: the best paths so far, in order.

        Path i has the steps ends[i - 1] to ends[i] of ``symbols``, and one vertex more: from ends[i - 1] + i on.
        """
