"""The evaluator on rows that come bit by bit, and what all futures have in common, by definition."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import product, takewhile
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import Stuck
from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.plan.rows.automaton import PositionAutomaton, position_automaton
from spaseq.tuples.row_patterns.scanning import graph_of
from tests.row_patterns.scanned import ScanCase, by_evaluator
from tests.row_patterns.ways import Allowed, Labels

Told = tuple[int, int, int, Labels] | tuple[Stuck, int, int]  # partition, first row, match number, variables; or an end
Row = frozenset[str]
T = TypeVar("T")


class ScannedStream:
    """A case's partitions as they come; a row is of some variables surely, and maybe of more."""

    def __init__(self, case: ScanCase, length: int = 0) -> None:
        self._automaton = position_automaton(case.pattern)
        targets = np.array([each.variable in case.to for each in self._automaton.positions], np.uint8)
        self.scanner = RowPatternStreamScanner(graph_of(self._automaton), case.skip, targets, True, length)
        self._classes: dict[tuple[Row, Row], int] = {}

    def classes(self, rows: Sequence[tuple[Row, Row]]) -> NDArray[np.uint32]:
        """The classes of rows: of which variables each may be, and surely is."""
        for row in rows:
            if row not in self._classes:
                possible, certain = (_bits(self._automaton, each) for each in row)
                self._classes[row] = self.scanner.add_class(possible, certain)
        return np.array([self._classes[row] for row in rows], np.uint32)

    def told(self) -> Iterator[Told]:
        """What is decided and was not told."""
        partitions, firsts, counts, numbers, labels = self.scanner.take()
        at = 0
        for each in zip(partitions.tolist(), firsts.tolist(), counts.tolist(), numbers.tolist(), strict=True):
            partition, first, count, number = each
            its = tuple(self._automaton.positions[position].variable for position in labels[at : at + count].tolist())
            yield partition, first, number, its
            at += count
        if self.scanner.stuck[0] is not Stuck.NO:
            yield self.scanner.stuck


def _bits(automaton: PositionAutomaton, row: Row) -> NDArray[np.uint64]:
    bits = np.zeros(max(1, -(-len(automaton.positions) // 64)) * 64, np.uint8)
    for number, position in enumerate(automaton.positions):
        bits[number] = position.variable in row
    return np.packbits(bits, bitorder="little").view(np.uint64)


def of_whole(case: ScanCase, rows: Allowed, times: Sequence[int] = (), length: int = 0) -> list[Told]:
    """What there is to find in a single partition; ``times`` of rows where matches have a ``length``."""
    reach = [[bisect_left(times, time + length) - 1 for time in times]] if length else None
    found = by_evaluator(ScanCase(case.pattern, [rows], case.skip, case.to, reach))
    told: list[Told] = [(0, first, number, labels) for first, number, labels in found.matches]
    return told if found.stuck is Stuck.NO else [*told, (found.stuck, 0, 0)]


def common_beginning(results: Iterable[list[Told]]) -> list[Told]:
    """What all futures of a partition begin with, by their results."""
    common, *others = results
    for told in others:
        common = [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(common, told, strict=False))]
    return common


def futures(letters: Sequence[T], longest: int) -> Iterator[tuple[T, ...]]:
    """All that may come: up to so many letters."""
    return (future for length in range(longest + 1) for future in product(letters, repeat=length))
