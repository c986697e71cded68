"""Columns of values are the words of their terms, and IRIs of templates are what SPARQL makes of them."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import numpy as np
import pyarrow
import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode

from gpm.native.column_terms import (
    decimal_words,
    double_words,
    integer_words,
    iri_texts,
    iri_words,
    string_words,
    time_words,
)
from gpm.terms import term_bytes
from nfa_native.terms.dictionary import Terms

XSD = "http://www.w3.org/2001/XMLSchema#"
INTEGERS = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(INTEGERS))
def test_integers(values: list[int]) -> None:
    terms = Terms()
    assert integer_words(terms, np.array(values, np.int64)).tolist() == list(map(terms.integer, values))


@given(st.lists(st.floats()))
def test_doubles(values: list[float]) -> None:
    terms = Terms()
    assert double_words(terms, np.array(values, np.float64)).tolist() == list(map(terms.double, values))


ROUND = st.tuples(st.integers(-(2**60), 2**60), st.integers(0, 12)).map(lambda one: one[0] * 10 ** one[1])


@given(st.integers(0, 18), st.lists(st.one_of(ROUND, st.integers(-(10**30), 10**30))))
def test_decimals(scale: int, mantissas: list[int]) -> None:
    terms = Terms()
    column = pyarrow.array([Decimal(one).scaleb(-scale) for one in mantissas], pyarrow.decimal128(38, scale))
    halves = np.frombuffer(column.buffers()[1] or b"", np.uint64).reshape(-1, 2)[: len(mantissas)]
    for mantissa, word in zip(mantissas, decimal_words(terms, halves, scale).tolist(), strict=True):
        if abs(mantissa * 10 ** (18 - scale)) < 2**127:
            assert word == terms.decimal(mantissa, scale)
        else:
            assert word == 0


@given(st.lists(INTEGERS))
def test_times(microseconds: list[int]) -> None:
    terms = Terms()
    for one, word in zip(microseconds, time_words(terms, np.array(microseconds, np.int64)).tolist(), strict=True):
        try:
            assert word == terms.datetime(one)
        except ValueError:
            assert word == 0


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_strings(texts: list[str]) -> None:
    terms = Terms()
    data = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, data)])
    words = string_words(terms, offsets, np.frombuffer(b"".join(data), np.uint8))
    assert words.tolist() == [terms.intern_transient(b"S" + one) for one in data]


OTHERS = [
    NamedNode("http://example.org/a?b=ä"), Literal("x y", language="en"), Literal(12), Literal(True),
    *(
        Literal(form, datatype=NamedNode(XSD + datatype))
        for form, datatype in [
            ("2026-01-01", "date"), ("1.50", "decimal"), ("1e300", "double"), ("2026-01-01T00:00:00Z", "dateTime"),
        ]
    ),
]  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.one_of(st.none(), TEXTS.map(Literal), st.sampled_from(OTHERS))
MADE = 'IRI(CONCAT("http://e/", ENCODE_FOR_URI(STR(?a)), "/", ENCODE_FOR_URI(STR(?b)), "#ä"))'


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=70))
def test_iris(rows: list[tuple[Literal | NamedNode | None, Literal | NamedNode | None]]) -> None:
    terms = Terms()
    words = [[0 if one is None else terms.intern_transient(term_bytes(one, 0)) for one in row] for row in rows]
    columns = np.array(words, np.uint64).reshape(-1, 2).T.copy()
    pieces = b"http://e/", b"/", "#ä".encode()
    made = iri_words(terms, pieces, columns).tolist()
    ends, text = iri_texts(terms, pieces, columns)
    assert [text[start:end] for start, end in pairwise(ends)] == [terms.bytes(one)[1:] if one else b"" for one in made]
    for row, word in zip(rows, made, strict=True):
        bound = " ".join(f"BIND({one} AS ?{name})" for name, one in zip("ab", row, strict=True) if one is not None)
        (found,) = pyoxigraph.Store().query(f"SELECT ({MADE} AS ?iri) {{ {bound} }}")
        iri = found["iri"]
        assert (None if word == 0 else terms.bytes(word).decode()) == (None if iri is None else f"I{iri.value}")


def test_a_blank_node_makes_no_iri() -> None:
    terms = Terms()
    word = terms.intern_transient(term_bytes(BlankNode("b"), 7))
    assert iri_words(terms, (b"http://e/", b""), np.array([[word]], np.uint64)).tolist() == [0]
    assert iri_texts(terms, (b"http://e/", b""), np.array([[word]], np.uint64))[1] == b""


def test_what_does_not_fit_is_refused() -> None:
    terms, one = Terms(), np.ones((1, 2), np.uint64)
    with pytest.raises(ValueError, match="no decimals of scale 19"):
        decimal_words(terms, one, 19)
    with pytest.raises(ValueError, match="offsets do not fit the text"):
        string_words(terms, np.array([0, 3]), np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="offsets fall"):
        string_words(terms, np.array([0, 2, 1, 2]), np.zeros(2, np.uint8))
    with pytest.raises(ValueError, match="pieces do not surround"):
        iri_words(terms, (b"http://e/",), one)
    with pytest.raises(ValueError, match="pieces do not surround"):
        iri_texts(terms, (b"", b"x", b""), one)
    with pytest.raises(ValueError, match="no word of this table"):
        iri_words(terms, (b"http://e/", b""), np.full((1, 2), 1 << 40, np.uint64))
    terms.freeze()
    for made in (lambda: integer_words(terms, np.zeros(1, np.int64)), lambda: double_words(terms, np.zeros(1))):
        with pytest.raises(ValueError):
            made()
