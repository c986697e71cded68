"""Numbers of 32 bits that wrap, memory that follows the window, and what callers do wrong."""

from __future__ import annotations

import numpy as np
import pytest

from nfa_native.automata.complex_events import ComplexEventAutomaton, PickState
from nfa_native.events.recognizer import ComplexEvents, Recognizer

ABB = ComplexEventAutomaton(
    (PickState((0,), initial=True), PickState((1,), after=(0, 1)), PickState((0,), final=True, after=(1,)))
)  # A ; B+ ; A
ATOMS = [0b01, 0b10]


def results(
    symbols: list[int], window: int, first_node: int = 1, first_position: int = 0
) -> tuple[set[tuple[int, ...]], Recognizer]:
    """The picked positions of every result, counted from the first event; a batch is ten events long."""
    recognizer = Recognizer(ABB, first_node=first_node, first_position=first_position)
    recognizer.know_symbols(ATOMS)
    times = np.arange(len(symbols), dtype=np.int64)
    found = set()
    for start in range(0, len(symbols), 10):
        batch = np.array(symbols[start : start + 10], np.uint32)
        at = 0
        while at < len(batch):
            some = times[start : start + 10]
            at = recognizer.feed(batch, some, some - window, None, at, 7)
            found |= picks(recognizer.take(), first_position)
    return found, recognizer


def picks(found: ComplexEvents, first: int) -> set[tuple[int, ...]]:
    edges = zip(found.offsets[:-1].tolist(), found.offsets[1:].tolist(), strict=True)
    return {tuple((found.positions[begin:end] - first).tolist()) for begin, end in edges}


def test_numbers_wrap() -> None:
    """Of nodes and of positions, in the middle of a stream."""
    symbols = np.random.default_rng(1).integers(0, 3, 400).tolist()
    expected, _ = results(symbols, 12)
    assert len(expected) > 1000
    for before in (1, 50, 333):
        assert results(symbols, 12, first_node=2**32 - before)[0] == expected
        assert results(symbols, 12, first_position=2**32 - before)[0] == expected


def test_memory_follows_the_window() -> None:
    recognizer = Recognizer(ABB, update_only=True)
    recognizer.know_symbols(ATOMS)
    symbols = np.random.default_rng(2).integers(0, 3, 100_000).astype(np.uint32)
    for number in range(20):
        times = np.arange(number * 100_000, (number + 1) * 100_000, dtype=np.int64)
        recognizer.feed(symbols, times, times - 1000)
        assert recognizer.statistics()["room"] <= 1 << 14


@pytest.mark.parametrize("strategy", ["ALL", "NEXT"])
@pytest.mark.parametrize("first_node", [1, 2**32 - 3000])
def test_consumed_matches_leave_no_nodes(strategy: str, first_node: int) -> None:
    """Without a window the ring is compacted: what is begun and not consumed stays."""
    recognizer = Recognizer(ABB, strategy=strategy, consume="PARTITION", partitioned=True, first_node=first_node)
    recognizer.know_symbols(ATOMS)
    rounds = 20_000
    symbols = np.tile(np.array([1, 2, 1], np.uint32), rounds)
    partitions = np.full(len(symbols), 1, np.uint32)
    symbols[:3], partitions[:2] = (1, 2, 0), 0  # A ; B, which waits for the last event
    symbols[-1], partitions[-1] = 1, 0
    times = np.arange(len(symbols), dtype=np.int64)
    recognizer.feed(symbols, times, np.full(len(symbols), -(2**63) + 1), partitions)
    found = picks(recognizer.take(), 0)
    assert found == {(0, 1, len(symbols) - 1)} | {(n, n + 1, n + 2) for n in range(3, len(symbols) - 3, 3)}
    assert recognizer.statistics()["room"] <= 1 << 13


