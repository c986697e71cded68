"""Predicates on whole batches: where they are true, by SQL's logic of three values.

On a few rows they are functions that are made once, of lists to lists.
"""

from __future__ import annotations

import math
import operator as operators
import re
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow
import pyarrow.compute
from pyarrow import types

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
    attributes,
    normal,
)
from spaseq.sources.tables.types import ValueKind, instant, kind_of_type
from spaseq.tuples.columns import vectors
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.columns.vectors import COMPARISONS, Mask, Vector, nearest, quotient, remainder

Test = Comparison | Like | In | IsNull
Literal = Test | Not  # in normal form, Not is around a Like, In or IsNull

_TEXT_COMPARISONS = {
    "=": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal",
}  # fmt: skip


def holds(predicate: Predicate, batch: pyarrow.RecordBatch) -> Mask:
    """Where ``predicate`` is true.

    The batch has columns of the usual types (``usual.py``), and the predicate is checked (``kinds.check``).
    """
    return _holds(normal(predicate), batch)


def _holds(predicate: Predicate, batch: pyarrow.RecordBatch) -> Mask:
    match predicate:
        case And(parts):
            return reduce(np.logical_and, (_holds(part, batch) for part in parts), np.ones(batch.num_rows, np.bool_))
        case Or(parts):
            return reduce(np.logical_or, (_holds(part, batch) for part in parts), np.zeros(batch.num_rows, np.bool_))
    return truth(predicate, batch)


def truth(literal: Literal, batch: pyarrow.RecordBatch) -> Mask:
    """Where a literal is true; one about a dictionary-encoded column alone is evaluated on the dictionary."""
    names = {attribute.name for attribute in attributes(literal)}
    column = batch.column(names.pop()) if len(names) == 1 else None
    if column is None or not types.is_dictionary(column.type):
        return np.broadcast_to(_truth(literal, batch), batch.num_rows)
    (name,) = {attribute.name for attribute in attributes(literal)}
    codes, values = coded(column)
    return _truth(literal, pyarrow.record_batch({name: values}))[codes]


def coded(column: pyarrow.DictionaryArray) -> tuple[vectors.Column, pyarrow.Array]:
    """The place of each row's value in the array of values, which has all of the dictionary, and at its end NULL."""
    values = pyarrow.concat_arrays([column.dictionary, pyarrow.nulls(1, column.dictionary.type)])
    codes = column.indices
    if codes.null_count:
        codes = codes.fill_null(len(values) - 1)
    return codes.to_numpy(zero_copy_only=False), values


def _truth(literal: Literal, batch: pyarrow.RecordBatch) -> Mask:
    match literal:
        case Not(IsNull(value)):
            return ~_null(value, batch)
        case Not(test):
            assert isinstance(test, Like | In)
            return ~_truth(test, batch) & ~_null(test.value, batch)
        case IsNull(value):
            return _null(value, batch)
        case Like(value, pattern):
            return _like(value, pattern, batch)
        case In(value, constants):
            equal = (_compare("=", value, constant, batch) for constant in constants)
            return reduce(np.logical_or, equal, np.zeros(batch.num_rows, np.bool_))
        case Comparison(operator, left, right):
            return _compare(operator, left, right, batch)


def _compare(operator: str, left: Value, right: Value, batch: pyarrow.RecordBatch) -> Mask:
    kinds = {_kind(left, batch), _kind(right, batch)}
    if ValueKind.NULL in kinds:
        return np.zeros(batch.num_rows, np.bool_)
    if kinds == {ValueKind.TEXT}:
        return _compare_texts(operator, left, right, batch)
    return vectors.compare(operator, numbers(left, batch), numbers(right, batch))


def _compare_texts(operator: str, left: Value, right: Value, batch: pyarrow.RecordBatch) -> Mask:
    """By code points, which is the order of UTF-8 as well."""
    function = _TEXT_COMPARISONS[operator]
    found = pyarrow.compute.call_function(function, [_texts(left, batch), _texts(right, batch)])
    if isinstance(found, pyarrow.Scalar):
        return np.asarray(found.as_py(), np.bool_)
    return _true(found)


