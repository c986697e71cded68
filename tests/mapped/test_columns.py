"""Which term a value of a column is, as pyoxigraph's Store has it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow
import pyoxigraph
import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import Literal, NamedNode, Quad, Store

from gpm.native.column_terms import integer_words, iri_words
from gpm.terms import decode
from nfa_native.terms.dictionary import Terms
from spaseq.pattern.mappings import EventTime
from spaseq.sources.mapped.columns import NoTermsError, column_words
from spaseq.sources.mapped.times import times_of
from spaseq.sources.tables.columns import time_by_iso
from spaseq.streams.timestamps import to_microseconds

XSD = "http://www.w3.org/2001/XMLSchema#"


def stored(form: str, datatype: str) -> Literal:
    """A literal as the Store gives it back."""
    node, store = NamedNode("x:x"), Store()
    store.add(Quad(node, node, Literal(form, datatype=NamedNode(XSD + datatype))))
    (found,) = store.quads_for_pattern(None, None, None)
    assert isinstance(found.object, Literal)
    return found.object


def terms_of(column: pyarrow.Array) -> list[pyoxigraph.Literal | None]:
    terms = Terms()
    return [decode(terms, word) for word in column_words(column, terms).tolist()]


CASES: dict[str, tuple[pyarrow.Array, str, list[str | None]]] = {
    "small integers": (pyarrow.array([1, None, -7], pyarrow.int8()), "integer", ["1", None, "-7"]),
    "large integers": (pyarrow.array([2**63 - 1, -(2**63)]), "integer", [f"{2**63 - 1}", f"{-(2**63)}"]),
    "larger integers": (
        pyarrow.array([2**64 - 1, None, 3], pyarrow.uint64()), "integer", ["18446744073709551615", None, "3"],
    ),
    "doubles": (pyarrow.array([1.5, None, float("inf")]), "double", ["1.5", None, "INF"]),
    "no number": (pyarrow.array([float("nan"), -0.0]), "double", ["NaN", "-0.0"]),
    "floats": (pyarrow.array([0.5, None], pyarrow.float32()), "double", ["0.5", None]),
    "half floats": (pyarrow.array([0.5, 2], pyarrow.float16()), "double", ["0.5", "2"]),
    "decimals": (pyarrow.array([Decimal("1.50"), None, Decimal("-3")]), "decimal", ["1.5", None, "-3"]),
    "large decimals": (
        pyarrow.array([Decimal(10) ** 30, Decimal(1)], pyarrow.decimal128(38, 2)), "decimal", [f"{10**30}", "1"],
    ),
    "fine decimals": (
        pyarrow.array([Decimal("0." + "0" * 20 + "1"), None], pyarrow.decimal128(38, 25)), "decimal",
        ["0.000000000000000000001", None],
    ),
    "wide decimals": (pyarrow.array([Decimal("2.25")], pyarrow.decimal256(60, 2)), "decimal", ["2.25"]),
    "truth values": (pyarrow.array([True, None, False]), "boolean", ["true", None, "false"]),
    "texts": (pyarrow.array(["a", None, "", "ä\n\"'"]), "string", ["a", None, "", "ä\n\"'"]),
    "large texts": (pyarrow.array(["a", None], pyarrow.large_string()), "string", ["a", None]),
    "views of texts": (pyarrow.array(["a", None], pyarrow.string_view()), "string", ["a", None]),
    "coded texts": (pyarrow.array(["a", None, "b", "a"]).dictionary_encode(), "string", ["a", None, "b", "a"]),
    "coded integers": (pyarrow.array([5, None, 5]).dictionary_encode(), "integer", ["5", None, "5"]),
    "runs": (pyarrow.compute.run_end_encode(pyarrow.array([5, 5, None])), "integer", ["5", "5", None]),
    "times": (
        pyarrow.array([datetime(2026, 1, 1, 12, microsecond=5), None]), "dateTime",
        ["2026-01-01T12:00:00.000005Z", None],
    ),
    "times with a zone": (
        pyarrow.array([datetime(2026, 1, 1, 12, tzinfo=UTC)], pyarrow.timestamp("ms", "Europe/Berlin")), "dateTime",
        ["2026-01-01T12:00:00Z"],
    ),
    "dates": (pyarrow.array([date(2026, 2, 28), None]), "date", ["2026-02-28", None]),
    "lengths": (
        pyarrow.array([timedelta(days=1, seconds=2, milliseconds=3), None, -timedelta(seconds=61)]), "dayTimeDuration",
        ["P1DT2.003S", None, "-PT1M1S"],
    ),
    "nothing": (pyarrow.nulls(2), "string", [None, None]),
    "none": (pyarrow.array([], pyarrow.string()), "string", []),
}  # fmt: skip


@pytest.mark.parametrize("what", CASES)
@pytest.mark.parametrize("begin", [0, 1])
def test_terms_of_values(what: str, begin: int) -> None:
    column, datatype, forms = CASES[what]
    wanted = [None if form is None else stored(form, datatype) for form in forms]
    assert terms_of(column.slice(begin)) == wanted[begin:]


@pytest.mark.parametrize("values", [[b"a"], [{"a": 1}], [[1]], [datetime(2026, 1, 1).time()]], ids=str)
def test_other_values_are_no_terms(values: list[Any]) -> None:
    with pytest.raises(NoTermsError, match="are no terms of RDF"):
        terms_of(pyarrow.array(values))


def test_words_of_nulls_are_zero() -> None:
    words = column_words(pyarrow.array([None, 1]), Terms())
    assert words.dtype == np.uint64 and words[0] == 0


@pytest.mark.parametrize("type_", [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
@pytest.mark.parametrize("distinct", [3, 600, 5000])
def test_texts_that_are_few_and_many(type_: pyarrow.DataType, distinct: int) -> None:
    values = [None if number % 7 == 0 else f"{number * number % distinct}" for number in range(3000)]
    assert [term and term.value for term in terms_of(pyarrow.array(values, type_))] == values


def test_iris_of_values_that_come_again() -> None:
    """Some are remembered, be they next to each other or far apart, or of two values each."""
    terms = Terms()
    numbers = [number * number % (1 if number < 300 else 40 if number < 900 else 2000) for number in range(3000)]
    words = integer_words(terms, np.array(numbers))
    words[::11] = 0
    expected = [None if not word else f"x:{number}/y" for number, word in zip(numbers, words.tolist(), strict=True)]
    found = iri_words(terms, (b"x:", b"/y"), words[None])
    assert [(word and decode(terms, word).value) or None for word in found.tolist()] == expected
    pairs = iri_words(terms, (b"x:", b"/", b""), np.stack([words, words[::-1]]))
    other = words[::-1].tolist()
    wanted = [
        f"x:{one}/{two}" if here and there else None
        for one, two, here, there in zip(numbers, numbers[::-1], words.tolist(), other, strict=True)
    ]
    assert [(word and decode(terms, word).value) or None for word in pairs.tolist()] == wanted


TIMES = [
    "2026-01-02", "2026-01-02T03:04:05", "2026-01-02 03:04:05.123456", "2026-01-02T03:04:05.123456789",
    "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.5+02:00", "2026-01-02T03", "20260102", "soon", "", "0001-01-01",
]  # fmt: skip


@given(st.lists(st.sampled_from(TIMES), max_size=6))
@settings(deadline=None, max_examples=60)
def test_times_in_texts_are_each_what_it_is(texts: list[str]) -> None:
    terms = Terms()
    times, are = times_of(column_words(pyarrow.array(texts, pyarrow.string()), terms), EventTime("t"), terms)
    known = [time_by_iso(text) for text in texts]
    assert are.tolist() == [one is not None for one in known]
    assert times.tolist() == [0 if one is None else to_microseconds(one) for one in known]
