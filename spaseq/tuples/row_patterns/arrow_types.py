"""Types of SQL and of Arrow, both ways, and constants as columns."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow
from pyarrow import types

from spaseq.pattern.rows.expressions import SqlConstant
from spaseq.pattern.rows.types import (
    ANY,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    INTERVAL,
    MOST_DIGITS,
    TEXT,
    TIMESTAMP,
    SqlKind,
    SqlType,
    decimal,
    list_of,
)

_PLAIN: Mapping[SqlKind, pyarrow.DataType] = {
    SqlKind.ANY: pyarrow.null(),
    SqlKind.BOOLEAN: pyarrow.bool_(),
    SqlKind.INTEGER: pyarrow.int64(),
    SqlKind.DOUBLE: pyarrow.float64(),
    SqlKind.TEXT: pyarrow.string(),
    SqlKind.DATE: pyarrow.date32(),
    SqlKind.TIMESTAMP: pyarrow.timestamp("us"),
    SqlKind.INTERVAL: pyarrow.duration("us"),
}


def arrow_type(type_: SqlType) -> pyarrow.DataType:
    """The type of a column of such values."""
    if type_.element is not None:
        return pyarrow.list_(arrow_type(type_.element))
    if type_.kind is SqlKind.DECIMAL:
        return pyarrow.decimal128(type_.precision, type_.scale)
    return _PLAIN[type_.kind]


def sql_type(type_: pyarrow.DataType) -> SqlType | None:
    """The type of values of a column; None: SQL has none for these."""
    if types.is_decimal(type_):
        return decimal(type_.precision, type_.scale) if type_.precision <= MOST_DIGITS and type_.scale >= 0 else None
    if types.is_list(type_) or types.is_large_list(type_):
        element = sql_type(type_.value_type)
        return None if element is None else list_of(element)
    if types.is_dictionary(type_):
        return sql_type(type_.value_type)
    return next((known for fits, known in _KNOWN if fits(type_)), None)


_KNOWN = (
    (types.is_null, ANY),
    (types.is_boolean, BOOLEAN),
    (types.is_integer, INTEGER),
    (types.is_floating, DOUBLE),
    (types.is_string, TEXT),
    (types.is_large_string, TEXT),
    (types.is_string_view, TEXT),
    (types.is_date, DATE),
    (types.is_timestamp, TIMESTAMP),
    (types.is_duration, INTERVAL),
)


def repeated(constant: SqlConstant, count: int) -> pyarrow.Array:
    """A constant as a column of so many rows."""
    scalar = pyarrow.scalar(constant.value, arrow_type(constant.type))
    return pyarrow.repeat(scalar, count)
