"""Words of terms as N-Quads writes them: those of what pyoxigraph reads; and times as the streams read them."""

from __future__ import annotations

from datetime import datetime

import pyoxigraph
import pytest
from hypothesis import example, given, settings, strategies as st

from gpm.native.encoding import encode_lines, encode_text, find_text, time_of
from gpm.terms import OxTerm, encode
from nfa_native.terms.dictionary import Terms
from spaseq.sources.rdf.wire import from_literal
from tests.terms.boundary_values import FORMS, XSD, literals, nodes

SCOPE = 3
YES = pyoxigraph.Literal("yes", language="EN")
TRIPLE = pyoxigraph.Triple(pyoxigraph.BlankNode("b"), pyoxigraph.NamedNode("urn:p"), YES)
INTEGERS = [name for name in FORMS if name.lower().endswith(("integer", "long", "int", "short", "byte"))]


def written(term: OxTerm) -> bytes:
    """The term as an object in N-Quads."""
    return f"<<( {term} )>>".encode() if isinstance(term, pyoxigraph.Triple) else str(term).encode()


def escaped(text: str) -> str:
    """Text in which every character is an escape."""
    return "".join(f"\\u{ord(c):04X}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text)


@pytest.mark.parametrize("term", [*literals(), *nodes(), TRIPLE], ids=repr)
def test_every_kind_of_term(term: OxTerm) -> None:
    terms = Terms()
    text = written(term)
    before = find_text(terms, text, SCOPE)
    assert len(terms) == 0
    word = encode(terms, term, SCOPE)
    assert encode_text(terms, text, SCOPE) == word
    assert find_text(terms, text, SCOPE) == (None if isinstance(term, pyoxigraph.Triple) else word)
    assert before in (word, 0, None)


@pytest.mark.parametrize("term", literals(), ids=repr)
def test_escapes_do_not_matter(term: pyoxigraph.Literal) -> None:
    terms = Terms()
    tail = f"@{term.language}" if term.language else f"^^<{escaped(term.datatype.value)}>"
    word = encode(terms, term)
    assert encode_text(terms, f'"{escaped(term.value)}"{tail}'.encode(), SCOPE) == word
    assert encode_text(terms, f'"{escaped(term.value)}" {tail[:2]} {tail[2:]}'.encode(), SCOPE) == word or term.language


def test_labels_belong_to_a_scope() -> None:
    terms = Terms()
    assert encode_text(terms, b"_:b.1", 5) == encode(terms, pyoxigraph.BlankNode("e5.b.1"))
    assert encode_text(terms, b"_:b.1", 5) != encode_text(terms, b"_:b.1", 6)
    assert terms.bytes(encode_text(terms, b"<<( _:b <urn:p> _:c )>>", 5)).endswith(b"<<( _:e5.b <urn:p> _:e5.c )>>")


def test_finding_adds_nothing() -> None:
    terms = Terms()
    assert [find_text(terms, text, 1) for text in (b"<urn:a>", b'"a"@EN', b'"a"', b"_:a")] == [0, 0, 0, 0]
    assert find_text(terms, f'"{2**62}"^^<{XSD}integer>'.encode(), 1) == 0
    assert find_text(terms, f'"1.50"^^<{XSD}decimal>'.encode(), 1) == terms.decimal(15, 1)
    assert len(terms) == 0


def test_what_only_python_can_tell_is_undecided() -> None:
    terms = Terms()
    one = encode_text(terms, f'"1.0"^^<{XSD}float>'.encode(), 1)
    assert find_text(terms, f'"1.0"^^<{XSD}float>'.encode(), 1) == one
    assert find_text(terms, f'"1.00"^^<{XSD}float>'.encode(), 1) is None
    assert find_text(terms, b"<<( <a:s> <a:p> <a:o> )>>", 1) is None


SIGNS, POINTS = st.sampled_from(["", "-", "+"]), st.sampled_from(["", "."])
NUMBERS = st.builds("{}{}{}{}".format, SIGNS, st.integers(0, 10**20), POINTS, st.text("0123456789", max_size=4))


@settings(max_examples=300, deadline=None)
@given(st.one_of(NUMBERS, st.text("01.-", max_size=19)), st.sampled_from(["integer", "decimal", "double", "int"]))
@example("9999999999999999", "decimal")
@example("-1000000.00000000", "decimal")
@example("-0.0", "decimal")
def test_numbers(text: str, datatype: str) -> None:
    terms = Terms()
    literal = pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(XSD + datatype))
    assert encode_text(terms, str(literal).encode(), SCOPE) == encode(terms, literal)


