"""Columns of texts: those of several columns at once, and lists of them by kind."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from gpm.native.narrow import listed, taken_columns
from spaseq.results.terms import texts_of

TEXTS = ["", "a", "é", "longer than the others", "b"]
Numbers = st.integers(0, len(TEXTS) - 1)


def texts_in(offsets: np.ndarray, text: bytes) -> list[str]:
    assert offsets.dtype == np.int32
    ends = offsets.tolist()
    return [text[start:end].decode() for start, end in pairwise(ends)]


@given(st.integers(0, 3), st.lists(st.tuples(Numbers, Numbers, Numbers), max_size=6))
def test_columns(width: int, rows: list[tuple[int, ...]]) -> None:
    chosen = np.array(rows, np.int32).reshape(-1, 3)[:, :width]
    found = [texts_in(*column) for column in taken_columns(texts_of(TEXTS), chosen)]
    assert found == [[TEXTS[number] for number in column] for column in chosen.T.tolist()]


@given(st.lists(st.lists(st.tuples(Numbers, st.integers(0, 2)), max_size=4), max_size=5))
def test_lists_by_kind(lists: list[list[tuple[int, int]]]) -> None:
    entries = [entry for entries in lists for entry in entries]
    chosen, kinds = np.array(entries, np.int64).reshape(-1, 2).T
    offsets = np.cumsum([0, *map(len, lists)])
    found = listed(texts_of(TEXTS), chosen.astype(np.int32), kinds.astype(np.uint16), offsets, 3)
    for kind, (begins, *column) in enumerate(found):
        texts, begin = texts_in(*column), begins.tolist()
        wanted = [[TEXTS[number] for number, own in entries if own == kind] for entries in lists]
        assert [texts[start:end] for start, end in pairwise(begin)] == wanted


@pytest.mark.parametrize("number", [-1, len(TEXTS)])
def test_there_is_no_such_text(number: int) -> None:
    with pytest.raises(ValueError, match=f"no text {number} among 5"):
        taken_columns(texts_of(TEXTS), np.array([[0, number]], np.int32))


@pytest.mark.parametrize(
    ("chosen", "kinds", "offsets"),
    [
        ([0, 0], [0, 1], [0, 2]),
        ([0, 0], [0], [0, 2]),
        ([0, 0], [0, 0], [0, 3]),
        ([0, 0], [0, 0], [1, 2]),
        ([0, 0], [0, 0], [0, 2, 1, 2]),
        ([0, 0], [0, 0], [0, -1, 2]),
        ([0, 0], [0, 0], []),
        ([0, 9], [0, 0], [0, 2]),
    ],
)
def test_lists_that_cannot_be(chosen: list[int], kinds: list[int], offsets: list[int]) -> None:
    arrays: list[Any] = [np.array(chosen, np.int32), np.array(kinds, np.uint16), np.array(offsets, np.int64)]
    with pytest.raises(ValueError, match=r"no lists|no text"):
        listed(texts_of(TEXTS), *arrays, 1)


def test_two_gibibytes_are_too_many() -> None:
    column = np.array([0, 2**26]), bytes(2**26)
    with pytest.raises(OverflowError, match="more than 2 GiB of texts"):
        taken_columns(column, np.zeros((32, 1), np.int32))
