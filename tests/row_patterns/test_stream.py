"""Matches of partitions whose rows come bit by bit: all of a whole table, none too early, none too late."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import PositionGraph, Skip, Stuck
from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.plan.rows.automaton import position_automaton
from tests.row_patterns.scanned import ScanCase
from tests.row_patterns.streamed import HalfKnown, Row, ScannedStream, Told, common_beginning, futures, of_whole
from tests.row_patterns.ways import random_row_pattern, random_rows

FEW = [frozenset(row) for row in ("", "A", "B", "AB")]


def random_case(seed: int) -> tuple[ScanCase, random.Random]:
    """A pattern, partitions of up to nine rows, and what comes after a match."""
    draw = random.Random(seed)
    pattern, rows = random_row_pattern(draw, 3), [random_rows(draw, 9) for _ in range(3)]
    return ScanCase(pattern, rows, draw.choice(list(Skip)), frozenset(draw.sample("ABC", draw.randint(1, 2)))), draw


@dataclass(frozen=True)
class Stream:
    """Rows of all partitions of a case in one order, with their times, and as they are known bit by bit."""

    case: ScanCase
    order: list[int]  # by row: its partition
    rows: list[list[HalfKnown]]
    times: list[int]
    length: int
    ahead: int

    def of(self, partition: int) -> list[int]:
        """Which of all rows are those of a partition."""
        return [row for row, its in enumerate(self.order) if its == partition]

    def by_definition(self, partition: int) -> list[Told]:
        """What there is to find in a partition, with the first rows as they are among all."""
        its = self.of(partition)
        found = of_whole(self.case, self.case.partitions[partition], [self.times[row] for row in its], self.length)
        return [
            (each[0], partition, 0) if isinstance(each[0], Stuck) else (partition, its[each[1]], *each[2:])
            for each in found
        ]

    def in_pieces(self, draw: random.Random, forgets: bool = False) -> Iterator[Told]:
        """What the evaluator tells, up to where it cannot go on."""
        stream, at = ScannedStream(self.case, self.length, self.ahead, not forgets), 0
        while at < len(self.rows):
            end = min(at + draw.randint(1, 4), len(self.rows))
            times = self.times[at:end] if self.length else None
            stream.add(list(zip(self.order[at:end], self.rows[at:end], strict=True)), times)
            at = end
            if self.length and draw.random() < 0.3:
                stream.scanner.promise(self.times[at] if at < len(self.rows) else self.times[-1] + 9)
            yield from stream.told()
            if stream.scanner.stuck[0] is not Stuck.NO:
                return
            if forgets and draw.random() < 0.5:
                stream.forget()
        stream.close()
        yield from stream.told()


def random_stream(seed: int, length: int = 0) -> tuple[Stream, random.Random]:
    """A case whose rows come from partitions in turn."""
    case, draw = random_case(seed)
    ahead = draw.choice((0, 0, 1, 2))
    order = [number for number, rows in enumerate(case.partitions) for _ in rows]
    draw.shuffle(order)
    left = [iter(rows) for rows in case.partitions]
    rows = [list(_known_bit_by_bit(draw, next(left[its]), ahead)) for its in order]
    times = np.cumsum([draw.randint(0, 2) for _ in rows], dtype=np.int64).tolist()
    return Stream(case, order, rows, times, length, ahead), draw


def _known_bit_by_bit(draw: random.Random, row: Row, ahead: int) -> Iterator[HalfKnown]:
    """What it may be, and surely is: less and more, as rows come behind it."""
    possible = row | frozenset(draw.sample("ABC", draw.randint(0, 2)))
    certain = row & frozenset(draw.sample("ABC", draw.randint(0, 2)))
    for _ in range(ahead):
        yield possible, certain
        possible = row | possible & frozenset(draw.sample("ABC", 2))
        certain |= row & frozenset(draw.sample("ABC", 1))
    yield row, row


@pytest.mark.parametrize("slice_", range(10))
@pytest.mark.parametrize("length", [0, 1, 2, 4])
def test_however_rows_come_all_is_found(length: int, slice_: int) -> None:
    """In pieces, from partitions in turn, with promises between them, and conditions that are known only later."""
    for seed in range(slice_ * 80, slice_ * 80 + 80):
        stream, draw = random_stream(seed, length)
        told = list(stream.in_pieces(draw))
        assert told == list(stream.in_pieces(draw)), seed
        is_stuck = _is_stuck(told)
        for number in range(len(stream.case.partitions)):
            its = [_shown(each) for each in told if _partition(each) == number]
            whole = stream.by_definition(number)
            assert its == (whole[: len(its)] if is_stuck else whole), (seed, number)


@pytest.mark.parametrize("length", [0, 2])
def test_keys_are_forgotten_when_nothing_of_them_is_undecided(length: int) -> None:
    """Where no pattern asks for the first row of a partition all is as before, but for the numbers of matches."""
    for seed in range(400):
        stream, draw = random_stream(seed, length)
        if stream.ahead or any(each.at_start for each in position_automaton(stream.case.pattern).first):
            continue
        told, with_all = (list(stream.in_pieces(draw, forgets)) for forgets in (True, False))
        assert [each[:2] + each[3:] for each in told] == [each[:2] + each[3:] for each in with_all], seed


def _partition(told: Told) -> int:
    return told[1] if isinstance(told[0], Stuck) else told[0]


def _is_stuck(told: list[Told]) -> bool:
    return bool(told) and isinstance(told[-1][0], Stuck)


def _shown(told: Told) -> Told:
    """Without the place of what cannot go on, which a whole table does not tell here."""
    return (told[0], told[1], 0) if isinstance(told[0], Stuck) else told


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
        for count, row in enumerate(rows, 1):
            if _is_stuck(told):
                break
            stream.add([(0, [(row, row)])])
            told += stream.told()
            common = common_beginning(of_whole(case, [*rows[:count], *future]) for future in futures(FEW, 4))
            assert [_shown(each) for each in told] == common, (seed, pattern, rows[:count])


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
        for count, (row, _) in enumerate(rows, 1):
            if _is_stuck(told):
                break
            stream.add([(0, [(row, row)])], _times(rows[:count])[-1:].tolist())
            told += stream.told()
            timed = [[*rows[:count], *future] for future in futures(letters, 2 if count > 1 else 3)]
            every = [of_whole(case, [one for one, _ in each], _times(each).tolist(), 2) for each in timed]
            assert {_shown(each) for each in told} >= set(common_beginning(every)) or count < 2, (
                seed,
                pattern,
                rows[:count],
            )
            assert all(each[: len(told)] == [_shown(one) for one in told] for each in every), (
                seed,
                pattern,
                rows[:count],
            )


def _times(rows: Sequence[tuple[Row, int]]) -> NDArray[np.int64]:
    return np.cumsum([step for _, step in rows]).astype(np.int64)


def test_what_does_not_fit_is_refused() -> None:
    graph = PositionGraph(np.array([0, 1, 2, 3], np.uint32), np.array([-1, 0, 0], np.int32), np.zeros(3, np.uint8))
    scanner = RowPatternStreamScanner(graph, Skip.PAST_LAST_ROW, np.zeros(1, np.uint8))
    one, none = np.ones(1, np.uint64), np.zeros(0, np.uint64)
    first, row, two = np.zeros(1, np.uint32), np.zeros((1, 1), np.uint32), np.zeros((2, 1), np.uint32)
    with pytest.raises(ValueError, match="targets"):
        RowPatternStreamScanner(graph, Skip.PAST_LAST_ROW, np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="the sets are not those of the positions"):
        scanner.add_class(one, none)
    with pytest.raises(ValueError, match="no partition 0"):
        scanner.add(first, row, None, 0)
    assert scanner.new_partition() == 0
    with pytest.raises(ValueError, match="row 0 has no class"):
        scanner.add(first, row, None, 0)
    scanner.add_class(one, one)
    with pytest.raises(ValueError, match="as many classes"):
        scanner.add(first, two, None, 0)
    with pytest.raises(ValueError, match="rows have times"):
        scanner.add(first, row, np.zeros(1, np.int64), 0)
    scanner.add(np.zeros(2, np.uint32), two, None, 0)
    scanner.close()
    assert [each.tolist() for each in scanner.take()[:5]] == [[0, 1], [1, 1], [1, 2], [0, 0], [0, 0]]


def test_a_partition_goes_on_as_it_was() -> None:
    """After each row of a stream another scanner goes on where one was: what comes behind it is the same."""
    for seed in range(80):
        stream, _ = random_stream(seed, seed % 3)
        for row in range(0 if stream.ahead else len(stream.rows)):
            one = ScannedStream(stream.case, stream.length)
            _feed(one, stream, 0, row + 1)
            if _is_stuck(list(one.told())):
                break
            other = one.copied([rows[-1] for rows in stream.rows], stream.times if stream.length else None)
            assert list(other.told()) == [], seed
            for each in (one, other):
                _feed(each, stream, row + 1, len(stream.rows))
                each.close()
            assert list(other.told()) == list(one.told()), (seed, row)


def _feed(scanned: ScannedStream, stream: Stream, begin: int, end: int) -> None:
    some = list(zip(stream.order, stream.rows, strict=True))[begin:end]
    scanned.add(some, stream.times[begin:end] if stream.length else None)
