"""Queries with row patterns as Trino takes them, with their tables within."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow

_BLANK = r"(?:\s|--[^\n]*\n|/\*.*?\*/)*"
_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_TYPES = {
    pyarrow.bool_(): "BOOLEAN", pyarrow.int64(): "BIGINT", pyarrow.float64(): "DOUBLE", pyarrow.string(): "VARCHAR",
    pyarrow.date32(): "DATE", pyarrow.timestamp("us"): "TIMESTAMP(6)",
    pyarrow.duration("us"): "INTERVAL DAY TO SECOND",
}  # fmt: skip


def trino_text(text: str, table: pyarrow.Table) -> str:
    """A query on ``ticks`` with SELECT and its table; TIMESTAMP has six digits, as here, and times have no T."""
    rest = text.strip().removesuffix(";")
    if not re.match(rf"{_BLANK}SELECT\b", rest, re.IGNORECASE | re.DOTALL):
        rest = f"SELECT * FROM {rest}"
    rest = re.sub(r"\bAS TIMESTAMP\)", "AS TIMESTAMP(6))", rest)
    rest = re.sub(r"'(\d{4}-\d\d-\d\d)T(\d\d:[\d:.]*)'", r"'\1 \2'", rest)
    return f"WITH ticks({', '.join(map(_quoted, table.column_names))}) AS ({_values(table)})\n{rest}"


def _values(table: pyarrow.Table) -> str:
    """The rows as a subquery; of none it is a row of NULLs that does not stay."""
    rows = [list(row.values()) for row in table.to_pylist()] or [[None] * table.num_columns]
    lines = (f"ROW({', '.join(map(literal, row, table.schema.types))})" for row in rows)
    values = f"VALUES {', '.join(lines)}"
    return values if table.num_rows else f"SELECT * FROM ({values}) WHERE FALSE"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def literal(value: Any, type_: pyarrow.DataType) -> str:
    """A value with its type."""
    name = f"DECIMAL({type_.precision}, {type_.scale})" if pyarrow.types.is_decimal(type_) else _TYPES[type_]
    match value:
        case None:
            return f"CAST(NULL AS {name})"
        case timedelta():
            seconds = Decimal(value // timedelta(microseconds=1)) / 1_000_000
            return f"INTERVAL {'-' if seconds < 0 else ''}'{abs(seconds):f}' SECOND"
        case datetime():
            text = value.isoformat(" ")
        case float():
            text = _FLOATS.get(str(value), str(value))
        case _:
            text = str(value).replace("'", "''")
    return f"CAST('{text}' AS {name})"
