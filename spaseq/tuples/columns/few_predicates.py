"""Predicates on a few rows, as ``predicates`` has them on batches: functions that are made once, of lists to lists.

A value is None where it is NULL.  Arithmetic is that of ``vectors``: exact for integers, that of doubles where a column
or a constant of doubles takes part.
"""

from __future__ import annotations

import math
import operator as operators
import re
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow

from spaseq.pattern.formulas.predicates import (
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
    normal,
)
from spaseq.sources.tables.types import Kind, instant, kind_of_type
from spaseq.tuples.columns.few import FewRows
from spaseq.tuples.columns.predicates import expression
from spaseq.tuples.columns.vectors import COMPARISONS, nearest, quotient, remainder

Truths = Callable[[FewRows], Sequence[bool]]
Values = Callable[[FewRows], Sequence[Any]]


def few_truths(predicate: Predicate, schema: pyarrow.Schema) -> Truths:
    """Where a predicate is true of rows of this schema, for which it is checked."""
    return _truths(normal(predicate), schema)


def few_values(value: Value, schema: pyarrow.Schema) -> Values:
    """A value of rows of this schema: a number, truth value or text; times as microseconds."""
    match value:
        case Attribute(name):
            return lambda rows: rows.values(name)
        case Constant(constant):
            none = constant != constant
            return lambda rows: [None if none else constant] * len(rows)
        case Negative(inner):
            return few_values(Arithmetic("-", Constant(0), inner), schema)
        case Arithmetic(operator, left, right):
            calculate = _calculation(operator, is_real(value, schema))
            return _pairwise(calculate, few_values(left, schema), few_values(right, schema), None)


def is_real(value: Value, schema: pyarrow.Schema) -> bool:
    """Whether it is a double."""
    match value:
        case Attribute(name):
            return bool(pyarrow.types.is_floating(schema.field(name).type))
        case Constant(constant):
            return isinstance(constant, float)
        case Negative(inner):
            return is_real(inner, schema)
        case Arithmetic(operator, left, right):
            return operator == "/" or is_real(left, schema) or is_real(right, schema)


def _truths(predicate: Predicate, schema: pyarrow.Schema) -> Truths:
    match predicate:
        case And(parts):
            return _joined(all, [_truths(part, schema) for part in parts])
        case Or(parts):
            return _joined(any, [_truths(part, schema) for part in parts])
        case Not(inner):
            assert isinstance(inner, IsNull | Like | In)
            return _opposite(_truths(inner, schema), few_values(inner.value, schema), isinstance(inner, IsNull))
        case IsNull(value):
            found = few_values(value, schema)
            return lambda rows: [one is None for one in found(rows)]
        case Like(value, pattern):
            return _like(few_values(value, schema), pattern)
        case In(value, constants):
            return _joined(any, [_comparison("=", value, constant, schema) for constant in constants])
        case Comparison(operator, left, right):
            return _comparison(operator, left, right, schema)


def _joined(function: Callable[[Sequence[bool]], bool], parts: Sequence[Truths]) -> Truths:
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return lambda rows: [function(())] * len(rows)
    return lambda rows: list(map(function, zip(*(part(rows) for part in parts), strict=True)))


def _opposite(truth: Truths, value: Values, also_null: bool) -> Truths:
    """Where it is not true; NULL has no opposite, unless it is what was asked for."""
    if also_null:
        return lambda rows: [not one for one in truth(rows)]
    return lambda rows: [one is not None and not holds for one, holds in zip(value(rows), truth(rows), strict=True)]


def _like(value: Values, pattern: str) -> Truths:
    fits = re.compile(expression(pattern)).fullmatch
    return lambda rows: [one is not None and fits(one) is not None for one in value(rows)]


def _comparison(operator: str, left: Value, right: Value, schema: pyarrow.Schema) -> Truths:
    left, right = _as_times(left, right, schema)
    compare, one, other = COMPARISONS[operator], few_values(left, schema), few_values(right, schema)
    if isinstance(right, Constant) and right.value == right.value:
        constant = right.value
        return lambda rows: [each is not None and compare(each, constant) for each in one(rows)]
    return _pairwise(compare, one, other, False)


def _as_times(left: Value, right: Value, schema: pyarrow.Schema) -> tuple[Value, Value]:
    """What is compared; texts that stand for times as such."""
    if Kind.TEXT in (_kind(left, schema), _kind(right, schema)) and not _are_texts(left, right, schema):
        return _as_time(left), _as_time(right)
    return left, right


def _are_texts(left: Value, right: Value, schema: pyarrow.Schema) -> bool:
    return {_kind(left, schema), _kind(right, schema)} <= {Kind.TEXT, Kind.NULL}


def _as_time(value: Value) -> Value:
    return Constant(instant(value.value)) if isinstance(value, Constant) and isinstance(value.value, str) else value


def _kind(value: Value, schema: pyarrow.Schema) -> Kind | None:
    match value:
        case Attribute(name):
            return kind_of_type(schema.field(name).type)
        case Constant(str()):
            return Kind.TEXT
    return Kind.NUMBER


def _pairwise(function: Callable[[Any, Any], Any], left: Values, right: Values, missing: object) -> Values:
    """The function where neither is NULL."""
    return lambda rows: [
        missing if one is None or other is None else function(one, other)
        for one, other in zip(left(rows), right(rows), strict=True)
    ]


def _calculation(operator: str, reals: bool) -> Callable[[Any, Any], Any]:
    """``left operator right``; None for what is no number."""
    if reals and operator != "/":
        calculate = _REALS[operator]
        return lambda left, right: _number(calculate, nearest(left), nearest(right))
    if operator == "/":
        return lambda left, right: _number(_divided, left, right)
    return _WHOLE[operator]


def _number(calculate: Callable[[Any, Any], float], left: Any, right: Any) -> float | None:
    try:
        found = calculate(left, right)
    except (ZeroDivisionError, ValueError):
        return None
    return None if found != found else found


def _divided(left: Any, right: Any) -> float:
    """Of doubles, or of integers exactly."""
    if isinstance(left, float) or isinstance(right, float):
        return nearest(left) / nearest(right)
    return quotient(left, right)


_REALS: dict[str, Callable[[float, float], float]] = {
    "+": operators.add, "-": operators.sub, "*": operators.mul, "%": math.fmod,
}  # fmt: skip
_WHOLE: dict[str, Callable[[int, int], int | None]] = {
    "+": operators.add, "-": operators.sub, "*": operators.mul,
    "%": lambda left, right: None if right == 0 else remainder(left, right),
}  # fmt: skip
