"""The evaluator on rows of which it is known which variables they may be of, and the same by definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nfa_native.row_patterns.scanner import RowPatternScanner, Skip, Stuck
from spaseq.pattern.rows.query import RowPattern
from spaseq.plan.rows.automaton import PositionAutomaton, position_automaton
from spaseq.tuples.row_patterns.scanning import allowed_positions, graph_of, row_classes
from tests.row_patterns.ways import Allowed, Labels, preferred, ways


@dataclass(frozen=True, slots=True)
class ScanCase:
    """Partitions, what comes after a match (``to``: the variables of TO_FIRST and TO_LAST), and a bound.

    ``reach``: by row of each partition, the last row that a match from there may reach.
    """

    pattern: RowPattern
    partitions: Sequence[Allowed]
    skip: Skip = Skip.PAST_LAST_ROW
    to: frozenset[str] = frozenset()
    reach: Sequence[Sequence[int]] | None = None


@dataclass(slots=True)
class ScanResults:
    """(first row, match number, variables) of matches, number 0 for rows of none; why the scan could not go on."""

    matches: list[tuple[int, int, Labels]] = field(default_factory=list)
    stuck: Stuck = Stuck.NO


def by_evaluator(case: ScanCase) -> ScanResults:
    """What the evaluator finds."""
    automaton = position_automaton(case.pattern)
    every = [each for partition in case.partitions for each in partition]
    variables = sorted({each.variable for each in automaton.positions})
    rows, held = row_classes([np.array([name in each for each in every]) for name in variables], len(every))
    allowed = allowed_positions([variables.index(each.variable) for each in automaton.positions], held)
    targets = np.array([each.variable in case.to for each in automaton.positions], np.uint8)
    last = None if case.reach is None else _reach(case)
    scanner = RowPatternScanner(graph_of(automaton), allowed, rows, case.skip, targets, True, last)
    found, first = ScanResults(), 0
    for partition in case.partitions:
        scanner.partition(first, first + len(partition))
        first += len(partition)
        found.matches += _told(automaton, scanner)
        found.stuck = scanner.stuck
        if found.stuck is not Stuck.NO:
            break
    return found


def _reach(case: ScanCase) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    first, found = 0, []
    for partition, reach in zip(case.partitions, case.reach or (), strict=True):
        found += [first + each for each in reach]
        first += len(partition)
    return np.array(found, np.int64)


def _told(automaton: PositionAutomaton, scanner: RowPatternScanner) -> list[tuple[int, int, Labels]]:
    firsts, counts, numbers, labels = scanner.take()
    found, at = [], 0
    for first, count, number in zip(firsts.tolist(), counts.tolist(), numbers.tolist(), strict=True):
        its = tuple(automaton.positions[position].variable for position in labels[at : at + count].tolist())
        found.append((first, number, its))
        at += count
    return found


def by_definition(case: ScanCase) -> ScanResults:
    """What there is to find."""
    found, offset = ScanResults(), 0
    for number, partition in enumerate(case.partitions):
        _scan(case, partition, offset, None if case.reach is None else case.reach[number], found)
        offset += len(partition)
        if found.stuck is not Stuck.NO:
            break
    return found


def _scan(case: ScanCase, partition: Allowed, offset: int, reach: Sequence[int] | None, found: ScanResults) -> None:
    row = count = beyond = 0
    while row < len(partition) and found.stuck is Stuck.NO:
        labels = preferred(case.pattern, partition, row) if reach is None else _within(case, partition, row, reach[row])
        if labels is None:
            if row >= beyond:
                found.matches.append((offset + row, 0, ()))
            row += 1
            continue
        count += 1
        found.matches.append((offset + row, count, labels))
        beyond = max(beyond, row + len(labels))
        row = _next(case, row, labels, found)


def _within(case: ScanCase, partition: Allowed, row: int, last: int) -> Labels | None:
    every = ways(case.pattern, partition, row, lambda end, labels: iter([labels]))
    return next((labels for labels in every if not labels or row + len(labels) - 1 <= last), None)


def _next(case: ScanCase, row: int, labels: Labels, found: ScanResults) -> int:
    if not labels or case.skip is Skip.TO_NEXT_ROW:
        return row + 1
    if case.skip is Skip.PAST_LAST_ROW:
        return row + len(labels)
    targets = [at for at, label in enumerate(labels) if label in case.to]
    if not targets:
        found.stuck = Stuck.NOT_THERE
        return row
    at = targets[0 if case.skip is Skip.TO_FIRST else -1]
    found.stuck = Stuck.NO if at else Stuck.FIRST_ROW
    return row + at
