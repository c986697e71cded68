"""Predicates on columns: examples of SQL's logic, exact numbers, and agreement with the oracle."""

from __future__ import annotations

import math
import re
from typing import Any

import pyarrow
import pytest
from hypothesis import given, strategies as st

from spaseq.pattern.formulas.predicates import (
    TRUE,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    In,
    IsNull,
    Like,
    Negative,
    Not,
    Or,
    Predicate,
    Value,
)
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples.columns.predicate_kinds import check
from spaseq.tuples.columns.predicates import expression, holds
from tests.oracle.ceql import predicates as oracle
from tests.oracle.ceql.generate import Maker
from tests.oracle.ceql.random_predicates import Conditions
from tests.oracle.strategies import Drawn
from tests.tuples import translation

PRICE, NAME, VOLUME, TIME, OPEN = map(Attribute, ("price", "name", "volume", "time", "open"))
ROWS = pyarrow.record_batch(
    {
        "price": pyarrow.array([1.5, -2.0, None, math.nan]),
        "name": ["a", "a%", None, "ab\n"],
        "volume": pyarrow.array([2, 0, None, 7]),
        "time": pyarrow.array([0, 1, None, 86_400_000_000], pyarrow.timestamp("us")),
        "open": [True, False, None, True],
        "nothing": pyarrow.nulls(4),
    }
)


def compared(operator: str, left: Value, right: float | str | bool | Value) -> Comparison:
    return Comparison(operator, left, right if not isinstance(right, int | float | str) else Constant(right))


def less(left: Value, right: float | str | bool | Value) -> Comparison:
    return compared("<", left, right)


@pytest.mark.parametrize(
    ("predicate", "true"),
    [
        (TRUE, [0, 1, 2, 3]),
        (Or(()), []),
        (less(PRICE, 0), [1]),
        (Not(less(PRICE, 0)), [0]),
        (Or((less(PRICE, 0), Not(less(PRICE, 0)))), [0, 1]),
        (Or((less(PRICE, 0), IsNull(NAME))), [1, 2]),
        (Not(And((less(PRICE, 0), IsNull(NAME)))), [0, 1, 3]),
        (IsNull(PRICE), [2, 3]),
        (Not(IsNull(PRICE)), [0, 1]),
        (compared("!=", NAME, "a"), [1, 3]),
        (less(NAME, "ab"), [0, 1]),
        (less(NAME, NAME), []),
        (compared("=", NAME, NAME), [0, 1, 3]),
        (Like(NAME, "a%"), [0, 1, 3]),
        (Like(NAME, "a_"), [1]),
        (Like(NAME, r"a\%"), [1]),
        (Like(NAME, "ab_"), [3]),
        (Not(Like(NAME, "a")), [1, 3]),
        (In(NAME, (Constant("a"), Constant("b"))), [0]),
        (Not(In(NAME, (Constant("a"), Constant("b")))), [1, 3]),
        (Not(In(PRICE, ())), [0, 1]),
        (In(VOLUME, (Constant(2.0), Constant(7))), [0, 3]),
        (compared("=", Arithmetic("/", Constant(7), VOLUME), 3.5), [0]),
        (IsNull(Arithmetic("/", Constant(7), VOLUME)), [1, 2]),
        (compared("=", Arithmetic("%", Negative(VOLUME), Constant(3)), -1), [3]),
        (compared("=", OPEN, True), [0, 3]),
        (less(OPEN, True), [1]),
        (less(TIME, "1970-01-02"), [0, 1]),
        (compared("=", TIME, "1970-01-01T01:00:00.000001+01:00"), [1]),
        (compared("=", Attribute("nothing"), "a"), []),
        (IsNull(Attribute("nothing")), [0, 1, 2, 3]),
        (less(Constant(1), Constant(2)), [0, 1, 2, 3]),
        (IsNull(Arithmetic("/", Constant(1), Constant(0))), [0, 1, 2, 3]),
        (less(Constant("a"), Constant("b")), [0, 1, 2, 3]),
        (Like(Constant("ab"), "a%"), [0, 1, 2, 3]),
        (IsNull(Constant("a")), []),
    ],
)
@pytest.mark.parametrize("coded", [False, True])
def test_examples(predicate: Predicate, true: list[int], coded: bool) -> None:
    check(predicate, ROWS.schema)
    rows = ROWS.set_column(1, "name", ROWS.column("name").cast(CODED_TEXT)) if coded else ROWS
    assert holds(predicate, rows).nonzero()[0].tolist() == true


