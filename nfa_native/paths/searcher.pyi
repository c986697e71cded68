"""Paths of regular path queries: what Python sees of the search (semantics.md 6)."""

from collections.abc import Iterable, Sequence

import numpy
from numpy.typing import NDArray

MOST_CONDITIONS: int
RESTRICTORS: dict[str, int]
SELECTORS: dict[str, int]

AdjacencyRows = tuple[NDArray[numpy.uint32] | None, NDArray[numpy.uint32], NDArray[numpy.uint32]]
State = tuple[Iterable[int], Iterable[tuple[int, int]], Iterable[int]]

class EdgeIndex:
    """The edges of a graph by label, along and against their direction; frozen but for ``add``."""

    def __init__(self, vertices: int) -> None: ...
    @property
    def vertices(self) -> int: ...
    @property
    def symbols(self) -> int:
        """Two for each label: 2 * label along its edges, 2 * label + 1 against them."""

    def add(self, along: AdjacencyRows, against: AdjacencyRows) -> None:
        """The edges of the next label, each way as (vertices or None, offsets, targets), which are not copied.

        Row i has the targets from offsets[i] to offsets[i + 1], which rise.  It is that of vertices[i], which rise too; None: of
        vertex i.  ValueError: they do not fit each other.
        """

class ExpressionAutomaton:
    """A frozen automaton: for each state its symbols, its transitions (state, guard) and where it accepts (guards).

    Guards are sets of conditions, by their bits.  ValueError: a state, a symbol or a condition is not there.
    """

    symbols: int
    def __init__(self, states: Sequence[State], symbols: int, conditions: int) -> None: ...

class PathSearcher:
    """A search: paths from ``starts`` in a graph, led by an automaton.

    ``conditions`` say of each vertex whether the condition holds, ``ends`` whether a path may end there (None: anywhere).
    ``restrictor`` and ``selector`` are keys of RESTRICTORS and SELECTORS; ``count`` is that of SHORTEST.  A shortest walk may be
    searched for from both ends at once, if ``targets`` are all the ends.
    ValueError: something does not fit the graph or the automaton.
    """

    edges: EdgeIndex
    automaton: ExpressionAutomaton
    def __init__(
        self,
        edges: EdgeIndex,
        automaton: ExpressionAutomaton,
        starts: NDArray[numpy.uint32],
        conditions: Sequence[NDArray[numpy.uint8]] = (),
        ends: NDArray[numpy.uint8] | None = None,
        restrictor: str = "WALK",
        selector: str = "ALL",
        count: int = 1,
        not_back: bool = False,
        targets: NDArray[numpy.uint32] | None = None,
    ) -> None: ...
    @property
    def done(self) -> bool:
        """Whether all was found."""

    @property
    def looked_at(self) -> int:
        """Edges that were looked at, and those of the paths that were found."""

    def advance(self, most_edges: int, most_paths: int) -> int:
        """Search on until all is found, so many edges were looked at, or as many paths wait; how many wait.

        ValueError: the automaton gets too many states, or the search too many walks.
        """

    def take(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], NDArray[numpy.uint32]]:
        """ends, vertices, symbols: the paths found since the last call.

        Path i has the steps ends[i - 1] to ends[i] of ``symbols``, and one vertex more: from ends[i - 1] + i on.
        """
