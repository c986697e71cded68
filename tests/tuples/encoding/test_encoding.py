"""Sources encoded for the kernel: every kind of source says the same."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Iterator
from csv import DictWriter
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings, strategies as st
from pyarrow import csv, parquet

from spaseq.errors import StreamError
from spaseq.languages.ceql import parse
from spaseq.pattern.formulas.predicates import And, Attribute, Comparison, Constant, IsNull, Not
from spaseq.pattern.formulas.query import Alternation, Formula, Iteration, Pick, Sequencing, Unordered
from spaseq.tuples import NO_PARTITION, Atom, CsvFormat, Encoding, Roles, encode
from tests.data import folder
from tests.oracle.ceql.generate import Maker
from tests.oracle.strategies import Drawn

HIGH = Atom("SELL", None, Comparison(">", Attribute("price"), Constant(2)))
ATOMS = [HIGH, Atom("BUY", "stock"), Atom("BUY", "bond")]
ROLES = Roles(stream="stock", time="at", partition=("name", "volume"), measure="price", keep=("note",))
START = datetime(2025, 1, 1)
ROWS: list[dict[str, Any]] = [
    {"type": "SELL", "name": "x", "price": 1.5, "volume": 3, "at": START, "note": "a,\nb", "unused": 1},
    {"type": "BUY", "name": None, "price": None, "volume": 3, "at": START, "note": None, "unused": 2},
    {"type": "SELL", "name": 'y"z', "price": 2.5, "volume": 4, "at": START + timedelta(seconds=1), "note": "ü"},
    {"type": "BUY", "name": "x", "price": 4.0, "volume": 3, "at": START + timedelta(days=1), "note": "a,\nb"},
]
MICROSECONDS = 1735689600_000_000
STOCK = folder("stock") / "stock_50k.csv"


def table() -> pyarrow.Table:
    return pyarrow.Table.from_pylist(ROWS, pyarrow.Table.from_pylist(ROWS[:1]).schema)


def written() -> bytes:
    sink = io.BytesIO()
    csv.write_csv(table(), sink)
    return sink.getvalue()


def file(name: str, data: bytes) -> Callable[[Path], Any]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


def parquet_file(folder: Path) -> str:
    parquet.write_table(table(), folder / "rows.parquet", row_group_size=3)
    return str(folder / "rows.parquet")


def pandas(_: Path) -> Any:
    pytest.importorskip("pandas")
    return table().to_pandas()


def polars(_: Path) -> Any:
    return pytest.importorskip("polars").from_arrow(table())


class Foreign:
    """What polars and others give: Arrow's C stream, with types that we do not use."""

    def __arrow_c_stream__(self, schema: object = None) -> object:
        types = {"name": pyarrow.large_string(), "type": pyarrow.string_view(), "volume": pyarrow.int16()}
        wide = table().cast(pyarrow.schema([(each.name, types.get(each.name, each.type)) for each in table().schema]))
        return wide.__arrow_c_stream__(schema)


SOURCES: dict[str, Callable[[Path], Any]] = {
    "csv": file("rows.csv", written()),
    "csv with BOM and CRLF": file(
        "rows.csv", b"\xef\xbb\xbf" + written().replace(b"\n", b"\r\n").replace(b",\r\n", b",\n")
    ),
    "gzip": file("rows.csv.gz", gzip.compress(written())),
    "stream": lambda _: io.BytesIO(written()),
    "parquet": parquet_file,
    "table": lambda _: table(),
    "batch": lambda _: table().to_batches()[0],
    "batches": lambda _: iter(table().to_batches(max_chunksize=1)),
    "reader": lambda _: table().to_reader(2),
    "C stream": lambda _: Foreign(),
    "pandas": pandas,
    "polars": polars,
    "dictionaries": lambda _: ROWS,
    "generator": lambda _: (dict(row) for row in ROWS),
}


def collected(encoding: Encoding) -> dict[str, Any]:
    """All batches as one."""
    batches = list(encoding)
    assert [each.first_position for each in batches] == [0, *np.cumsum([len(each) for each in batches])[:-1].tolist()]
    found: dict[str, Any] = {"times": [], "atoms": [], "partitions": [], "measure": [], "rows": []}
    for each in batches:
        found["times"] += each.times.tolist()
        found["atoms"] += [encoding.symbols.masks[symbol] for symbol in each.symbols]
        if each.partitions is not None and each.measure is not None:
            found["partitions"] += each.partitions.tolist()
            valid = each.measure.valid if each.measure.valid is not None else np.ones(len(each), np.bool_)
            found["measure"] += [
                value if there else None for value, there in zip(each.measure.values, valid, strict=True)
            ]
        found["rows"] += each.batch.to_pylist()
    return found


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_the_same(kind: str, tmp_path: Path) -> None:
    encoding = encode(SOURCES[kind](tmp_path), ATOMS, ROLES)
    columns = ("type", "name", "price", "volume", "at", "note")
    rows = [{name: row[name] for name in columns} for row in ROWS]
    assert collected(encoding) == {
        "times": [MICROSECONDS, MICROSECONDS, MICROSECONDS + 10**6, MICROSECONDS + 86_400 * 10**6],
        "atoms": [0, 0b010, 0b001, 0b010],
        "partitions": [0, NO_PARTITION, 1, 0],
        "measure": [1.5, None, 2.5, 4.0],
        "rows": rows,
    }


