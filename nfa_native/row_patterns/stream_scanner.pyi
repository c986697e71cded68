import numpy
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import PositionGraph, Skip, Stuck

class RowPatternStreamScanner:
    """Finds the matches of partitions, each as soon as it is certain; rows are numbered within their partitions.

    ``targets``: by position, 1 where the next match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no
    match are told, too.  A class of rows is a pair of sets of positions, as bits of 64-bit words: those that such rows may
    have, as far as is known, and those that they surely may.  ``length``: the times of a match's rows differ by less (0: by
    any length); then rows come with their times, which rise.
    """

    graph: PositionGraph
    def __init__(
        self, graph: PositionGraph, skip: Skip, targets: NDArray[numpy.uint8], tells_unmatched: bool = False,
        length: int = 0,
    ) -> None: ...  # fmt: skip
    def add_class(self, possible: NDArray[numpy.uint64], certain: NDArray[numpy.uint64]) -> int:
        """The number of a new class."""
    def add_partition(self) -> int:
        """The number of a new partition."""
    def add(
        self, partition: int, classes: NDArray[numpy.uint32], times: NDArray[numpy.int64] | None = None
    ) -> None:
        """Rows of these classes come to a partition, at these times where matches have a bound."""
    def promise(self, partition: int, time: int) -> None:
        """No row before a time will come to a partition."""
    def change(self, partition: int, row: int, classes: NDArray[numpy.uint32]) -> None:
        """More is known of a partition's rows from ``row`` on: they have these classes now."""
    def close(self, partition: int) -> None:
        """No further row comes to a partition."""
    def start(self, partition: int) -> int:
        """The first row of a partition of which it is not decided whether a match begins there."""
    @property
    def stuck(self) -> tuple[Stuck, int, int]:
        """Why the scan cannot go on, in which partition, and the first row of the match where that is so."""
    def take(
        self,
    ) -> tuple[
        NDArray[numpy.uint32],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.uint16],
    ]:
        """What was found since it was last taken: partitions, first rows, numbers of rows, numbers of matches, positions.

        The number of a match is 0 where there is none: that row is in no match.
        """
