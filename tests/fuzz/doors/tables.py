"""What queries in CEQL find in tuples that come in several ways."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice
from typing import Any

import pyarrow

from spaseq.errors import SpaseqError
from spaseq.languages.ceql import parse
from spaseq.tuples import match

MOST_ROWS = 500  # of results that are compared
HEADER = ("type", "time", "name", "price", "volume")
WORDS = (
    b"type", b"time", b"name", b"price", b"volume", b"BUY", b"SELL", b"ACME", b'""', b'"', b'"a,b"', b'"a\nb"',
    b'"a""b"', b",",
    b"\n", b"\r\n", b"\r", b"\t", b";", b"NULL", b"NaN", b"nan", b"inf", b"-inf", b"true", b"1.5", b"0x10", b"1e5",
    b"1,5",
    b"2026-01-02T09:30:04Z", b"2026-01-02 09:30:04", b"2026-01-02", b"09:30:04", b"2026-02-30T00:00:00Z",
    b"9999-12-31T23:59:59Z",
    b"0001-01-01T00:00:00Z", b"2026-01-02T09:30:04.123456789Z", b"2026-01-02T09:30:04+05:30", b",,,,\n",
    b"BUY,1,x,2,3\n",
)  # fmt: skip
QUERIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("SELECT * WHERE BUY AS a ; SELL AS b FILTER a[price > 1] AND b[name = 'NORD'] WITHIN 4 EVENTS LIMIT 5", {}),
    ("SELECT * WHERE BUY AS a ; SELL AS b PARTITION BY [name] WITHIN 1 MINUTE LIMIT 5", {"time": "time"}),
    ("SELECT COUNT(*), SUM(a.volume) AS s, MAX(a.price) AS m, b.name AS n WHERE E AS a ; E AS b WITHIN 3 EVENTS "
     "GROUP BY b.name", {"relation": "E"}),
    ("SELECT a.price, b.name AS n WHERE E AS a : E AS b FILTER a.price < b.price WITHIN 100 [volume] LIMIT 5",
     {"relation": "E", "on_error": "skip"}),
)  # fmt: skip
Found = list[Any]


@cache
def _parsed() -> list[Any]:
    return [parse(text) for text, _ in QUERIES]


def found_in(source: Callable[[], Any]) -> list[Found | str]:
    """What each of the queries finds, or the kind of error."""
    found: list[Found | str] = []
    for parsed, (_, options) in zip(_parsed(), QUERIES, strict=True):
        try:
            rows = (row for batch in match(parsed, source(), **options) for row in shown(batch))
            found.append([repr(row) for row in islice(rows, MOST_ROWS)])
        except SpaseqError as error:
            str(error)
            found.append(type(error).__name__ + " " + str(getattr(error, "message", error)))
    return found


def shown(batch: pyarrow.RecordBatch) -> list[dict[str, Any]]:
    """The rows; times as numbers, as Python has no year beyond 9999."""
    columns = [one.view(pyarrow.int64()) if pyarrow.types.is_timestamp(one.type) else one for one in batch.columns]
    rows: list[dict[str, Any]] = pyarrow.record_batch(columns, names=batch.schema.names).to_pylist()
    return rows


def kinds(found: list[Found | str]) -> list[object]:
    """Results, or that there was an error; of which kind and about which row may depend on the way."""
    return ["refused" if isinstance(one, str) else one for one in found]


def word(found: list[Found | str]) -> str:
    """How much that is.  SpaseqError: no query finds anything but errors."""
    if all(isinstance(one, str) for one in found):
        raise SpaseqError(str(found[0]))
    return " ".join("-" if isinstance(one, str) else str(len(one).bit_length()) for one in found)


def is_usual(table: pyarrow.Table) -> bool:
    """Whether a table has one of each column."""
    return len(set(table.column_names)) == len(table.column_names)
