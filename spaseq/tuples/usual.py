"""Columns of all the types that sources have, as the few types that the rest of the package knows.

These are int64 (uint64 if that is too small), float64, string, bool, timestamp[us] and null; texts may be
dictionary-encoded, with codes of 32 bits.  Other types stay as they are: no query can use them.
"""

from __future__ import annotations

import pyarrow
from pyarrow import types

CODES = pyarrow.int32()
CODED_TEXT = pyarrow.dictionary(CODES, pyarrow.string())
INSTANT = pyarrow.timestamp("us")


def usual_type(type_: pyarrow.DataType) -> pyarrow.DataType:
    """The type that a column of ``type_`` gets."""
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


def usual(column: pyarrow.Array, type_: pyarrow.DataType) -> pyarrow.Array:
    """``column`` as ``type_``; ArrowInvalid if a value cannot be one.

    Times finer than microseconds are cut; those with a zone are in UTC, those without are taken to be.
    """
    if column.type == type_:
        return column
    if types.is_dictionary(column.type) and not types.is_dictionary(type_):
        column = column.dictionary_decode()
    if types.is_dictionary(type_) and not types.is_dictionary(column.type):
        return usual(column, type_.value_type).dictionary_encode().cast(type_)
    if types.is_timestamp(type_) and types.is_timestamp(column.type):
        return column.cast(pyarrow.timestamp(type_.unit, column.type.tz), safe=False).cast(type_)
    if types.is_float16(column.type):
        column = column.cast(pyarrow.float32())
    return column.cast(type_)