def test_lines() -> None:
    terms = Terms()
    block = b'<a:s> <a:p> "x" <a:g> .\n# none\n<a:s> <a:q> "1.0"^^<%sfloat> .\n_:b <a:p> <a:s> .' % XSD.encode()
    words = encode_lines(terms, block, SCOPE)
    read = pyoxigraph.parse(block, pyoxigraph.RdfFormat.N_QUADS)
    expected = [[encode(terms, term, SCOPE) for term in (quad.subject, quad.predicate, quad.object)] for quad in read]
    assert words.T.tolist() == expected
    assert encode_lines(terms, b"", SCOPE).shape == (3, 0)
    with pytest.raises(ValueError, match="1"):
        encode_lines(terms, b"# none\n<a> .", SCOPE)


# ── times ────────────────────────────────────────────────────────────────────────────────────────────────
def expected_time(literal: pyoxigraph.Literal, unit: int) -> int | None:
    """As the streams read it."""
    try:
        return from_literal(literal, unit)
    except ValueError:
        return None


def assert_same_time(text: str, datatype: str, unit: int) -> None:
    literal = pyoxigraph.Literal(text, datatype=pyoxigraph.NamedNode(XSD + datatype))
    expected = expected_time(literal, unit)
    assert time_of(str(literal).encode(), unit) == expected
    assert time_of(f'"{escaped(text)}"^^<{escaped(XSD + datatype)}>'.encode(), unit) == expected


@pytest.mark.parametrize("datatype", FORMS)
def test_times_at_the_boundaries(datatype: str) -> None:
    for text in FORMS[datatype]:
        for unit in (1, 1_000, 1_000_000):
            assert_same_time(text, datatype, unit)


def test_what_is_no_time() -> None:
    nodes = (b"<urn:a>", b"_:a", b"<<( <a:s> <a:p> <a:o> )>>")
    for text in (*nodes, b'"2020-01-01T00:00:00Z"', b'"5"@en', b'"5"^^<urn:d>'):
        assert time_of(text) is None


YEARS = st.one_of(st.integers(-300_000, 300_000), st.integers(1, 9999))
FRACTIONS = st.sampled_from(["", ".", ".5", ".123456", ".1234567", ".000001", ".0000009"])
OFFSETS = ["+00:00", "-00:00", "+14:00", "-14:00", "+14:01", "+5:00", "-05:59", "+05:60"]
ZONES = st.sampled_from(["", "Z", "z", "ZZ", *OFFSETS])
DATETIMES = st.builds(
    "{}{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{}".format,
    st.sampled_from(["", "", "", "-", "+", "0"]), YEARS, st.integers(0, 13), st.integers(0, 32), st.integers(0, 25),
    st.integers(0, 60), st.integers(0, 60), FRACTIONS, ZONES,
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.one_of(DATETIMES, st.datetimes().map(datetime.isoformat)), st.sampled_from(["dateTime", "dateTimeStamp"]))
@example("-290308-12-21T19:59:05.224192Z", "dateTime")
@example("-290308-12-21T19:59:05.224193Z", "dateTime")
@example("294247-01-10T04:00:54.775806Z", "dateTime")
@example("294247-01-10T04:00:54.775807Z", "dateTime")
@example("294247-01-10T18:00:54.775806+14:00", "dateTime")
def test_datetimes(text: str, datatype: str) -> None:
    assert_same_time(text, datatype, 1)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.integers(-(2**64), 2**64).map(str), st.text("0123456789+-", max_size=32)),
    st.sampled_from(INTEGERS), st.sampled_from([1, 1_000, 1_000_000, 2**62]),
)  # fmt: skip
@example(str(2**63 - 1), "integer", 1)
@example(str(2**63 - 2), "integer", 1)
@example(str(-(2**63)), "long", 1)
@example(str(1 - 2**63), "long", 1)
def test_integers(text: str, datatype: str, unit: int) -> None:
    assert_same_time(text, datatype, unit)