def test_events_of_partitions_leave_no_nodes() -> None:
    """Windows of events in partitions do not end together: the ring is compacted, too."""
    recognizer = Recognizer(ABB, events=4, partitioned=True)
    recognizer.know_symbols(ATOMS)
    count = 40_000
    times = np.arange(count, dtype=np.int64)
    symbols = np.tile(np.array([1, 1, 2, 2], np.uint32), count // 4)
    recognizer.feed(symbols, times, times, np.tile(np.array([0, 1], np.uint32), count // 2))
    found = picks(recognizer.take(), 0)
    assert found == {(n, n + 2, n + 4) for n in range(count - 4) if n % 4 < 2} | {
        (n, *between, n + 8) for n in range(count - 8) if n % 4 < 2 for between in ((n + 2,), (n + 6,), (n + 2, n + 6))
    }
    assert recognizer.statistics()["room"] <= 1 << 12


@pytest.mark.parametrize("strategy", ["ALL", "STRICT"])
def test_long_streams_of_partitions(strategy: str) -> None:
    """Each partition is a stream of its own, and STRICT counts its positions: two that repeat `A B A`."""
    pattern = ComplexEventAutomaton(
        (PickState((0,), initial=True), PickState((1,), after=(0,)), PickState((0,), final=True, after=(1,)))
    )
    recognizer = Recognizer(pattern, strategy=strategy, partitioned=True)
    recognizer.know_symbols(ATOMS)
    count = 60_000
    symbols = np.tile(np.array([1, 1, 2, 2, 1, 1], np.uint32), count // 6)
    partitions = np.tile(np.array([0, 1], np.uint32), count // 2)
    times = np.arange(count, dtype=np.int64)
    found = set()
    for start in range(0, count, 6000):
        some = slice(start, start + 6000)
        recognizer.feed(symbols[some], times[some], times[some] - 4, partitions[some])
        found |= picks(recognizer.take(), 0)
    assert found == {(n, n + 2, n + 4) for n in range(count) if n % 6 < 2}


def test_matches_without_number_are_not_made() -> None:
    """2³⁰⁰ matches in a window cost a node or two an event."""
    recognizer = Recognizer(ABB, update_only=True)
    recognizer.know_symbols(ATOMS)
    symbols = np.array([1, *[2] * 300, 1], np.uint32)
    times = np.arange(len(symbols), dtype=np.int64)
    recognizer.feed(symbols, times, times - 1000)
    assert recognizer.statistics()["nodes"] < 1500


def test_wrong_calls() -> None:
    recognizer = Recognizer(ABB)
    recognizer.know_symbols(ATOMS)
    times = np.zeros(2, np.int64)
    with pytest.raises(ValueError, match="symbol 3 is not known"):
        recognizer.feed(np.array([1, 3], np.uint32), times, times)
    with pytest.raises(ValueError, match="2 symbols came with 2 starts and 1 windows"):
        recognizer.feed(np.array([1, 2], np.uint32), times, times[:1])
    with pytest.raises(ValueError, match="there are no partitions"):
        recognizer.feed(np.array([1, 2], np.uint32), times, times, np.zeros(2, np.uint32))
    with pytest.raises(ValueError, match="is not one of an automaton of 1 states"):
        ComplexEventAutomaton((PickState((0,), after=(1,)),))


def test_an_event_may_enter_states_in_a_circle() -> None:
    """(A : B):+ where every event is an A and a B: each pair of neighbours, and chains of such pairs."""
    circle = ComplexEventAutomaton(
        (PickState((0,), initial=True, directly_after=(1,)), PickState((1,), final=True, directly_after=(0,)))
    )
    recognizer = Recognizer(circle)
    recognizer.know_symbols([0b11])
    times = np.arange(6, dtype=np.int64)
    recognizer.feed(np.ones(6, np.uint32), times, times - 100)
    found = picks(recognizer.take(), 0)
    assert found == {tuple(range(start, end)) for start in range(6) for end in range(start + 2, 7, 2)}
