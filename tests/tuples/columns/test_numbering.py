"""Numbers for values, and transitions of decision diagrams, on whole columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow
import pytest
from hypothesis import given, strategies as st

from nfa_native.events.columns import Numbering, follow, looked_up
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples.columns.numbering import NO_NUMBER, IntegerNumbering, TextNumbering

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 5)


def codes(*values: int) -> npt.NDArray[np.int32]:
    return np.array(values, np.int32)


def texts(names: list[str | None], dictionary: list[str]) -> pyarrow.DictionaryArray:
    places = pyarrow.array([None if name is None else dictionary.index(name) for name in names], pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(places, pyarrow.array(dictionary, pyarrow.string()))


@given(st.lists(st.lists(INTEGERS, max_size=300), max_size=3))
def test_integers_get_numbers_in_their_order(batches: list[list[int]]) -> None:
    numbering = Numbering()
    known: dict[int, int] = {}
    for values in batches:
        expected = [known.setdefault(value, len(known)) for value in values]
        assert numbering.number(np.array(values, np.int64)).tolist() == expected
    assert numbering.values.tolist() == list(known)
    assert len(numbering) == len(known)


def test_many_integers() -> None:
    values = np.arange(-50_000, 50_000, dtype=np.int64) << 20
    numbering = Numbering()
    assert (numbering.number(values) == np.arange(len(values))).all()
    assert numbering.number(values[::-1].copy()).tolist() == list(range(len(values)))[::-1]


def test_what_is_not_present_has_no_number() -> None:
    numbering = IntegerNumbering()
    assert numbering.number(pyarrow.array([None, 7, None, 0, 7])).tolist() == [NO_NUMBER, 0, NO_NUMBER, 1, 0]
    assert numbering.values == [7, 0]


def test_pairs_of_numbers() -> None:
    numbering = IntegerNumbering()
    first, second = np.array([0, 1, 0, NO_NUMBER], np.uint32), np.array([1, 0, 1, 0], np.uint32)
    assert numbering.number_pairs(first, second).tolist() == [0, 1, 0, NO_NUMBER]


def test_texts_of_dictionaries_that_change() -> None:
    numbering = TextNumbering()
    assert numbering.number(texts(["c", None, "a"], ["a", "b", "c"])).tolist() == [0, NO_NUMBER, 1]
    assert numbering.number(texts(["b", "c"], ["a", "b", "c"])).tolist() == [2, 0]
    assert numbering.number(texts(["a", "d", "c"], ["d", "c", "a"])).tolist() == [1, 3, 0]
    assert numbering.number(pyarrow.array([None, None], CODED_TEXT)).tolist() == [NO_NUMBER, NO_NUMBER]
    assert numbering.values == ["c", "a", "b", "d"]


def test_a_missing_transition_is_asked_for_once() -> None:
    table = np.array([[5, -1], [-1, 6]], np.int32)
    digits = codes(1, 0)
    found, missing = follow(codes(0, 1, 0, 1, 0), codes(1, 1, 0, 0, 0), digits, table)
    assert missing == [1, 2]
    assert found[0] == 5
    assert found[3] == 6
    table[0, 1], table[1, 0] = 7, 8
    assert follow(codes(0, 1, 0, 1, 0), codes(1, 1, 0, 0, 0), digits, table)[0].tolist() == [5, 8, 7, 6, 7]
    assert follow(None, codes(0, 1), digits, table)[0].tolist() == [7, 5]
    assert follow(None, codes(), digits, table)[0].tolist() == []


def test_codes_that_are_none() -> None:
    table = np.zeros((1, 1), np.int32)
    for code in (-1, 2):
        with pytest.raises(IndexError):
            follow(None, codes(0, code), codes(0, 0), table)
        with pytest.raises(IndexError):
            looked_up(np.zeros(2, np.uint32), codes(0, code))
