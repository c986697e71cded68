"""Sequences: rows and columns of all matches, however they are handed over."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import Recognizer

Match = tuple[int, ...]


def sequence(width: int) -> ComplexEventAutomaton:
    """States 0 to width - 1, one after the other; an event of kind k matches atom k."""
    states = [PickState((k,), initial=k == 0, final=k == width - 1, after=(k - 1,) if k else ()) for k in range(width)]
    return ComplexEventAutomaton(tuple(states))


def expected(kinds: Sequence[int], width: int, window: int) -> Iterator[Match]:
    """All matches in the order of their ends; of one end those with later events first, the last ones before others."""

    def before(state: int, end: int, least: int) -> Iterator[Match]:
        if state < 0:
            yield ()
            return
        for at in range(end - 1, least - 1, -1):
            if kinds[at] == state:
                yield from ((*rest, at) for rest in before(state - 1, at, least))

    for end, kind in enumerate(kinds):
        if kind == width - 1:
            yield from ((*rest, end) for rest in before(width - 2, end, max(0, end - window)))


def found(kinds: Sequence[int], width: int, window: int, most: int, limit: int | None = None) -> Iterator[Match]:
    """What the recognizer finds, taken in parts of up to ``most``; by row and by column it is the same."""
    recognizer = Recognizer(sequence(width), limit=limit)
    recognizer.know_symbols([1 << k for k in range(width)])
    symbols, starts = np.array(kinds, np.uint32) + np.uint32(1), np.arange(len(kinds), dtype=np.int64)
    at = 0
    while at < len(kinds):
        at = recognizer.feed(symbols, starts, starts - window, at=at, most=most)
        some = recognizer.take()
        assert len(some.starts) <= most
        assert some.columns is not None
        rows = some.positions.reshape(-1, width)
        assert (some.columns[:, : len(rows)] == rows.T).all()
        assert (some.starts == rows[:, 0]).all()
        assert (some.ends == rows[:, -1]).all()
        yield from map(tuple, rows.tolist())


@pytest.mark.parametrize("width", [2, 3, 4, 5, 6, 7, 10])
@pytest.mark.parametrize("most", [1, 7, 300, 1 << 20])
def test_all_matches_in_order(width: int, most: int) -> None:
    chooser = random.Random(width)
    kinds = [chooser.randrange(width) for _ in range(14 * width)]
    window = 7 * width
    assert list(found(kinds, width, window, most)) == list(expected(kinds, width, window))


@pytest.mark.parametrize("width", [2, 3, 5])
def test_some_matches_of_each_end(width: int) -> None:
    kinds = [at % width for at in range(12 * width)]
    first: dict[int, list[Match]] = {}
    for match in expected(kinds, width, 60):
        first.setdefault(match[-1], []).append(match)
    for limit in (1, 5):
        some = [match for matches in first.values() for match in matches[:limit]]
        assert list(found(kinds, width, 60, 4, limit)) == some


def test_more_pairs_than_are_remembered() -> None:
    kinds = [0, 1] * 400 + [2, 2, 3]
    window = len(kinds)
    assert list(found(kinds, 4, window, 10_000)) == list(expected(kinds, 4, window))
