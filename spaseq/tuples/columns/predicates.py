"""Predicates on whole batches: where they are true, by SQL's logic of three values.

Negations go down to the single comparisons (``normal``).  There NULL satisfies neither a comparison nor its opposite,
so that truth alone is left to compute, and AND and OR are those of numpy.
"""

from __future__ import annotations

import re
from functools import reduce

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
from spaseq.sources.tables.types import Kind, instant, kind_of_type
from spaseq.tuples.columns import vectors
from spaseq.tuples.columns.vectors import Mask, Vector

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
    if Kind.NULL in kinds:
        return np.zeros(batch.num_rows, np.bool_)
    if kinds == {Kind.TEXT}:
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
    if _kind(value, batch) is Kind.NULL:
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
    if isinstance(value, Attribute) and (kind in (Kind.TEXT, Kind.NULL) or kind is None):
        return _true(batch.column(value.name).is_null())
    if kind is Kind.TEXT:
        return np.asarray(False)
    valid = numbers(value, batch).valid
    return np.zeros(batch.num_rows, np.bool_) if valid is None else ~valid


def _kind(value: Value, batch: pyarrow.RecordBatch) -> Kind | None:
    match value:
        case Attribute(name):
            return kind_of_type(batch.schema.field(name).type)
        case Constant(str()):
            return Kind.TEXT
    return Kind.NUMBER


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
