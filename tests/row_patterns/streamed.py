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
HalfKnown = tuple[Row, Row]  # what a row may be of, and surely is of
T = TypeVar("T")


class ScannedStream:
    """A case's partitions as their rows come; a row is of some variables surely, and maybe of more.

    All is known of a row when ``ahead`` others came behind it.
    """

    def __init__(self, case: ScanCase, length: int = 0, ahead: int = 0, remembers: bool = True) -> None:
        self._automaton = position_automaton(case.pattern)
        targets = np.array([each.variable in case.to for each in self._automaton.positions], np.uint8)
        self.scanner = RowPatternStreamScanner(
            graph_of(self._automaton), case.skip, targets, True, length, remembers=remembers, ahead=ahead
        )
        self._case, self._length, self._ahead = case, length, ahead
        self._classes: dict[tuple[Row, Row], int] = {}
        self._numbers: dict[int, int] = {}  # by partition: what the scanner calls it
        self._came: dict[int, list[list[HalfKnown]]] = {}
        self._origin = 0

    def add(self, rows: Sequence[tuple[int, list[HalfKnown]]], times: Sequence[int] | None = None) -> None:
        """Rows come, each to a partition: what it may be, and surely is, as more and more come behind it."""
        numbers, classes = [], []
        for partition, row in rows:
            its = self._came.setdefault(partition, [])
            if partition not in self._numbers:
                self._numbers[partition] = self.scanner.new_partition()
            its.append(row)
            some = [its[-1 - back][back] if back < len(its) else row[0] for back in range(self._ahead + 1)]
            classes.append([self._class(*each) for each in some])
            numbers.append(self._numbers[partition])
        self.scanner.add(
            np.array(numbers, np.uint32), np.array(classes, np.uint32).reshape(-1, self._ahead + 1),
            None if times is None else np.array(times, np.int64), self._origin,
        )  # fmt: skip
        self._origin += len(rows)

    def close(self) -> None:
        """No row comes any more: time has passed, then all is known of those that came, then they end."""
        self.scanner.promise(np.iinfo(np.int64).max)
        for partition, its in self._came.items():
            for row in range(max(0, len(its) - self._ahead), len(its)):
                self.scanner.foresee(self._numbers[partition], row, self._class(*its[row][-1]))
        self.scanner.close()

    def forget(self) -> None:
        """Partitions of which all is decided begin anew with their next row."""
        gone = set(self.scanner.done())
        for partition in [each for each, number in self._numbers.items() if number in gone]:
            del self._numbers[partition], self._came[partition]

    def copied(self, rows: Sequence[HalfKnown], times: Sequence[int] | None) -> ScannedStream:
        """Another one that goes on where this one is; of all rows what they are is known."""
        other = ScannedStream(self._case, self._length, self._ahead)
        heads, origins = self.scanner.kept()
        other._origin, other._came, end = self._origin, {key: list(its) for key, its in self._came.items()}, 0
        if times is not None:
            other.scanner.promise(times[self._origin - 1])
        names = {number: partition for partition, number in self._numbers.items()}
        for head in heads:
            its = origins[end : (end := end + int(head[5]))]
            classes = np.array([other._class(*rows[row]) for row in its.tolist()], np.uint32)
            at = None if times is None else np.array([times[row] for row in its.tolist()], np.int64)
            other._numbers[names[int(head[0])]] = other.scanner.go_on(head, classes, its, at)
        return other

    def _class(self, possible: Row, certain: Row) -> int:
        if (possible, certain) not in self._classes:
            bits = (_bits(self._automaton, each) for each in (possible, certain))
            self._classes[possible, certain] = self.scanner.add_class(*bits)
        return self._classes[possible, certain]

    def told(self) -> Iterator[Told]:
        """What is decided and was not told, with the first rows as they are among all."""
        firsts, counts, numbers, labels, partitions, leads, tails, origins = self.scanner.take()
        assert not leads.any()
        assert not tails.any()
        names = {number: partition for partition, number in self._numbers.items()}
        at = place = 0
        for each in zip(partitions.tolist(), firsts.tolist(), counts.tolist(), numbers.tolist(), strict=True):
            partition, _, count, number = each
            its = tuple(self._automaton.positions[position].variable for position in labels[at : at + count].tolist())
            yield names[partition], int(origins[place]), number, its
            at, place = at + count, place + max(count, 1)
        why, where, first = self.scanner.stuck
        if why is not Stuck.NO:
            yield why, names[where], first


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
