"""Words against pyoxigraph's Store: two terms share a word exactly if the Store makes them the same term."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy
import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st

from nfa_native.terms.dictionary import Terms
from tests.terms.boundary_values import XSD, Node, literals, nodes, stored, term_bytes


def is_misprinted(term: Node) -> bool:
    """Whether the Store prints it wrongly: a dateTime before the year 1 with a fraction; the table keeps it."""
    year = term.value.lstrip("-").split("-")[0]
    early = term.value.startswith("-") or year in ("0000", "0001")
    return term.value.count("T") == 1 and early and "." in term.value


def assert_as_stored(terms: Terms, candidates: list[Any]) -> None:
    """Intern every term and compare text and identity of the words with the Store's terms."""
    words = [terms.intern(term_bytes(term)) for term in candidates]
    canonical = stored(candidates)
    for term, word, expected in zip(candidates, words, canonical, strict=True):
        assert terms.bytes(word) == term_bytes(expected), term
        assert terms.intern(terms.bytes(word)) == word, term
    assert len(set(words)) == len({term_bytes(expected) for expected in canonical})


def test_boundary_values_are_canonical_as_in_the_store() -> None:
    assert_as_stored(Terms(), [term for term in literals() + nodes() if not is_misprinted(term)])


def typed(datatype: str, text: st.SearchStrategy[str]) -> st.SearchStrategy[pyoxigraph.Literal]:
    """Literals of an XSD datatype with such a lexical form."""
    return text.map(lambda form: pyoxigraph.Literal(form, datatype=pyoxigraph.NamedNode(XSD + datatype)))


def years() -> st.SearchStrategy[str]:
    """Year fragments, mostly ordinary."""
    return st.one_of(st.integers(0, 9999).map("{:04}".format), st.integers(-(10**13), 10**13).map("{:05}".format))


def datetimes() -> st.SearchStrategy[str]:
    """Lexical forms of dateTimes, most of them valid."""
    fractions = st.sampled_from(["", ".5", ".123456", ".1234567", ".000"])
    seconds = st.builds("{:02}{}".format, st.integers(0, 60), fractions)
    offsets = st.builds("{}{:02}:{:02}".format, st.sampled_from("+-"), st.integers(0, 15), st.integers(0, 60))
    zones = st.one_of(st.sampled_from(["", "Z", "+00:00", "-00:00"]), offsets)
    return st.builds(
        "{}-{:02}-{:02}T{:02}:{:02}:{}{}".format, years(), st.integers(1, 12), st.integers(1, 31), st.integers(0, 24),
        st.integers(0, 59), seconds, zones,
    )  # fmt: skip


DIGITS = st.text("0123456789", max_size=25)
DECIMALS = st.builds("{}{}{}{}".format, st.sampled_from(["", "+", "-"]), DIGITS, st.sampled_from(["", "."]), DIGITS)
DOUBLES = st.one_of(
    st.floats().map(repr),
    st.builds("{}{}{}".format, DECIMALS, st.sampled_from("eE"), st.integers(-400, 400)),
    st.integers(0, 2**64 - 1).map(lambda bits: repr(struct.unpack("d", struct.pack("Q", bits))[0])),
)
LITERALS = st.one_of(
    typed("integer", st.one_of(DECIMALS, st.integers(-(2**65), 2**65).map(str))),
    typed("decimal", DECIMALS),
    typed("double", st.one_of(DOUBLES, DECIMALS)),
    typed("float", st.floats(width=32).map(repr)),
    typed("dateTime", datetimes()),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(LITERALS, min_size=1, max_size=40))
def test_random_literals_are_canonical_as_in_the_store(candidates: list[Node]) -> None:
    ordinary = [term for term in candidates if not is_misprinted(term)]
    if ordinary:
        assert_as_stored(Terms(), ordinary)


@given(st.floats())
def test_doubles_survive(value: float) -> None:
    terms = Terms()
    text = terms.bytes(terms.double(value)).split(b"\0")[1].decode()
    back = float(text.replace("INF", "inf"))
    assert struct.pack("d", back) == struct.pack("d", value) or (math.isnan(back) and math.isnan(value))


@given(st.integers(-(2**70), 2**70))
def test_integers_survive(value: int) -> None:
    terms = Terms()
    assert terms.bytes(terms.integer(value)).split(b"\0")[1] == str(value).encode()


@given(st.integers(-(2**63) + 1, 2**63 - 1), st.integers(0, 18))
def test_decimals_survive(mantissa: int, scale: int) -> None:
    terms = Terms()
    word = terms.decimal(mantissa, scale)
    sign, digits = "-" * (mantissa < 0), f"{abs(mantissa):020d}"
    lexical = f"{sign}{digits[: 20 - scale]}.{digits[20 - scale :]}"
    assert word == terms.intern(f"T{XSD}decimal\0{lexical}".encode())
    plain = lexical.lstrip("-").strip("0").removesuffix(".")
    canonical = sign + ("0" * (not plain or plain[0] == ".") + plain)
    assert terms.bytes(word) == f"T{XSD}decimal\0{canonical}".encode()


@given(st.integers(-62135596800, 253402300799), st.integers(0, 999_999), st.one_of(st.none(), st.integers(-840, 840)))
def test_datetimes_agree_with_their_lexical_form(seconds: int, micros: int, zone: int | None) -> None:
    terms = Terms()
    word = terms.datetime(seconds * 1_000_000 + micros, zone)
    assert terms.intern(terms.bytes(word)) == word


def test_early_fractions_of_seconds_are_refused() -> None:
    with pytest.raises(ValueError, match="year 1"):
        Terms().datetime(-62135596800 * 1_000_000 - 1)


@pytest.mark.parametrize("term", [b"", b"X", b"Ten", b"Lxyz", b"\0"])
def test_bytes_that_are_no_term_are_refused(term: bytes) -> None:
    with pytest.raises(ValueError, match="not a term"):
        Terms().intern(term)


@pytest.mark.parametrize("word", [0, 0xFF10, 0x999900000060 | 6, 9, 15])
def test_foreign_words_are_refused(word: int) -> None:
    with pytest.raises(ValueError, match="no word"):
        Terms().bytes(word)


def test_many_terms_grow_the_table() -> None:
    terms = Terms()
    names = [b"I" + str(number).encode() for number in range(100_000)]
    before = terms.memory()
    words = terms.intern_many(names)
    assert words.dtype == numpy.uint64
    assert len(terms) == len(set(words.tolist())) == 100_000
    assert (terms.intern_many(names) == words).all()
    assert terms.bytes_many(words) == names
    assert terms.memory() > before


def test_side_values_grow_the_table() -> None:
    terms = Terms()
    words = [terms.integer(2**62 + number) for number in range(10_000)]
    assert len(set(words)) == len(terms) == 10_000
    assert [terms.integer(2**62 + number) for number in range(10_000)] == words


def test_unbound_is_zero() -> None:
    terms = Terms()
    assert 0 not in [terms.intern(term_bytes(term)) for term in literals() + nodes()]
