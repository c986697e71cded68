"""Predicates of the oracle as column predicates, and events of the oracle as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow

from spaseq.pattern.formulas import predicates as columns
from tests.oracle.ceql import predicates as oracle

SCHEMA = pyarrow.schema(
    [
        ("price", pyarrow.float64()),
        ("volume", pyarrow.int64()),
        ("name", pyarrow.string()),
        ("clock", pyarrow.int64()),
    ]
)


def predicate(given: oracle.Predicate) -> columns.Predicate:
    """The same predicate."""
    match given:
        case oracle.Both(left, right):
            return columns.And((predicate(left), predicate(right)))
        case oracle.Either(left, right):
            return columns.Or((predicate(left), predicate(right)))
        case oracle.Not(body):
            return columns.Not(predicate(body))
        case oracle.Comparison(operator, left, right):
            return columns.Comparison(operator, value(left), value(right))
    found = _test(given)
    return columns.Not(found) if given.negated else found


def _test(given: oracle.Like | oracle.In | oracle.InRange | oracle.IsNull) -> columns.Predicate:
    match given:
        case oracle.Like(operand, pattern):
            return columns.Like(value(operand), pattern)
        case oracle.In(operand, values):
            return columns.In(value(operand), tuple(map(columns.Constant, values)))
        case oracle.InRange(operand, least, most):
            bounds = ((">=", least), ("<=", most))
            return columns.And(tuple(columns.Comparison(each, value(operand), value(bound)) for each, bound in bounds))
        case oracle.IsNull(operand):
            return columns.IsNull(value(operand))


def value(given: oracle.Operand) -> columns.Value:
    """The same value."""
    match given:
        case oracle.Attribute(name):
            return columns.Attribute(name)
        case oracle.Constant(inner):
            return columns.Constant(inner)
        case oracle.Negative(inner):
            return columns.Negative(value(inner))
        case oracle.Arithmetic(operator, left, right):
            return columns.Arithmetic(operator, value(left), value(right))


def batch(rows: Sequence[Mapping[str, oracle.Value]], schema: pyarrow.Schema = SCHEMA) -> pyarrow.RecordBatch:
    """Rows of attributes as columns."""
    return pyarrow.record_batch(
        [pyarrow.array([row.get(field.name) for row in rows], field.type) for field in schema], schema=schema
    )


def truths(given: oracle.Predicate, rows: Sequence[Mapping[str, oracle.Value]]) -> list[bool]:
    """Of which rows the oracle says that the predicate is true."""
    return [oracle.holds_for_all(given, "x", {"x": [row]}) for row in rows]
