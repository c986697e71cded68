"""A table of terms on a frozen one: the words below are its own, and it adds, finds and frees as a table by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from nfa_native.terms.dictionary import Terms
from nfa_native.terms.operations import Op
from nfa_native.terms.program import Program
from tests.terms.boundary_values import XSD, literals, nodes, term_bytes

TERMS = [term_bytes(term) for term in [*literals(), *nodes()]]
BIG = f"T{XSD}integer\0{2**62}".encode()
numbers = st.lists(st.integers(0, len(TERMS) - 1), max_size=60)


def frozen(terms: list[bytes]) -> Terms:
    """A frozen table with these."""
    below = Terms()
    below.intern_many(terms)
    below.freeze()
    return below


@given(numbers, numbers, numbers)
def test_it_is_as_one_table(under: list[int], first: list[int], second: list[int]) -> None:
    below, alone = frozen([TERMS[n] for n in under]), Terms()
    above = Terms(below)
    alone.intern_many([TERMS[n] for n in under])
    size = len(below)
    for some in (first, second):
        texts = [TERMS[n] for n in some]
        words, expected = above.intern_many_transient(texts), alone.intern_many_transient(texts)
        assert above.bytes_many(words) == alone.bytes_many(expected)
        same = words[:, None] == words
        assert (same == (expected[:, None] == expected)).all()
        kept = slice(0, len(some) // 2)
        above.collect([words[kept]])
        alone.collect([expected[kept]])
        assert above.bytes_many(words[kept]) == alone.bytes_many(expected[kept])
    assert len(below) == size
    assert [above.intern(TERMS[n]) for n in under] == [frozen_word(below, TERMS[n]) for n in under]


def frozen_word(below: Terms, term: bytes) -> int:
    """The word of a term that is below, found by another table on it."""
    return Terms(below).intern_transient(term)


@given(numbers)
def test_what_is_below_takes_no_room_above(some: list[int]) -> None:
    texts = [TERMS[n] for n in some]
    above = Terms(frozen(texts))
    words = above.intern_many(texts)
    assert len(above) == 0
    above.pin(words)
    assert above.collect([words]) == 0
    assert above.bytes_many(words) == above.bytes_many(above.intern_many_transient(texts))


def test_words_of_different_tables_on_one_agree_below() -> None:
    below = frozen([b"Iurn:a", BIG, b"Sx"])
    tables = [Terms(below) for _ in range(3)]
    for number, one in enumerate(tables):
        one.intern(b"Iurn:own:%d" % number)
    found = {tuple(one.intern_many([b"Iurn:a", BIG, b"Sx"]).tolist()) for one in tables}
    assert len(found) == 1
    assert len({one.intern(b"Iurn:own:%d" % number) for number, one in enumerate(tables)}) == 1


def test_programs_of_the_table_below_run_above() -> None:
    below = Terms()
    constant = below.intern(b"Slong enough to be in the table")
    program = [(Op.LOAD, 0), (Op.CONSTANT, 0), (Op.EQUAL, 0)]
    below.freeze()
    above = Terms(below)
    words = above.intern_many([b"Slong enough to be in the table", b"Sanother that is long enough"])
    answers = Program(program, [constant], above).test_rows(words[None, :], np.zeros(2, np.int64))
    assert answers.tolist() == [1, 0]


def test_values_beyond_a_word_are_found_below() -> None:
    below = Terms()
    values = [below.integer(2**62), below.decimal(10**20, 0), below.double(1e300), below.datetime(2**62)]
    below.freeze()
    above = Terms(below)
    again = [above.integer(2**62), above.decimal(10**20, 0), above.double(1e300), above.datetime(2**62)]
    assert again == values
    assert len(above) == 0
    assert above.integer(2**62 + 1) not in values
    assert above.bytes(above.integer(2**62 + 1)).endswith(b"\0%d" % (2**62 + 1))


@pytest.mark.parametrize(
    "change",
    [
        lambda terms: terms.intern(b"Iurn:new"),
        lambda terms: terms.intern_transient(b"Iurn:new"),
        lambda terms: terms.integer(2**62 + 1),
        lambda terms: terms.decimal(10**30, 0),
        lambda terms: terms.double(1e299),
        lambda terms: terms.datetime(2**62 + 1),
        lambda terms: terms.pin(np.zeros(1, np.uint64)),
        lambda terms: terms.collect([]),
    ],
)
def test_a_frozen_table_does_not_change(change: Any) -> None:
    below = frozen([b"Iurn:a", BIG])
    with pytest.raises(ValueError, match="the table is frozen"):
        change(below)
    assert len(below) == 2


def test_a_table_lies_on_one_frozen_table() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Terms(Terms())
    above = Terms(frozen([b"Iurn:a"]))
    above.freeze()
    with pytest.raises(ValueError, match="lies on none"):
        Terms(above)


def test_foreign_words_are_refused() -> None:
    above = Terms(frozen([b"Iurn:a"]))
    word = above.intern_transient(b"Iurn:b")
    above.collect([])
    with pytest.raises(ValueError, match="no word of this table"):
        above.bytes(word)
    with pytest.raises(ValueError, match="no word of this table"):
        above.bytes(word + (1 << 40))
