"""Events of several substreams: one entry for each key."""

from __future__ import annotations

import numpy as np

from nfa_native.joins.history import RowColumns
from nfa_native.joins.substreams import by_key, split


def rows(events: list[int], *columns: list[int]) -> RowColumns:
    return RowColumns(np.array(events, np.uint32), np.array(columns, np.uint64))


TIMES, EVENTS = np.array([10, 20, 30]), np.array([5, 6, 7], np.uint64)


def test_events_of_one_key_stay_as_they_are() -> None:
    batch = [rows([0, 0, 2], [1, 2, 3], [8, 8, 9]), None, rows([0], [9])]
    assert split(TIMES, EVENTS, batch, ((1,), (0,), (0,)))[2] is batch


def test_an_event_of_two_keys_comes_twice() -> None:
    batch = [rows([0, 0, 0, 2], [1, 2, 3, 4], [9, 8, 9, 8]), None, rows([0], [8])]
    times, events, found = split(TIMES, EVENTS, batch, ((1,), (0,), (0,)))
    assert times.tolist() == [10, 10, 20, 30]
    assert events.tolist() == [5, 5, 6, 7]
    assert found[0] is not None and found[2] is not None and found[1] is None
    assert found[0].row_event.tolist() == [0, 0, 1, 3]  # the key of the first row first
    assert found[0].columns.tolist() == [[1, 3, 2, 4], [9, 9, 8, 8]]
    assert found[2].row_event.tolist() == [1]


def test_keys_of_several_atoms() -> None:
    entries = by_key(3, [rows([1], [7], [4]), rows([1, 2], [5, 7], [4, 4])], ((0, 1), (0, 1)))
    assert entries.of.tolist() == [0, 1, 1, 2]
    assert entries.keys.tolist() == [[0, 0], [7, 4], [5, 4], [7, 4]]


def test_nothing_matches() -> None:
    entries = by_key(2, [None, None], ((0,), (0,)))
    assert entries.of.tolist() == [0, 1]
    assert not entries.keys.any()
