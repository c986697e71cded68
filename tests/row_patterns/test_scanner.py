"""The matches of row patterns are those of the definition, for patterns, rows, bounds and skipping of all kinds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from nfa_native.row_patterns.scanner import PositionGraph, RowPatternScanner, Skip, Stuck
from spaseq.errors import QueryError
from spaseq.pattern.rows.query import OneRow, Permuted, Repetition, RowPattern, RowSequence
from spaseq.plan.rows.automaton import position_automaton
from tests.row_patterns.scanned import ScanCase, by_definition, by_evaluator
from tests.row_patterns.ways import random_row_pattern, random_rows


def random_case(seed: int) -> ScanCase:
    """A pattern, up to three partitions, and what comes after a match."""
    draw = random.Random(seed)
    partitions = [random_rows(draw, 6) for _ in range(draw.randint(1, 3))]
    reach = [[row - 1 + draw.choice((0, 1, 2, 9)) for row in range(len(each))] for each in partitions]
    to = frozenset(draw.sample("ABC", draw.randint(1, 2)))
    skip = draw.choice(list(Skip))
    return ScanCase(random_row_pattern(draw, 3), partitions, skip, to, reach if draw.random() < 0.4 else None)


@pytest.mark.parametrize("slice_", range(10))
def test_matches_are_those_of_the_definition(slice_: int) -> None:
    for seed in range(slice_ * 300, slice_ * 300 + 300):
        case = random_case(seed)
        assert by_evaluator(case) == by_definition(case), case


def repeated(body: RowPattern, low: int, high: int | None = None) -> Repetition:
    """As often as can be."""
    return Repetition(body, low, high)


A, B = OneRow("A"), OneRow("B")
LARGE = {
    "A+ B": RowSequence((repeated(A, 1), B)),
    "(A+)+ B": RowSequence((repeated(repeated(A, 1), 1), B)),
    "(A?){20} A{20}": RowSequence((repeated(repeated(A, 0, 1), 20, 20), repeated(A, 20, 20))),
    "PERMUTE of 8": Permuted(tuple(map(OneRow, "ABCDEFGH"))),
}


@pytest.mark.parametrize("name", LARGE)
def test_many_rows_without_a_match_take_few_sets(name: str) -> None:
    automaton = position_automaton(LARGE[name])
    assert len(automaton.positions) <= 1_024
    found = by_evaluator(ScanCase(LARGE[name], [[frozenset("A")] * 2_000], Skip.TO_NEXT_ROW))
    assert len(found.matches) > 1_900


def test_a_pattern_that_is_too_large_is_refused() -> None:
    with pytest.raises(QueryError, match="the pattern is too large"):
        position_automaton(repeated(A, 1_000_000, 1_000_000))
    with pytest.raises(QueryError, match="the pattern is too large"):
        position_automaton(Permuted(tuple(map(OneRow, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))))


def test_a_pattern_of_several_words_of_positions() -> None:
    pattern = RowSequence((repeated(A, 150, 150), B))
    rows = [frozenset("A")] * 150 + [frozenset("B")]
    found = by_evaluator(ScanCase(pattern, [rows * 2]))
    assert [(first, number, len(labels)) for first, number, labels in found.matches] == [(0, 1, 151), (151, 2, 151)]


def test_where_the_next_match_cannot_begin() -> None:
    pattern = RowSequence((A, Repetition(B, 0, 1)))
    case = ScanCase(pattern, [[frozenset("A")]], Skip.TO_LAST, frozenset("B"))
    assert by_evaluator(case).stuck is Stuck.NOT_THERE
    case = ScanCase(pattern, [[frozenset("A")]], Skip.TO_FIRST, frozenset("A"))
    assert by_evaluator(case).stuck is Stuck.FIRST_ROW


def test_what_does_not_fit_is_refused() -> None:
    no_bytes = np.zeros(0, np.uint8)
    with pytest.raises(ValueError, match="the followers are not those of the nodes"):
        PositionGraph(np.zeros(2, np.uint32), np.zeros(0, np.int32), no_bytes)
    with pytest.raises(ValueError, match="there is no position 4"):
        PositionGraph(np.array([0, 1, 1, 1], np.uint32), np.array([4], np.int32), np.zeros(1, np.uint8))
    graph = PositionGraph(np.array([0, 1, 2, 3], np.uint32), np.array([-1, 0, 0], np.int32), np.zeros(3, np.uint8))
    allowed, rows, targets = np.ones((1, 1), np.uint64), np.zeros(3, np.uint32), np.zeros(1, np.uint8)
    with pytest.raises(ValueError, match="row 0 has no class"):
        RowPatternScanner(graph, allowed, rows + 1, Skip.PAST_LAST_ROW, targets)
    with pytest.raises(ValueError, match="classes or targets"):
        RowPatternScanner(graph, allowed, rows, Skip.PAST_LAST_ROW, no_bytes)
    scanner = RowPatternScanner(graph, allowed, rows, Skip.PAST_LAST_ROW, targets)
    with pytest.raises(ValueError, match="there are no rows 2 to 4"):
        scanner.partition(2, 4)