def _like(value: Value, pattern: str, batch: pyarrow.RecordBatch) -> Mask:
    if _kind(value, batch) is ValueKind.NULL:
        return np.zeros(batch.num_rows, np.bool_)
    if isinstance(value, Constant):
        return np.asarray(re.fullmatch(expression(pattern), str(value.value)) is not None)
    return _true(pyarrow.compute.match_substring_regex(_texts(value, batch), rf"\A{expression(pattern)}\z"))


def expression(pattern: str) -> str:
    """The regular expression, of Python and of RE2, that says the same as the pattern of a LIKE."""
    parts = re.findall(r"\\[%_]|[%_]|.", pattern, re.DOTALL)
    return "(?s:" + "".join({"%": ".*", "_": "."}.get(part) or re.escape(part[-1]) for part in parts) + ")"


def _texts(value: Value, batch: pyarrow.RecordBatch) -> pyarrow.Array | pyarrow.Scalar:
    if isinstance(value, Constant):
        return pyarrow.scalar(value.value, pyarrow.string())
    assert isinstance(value, Attribute)
    column = batch.column(value.name)
    return column.dictionary_decode() if types.is_dictionary(column.type) else column


def _true(found: pyarrow.BooleanArray) -> Mask:
    """NULL is not true."""
    filled = found.fill_null(False) if found.null_count else found
    return np.asarray(filled.to_numpy(zero_copy_only=False), np.bool_)


def _null(value: Value, batch: pyarrow.RecordBatch) -> Mask:
    kind = _kind(value, batch)
    if isinstance(value, Attribute) and (kind in (ValueKind.TEXT, ValueKind.NULL) or kind is None):
        return _true(batch.column(value.name).is_null())
    if kind is ValueKind.TEXT:
        return np.asarray(False)
    valid = numbers(value, batch).valid
    return np.zeros(batch.num_rows, np.bool_) if valid is None else ~valid


def _kind(value: Value, batch: pyarrow.RecordBatch) -> ValueKind | None:
    match value:
        case Attribute(name):
            return kind_of_type(batch.schema.field(name).type)
        case Constant(str()):
            return ValueKind.TEXT
    return ValueKind.NUMBER


def numbers(value: Value, batch: pyarrow.RecordBatch) -> Vector:
    """The values as numbers: times as microseconds, truth values as 0 and 1; of NULLs only if a column is of nulls."""
    match value:
        case Attribute(name):
            return vector(batch.column(name))
        case Constant(str() as text):
            return vectors.constant(instant(text))
        case Constant(number):
            assert not isinstance(number, str)
            return vectors.constant(int(number) if isinstance(number, bool) else number)
        case Negative(inner):
            return vectors.calculate("-", vectors.constant(0), numbers(inner, batch))
        case Arithmetic(operator, left, right):
            return vectors.calculate(operator, numbers(left, batch), numbers(right, batch))


def vector(column: pyarrow.Array) -> Vector:
    """A column of numbers, times, truth values or nulls as numbers, without a copy where there is no NULL."""
    if types.is_null(column.type):
        return Vector(np.zeros(len(column), np.int64), np.zeros(len(column), np.bool_))
    if types.is_timestamp(column.type):
        column = column.view(pyarrow.int64())
    valid = None
    if column.null_count:
        valid = _true(column.is_valid())
        column = column.fill_null(0 if not types.is_boolean(column.type) else False)
    values = column.to_numpy(zero_copy_only=False)
    return (vectors.floats if types.is_floating(column.type) else vectors.integers)(values, valid)


# ── on a few rows ────────────────────────────────────────────────────────────────────────────────────────
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
            return _few_like(few_values(value, schema), pattern)
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


def _few_like(value: Values, pattern: str) -> Truths:
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
    if ValueKind.TEXT in (_kind_in(left, schema), _kind_in(right, schema)) and not _are_texts(left, right, schema):
        return _as_time(left), _as_time(right)
    return left, right


def _are_texts(left: Value, right: Value, schema: pyarrow.Schema) -> bool:
    return {_kind_in(left, schema), _kind_in(right, schema)} <= {ValueKind.TEXT, ValueKind.NULL}


def _as_time(value: Value) -> Value:
    return Constant(instant(value.value)) if isinstance(value, Constant) and isinstance(value.value, str) else value


def _kind_in(value: Value, schema: pyarrow.Schema) -> ValueKind | None:
    match value:
        case Attribute(name):
            return kind_of_type(schema.field(name).type)
        case Constant(str()):
            return ValueKind.TEXT
    return ValueKind.NUMBER


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
