"""Case files (cases/README.md): a query, rows, and what must come of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow

CASES = Path(__file__).parent / "cases"
_SECTION = re.compile(r"^=== (query|rows|results|error)\n", re.MULTILINE)
_VALUE = r"'(?:[^']|'')*'|\[(?:[^\]']|'(?:[^']|'')*')*\]"
_PART = re.compile(rf"\s*({_VALUE}|[^|']*?)\s*(?:\||$)")
_ITEM = re.compile(rf"\s*({_VALUE}|[^,']*?)\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class SqlCase:
    """What a file says; ``results`` None: ``error`` is part of the message."""

    why: str
    query: str
    rows: pyarrow.Table
    results: pyarrow.Table | None
    error: str


def case_files() -> list[Path]:
    """All of them."""
    return sorted(CASES.glob("*/*.case"))


def read_case(path: Path) -> SqlCase:
    """A file."""
    why, *parts = _SECTION.split(path.read_text(encoding="utf-8"))
    found = dict(zip(parts[::2], parts[1::2], strict=True))
    results = table_of(found["results"]) if "results" in found else None
    return SqlCase(why.strip(), found["query"], table_of(found["rows"]), results, found.get("error", "").strip())


def table_of(text: str) -> pyarrow.Table:
    """Rows behind a line with names and types."""
    head, *lines = text.strip("\n").split("\n")
    fields = [_field(part) for part in head.split(" | ")] if head.strip() else []
    rows = [_PART.findall(line) for line in lines if line.strip()]
    columns = []
    for place, (field, make) in enumerate(fields):
        columns.append(pyarrow.array([_value(row[place], make) for row in rows], field.type))
    return pyarrow.Table.from_arrays(columns, schema=pyarrow.schema([field for field, _ in fields]))


def compared(table: pyarrow.Table) -> tuple[list[str], list[list[str]]]:
    """What of results is compared: decimals by value and scale, NaN as NaN."""
    return table.column_names, [[repr(value) for value in row.values()] for row in table.to_pylist()]


def _field(part: str) -> tuple[pyarrow.Field, Callable[[str], Any]]:
    name, _, kind = part.strip().rpartition(" ")
    if kind.endswith("[]"):
        type_, make = _type(kind[:-2])
        return pyarrow.field(name, pyarrow.list_(type_)), lambda text: list(_items(text, make))
    type_, make = _type(kind)
    return pyarrow.field(name, type_), make


def _items(text: str, make: Callable[[str], Any]) -> Iterator[Any]:
    return (_value(item, make) for item in _ITEM.findall(text[1:-1]) if item)


def _type(kind: str) -> tuple[pyarrow.DataType, Callable[[str], Any]]:
    if found := re.fullmatch(r"decimal\((\d+),(\w+)\)", kind):
        return pyarrow.decimal128(int(found[1]), int(found[2])), Decimal
    return _TYPES[kind]


def _value(text: str, make: Callable[[str], Any]) -> Any:
    return None if text == "NULL" else make(text)


def _text(text: str) -> str:
    assert text.startswith("'"), text
    return text[1:-1].replace("''", "'")


_TYPES: dict[str, tuple[pyarrow.DataType, Callable[[str], Any]]] = {
    "boolean": (pyarrow.bool_(), lambda text: {"TRUE": True, "FALSE": False}[text]),
    "bigint": (pyarrow.int64(), int),
    "double": (pyarrow.float64(), float),
    "varchar": (pyarrow.string(), _text),
    "date": (pyarrow.date32(), date.fromisoformat),
    "timestamp": (pyarrow.timestamp("us"), datetime.fromisoformat),
    "interval": (pyarrow.duration("us"), lambda text: timedelta(microseconds=int(Decimal(text) * 1_000_000))),
}
