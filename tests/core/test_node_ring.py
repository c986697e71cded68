"""The ring of nodes: numbers that wrap, growth, and what marks let go of."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tests.core.harness import Native

WRAP = 1 << 32
FIRSTS = st.sampled_from([1, 2, 1000, (1 << 31) - 3, WRAP - 40, WRAP - 7, WRAP - 1])
EVERY = 1024  # nodes between two marks


@given(FIRSTS, st.lists(st.one_of(st.integers(1, 40), st.integers(-40, -1)), max_size=30))
def test_nodes_keep_their_numbers(first: int, changes: list[int]) -> None:
    """Some are added (> 0), or the oldest are let go of (< 0)."""
    ring = Native("ring", 8, first)
    model: dict[int, int] = {}
    added = 0
    for change in changes:
        for _ in range(change):
            number = ring.add(added)
            assert number != 0 and number not in model
            model[number] = added
            added += 1
        for number in list(model)[: max(0, -change)]:
            del model[number]
        ring.drop(next(iter(model), ring.head()))
        assert [ring.at(number) for number in model] == list(model.values())
        assert ring.room() & (ring.room() - 1) == 0
        assert len(model) <= ring.count() <= len(model) + 1  # number 0 lies between, maybe
        for number in range(first, first + added + 3):
            if number % WRAP:  # 0 is none
                assert bool(ring.has(number % WRAP)) == (number % WRAP in model)


@pytest.mark.parametrize("first", [1, WRAP - 100])
def test_a_full_ring_doubles(first: int) -> None:
    ring = Native("ring", 4, first)
    rooms = {ring.add(value) and ring.room() for value in range(1000)}
    assert rooms == {4, 8, 16, 32, 64, 128, 256, 512, 1024}


def test_a_ring_that_moves_on_does_not_grow() -> None:
    ring = Native("ring", 8, WRAP - 1000)
    for value in range(3000):
        number = ring.add(value)
        if value > 4:
            ring.drop((number - 4) % WRAP)
    assert ring.room() == 8


@given(FIRSTS, st.lists(st.tuples(st.integers(0, 2 * EVERY), st.integers(0, 9)), max_size=12))
def test_marks_let_go_of_what_is_too_old(first: int, steps: list[tuple[int, int]]) -> None:
    """Starts never fall; after some nodes a mark is made if it is time, and all before a start is forgotten."""
    ring = Native("ring", 8, first)
    made: list[tuple[int, int]] = []  # number and start of each node
    marks: list[tuple[int, int]] = []  # start and nodes so far
    start = forgotten = 0
    for count, later in steps:
        start += later
        made += [(ring.add(start), start) for _ in range(count)]
        since = len(made) - (marks[-1][1] if marks else 0)
        if ring.until_mark() == 0:  # it is time, or no mark is left
            ring.mark(start)
            marks.append((start, len(made)))
        else:
            assert abs(ring.until_mark() - (EVERY - since)) <= 1  # number 0 is left out
        ring.forget(start - 3)
        forgotten = max([nodes for old, nodes in marks if old < start - 3], default=forgotten)
        assert all(ring.has(number) for number, _ in made[forgotten:])
        assert not any(ring.has(number) for number, _ in made[:forgotten])
        assert all(old < start - 3 for _, old in made[:forgotten])
    ring.clear()
    assert ring.count() == ring.until_mark() == 0
