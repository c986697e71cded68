"""Terms, their bytes, and the cells of pyoxigraph's answers."""

from __future__ import annotations

import pyoxigraph
import pytest
import rdflib
from pyoxigraph import BlankNode, Literal, NamedNode, QueryResultsFormat, Store

from gpm import algebra
from gpm.cell_text import cell_bytes
from gpm.errors import PatternError
from gpm.tables import CellEncoder, solution_cells
from gpm.terms import decode, encode, term_bytes
from nfa_native.terms.dictionary import Terms
from spaseq.results.terms import from_bytes

XSD = algebra.XSD
TERMS = [
    NamedNode("http://example.org/a"), BlankNode("b.1"), Literal(""), Literal('tab\t "quote" \\ line\n return\r\x00 ☃'),
    Literal("a", language="en"), Literal("a@b", language="de-at"),
    Literal("a", language="ar", direction=pyoxigraph.BaseDirection.RTL), Literal(5), Literal(2**63),
    Literal("2.50", datatype=NamedNode(XSD + "decimal")), Literal("1e300", datatype=NamedNode(XSD + "double")),
    Literal("NaN", datatype=NamedNode(XSD + "double")), Literal(True), Literal('x"^^<y>', datatype=NamedNode("urn:t")),
    Literal("2026-01-01T00:00:00.25+02:00", datatype=NamedNode(XSD + "dateTime")),
    Literal("1.50", datatype=NamedNode(XSD + "float")), Literal("abc", datatype=NamedNode(XSD + "integer")),
    pyoxigraph.Triple(BlankNode("b"), NamedNode("urn:p"), Literal("01", datatype=NamedNode(XSD + "integer"))),
]  # fmt: skip


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_cells_and_terms_have_the_same_words(term: object) -> None:
    terms, store = Terms(), Store()
    store.add(pyoxigraph.Quad(NamedNode("urn:s"), NamedNode("urn:p"), term))  # type: ignore[arg-type]
    answer = store.query("SELECT ?o ?none { ?s ?p ?o }")
    ((cell,), (none,)) = solution_cells(answer)  # type: ignore[arg-type]
    assert none == b""
    cells = CellEncoder(terms)
    (word,) = cells.column([cell]).tolist()
    assert word == encode(terms, term)  # type: ignore[arg-type]
    (stored,) = store
    assert decode(terms, word) == stored.object


@pytest.mark.parametrize("term", TERMS[:-1], ids=str)
def test_rdflib(term: object) -> None:
    terms = Terms()
    word = encode(terms, term)  # type: ignore[arg-type]
    there = from_bytes(terms.bytes(word)).to_rdflib()
    assert term.direction if getattr(term, "direction", None) else encode(terms, there) == word


def test_algebra_terms() -> None:
    terms = Terms()
    assert encode(terms, algebra.Iri("urn:a")) == encode(terms, rdflib.URIRef("urn:a"))
    assert encode(terms, algebra.Iri("urn:a")) == encode(terms, NamedNode("urn:a"))
    assert encode(terms, algebra.Literal("05", XSD + "int")) == encode(terms, Literal(5))
    assert encode(terms, algebra.Literal("a", "", "en")) == encode(terms, rdflib.Literal("a", lang="en"))


def test_scopes() -> None:
    assert term_bytes(BlankNode("b"), 3) == b"Be3.b"
    assert term_bytes(rdflib.BNode("b"), 3) == b"Be3.b"
    assert term_bytes(BlankNode("e3.b")) == b"Be3.b"
    triple = pyoxigraph.Triple(BlankNode("b"), NamedNode("urn:p"), BlankNode("c"))
    assert b"<<( _:e3.b <urn:p> _:e3.c )>>" in term_bytes(triple, 3)


def test_unbound_and_impossible() -> None:
    assert decode(Terms(), 0) is None
    with pytest.raises(PatternError, match="not an RDF term"):
        encode(Terms(), rdflib.Variable("x"))


def test_the_cache_is_bounded() -> None:
    cells = CellEncoder(Terms(), limit=10)
    for n in range(100):
        cells.column([str(n).encode(), b""])
        assert len(cells) <= 11
    assert cells[b""] == 0


def test_answers_without_rows() -> None:
    answer = Store().query("SELECT ?a ?b { ?a ?b ?c }")
    assert solution_cells(answer) == [[], []]  # type: ignore[arg-type]
    assert QueryResultsFormat.TSV
    assert cell_bytes(b"1.5") == f"T{XSD}decimal\0".encode() + b"1.5"
