"""STDEV, VARIANCE and MEDIAN of terms, and lists of terms as text."""

from __future__ import annotations

import itertools

import numpy as np
import pyoxigraph
import pytest
from pyoxigraph import BlankNode, Literal, NamedNode

from gpm.algebra import XSD, Operation, Variable
from gpm.dispersion import spread
from gpm.expressions import evaluate_columns
from gpm.lists import APPENDED, list_function
from gpm.terms import decode, encode
from nfa_native.terms.dictionary import Terms


def number(text: str, kind: str = "integer") -> Literal:
    return Literal(text, datatype=NamedNode(XSD + kind))


def value(function: str, *terms: object) -> str | None:
    found = spread(function, terms)
    if found is None:
        return None
    assert found.datatype.value == XSD + "double"
    return found.value


def test_exact_values_are_rounded_once() -> None:
    tenths = [number(text, "decimal") for text in ("0.1", "0.2", "0.3")]
    assert {value("VARIANCE", *order) for order in itertools.permutations(tenths)} == {"0.01"}
    assert {value("STDEV", *order) for order in itertools.permutations(tenths)} == {"0.1"}
    great = [number(f"1{'0' * 30}{digit}") for digit in "123"]
    assert value("VARIANCE", *great) == "1.0"


def test_kinds_of_numbers_mix() -> None:
    assert value("MEDIAN", number("1"), number("2.5", "decimal"), number("4e0", "double")) == "2.5"
    assert value("MEDIAN", number("7", "unsignedByte")) == "7.0"
    assert value("MEDIAN", number("0.1", "float")) == "0.10000000149011612"


@pytest.mark.parametrize("function", ["STDEV", "VARIANCE", "MEDIAN"])
def test_what_is_no_number_makes_it_unbound(function: str) -> None:
    for other in (Literal("1"), NamedNode("urn:a"), BlankNode("b"), number("x"), number("1", "dayTimeDuration")):
        assert value(function, number("1"), number("2"), other) is None
    assert value(function) is None


def test_infinity_and_nan() -> None:
    infinite, nan = number("INF", "double"), number("NaN", "double")
    assert value("MEDIAN", number("1"), infinite, number("2")) == "2.0"
    assert value("MEDIAN", infinite) == "INF"
    assert value("VARIANCE", number("1"), infinite) == "NaN"
    assert value("MEDIAN", number("1"), nan) == "NaN"
    assert value("MEDIAN", number("1" + "0" * 400)) == "INF"
    assert value("MEDIAN", number("-1" + "0" * 400)) == "-INF"
    assert value("STDEV", number("1" + "0" * 400), number("1")) == "INF"


ONES = [number("1"), number("1")]
TERMS = [
    *ONES,
    number("1.0", "decimal"),
    Literal('a\n"b"'),
    Literal("c", language="en"),
    NamedNode("urn:a"),
]


def test_lists_tell_terms_apart() -> None:
    """1, 1.0, a string with a line end, one with a language, an IRI, a blank node: six terms of seven."""
    assert aggregate("COUNT", True, [*TERMS, BlankNode("b")]) == pyoxigraph.Literal(6)


def test_aggregates_of_lists() -> None:
    assert aggregate("MEDIAN", False, [*ONES, number("4")]) == number("1", "double")
    assert aggregate("MEDIAN", True, [*ONES, number("4")]) == number("2.5", "double")
    assert aggregate("MEDIAN", False, TERMS) is None
    assert aggregate("COUNT", True, []) == pyoxigraph.Literal(0)


def aggregate(function: str, distinct: bool, values: list[object]) -> object:
    """An aggregate of a list that grows by one value at a time, as expressions over columns of words."""
    terms, now = Terms(), np.zeros(1, np.int64)
    held = np.array([[encode(terms, Literal(""))]], np.uint64)
    for one in values:
        columns = np.vstack([held, [[encode(terms, one)]]]).astype(np.uint64)  # type: ignore[arg-type]
        appended = Operation(APPENDED, (Variable("held"), Variable("value")))
        held = evaluate_columns(appended, ("held", "value"), columns, now, terms).reshape(1, 1)
    found = evaluate_columns(
        Operation(list_function(function, distinct), (Variable("held"),)), ("held",), held, now, terms
    )
    return decode(terms, int(found[0]))
