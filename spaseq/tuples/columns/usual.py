"""Columns of all the types that sources have, as the few types that the rest of the package knows.

These are int64 (uint64 if that is too small), float64, string, bool, timestamp[us] and null; texts may be
dictionary-encoded, with codes of 32 bits.  Other types stay as they are: no query can use them.
"""

from __future__ import annotations

from bisect import bisect_left

import pyarrow
import pyarrow.compute
from pyarrow import types

CODES = pyarrow.int32()
CODED_TEXT = pyarrow.dictionary(CODES, pyarrow.string())
INSTANT = pyarrow.timestamp("us")


def usual_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type that a column of ``type_`` gets."""
    if types.is_run_end_encoded(type_):
        return usual_type(type_.value_type)
    if types.is_dictionary(type_):
        inner = usual_type(type_.value_type)
        return CODED_TEXT if types.is_string(inner) else inner
    for usual, tests in _USUAL:
        if any(test(type_) for test in tests):
            return usual
    return type_


_USUAL = (
    (pyarrow.uint64(), (types.is_uint64,)),
    (pyarrow.int64(), (types.is_integer,)),
    (pyarrow.float64(), (types.is_floating, types.is_decimal)),
    (pyarrow.string(), (types.is_string, types.is_large_string, types.is_string_view)),
    (INSTANT, (types.is_timestamp, types.is_date)),
)


def usual_schema(schema: pyarrow.Schema) -> pyarrow.Schema:
    """``schema`` with the usual types, without metadata."""
    return pyarrow.schema([(field.name, usual_type(field.type)) for field in schema])


def usual(column: pyarrow.Array, type_: pyarrow.DataType, cut: bool = False) -> pyarrow.Array:
    """``column`` as ``type_``; ArrowInvalid if a value cannot be one.

    Times finer than microseconds are cut if that is asked for, else they are none; those with a zone are in UTC, those
    without are taken to be.
    """
    if column.type == type_:
        return column
    if types.is_run_end_encoded(column.type):
        column = pyarrow.compute.run_end_decode(column)
    if types.is_dictionary(column.type) and not types.is_dictionary(type_):
        column = column.dictionary_decode()
    if types.is_dictionary(type_) and not types.is_dictionary(column.type):
        return usual(column, type_.value_type).dictionary_encode().cast(type_)
    if types.is_timestamp(type_) and types.is_timestamp(column.type):
        finer = column.type.unit == "ns"
        return column.cast(pyarrow.timestamp(type_.unit, column.type.tz), safe=not (cut and finer)).cast(type_)
    if types.is_float16(column.type):
        column = column.cast(pyarrow.float32())
    return column.cast(type_)


def fault(column: pyarrow.Array) -> tuple[int, str] | None:
    """The first row whose value is none, as a text that is no UTF-8, and what is wrong with it; None: there is none."""
    try:
        column.validate(full=True)
    except pyarrow.ArrowException as error:
        if types.is_dictionary(column.type) and not _is_bad(column.indices, column.dictionary):
            return _first_bad_code(column), "a text that is no UTF-8"
        row = bisect_left(range(1, len(column)), True, key=lambda size: not _is_valid(column.slice(0, size)))
        return row, _said(column, row, error)
    return None


def _is_bad(codes: pyarrow.Array, dictionary: pyarrow.Array) -> bool:
    """Whether there is a code out of the dictionary."""
    extremes = pyarrow.compute.min_max(codes).as_py()
    return extremes["min"] is not None and not 0 <= extremes["min"] <= extremes["max"] < len(dictionary)


def _first_bad_code(column: pyarrow.DictionaryArray) -> int:
    """The first row with a value of the dictionary that is none."""
    values = column.dictionary
    bad = [number for number in range(len(values)) if not _is_valid(values.slice(number, 1))]
    rows = pyarrow.compute.is_in(column.indices, pyarrow.array(bad, column.indices.type)).to_pylist()
    return rows.index(True) if True in rows else 0


def _said(column: pyarrow.Array, row: int, error: Exception) -> str:
    """What is wrong with a value."""
    if types.is_dictionary(column.type):
        return f"the code {column.indices[row]}, but its dictionary {len(column.dictionary)} values"
    return "a text that is no UTF-8" if "UTF8" in str(error) else f"something broken: {error}"


def _is_valid(column: pyarrow.Array) -> bool:
    try:
        column.validate(full=True)
    except pyarrow.ArrowException:
        return False
    return True