def test_many_batches_of_csv(tmp_path: Path) -> None:
    lines = [f"{'BUY' if n % 3 else 'SELL'},{n // 5},{n / 4},N{n % 7}" for n in range(200_000)]
    (tmp_path / "rows.csv").write_text("type,at,price,name\n" + "\n".join(lines))
    encoding = encode(tmp_path / "rows.csv", [HIGH], Roles(time="at", unit="ms", partition=("name",)))
    batches = list(encoding)
    assert len(batches) > 2
    assert np.concatenate([each.times for each in batches]).tolist() == [n // 5 * 1000 for n in range(200_000)]
    assert np.concatenate([each.partitions for each in batches]).tolist() == [n % 7 for n in range(200_000)]
    assert sum(int((each.symbols > 0).sum()) for each in batches) == sum(n % 3 == 0 for n in range(9, 200_000))


def test_quoted_lines_at_the_end_of_a_block(tmp_path: Path) -> None:
    value = '"' + "line\n" * 1000 + '"'
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{n},{value}\n" for n in range(500)))
    batches = list(encode(tmp_path / "rows.csv", [Atom("A")], Roles(relation="A", keep=("a", "b"))))
    rows = [row for each in batches for row in each.batch.to_pylist()]
    assert rows == [{"a": n, "b": "line\n" * 1000} for n in range(500)]


def test_positions_are_times_when_there_are_no_others() -> None:
    rows = ({"price": price} for price in range(10_000))
    encoding = encode(rows, [Atom("A", None, And((HIGH.predicate,)))], Roles(relation="A"))
    batches = list(encoding)
    assert np.concatenate([each.times for each in batches]).tolist() == list(range(10_000))
    assert [each.first_position for each in batches] == [0, 4096, 8192]
    assert sum(int((each.symbols != 0).sum()) for each in batches) == 9997


def test_wrong_times_are_skipped_and_counted() -> None:
    times = [5, 7, 6, None, 7, 2**60, 4, 9]
    encoding = encode(
        [{"at": at} for at in times], [Atom("A")], Roles(relation="A", time="at", unit="s"), on_error="skip"
    )
    (batch,) = encoding
    assert batch.times.tolist() == [5_000_000, 7_000_000, 7_000_000, 9_000_000]
    assert batch.batch.to_pydict() == {"at": [5, 7, 7, 9]}
    assert encoding.skipped == 4


def test_times_must_not_fall_between_batches() -> None:
    rows = [{"at": 10}] * 4096 + [{"at": 9}, {"at": 10}]
    encoding = encode(iter(rows), [Atom("A")], Roles(relation="A", time="at"))
    assert len(next(encoding)) == 4096
    with pytest.raises(StreamError, match="row 4096: error: the time at falls: 9 after 10"):
        next(encoding)
    encoding = encode(iter(rows), [Atom("A")], Roles(relation="A", time="at"), on_error="skip")
    assert [(each.first_position, len(each)) for each in encoding] == [(0, 4096), (4096, 1)]


def test_declared_types() -> None:
    data = b"type,price,id\nA,1,007\nA,,8\n"
    encoding = encode(io.BytesIO(data), [], Roles(keep=("price", "id")), types={"price": "double", "id": "string"})
    rows = [{"type": "A", "price": 1.0, "id": "007"}, {"type": "A", "price": None, "id": "8"}]
    assert [row for each in encoding for row in each.batch.to_pylist()] == rows
    texts = [{"type": "A", "price": "1", "id": "007"}, {"type": "A", "id": "8"}]
    encoding = encode(texts, [], Roles(keep=("price", "id")), types={"price": "double", "id": "string"})
    assert [row for each in encoding for row in each.batch.to_pylist()] == rows


def test_mixed_columns_that_are_declared() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"a": 1, "b": 1}, {"a": "x", "b": 2.5}, {"a": None, "b": None}]
    for source in (rows, pandas.DataFrame(rows, dtype=object)):
        (batch,) = encode(source, [], Roles(relation="A", keep=("a", "b")), types={"a": "string", "b": "double"})
        assert batch.batch.to_pydict() == {"a": ["1", "x", None], "b": [1.0, 2.5, None]}


def test_times_of_csv_with_zones_and_fractions() -> None:
    data = b"at\n2025-01-01T01:00:00+01:00\n2025-01-01T00:00:00.25Z\n"
    for types in (None, {"at": "timestamp"}):
        (batch,) = encode(io.BytesIO(data), [], Roles(relation="A", time="at"), types=types)
        assert batch.times.tolist() == [MICROSECONDS, MICROSECONDS + 250_000]


