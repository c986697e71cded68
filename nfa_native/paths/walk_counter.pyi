from collections.abc import Sequence

import numpy
from numpy.typing import NDArray

from nfa_native.paths.searcher import EdgeIndex, ExpressionAutomaton

class WalkCounter:
    """Counts the walks from ``starts`` that a bounded automaton matches; arguments as of `PathSearcher`."""

    edges: EdgeIndex
    automaton: ExpressionAutomaton
    def __init__(
        self,
        edges: EdgeIndex,
        automaton: ExpressionAutomaton,
        starts: NDArray[numpy.uint32],
        conditions: Sequence[NDArray[numpy.uint8]] = (),
        ends: NDArray[numpy.uint8] | None = None,
        not_back: bool = False,
    ) -> None: ...
    @property
    def done(self) -> bool:
        """Whether all was counted."""

    @property
    def looked_at(self) -> int:
        """Edges and vertices that were looked at."""

    @property
    def total(self) -> int:
        """How many walks were counted so far."""

    def advance(self, most_edges: int) -> None:
        """Count on, until all is counted or so many edges were looked at.

        ValueError: there are more than 2^128 walks, or the automaton gets too many states.
        """
