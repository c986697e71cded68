"""From what rows are to matches: automata of positions as the evaluator takes them, and classes of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import PositionGraph
from spaseq.plan.rows.automaton import PositionAutomaton

_MOST_KEYS = 1 << 16  # that are told apart without being sorted
_TOGETHER = 8  # tests
_FEW_SETS = 16  # of tests


def graph_of(automaton: PositionAutomaton) -> PositionGraph:
    """The positions with their followers, then where matches begin: at any row, and at the first of a partition."""
    anywhere = [each for each in automaton.first if not each.at_start]
    nodes = [*(position.followers for position in automaton.positions), anywhere, automaton.first]
    followers = [follower for node in nodes for follower in node]
    begins = np.cumsum([0, *map(len, nodes)]).astype(np.uint32)
    at_end = np.array([follower.at_end for follower in followers], np.uint8)
    return PositionGraph(begins, np.array([follower.position for follower in followers], np.int32), at_end)


def row_classes(truths: Sequence[NDArray[np.bool_]], rows: int) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """Of each row its class, and of each class which tests hold: rows of one class pass the same ``truths``."""
    classes, held = np.zeros(rows, np.uint32), np.zeros((1, 0), np.bool_)
    for begin in range(0, len(truths), _TOGETHER):
        some = truths[begin : begin + _TOGETHER]
        bits = np.zeros(rows, np.uint8)
        for number, truth in enumerate(some):
            bits |= truth.view(np.uint8) << np.uint8(number)
        classes, before, passed = _refined(classes, bits, len(held))
        tests = [passed >> np.uint8(number) & 1 for number in range(len(some))]
        held = np.column_stack([held[before], *(test.astype(np.bool_) for test in tests)])
    return classes, held


def _refined(
    classes: NDArray[np.uint32], bits: NDArray[np.uint8], count: int
) -> tuple[NDArray[np.uint32], NDArray[np.intp], NDArray[np.uint8]]:
    """Classes by those of before and some bits; of each the one of before, and the bits."""
    if count == 1 and int(bits.max(initial=0)) < _FEW_SETS:  # all of these are classes, be there rows or not
        passed = np.arange(_FEW_SETS, dtype=np.uint8)
        return bits.astype(np.uint32), np.zeros(_FEW_SETS, np.intp), passed
    keys = bits if count == 1 else classes.astype(np.uint64) << np.uint64(_TOGETHER) | bits
    if count << _TOGETHER <= _MOST_KEYS:
        there = np.flatnonzero(np.bincount(keys.astype(np.intp, copy=False), minlength=1))
    else:
        there = np.unique(keys).astype(np.intp)
    places = np.zeros(count << _TOGETHER, np.uint32)
    places[there] = np.arange(len(there), dtype=np.uint32)
    return places[keys], there >> _TOGETHER, (there & 0xFF).astype(np.uint8)


def allowed_positions(asked: Sequence[int | None], held: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """By class, the positions whose tests hold, as bits of 64-bit words; ``asked``: the test of each, or none."""
    bits = np.ones((len(held), max(1, -(-len(asked) // 64)) * 64), np.uint8)
    bits[:, len(asked) :] = 0
    for position, test in enumerate(asked):
        if test is not None:
            bits[:, position] = held[:, test]
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
