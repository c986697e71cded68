"""Expressions on rows: native programs and the external evaluator agree with SPARQL."""

from __future__ import annotations

import numpy as np
import pyoxigraph
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Store

from gpm.algebra import Aggregate, Exists, Expression, Operation, Previous, Variable
from gpm.errors import PatternError
from gpm.expressions import compile_expression, evaluate_columns, truth_columns
from gpm.external import ExternalEvaluator
from gpm.printing import print_expression
from gpm.terms import decode, encode
from nfa_native.terms.dictionary import Terms
from tests.gpm.worlds import EXAMPLES, bgp, call, group, term

XSD = "http://www.w3.org/2001/XMLSchema#"


def typed(lexical: str, datatype: str) -> Literal:
    return Literal(lexical, datatype=NamedNode(XSD + datatype))


VALUES = [
    None, NamedNode("http://example.org/a"), BlankNode("b1"), BlankNode("b2"), Literal("text"), Literal(""),
    Literal("text", language="en"), Literal("Text", language="de"), Literal(0), Literal(1), Literal(-7),
    Literal(2**62), typed("99999999999999999999", "integer"), typed("1.0", "decimal"), typed("-0.5", "decimal"),
    typed("1E0", "double"), typed("NaN", "double"), typed("INF", "double"), typed("-0.0", "double"),
    typed("1.5", "float"), Literal(True), Literal(False), typed("2026-01-01T00:00:00Z", "dateTime"),
    typed("2026-01-01T00:00:00", "dateTime"), typed("2026-01-01T01:00:00.5+01:00", "dateTime"),
    typed("abc", "integer"), typed("2026-01-01", "date"),
    Literal("x", datatype=NamedNode("http://example.org/type")),
]  # fmt: skip
UNARY = [
    "!", "-", "+", "ISIRI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "ABS", "CEIL", "FLOOR", "ROUND", "YEAR", "SECONDS",
    "TZ", "STR", "LANG", "DATATYPE", "STRLEN", "LCASE", "UCASE", "COALESCE", "MD5", f"<{XSD}integer>", f"<{XSD}string>",
]  # fmt: skip
BINARY = [
    "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||", "IN", "NOT IN", "SAMETERM", "CONTAINS",
    "STRSTARTS", "STRENDS", "CONCAT", "COALESCE", "REGEX", "STRBEFORE",
]  # fmt: skip

leaves = st.one_of(
    st.sampled_from([Variable(name) for name in ("a", "b", "v@previous", "nowhere")]),
    st.sampled_from([term("1"), term("2.5"), term("text"), term(":a")]),
    st.just(Operation("NOW")),
    st.builds(Operation, st.just("BOUND"), st.tuples(st.sampled_from([Variable("a"), Variable("nowhere")]))),
)


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Operation, st.sampled_from(UNARY), st.tuples(inner)),
        st.builds(Operation, st.sampled_from(BINARY), st.tuples(inner, inner)),
        st.builds(Operation, st.just("IF"), st.tuples(inner, inner, inner)),
    )


expressions = st.recursive(leaves, _compound, max_leaves=5)
rows = st.tuples(*[st.sampled_from(VALUES)] * 3)
NAMES = ("a", "b", "v@previous")


def by_query(expression: Expression, row: tuple[object, ...], terms: Terms) -> int:
    """The value of an expression from a query of its own, in which variables are substituted."""
    store, subject, parts = Store(), NamedNode("urn:s"), []
    store.add(pyoxigraph.Quad(subject, subject, subject))
    for name, value in zip(NAMES, row, strict=True):
        if value is not None:
            store.add(pyoxigraph.Quad(subject, NamedNode(f"urn:{name}"), value))
            parts.append(f"?s <urn:{name}> ?{name} .")
    text = f"SELECT ({print_expression(expression)} AS ?result) {{ ?s <urn:s> ?s . {' '.join(parts)} }}"
    text = text.replace("v@previous", "v_previous").replace("<urn:v_previous>", "<urn:v@previous>")
    (solution,) = store.query(text.replace("NOW()", f'"2026-02-03T04:05:06.000007Z"^^<{XSD}dateTime>'))
    return 0 if solution["result"] is None else encode(terms, solution["result"])


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(expressions, st.lists(rows, min_size=1, max_size=4))
def test_values_and_truth(expression: Expression, some: list[tuple[object, ...]]) -> None:
    terms = Terms()
    columns = np.array([[0 if t is None else encode(terms, t) for t in row] for row in some], dtype=np.uint64).T
    now = np.full(len(some), 1770091506000007, dtype=np.int64)
    expected = [by_query(expression, row, terms) for row in some]
    truth = [by_query(Operation("IF", (expression, term("1"), term("0"))), row, terms) for row in some]  # type: ignore[arg-type]
    truths = [-1 if word == 0 else int(word == encode(terms, Literal(1))) for word in truth]
    external = ExternalEvaluator(terms)
    shown = print_expression(expression)
    assert external.compute(expression, NAMES, columns, now).tolist() == expected, shown
    assert external.test(expression, NAMES, columns, now).tolist() == truths, shown
    assert evaluate_columns(expression, NAMES, columns, now, terms).tolist() == expected, shown
    assert truth_columns(expression, NAMES, columns, now, terms).tolist() == truths, shown


def test_what_is_native() -> None:
    terms = Terms()
    assert compile_expression(call(">", "?a", call("*", "?b@x", "10")), {"a": 0, "b@x": 3}, terms) is not None
    assert compile_expression(call("IN", "?a", "1", "2"), {"a": 0}, terms) is not None
    assert compile_expression(call("REGEX", "?a", "x"), {"a": 0}, terms) is None
    assert compile_expression(call("+", "?a", Aggregate("SUM", Variable("a"))), {"a": 0}, terms) is None


def test_blank_nodes_stay_the_same() -> None:
    terms = Terms()
    word = encode(terms, BlankNode("b"), 7)
    columns = np.array([[word, 0]], dtype=np.uint64)
    found = ExternalEvaluator(terms).compute(call("COALESCE", "?a", "1"), ["a"], columns, np.zeros(2, dtype=np.int64))
    assert str(decode(terms, int(found[0]))) == "_:e7.b"
    assert found[0] == word


def test_no_rows_and_no_columns() -> None:
    terms = Terms()
    nothing, times = np.empty((0, 0), dtype=np.uint64), np.empty(0, dtype=np.int64)
    assert truth_columns(call("REGEX", "a", "a"), (), nothing, times, terms).tolist() == []
    two = np.empty((0, 2), dtype=np.uint64)
    assert truth_columns(call("REGEX", "a", "a"), (), two, np.zeros(2, dtype=np.int64), terms).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (Exists(group(bgp("?a :p ?b"))), "EXISTS"),
        (Previous(Variable("a")), "PREV"),
        (Aggregate("FIRST", Variable("a")), "FIRST"),
        (call("<http://example.org/f>", "?a"), "http://example.org/f"),
    ],
)
def test_unsupported_is_named(expression: Expression, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        truth_columns(expression, ["a"], np.ones((1, 1), dtype=np.uint64) * 17, np.zeros(1, dtype=np.int64), Terms())
