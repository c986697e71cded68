"""Columns of words as numbers and texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nfa_native.terms import decoding
from nfa_native.terms.dictionary import Terms
from tests.terms.boundary_values import literals, nodes, term_bytes

READERS: list[Callable[..., Any]] = [decoding.integers, decoding.doubles, decoding.instants, decoding.truths]


def test_texts_are_what_the_bytes_of_terms_end_with() -> None:
    terms = Terms()
    words = np.array([0, *(terms.intern(term_bytes(term)) for term in literals() + nodes())], np.uint64)
    ends, text = decoding.texts(terms, words)
    assert ends[1] == 0
    for number, word in enumerate(words[1:].tolist(), 1):
        known = terms.bytes(word)
        shown = known[1:].split(b"\0", 1)[1] if known[:1] in b"LT" else known[1:]
        assert text[ends[number] : ends[number + 1]] == shown


def test_every_boundary_value_fits_or_not() -> None:
    terms = Terms()
    words = np.array([terms.intern(term_bytes(term)) for term in literals() + nodes()], np.uint64)
    for read in READERS:
        values, states = read(terms, words)
        assert set(states.tolist()) == {1, 2}
        assert not values[states == 2].any()
    numbers, states = decoding.decimals(terms, words, 38, 18)
    assert numbers.shape == (len(words), 2) and set(states.tolist()) == {1, 2}


def test_columns_may_be_part_of_a_table() -> None:
    terms = Terms()
    table = np.array([[terms.integer(1), 0], [0, terms.integer(-2)], [terms.integer(2**62), 0]], np.uint64)
    assert decoding.integers(terms, table[:, 0])[0].tolist() == [1, 0, 2**62]
    assert decoding.integers(terms, table[::-1, 1])[1].tolist() == [0, 1, 0]
    assert decoding.kinds(terms, table[:, 1]).tolist() == [0, 6, 0]


def test_words_of_no_table_are_refused() -> None:
    terms, foreign = Terms(), np.array([1 << 20 | 1 << 4, 77 << 8 | 7 << 4 | 6, 7], np.uint64)
    for word in foreign:
        for read in (decoding.kinds, decoding.texts, *READERS):
            with pytest.raises(ValueError, match="no word of this table"):
                read(terms, np.array([word], np.uint64))
        with pytest.raises(ValueError, match="no word of this table"):
            decoding.decimals(terms, np.array([word], np.uint64), 10, 2)


@pytest.mark.parametrize(("precision", "scale"), [(39, 2), (2, 3), (5, -1)])
def test_impossible_decimals(precision: int, scale: int) -> None:
    with pytest.raises(ValueError, match="no decimal has"):
        decoding.decimals(Terms(), np.zeros(1, np.uint64), precision, scale)
