from enum import IntEnum

import numpy
from numpy.typing import NDArray

from nfa_native.row_patterns.match_conditions import MatchConditions

class Skip(IntEnum):
    """Where the next match begins."""

    PAST_LAST_ROW = ...
    TO_NEXT_ROW = ...
    TO_FIRST = ...
    TO_LAST = ...

class Stuck(IntEnum):
    """Why a scan cannot go on."""

    NO = ...
    NOT_THERE = ...
    FIRST_ROW = ...
    BEYOND = ...
    DIVISION = ...
    STEPS = ...

class PositionGraph:
    """Positions and what follows each: ``followers[begins[n]:begins[n + 1]]`` are those of node n, ACCEPT is -1.

    Nodes are the positions, then where a match begins with any row, and with the first one of a partition.
    ``at_end``: of which followers ACCEPT is only behind the last row of a partition.
    """

    def __init__(
        self, begins: NDArray[numpy.uint32], followers: NDArray[numpy.int32], at_end: NDArray[numpy.uint8]
    ) -> None: ...

class RowPatternScanner:
    """Finds the matches of partitions, one after the other.

    ``allowed``: by class of rows, which positions they may have, as bits of 64-bit words.  ``rows``: the class of each.
    ``last``: the last row that a match from there may reach (None: any).  ``targets``: by position, 1 where the next
    match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no match are told, too.  ``conditions`` are those
    that read the match, ``most_steps`` how many a search from one row may take (0: any number).
    """

    graph: PositionGraph
    conditions: MatchConditions | None
    def __init__(
        self,
        graph: PositionGraph,
        allowed: NDArray[numpy.uint64],
        rows: NDArray[numpy.uint32],
        skip: Skip,
        targets: NDArray[numpy.uint8],
        tells_unmatched: bool = False,
        last: NDArray[numpy.int64] | None = None,
        conditions: MatchConditions | None = None,
        most_steps: int = 0,
    ) -> None: ...
    def partition(self, begin: int, end: int) -> None:
        """Find the matches of a partition, whose rows are ``begin`` to before ``end``; what a signal's handler raises."""

    @property
    def stuck(self) -> Stuck:
        """Why the scan cannot go on."""

    @property
    def stuck_at(self) -> int:
        """The first row of the match where that is so."""

    def take(
        self,
    ) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.uint16]]:
        """What was found since it was last taken: first rows, numbers of rows, numbers of matches, positions of rows.

        The number of a match is 0 where there is none: that row is in no match.
        """
