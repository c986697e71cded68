"""A few rows as lists: predicates and values are those of the same rows as a batch."""

from __future__ import annotations

import math
from typing import Any

import numpy
import pyarrow
import pytest
from hypothesis import given, strategies as st

from spaseq.pattern.formulas.predicates import Arithmetic, Attribute, Comparison, Constant, IsNull, Predicate
from spaseq.sources.tables.types import CODED_TEXT
from spaseq.tuples.columns import predicates as few_predicates
from spaseq.tuples.columns.predicates import few_truths, few_values, holds, numbers
from spaseq.tuples.columns.rows import FewRows, array, behind_each_other
from tests.oracle.ceql import predicates as oracle
from tests.tuples import translation
from tests.tuples.columns.test_predicates import NUMBERS, OPERANDS, ROWS, cases, test_examples

EXAMPLES = next(mark.args[1] for mark in test_examples.pytestmark if mark.args[0] != "coded")  # type: ignore[attr-defined]
ORDINARY = st.fixed_dictionaries(
    {
        "p": st.none() | st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 1e308, 2.0**53]),
        "n": st.none() | st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
        "t": st.none() | st.text("ab%ü", max_size=3),
        "b": st.none() | st.booleans(),
        "at": st.none() | st.integers(-(10**15), 10**15),
        "no": st.none(),
    }
)
SCHEMA = pyarrow.schema(
    {
        "p": pyarrow.float64(), "n": pyarrow.int64(), "t": pyarrow.string(), "b": pyarrow.bool_(),
        "at": pyarrow.timestamp("us"), "no": pyarrow.null(),
    }
)  # fmt: skip


def few(rows: list[dict[str, Any]], schema: pyarrow.Schema) -> FewRows:
    return FewRows(schema, {name: [row.get(name) for row in rows] for name in schema.names}, len(rows))


def of_batch(batch: pyarrow.RecordBatch) -> FewRows:
    """The same rows; NaN is NULL in lists, and times are microseconds."""
    lists = {}
    for field in batch.schema:
        column = batch.column(field.name)
        values = (column.view(pyarrow.int64()) if pyarrow.types.is_timestamp(field.type) else column).to_pylist()
        lists[field.name] = [None if value != value else value for value in values]
    return FewRows(batch.schema, lists, batch.num_rows)


@pytest.mark.parametrize(("predicate", "true"), EXAMPLES)
@pytest.mark.parametrize("coded", [False, True])
def test_predicates_by_example(predicate: Predicate, true: list[int], coded: bool) -> None:
    rows = ROWS.set_column(1, "name", ROWS.column("name").cast(CODED_TEXT)) if coded else ROWS
    found = few_truths(predicate, rows.schema)(of_batch(rows))
    assert [row for row, one in enumerate(found) if one] == true


@given(cases(), st.booleans())
def test_agrees_with_the_oracle(case: tuple[oracle.Predicate, list[dict[str, oracle.Value]]], coded: bool) -> None:
    predicate, rows = case
    schema = translation.SCHEMA.set(2, pyarrow.field("name", CODED_TEXT)) if coded else translation.SCHEMA
    found = few_truths(translation.predicate(predicate), schema)(of_batch(translation.batch(rows, schema)))
    assert list(found) == translation.truths(predicate, rows)


@given(st.sampled_from("+-*/%"), OPERANDS, OPERANDS, st.lists(NUMBERS, min_size=1, max_size=4))
def test_values_are_those_of_batches(
    operator: str, left: oracle.Operand, right: oracle.Operand, rows: list[dict[str, Any]]
) -> None:
    """To the last bit, and of the same kind."""
    value = Arithmetic(operator, translation.value(left), translation.value(right))
    batch = translation.batch(rows)
    vector = numbers(value, batch)
    whole = numpy.broadcast_to(vector.values, len(rows)).tolist()
    valid = [True] * len(rows) if vector.valid is None else numpy.broadcast_to(vector.valid, len(rows)).tolist()
    expected = [one if good else None for one, good in zip(whole, valid, strict=True)]
    found = list(few_values(value, batch.schema)(of_batch(batch)))
    assert list(map(repr, found)) == list(map(repr, expected))
    assert few_predicates.is_real(value, batch.schema) == vector.is_float


@given(st.sampled_from(tuple(oracle.OPPOSITES)), st.sampled_from("pnb"), st.sampled_from("pnb"), st.lists(ORDINARY))
def test_columns_that_are_compared(operator: str, left: str, right: str, rows: list[dict[str, Any]]) -> None:
    predicate = Comparison(operator, Attribute(left), Attribute(right))
    some = few(rows, SCHEMA)
    assert list(few_truths(predicate, SCHEMA)(some)) == holds(predicate, some.batch()).tolist()


def test_what_is_no_number_is_null() -> None:
    rows = few([{"p": math.inf, "n": 0}], SCHEMA)
    infinite, none = Attribute("p"), Attribute("n")
    for value in (
        Arithmetic("-", infinite, infinite), Arithmetic("%", infinite, Constant(2)), Arithmetic("/", infinite, none),
        Arithmetic("%", none, none), Arithmetic("+", Constant(math.nan), infinite), Arithmetic("/", none, none),
    ):  # fmt: skip
        assert list(few_values(value, SCHEMA)(rows)) == [None]
        assert list(few_truths(IsNull(value), SCHEMA)(rows)) == holds(IsNull(value), rows.batch()).tolist() == [True]


@given(st.lists(ORDINARY), st.lists(ORDINARY), st.randoms(use_true_random=False))
def test_as_of_a_batch(first: list[dict[str, Any]], second: list[dict[str, Any]], chance: Any) -> None:
    """Parts, orders and choices of rows are those that a batch has."""
    rows = [*first, *second]
    both = behind_each_other([few(first, SCHEMA), few(second, SCHEMA)])
    columns = [array([row[field.name] for row in rows], field.type) for field in SCHEMA]
    batch = pyarrow.record_batch(columns, schema=SCHEMA)
    assert both.batch().equals(batch) and len(both) == both.num_rows == len(rows)
    begin = chance.randrange(len(rows) + 1)
    length = chance.randrange(len(rows) - begin + 1)
    order = pyarrow.array(chance.sample(range(len(rows)), len(rows)), pyarrow.int64())
    mask = pyarrow.array([chance.random() < 0.5 for _ in rows], pyarrow.bool_())
    for found, expected in (
        (both.slice(begin), batch.slice(begin)),
        (both.slice(begin, length), batch.slice(begin, length)),
        (both.slice(begin).slice(0, length), batch.slice(begin, length)),
        (both.take(order), batch.take(order)),
        (both.filter(mask), batch.filter(mask)),
    ):
        assert found.batch().equals(expected) and len(found) == expected.num_rows
        assert found.select(["n", "t"]).equals(expected.select(["n", "t"]))
    marked = both.with_column(pyarrow.field("of", CODED_TEXT), "S")
    assert marked.column("of").to_pylist() == ["S"] * len(rows) and marked.column("of").type == CODED_TEXT
    assert both.of_schema(SCHEMA) is both
    assert list(both.of_schema(SCHEMA.append(pyarrow.field("more", pyarrow.int64()))).values("more")) == [None] * len(
        rows
    )
