"""From what rows are to matches: automata of positions as the evaluator takes them, and classes of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import PositionGraph
from spaseq.plan.rows.automaton import PositionAutomaton

_MOST_KEYS = 1 << 16  # that are told apart without being sorted


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
    for truth in truths:
        keys = classes * np.uint32(2) + truth
        there = np.flatnonzero(np.bincount(keys, minlength=1)) if len(held) < _MOST_KEYS else np.unique(keys)
        places = np.zeros(2 * len(held), np.uint32)
        places[there] = np.arange(len(there), dtype=np.uint32)
        classes = places[keys]
        held = np.column_stack([held[there // 2], there % 2 == 1])
    return classes, held


def allowed_positions(asked: Sequence[int | None], held: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """By class, the positions whose tests hold, as bits of 64-bit words; ``asked``: the test of each, or none."""
    bits = np.ones((len(held), max(1, -(-len(asked) // 64)) * 64), np.uint8)
    bits[:, len(asked) :] = 0
    for position, test in enumerate(asked):
        if test is not None:
            bits[:, position] = held[:, test]
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