def test_csv_without_header_and_with_other_nulls() -> None:
    form = CsvFormat(";", ("name", "price"), ("", "NA"))
    (batch,) = encode(io.BytesIO(b'x;1\n"";NA\nNA;3\n'), [], Roles(relation="A", keep=("name", "price")), csv=form)
    assert batch.batch.to_pydict() == {"name": ["x", "", None], "price": [1, None, 3]}


@pytest.mark.parametrize(
    "source", [b"type,at\n", b"type,at", pyarrow.schema([("type", pyarrow.string()), ("at", pyarrow.int64())])]
)
def test_no_events(source: Any) -> None:
    data = io.BytesIO(source) if isinstance(source, bytes) else source.empty_table()
    assert list(encode(data, [Atom("A")], Roles(time="at"))) == []


def test_no_columns_are_needed() -> None:
    for data in (io.BytesIO(b"a,b\n1,2\n3,4\n"), [{"a": 1}, {}], pyarrow.table({"a": [1, 2]})):
        (batch,) = encode(data, [Atom("A"), Atom("B")], Roles(relation="A"))
        assert batch.times.tolist() == [0, 1]
        assert batch.symbols.tolist() == [1, 1]


@st.composite
def streams(draw: st.DrawFn) -> list[dict[str, Any]]:
    chooser = Drawn(draw)
    return [{"type": chooser.pick("AB"), **Maker(chooser).attributes(clock)} for clock in range(chooser.integer(1, 12))]


TYPES = {"type": "string", "price": "double", "volume": "int64", "name": "string", "clock": "int64"}


@settings(deadline=None)
@given(streams(), st.integers(1, 12))
def test_how_a_stream_comes_changes_nothing(rows: list[dict[str, Any]], size: int) -> None:
    atoms = [Atom("A", None, HIGH.predicate), Atom("B", None, Not(IsNull(Attribute("name")))), Atom("B")]
    roles = Roles(partition=("name", "volume"), measure="price", keep=("clock",))
    text = io.StringIO()
    written = DictWriter(text, list(TYPES))
    written.writeheader()
    written.writerows(rows)
    table = pyarrow.Table.from_pylist(
        rows, pyarrow.schema([(name, pyarrow.type_for_alias(TYPES[name])) for name in TYPES])
    )
    expected = collected(encode(rows, atoms, roles, types=TYPES))
    for source in (table, table.to_reader(size), io.BytesIO(text.getvalue().encode())):
        assert collected(encode(source, atoms, roles, types=TYPES)) == expected


def test_stocks() -> None:
    def step(kind: str, name: str) -> Atom:
        return Atom(kind, None, Comparison("=", Attribute("name"), Constant(name)))

    atoms = [step("SELL", "INTC"), step("BUY", "RIMM"), step("BUY", "QQQ")]
    roles = Roles(type="event_type", time="stock_time", unit="ms")
    lines = [line.split(",") for line in STOCK.read_text().splitlines()[1:]]
    names = {("SELL", "INTC"): 1, ("BUY", "RIMM"): 2, ("BUY", "QQQ"): 4}
    found = collected(encode(STOCK, atoms, roles))
    assert found["atoms"] == [names.get((line[0], line[2]), 0) for line in lines]
    assert found["times"] == [int(line[5]) * 1000 for line in lines]


QUERY = """SELECT * FROM S WHERE (SELL AS a ; (BUY OR SELL)+ AS b ; SELL AS d)
    FILTER a[name = 'MSFT' AND price > 26.0] AND b[name = 'QQQ' AND volume = 4000]
        AND d[name = 'AMAT' AND price >= 18.5]"""


def picks(formula: Formula) -> Iterator[Pick]:
    """The events of a formula in normal form, from left to right."""
    match formula:
        case Pick():
            yield formula
        case Sequencing(left, right) | Unordered(left, right) | Alternation(left, right):
            yield from picks(left)
            yield from picks(right)
        case Iteration(body):
            yield from picks(body)


def test_the_events_of_a_query() -> None:
    atoms = [Atom(each.type, each.stream, each.predicate) for each in picks(parse(QUERY).normal_form)]
    lines = [line.split(",") for line in STOCK.read_text().splitlines()[1:]]
    expected = [
        (kind == "SELL" and name == "MSFT" and float(price) > 26)
        | (kind == "BUY" and name == "QQQ" and volume == "4000") << 1
        | (kind == "SELL" and name == "QQQ" and volume == "4000") << 2
        | (kind == "SELL" and name == "AMAT" and float(price) >= 18.5) << 3
        for kind, _, name, volume, price, _ in lines
    ]
    assert set(expected) >= {1, 2, 4, 8}
    assert collected(encode(STOCK, atoms, Roles(type="event_type")))["atoms"] == expected
