"""JSON lines for queries in CEQL: read by Arrow and one by one, from a file, from a pipe, and in small blocks."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from spaseq.sources.tables.csv import is_json
from spaseq.sources.tables.json_lines import JsonSource
from spaseq.sources.tables.raw import BOM
from tests.fuzz.door import ROOT, Door, same
from tests.fuzz.doors.csv import PIPE, SMALL, pipes
from tests.fuzz.doors.tables import Found, found_in, kinds, word

WORDS = [
    b"{", b"}", b"[", b"]", b":", b",", b'"', b'"type":', b'"name":', b'"price":', b'"time":', b'"volume":', b'"SELL"',
    b'{"type":"SELL","price":1}', b"\n", b"\r\n", b"true", b"null", b"NaN", b"-Infinity", b"Inf", b"1e400", b"-0",
    b"12.10", b"9223372036854775808", b"\\ud800", b"\\udc00", b"\\u0000", b"\\\\", b'\\"', b"\xff", b"\0", b"\t",
    BOM, b'"2026-01-02T09:30:00Z"', b"[[[[[[[[", b'{"a":{"a":{"a":',
]  # fmt: skip


def enter(data: bytes) -> str:
    """Read the rows in all ways."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_bytes(data)
        found = _both(lambda: path)
        with patch("spaseq.sources.tables.raw.BLOCK", SMALL):
            _both(lambda: path)
    if len(data) < PIPE // 2 and is_json(data.removeprefix(BOM)):
        with pipes(data) as paths:
            same(kinds(found), kinds(found_in(lambda: next(paths))), "in a file and through a pipe")
    return word(found)


def _both(source: Callable[[], Any]) -> list[Found | str]:
    """What is found, which does not depend on whether Arrow reads it."""
    found = found_in(source)
    with patch.object(JsonSource, "_quick", return_value=None):
        same(found, found_in(source), "read by Arrow and one by one")
    return found


def seeds() -> list[bytes]:
    """The example of CSV as JSON lines, whole and cut."""
    with (ROOT / "examples/tuples/trades.csv").open(encoding="utf-8", newline="") as file:
        rows = [row | {"price": float(row["price"]), "volume": int(row["volume"])} for row in csv.DictReader(file)]
    lines = [json.dumps(row | {"more": {"tags": [row["name"], None]}}) + "\n" for row in rows]
    return ["".join(lines[:count]).encode() for count in (2, 12, 60)]


DOOR = Door("jsonl", enter, seeds, WORDS)
