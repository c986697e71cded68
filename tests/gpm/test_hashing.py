"""The hash index finds what a nested loop finds; cells are encoded as one by one."""

from __future__ import annotations

import numpy as np
import pyoxigraph
import pytest
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, QuerySolutions, Store

from gpm.native.cells import encode_cells
from gpm.native.hashing import HashIndex
from gpm.terms import encode
from nfa_native.terms.dictionary import Terms

XSD = "http://www.w3.org/2001/XMLSchema#"


def typed(form: str, name: str) -> Literal:
    return Literal(form, datatype=NamedNode(XSD + name))


@pytest.mark.parametrize("width", [0, 1, 2, 3])
@pytest.mark.parametrize(("rows", "values"), [(0, 1), (1, 1), (50, 3), (3000, 40), (3000, 10**9)])
def test_all_pairs(width: int, rows: int, values: int) -> None:
    generator = np.random.default_rng(rows + width)
    right = generator.integers(1, values, (width, rows), dtype=np.uint64, endpoint=True)
    left = np.concatenate([right[:, :20], generator.integers(1, values + 2, (width, 30), dtype=np.uint64)], axis=1)
    index = HashIndex(right, rows)
    first, second = index.probe(left, left.shape[1])
    equal = (left[:, :, None] == right[:, None, :]).all(axis=0)
    expected = np.nonzero(equal)
    assert (len(index), first.tolist(), second.tolist()) == (rows, expected[0].tolist(), expected[1].tolist())


def test_parts_of_larger_arrays() -> None:
    words = np.arange(1, 21, dtype=np.uint64).reshape(4, 5)
    first, second = HashIndex(words[1:3, ::2]).probe(words[1:3, ::-1])
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 2), (2, 1), (4, 0)]


def test_arguments_that_do_not_fit() -> None:
    two = np.ones((2, 3), dtype=np.uint64)
    with pytest.raises(ValueError, match="1 columns, 2 are indexed"):
        HashIndex(two).probe(two[:1])
    with pytest.raises(ValueError, match="must be counted"):
        HashIndex(two[:0])


VALUES = [
    NamedNode("urn:a"), NamedNode("http://example.org/é"), BlankNode("x.1"), Literal(""),
    Literal("it's \\ \"\t\n\r\b\f"),
    Literal("é", language="fr"), Literal("a\"@en", language="de-at"), Literal("x^^y\\"),
    Literal("x", language="ar", direction=pyoxigraph.BaseDirection.RTL), typed("a\\b\"", "anyURI"),
    Literal(5), Literal(-(2**62)), Literal(10**30), typed("1.50", "decimal"), typed("-0.1", "decimal"), Literal(1e300),
    typed("INF", "double"), typed("NaN", "double"), typed("1.5", "float"), Literal(True), Literal(False),
    typed("maybe", "boolean"), typed("x", "integer"), typed("2020-01-01T00:00:00Z", "dateTime"),
    typed("2020-01-01", "date"), typed("P1D", "duration"),
    pyoxigraph.Triple(NamedNode("urn:a"), NamedNode("urn:b"), Literal("c\t")),
]  # fmt: skip


def test_cells_of_all_kinds_of_terms() -> None:
    store = Store()
    node = NamedNode("urn:p")
    for value in VALUES:
        store.add(Quad(node, node, value))
    terms = Terms()
    known = {encode(terms, quad.object) for quad in store}
    query = "SELECT ?a ?no ?b { ?s <urn:p> ?b . { BIND(?b AS ?a) } UNION { <urn:p> <urn:p> ?a } }"
    answer = store.query(query)
    assert isinstance(answer, QuerySolutions)
    solutions = list(answer)
    expected = [[encode(terms, row[n]) if row[n] is not None else 0 for row in solutions] for n in range(3)]
    again = store.query(query)
    assert isinstance(again, QuerySolutions)
    words = encode_cells(terms, again.serialize(format=pyoxigraph.QueryResultsFormat.TSV) or b"", 3)
    assert words.tolist() == expected
    assert set(words[2].tolist()) == known
    assert len(known) == len(VALUES)


def test_no_cells() -> None:
    assert encode_cells(Terms(), b"?a\t?b\n", 2).shape == (2, 0)
