"""Matches of partitions whose rows come bit by bit: all of a whole table, none too early, none too late."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import PositionGraph, Skip, Stuck
from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.plan.rows.automaton import position_automaton
from tests.row_patterns.scanned import ScanCase
from tests.row_patterns.streamed import Row, ScannedStream, Told, common_beginning, futures, of_whole
from tests.row_patterns.ways import Allowed, random_row_pattern, random_rows

FEW = [frozenset(row) for row in ("", "A", "B", "AB")]


def random_case(seed: int) -> tuple[ScanCase, random.Random]:
    """A pattern, partitions of up to nine rows, and what comes after a match."""
    draw = random.Random(seed)
    pattern, rows = random_row_pattern(draw, 3), [random_rows(draw, 9) for _ in range(3)]
    return ScanCase(pattern, rows, draw.choice(list(Skip)), frozenset(draw.sample("ABC", draw.randint(1, 2)))), draw


@pytest.mark.parametrize("slice_", range(10))
def test_however_rows_come_all_is_found(slice_: int) -> None:
    """In pieces, from partitions in turn, and with conditions that are known only later."""
    for seed in range(slice_ * 150, slice_ * 150 + 150):
        case, draw = random_case(seed)
        for number, rows in enumerate(case.partitions):
            assert _shown(list(_in_pieces(case, rows, draw))) == _shown(of_whole(case, rows)), (seed, number)


def _in_pieces(
    case: ScanCase, rows: Allowed, draw: random.Random, times: NDArray[np.int64] | None = None, length: int = 0
) -> Iterator[Told]:
    """What is told of a partition, up to where the scan cannot go on."""
    stream, at, unknown = ScannedStream(case, length), 0, set[int]()
    partition = stream.scanner.add_partition()
    while at < len(rows):
        some = [_half_known(draw, row) for row in rows[at : at + draw.randint(1, 3)]]
        unknown |= {at + place for place, (possible, certain) in enumerate(some) if possible != certain}
        stream.scanner.add(partition, stream.classes(some), None if times is None else times[at : at + len(some)])
        at += len(some)
        if times is not None and draw.random() < 0.3:
            stream.scanner.promise(partition, int(times[at]) if at < len(rows) else int(times[-1]) + 9)
        known = [row for row in sorted(unknown) if at == len(rows) or draw.random() < 0.5]
        for row in known:
            stream.scanner.change(partition, row, stream.classes([(rows[row], rows[row])]))
        unknown -= set(known)
        yield from stream.told()
        if stream.scanner.stuck[0] is not Stuck.NO:
            return
    stream.scanner.close(partition)
    yield from stream.told()


def _half_known(draw: random.Random, row: Row) -> tuple[Row, Row]:
    """Of which variables it may be, and of which it surely is."""
    if draw.random() < 0.7:
        return row, row
    return row | frozenset(draw.sample("ABC", 1)), row & frozenset(draw.sample("ABC", 1))


def _is_stuck(told: list[Told]) -> bool:
    return bool(told) and isinstance(told[-1][0], Stuck)


def _shown(told: list[Told]) -> list[Told]:
    """Without the place of what cannot go on, which a whole table does not tell here."""
    return [(each[0], 0, 0) if isinstance(each[0], Stuck) else each for each in told]


@pytest.mark.parametrize("slice_", range(10))
def test_a_match_leaves_with_the_row_that_decides_it(slice_: int) -> None:
    """After each row all that leaves is what the results of all futures begin with: four rows end any match here."""
    for seed in range(slice_ * 14, slice_ * 14 + 14):
        draw = random.Random(seed)
        pattern = random_row_pattern(draw, 2, "AB")
        if len(position_automaton(pattern).positions) > 4:
            continue
        case = ScanCase(pattern, (), draw.choice(list(Skip)), frozenset(draw.choice(("A", "B", "AB"))))
        stream, rows, told = ScannedStream(case), [draw.choice(FEW) for _ in range(4)], list[Told]()
        partition = stream.scanner.add_partition()
        for count, row in enumerate(rows, 1):
            if _is_stuck(told):
                break
            stream.scanner.add(partition, stream.classes([(row, row)]))
            told += stream.told()
            common = common_beginning(of_whole(case, [*rows[:count], *future]) for future in futures(FEW, 4))
            assert _shown(told) == common, (seed, pattern, rows[:count])


@pytest.mark.parametrize("slice_", range(10))
def test_within_a_length_too(slice_: int) -> None:
    """The same where the times of a match differ by less than 2: rows that come later than that decide as well."""
    letters = [(row, step) for row in FEW for step in (0, 1, 2)]
    for seed in range(slice_ * 8, slice_ * 8 + 8):
        draw = random.Random(seed)
        pattern = random_row_pattern(draw, 2, "AB")
        if len(position_automaton(pattern).positions) > 3:
            continue
        case = ScanCase(pattern, (), draw.choice(list(Skip)), frozenset(draw.choice(("A", "B", "AB"))))
        stream, rows, told = ScannedStream(case, 2), [draw.choice(letters) for _ in range(4)], list[Told]()
        partition = stream.scanner.add_partition()
        for count, (row, _) in enumerate(rows, 1):
            if _is_stuck(told):
                break
            stream.scanner.add(partition, stream.classes([(row, row)]), _times(rows[:count])[-1:])
            told += stream.told()
            timed = [[*rows[:count], *future] for future in futures(letters, 2 if count > 1 else 3)]
            every = [of_whole(case, [one for one, _ in each], _times(each).tolist(), 2) for each in timed]
            assert set(_shown(told)) >= set(common_beginning(every)) or count < 2, (seed, pattern, rows[:count])
            assert all(each[: len(told)] == _shown(told) for each in every), (seed, pattern, rows[:count])


def _times(rows: Sequence[tuple[Row, int]]) -> NDArray[np.int64]:
    return np.cumsum([step for _, step in rows]).astype(np.int64)


@pytest.mark.parametrize("slice_", range(10))
def test_within_a_length_all_is_found(slice_: int) -> None:
    """In pieces, with promises between them, and with conditions that are known only later."""
    for seed in range(slice_ * 100, slice_ * 100 + 100):
        case, draw = random_case(seed)
        length = draw.randint(1, 4)
        for number, rows in enumerate(case.partitions):
            times = np.cumsum([draw.randint(0, 2) for _ in rows]).astype(np.int64)
            told = list(_in_pieces(case, rows, draw, times, length))
            assert _shown(told) == _shown(of_whole(case, rows, times.tolist(), length)), (seed, number)


def test_what_does_not_fit_is_refused() -> None:
    graph = PositionGraph(np.array([0, 1, 2, 3], np.uint32), np.array([-1, 0, 0], np.int32), np.zeros(3, np.uint8))
    scanner = RowPatternStreamScanner(graph, Skip.PAST_LAST_ROW, np.zeros(1, np.uint8))
    one, none = np.ones(1, np.uint64), np.zeros(0, np.uint64)
    with pytest.raises(ValueError, match="targets"):
        RowPatternStreamScanner(graph, Skip.PAST_LAST_ROW, np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="the sets are not those of the positions"):
        scanner.add_class(one, none)
    with pytest.raises(ValueError, match="no partition 0"):
        scanner.add(0, np.zeros(1, np.uint32))
    partition = scanner.add_partition()
    with pytest.raises(ValueError, match="row 0 has no class"):
        scanner.add(partition, np.zeros(1, np.uint32))
    scanner.add_class(one, one)
    scanner.add(partition, np.zeros(2, np.uint32))
    with pytest.raises(ValueError, match="there are no rows 1 to 3"):
        scanner.change(partition, 1, np.zeros(2, np.uint32))
    scanner.close(partition)
    with pytest.raises(ValueError, match="has ended"):
        scanner.add(partition, np.zeros(1, np.uint32))
    assert [each.tolist() for each in scanner.take()] == [[0, 0], [0, 1], [1, 1], [1, 2], [0, 0]]