def test_texts_compare_by_code_points() -> None:
    rows = pyarrow.record_batch({"name": ["\uffff", "\U00010000"]})
    assert holds(less(NAME, "\U00010000"), rows).tolist() == [True, False]


def test_a_dictionary_may_have_nulls_and_repetitions() -> None:
    dictionary = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0, 1, 2, None], pyarrow.int32()), pyarrow.array(["a", None, "a"])
    )
    rows = pyarrow.record_batch({"name": dictionary})
    assert holds(compared("=", NAME, "a"), rows).tolist() == [True, False, True, False]
    assert holds(IsNull(NAME), rows).tolist() == [False, True, False, True]


# ── with the oracle ──────────────────────────────────────────────────────────────────────────────────────
@st.composite
def cases(draw: st.DrawFn) -> tuple[oracle.Predicate, list[dict[str, oracle.Value]]]:
    chooser = Drawn(draw)
    rows = [dict(Maker(chooser).attributes(clock)) for clock in range(chooser.integer(0, 6))]
    return Conditions(chooser).predicate([], 3), rows


@given(cases(), st.booleans())
def test_agrees_with_the_oracle(case: tuple[oracle.Predicate, list[dict[str, oracle.Value]]], coded: bool) -> None:
    predicate, rows = case
    schema = translation.SCHEMA.set(2, pyarrow.field("name", CODED_TEXT)) if coded else translation.SCHEMA
    translated = translation.predicate(predicate)
    check(translated, schema)
    assert holds(translated, translation.batch(rows, schema)).tolist() == translation.truths(predicate, rows)


INTEGERS = st.sampled_from([0, 1, -1, 3, 2**53 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**53) - 1])
DOUBLES = st.sampled_from([0.0, -0.0, 0.5, 3.0, 2.0**53, 2.0**53 + 2, 2.0**63, -(2.0**63), 1e300, 5e-324])
CONSTANTS = st.one_of(INTEGERS, DOUBLES, st.sampled_from([2**63, 10**30, -(10**30)])).map(oracle.Constant)
ATTRIBUTES = st.sampled_from(["price", "volume", "clock"]).map(oracle.Attribute)


def calculated(inner: st.SearchStrategy[oracle.Operand]) -> st.SearchStrategy[oracle.Operand]:
    binary = st.builds(oracle.Arithmetic, st.sampled_from("+-*/"), inner, inner)
    return binary | st.builds(oracle.Negative, inner)


OPERANDS = st.recursive(ATTRIBUTES | CONSTANTS, calculated, max_leaves=4)
NUMBERS = st.fixed_dictionaries(
    {"price": st.none() | DOUBLES, "volume": st.none() | INTEGERS, "clock": st.none() | INTEGERS}
)


@given(st.sampled_from(tuple(oracle.OPPOSITES)), OPERANDS, OPERANDS, st.lists(NUMBERS, min_size=1, max_size=4))
def test_numbers_are_exact(
    operator: str, left: oracle.Operand, right: oracle.Operand, rows: list[dict[str, Any]]
) -> None:
    expected = [oracle.compare(operator, value(left, row), value(right, row)) for row in rows]
    given_ = translation.predicate(oracle.Comparison(operator, left, right))
    assert holds(given_, translation.batch(rows)).tolist() == expected


def value(operand: oracle.Operand, row: dict[str, Any]) -> oracle.Value:
    """The oracle's value, but what is no number is NULL, and what is too large for a double is infinite."""
    match operand:
        case oracle.Negative(inner):
            found = value(inner, row)
            return None if found is None else 0 - found  # type: ignore[operator]
        case oracle.Arithmetic(sign, left, right):
            found = oracle.calculate(sign, value(left, row), value(right, row))
            return None if isinstance(found, float) and math.isnan(found) else found
    return oracle.value_of(operand, {None: row})


@given(st.text("a%_\\\n.*ü"), st.text("a%_\\\n.*ü"))
def test_like_is_the_same_in_both_libraries(text: str, pattern: str) -> None:
    rows = pyarrow.record_batch({"name": [text]})
    (found,) = holds(Like(NAME, pattern), rows).tolist()
    assert found == (re.fullmatch(expression(pattern), text) is not None)
    if "\\" not in pattern:
        assert found == oracle.is_like(text, pattern)
