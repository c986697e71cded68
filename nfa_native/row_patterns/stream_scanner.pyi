from collections.abc import Sequence
from typing import TypeAlias

import numpy
from numpy.typing import NDArray

from nfa_native.row_patterns.match_conditions import MatchConditions
from nfa_native.row_patterns.scanner import PositionGraph, Skip, Stuck

RowValuesGiven: TypeAlias = tuple[NDArray[numpy.int64], NDArray[numpy.uint8]] | None

class RowPatternStreamScanner:
    """Finds the matches of partitions, each as soon as it is certain; rows are numbered within their partitions.

    ``targets``: by position, 1 where the next match begins (of TO_FIRST and TO_LAST).  ``tells_unmatched``: rows of no
    match are told, too.  ``length``: the times of a match's rows differ by less (0: by any length); then rows come with
    their times, which rise.  ``remembers``: a partition stays when nothing of it is undecided.

    A class of rows is a pair of sets of positions, as bits of 64-bit words: those that such rows may have, as far as is
    known, and those that they surely may.  A row's class is certain when ``ahead`` rows came behind it.  ``context`` rows
    of each partition stay; ``before`` a match and ``behind`` it so many rows are told with it.

    ``tests`` are of single rows, a program each, which read rows by their distance; ``asked``: by how many rows came behind
    one, which tests (at most 64) are asked of it, and by position which of these tells whether a row may have it, and
    whether it surely may (-1: any may).

    ``conditions`` are those that read the match, ``most_steps`` how many a search from one row may take (0: any number);
    then rows come with values, of each of their columns, which are known when ``lag`` rows came behind, at most ``ahead``.
    """

    graph: PositionGraph
    def __init__(
        self, graph: PositionGraph, skip: Skip, targets: NDArray[numpy.uint8], tells_unmatched: bool = False,
        length: int = 0, *, remembers: bool = False, ahead: int = 0, context: int = 0, before: int = 0,
        behind: int = 0, conditions: MatchConditions | None = None, lag: int = 0, most_steps: int = 0,
        tests: MatchConditions | None = None, asked: Sequence[tuple[Sequence[int], Sequence[int], Sequence[int]]] = (),
    ) -> None: ...  # fmt: skip
    def add_class(self, possible: NDArray[numpy.uint64], certain: NDArray[numpy.uint64]) -> int:
        """The number of a new class."""
    def new_partition(self) -> int:
        """The number of a partition for a new key."""
    def done(self) -> list[int]:
        """The partitions of which nothing is undecided any more: their numbers are given to others from now on."""
    def add(
        self,
        partitions: NDArray[numpy.uint32],
        classes: NDArray[numpy.uint32],
        times: NDArray[numpy.int64] | None,
        origin: int,
        values: RowValuesGiven = None,
    ) -> None:
        """Rows come, each to its partition, at these times where matches have a bound; the first is that one of all.

        ``classes`` (rows × (1 + ahead)): of each row its class so far, then those that the rows before it in its partition
        have by now, the next one first.  ``values`` (two arrays, rows × columns, values and whether they are known): of the
        row ``lag`` before, if it is there.
        """
    def add_tested(
        self, partitions: NDArray[numpy.uint32], values: RowValuesGiven, times: NDArray[numpy.int64] | None, origin: int
    ) -> int:
        """As ``add`` of rows whose classes are found by tests of their ``values``; how many: the next one has none."""
    @property
    def held(self) -> int:
        """The set of tests of those asked last that held of some row."""
    @property
    def found(self) -> int:
        """How much was found since it was last taken."""
    def promise(self, time: int) -> None:
        """No row before a time will come."""
    @property
    def promised(self) -> int:
        """No row before that time will come; the least of 64 bits: that is not known."""
    @property
    def due(self) -> int:
        """The least promise that decides something, or the greatest of 64 bits."""
    def foresee(self, partition: int, row: int, of_class: int, values: RowValuesGiven = None) -> None:
        """Before the end, of each row behind which not enough came, in turn: as no more come, its class and values."""
    def close(self) -> None:
        """No further row comes."""
    @property
    def rows(self) -> int:
        """How many rows are kept, about: they go when they are as many as those that stay."""
    def last_rows(self, partitions: NDArray[numpy.uint32]) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """Of some partitions the last rows, as many as stay there as context: how many, and which of all these are."""
    def kept(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]]:
        """What is of use of each partition: its number, first row, next start, matches, the row that none reached, and how
        many rows are kept (partitions × 6); then which of all these are, by partition."""
    def go_on(
        self,
        head: NDArray[numpy.int64],
        classes: NDArray[numpy.uint32],
        origins: NDArray[numpy.int64],
        times: NDArray[numpy.int64] | None,
        values: RowValuesGiven = None,
    ) -> int:
        """A new partition is as one was when ``kept`` told of it; what is decided then was told before."""
    @property
    def stuck(self) -> tuple[Stuck, int, int]:
        """Why the scan cannot go on, in which partition, and which of all rows is the first of the match where that is so."""
    def take(
        self,
    ) -> tuple[
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.int64],
        NDArray[numpy.uint16],
        NDArray[numpy.uint32],
        NDArray[numpy.uint32],
        NDArray[numpy.uint32],
        NDArray[numpy.int64],
    ]:
        """What was found since it was last taken, in the order in which it was decided.

        First rows, numbers of rows, numbers of matches, positions, partitions; then how many rows before each match are
        told and how many behind it, and which of all rows are told: those before, its own, those behind.  The number of a
        match is 0 where there is none: that row is in no match.
        """
