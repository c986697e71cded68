"""Parquet files and Arrow tables for queries in CEQL: values and types changed, and bytes of the file."""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import csv, parquet

from tests.fuzz.door import ROOT, Door, same
from tests.fuzz.doors.tables import HEADER, found_in, is_usual, kinds, word
from tests.fuzz.mutate import mutated

TYPES = (
    pyarrow.null(), pyarrow.bool_(), pyarrow.int8(), pyarrow.uint8(), pyarrow.int32(), pyarrow.uint32(),
    pyarrow.int64(),
    pyarrow.uint64(), pyarrow.float16(), pyarrow.float32(), pyarrow.float64(), pyarrow.string(), pyarrow.large_string(),
    pyarrow.string_view(), pyarrow.binary(), pyarrow.large_binary(), pyarrow.date32(), pyarrow.date64(),
    pyarrow.time32("s"), pyarrow.time64("ns"), pyarrow.timestamp("s"), pyarrow.timestamp("ms"),
    pyarrow.timestamp("us", "UTC"),
    pyarrow.timestamp("ns"), pyarrow.timestamp("us", "Asia/Kolkata"), pyarrow.duration("us"), pyarrow.decimal128(38,
    10),
    pyarrow.decimal256(70, 5), pyarrow.list_(pyarrow.int64()), pyarrow.struct([("a", pyarrow.string())]),
    pyarrow.dictionary(pyarrow.int8(), pyarrow.string()), pyarrow.dictionary(pyarrow.int64(), pyarrow.int64()),
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1, 127, 255, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 2**64 - 1, 0.0, -0.0, 1.5,
    float("nan"),
    float("inf"), 1e300, 5e-324, "", "BUY", "SELL", "NORD", "x" * 5_000, "\0", "é", "%_", b"\xff", b"x", [1],
    {"a": "x"},
)  # fmt: skip


def enter(data: bytes) -> str:
    """Read the file, and if it can be read, the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        path.write_bytes(data)
        found = found_in(lambda: path)
        table = _read(data)
    if table is not None and is_usual(table):
        same(kinds(found), kinds(found_in(lambda: table)), "a file and a table")
        columns = {name: _values(table.column(name))[:50] for name in table.column_names}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        found_in(lambda: rows)
    return word(found)


def _read(data: bytes) -> pyarrow.Table | None:
    try:
        return parquet.read_table(io.BytesIO(data), use_threads=False)
    except (pyarrow.ArrowException, OSError, ValueError):
        return None


# ── changes ──────────────────────────────────────────────────────────────────────────────────────────────
def changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """Another table, or other bytes."""
    table = _read(data) if choose.randrange(4) else None
    if table is None or not is_usual(table):
        return mutated(data, other, words, choose)
    for _ in range(choose.choice((1, 1, 2, 4))):
        table = _changed_table(table, choose)
    return _written(table, choose) or data


def _changed_table(table: pyarrow.Table, choose: random.Random) -> pyarrow.Table:
    kind = choose.randrange(6)
    if kind == 0:
        start = choose.randint(0, table.num_rows)
        return pyarrow.concat_tables([table.slice(start), table.slice(0, start)][: choose.randint(1, 2)])
    if not table.num_columns:
        return table
    number = choose.randrange(table.num_columns)
    name = table.column_names[number]
    if kind == 1:
        names = [choose.choice(HEADER) if one == name else one for one in table.column_names]
        return table.rename_columns(names)
    if kind == 2 and choose.randrange(3) == 0:
        return table.remove_column(number)
    return table.set_column(number, name, _changed_column(_values(table.column(number)), choose))


def _values(column: pyarrow.ChunkedArray) -> list[Any]:
    """Values of a column, or numbers where Python has no such ones."""
    try:
        return column.to_pylist()  # type: ignore[no-any-return]
    except (ValueError, OverflowError):
        return list(range(len(column)))


def _changed_column(values: list[Any], choose: random.Random) -> pyarrow.Array:
    """Other values, or the same of another type; where they do not fit, they are NULL."""
    for _ in range(choose.choice((0, 1, 1, 5)) if values else 0):
        values[choose.randrange(len(values))] = choose.choice(VALUES)
    type_ = choose.choice((None, choose.choice(TYPES)))
    for tried in (values, [choose.choice(VALUES)] * len(values), [choose.randrange(100) for _ in values]):
        try:
            return pyarrow.array(tried, type_)
        except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
            continue
    return pyarrow.nulls(len(values), pyarrow.null() if type_ is None else type_)


def _written(table: pyarrow.Table, choose: random.Random) -> bytes | None:
    out = io.BytesIO()
    try:
        parquet.write_table(table, out, row_group_size=choose.choice((1, 7, 1000)), compression="none")
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
        return None
    return out.getvalue()


def seeds() -> list[bytes]:
    """The example."""
    text = b"".join((ROOT / "examples/tuples/trades.csv").read_bytes().splitlines(keepends=True)[:20])
    written = _written(csv.read_csv(io.BytesIO(text)), random.Random(1))
    assert written is not None
    return [written]


DOOR = Door("parquet", enter, seeds, mutate=changed)
