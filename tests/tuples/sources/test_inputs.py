"""Data of every type, and values that are none, in every role: an answer, or an error that names row and column."""

from __future__ import annotations

import gzip
import io
import sys
import threading
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from spaseq.errors import BusyError, SpaseqError, StreamError
from spaseq.sources.tables.csv import end_of_rows
from spaseq.tuples import match

EVENTS = "SELECT * FROM S WHERE A AS x WITHIN 10 EVENTS"
SHOWN = "SELECT x.a FROM S WHERE A AS x WITHIN 10 EVENTS"
TIMED = "SELECT * FROM S WHERE A AS x WITHIN 10 SECONDS"


def shown(data: Any, **options: Any) -> list[Any]:
    """The values of the column a."""
    return match(SHOWN, data, relation="A", **options).to_arrow().column("x.a").to_pylist()


def instants(unit: str, *values: int) -> pyarrow.Table:
    return pyarrow.table({"a": pyarrow.array(values, pyarrow.int64()).cast(pyarrow.timestamp(unit))})


def written(table: pyarrow.Table) -> str:
    """The path of a Parquet file with the table."""
    pyarrow.parquet.write_table(table, "t.parquet", coerce_timestamps=None)
    return "t.parquet"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("form", [lambda table: table, written], ids=["arrow", "parquet"])
@pytest.mark.parametrize("unit", ["s", "ms"])
@pytest.mark.parametrize("sign", [1, -1])
def test_times_out_of_range(unit: str, sign: int, form: Callable[[pyarrow.Table], Any]) -> None:
    """As microseconds they would wrap to other times."""
    factor = {"s": 1_000_000, "ms": 1_000}[unit]
    if unit == "s" and form is written:
        factor = 1_000  # Parquet has no seconds
        unit = "ms"
    most = (2**63 - 1) // factor
    data = form(instants(unit, 0, sign * most, sign * (most + 1), 0))
    with pytest.raises(StreamError, match=r"row [23]: error: the column a of type timestamp.* does not become"):
        shown(data)
    assert match(TIMED, form(instants(unit, 0, most)), relation="A", time="a").count() == 2


@pytest.mark.parametrize("form", [lambda table: table, written], ids=["arrow", "parquet"])
def test_nanoseconds(form: Callable[[pyarrow.Table], Any]) -> None:
    """They are no microseconds, unless their reader says that they may be cut."""
    assert [time.microsecond for time in shown(form(instants("ns", 1_000, 2_000)))] == [1, 2]
    with pytest.raises(StreamError, match=r"row [12]: error: the column a of type timestamp\[ns\].*\n.*cut") as caught:
        shown(form(instants("ns", 1_000, 2_001)))
    assert 'declare its type: {"a": "timestamp"}' in caught.value.hint
    cut = shown(form(instants("ns", 1_000, 2_001)), types={"a": "timestamp"})
    assert [time.microsecond for time in cut] == [1, 2]


def test_nanoseconds_of_csv() -> None:
    data = b"a\n2026-01-01T00:00:00.000001000\n2026-01-01T00:00:00.000002001\n"
    with pytest.raises(StreamError, match="row 2: error: the column a"):
        shown(io.BytesIO(data))
    assert [time.microsecond for time in shown(io.BytesIO(data), types={"a": "timestamp"})] == [1, 2]


def coded(*codes: int) -> pyarrow.Array:
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, pyarrow.int32()), pyarrow.array(["A"]), safe=False)


def no_text() -> pyarrow.Array:
    offsets = pyarrow.array([0, 1, 2], pyarrow.int32()).buffers()[1]
    return pyarrow.Array.from_buffers(pyarrow.string(), 2, [None, offsets, pyarrow.py_buffer(b"A\xff")])


ARRAYS: dict[str, Callable[[], pyarrow.Array]] = {
    "decimal256": lambda: pyarrow.array([Decimal("1.5")] * 2, pyarrow.decimal256(50, 2)),
    "decimal128": lambda: pyarrow.array([Decimal("1.5")] * 2, pyarrow.decimal128(9, 2)),
    "float16": lambda: pyarrow.array(np.array([1.5, 2], np.float16)),
    "NaN": lambda: pyarrow.array([float("nan"), 1.0]),
    "large string": lambda: pyarrow.array(["A", "b"], pyarrow.large_string()),
    "string view": lambda: pyarrow.array(["A", "b"], pyarrow.string_view()),
    "dictionary": lambda: pyarrow.array(["A", "b"]).dictionary_encode(),
    "dictionary of times": lambda: pyarrow.array([1, 2], pyarrow.timestamp("s")).dictionary_encode(),
    "dictionary of NULL": lambda: pyarrow.DictionaryArray.from_arrays([0, 0], pyarrow.array([None], pyarrow.string())),
    "codes too large": lambda: coded(0, 7),
    "codes below zero": lambda: coded(0, -1),
    "no UTF-8": no_text,
    "coded no UTF-8": lambda: pyarrow.DictionaryArray.from_arrays([0, 1], no_text()),
    "run-end encoded": lambda: pyarrow.RunEndEncodedArray.from_arrays([2], ["A"]),
    "binary": lambda: pyarrow.array([b"A", b"b"]),
    "list": lambda: pyarrow.array([[1], []]),
    "struct": lambda: pyarrow.array([{"a": 1}] * 2),
    "map": lambda: pyarrow.array([[("a", 1)]] * 2, pyarrow.map_(pyarrow.string(), pyarrow.int64())),
    "extension": lambda: pyarrow.ExtensionArray.from_storage(
        pyarrow.uuid(), pyarrow.array([b"0" * 16] * 2, pyarrow.binary(16))
    ),
    "time32": lambda: pyarrow.array([1, 2], pyarrow.time32("s")),
    "time64": lambda: pyarrow.array([1, 2], pyarrow.time64("ns")),
    "duration": lambda: pyarrow.array([1, 2], pyarrow.duration("s")),
    "interval": lambda: pyarrow.array([(1, 2, 3)] * 2, pyarrow.month_day_nano_interval()),
    "date32": lambda: pyarrow.array([1, 2**31 - 1], pyarrow.int32()).cast(pyarrow.date32()),
    "date64": lambda: pyarrow.array([86_400_000] * 2, pyarrow.date64()),
    "zone": lambda: pyarrow.array([1, 2], pyarrow.timestamp("us", tz="Europe/Berlin")),
    "null": lambda: pyarrow.nulls(2),
    "bool": lambda: pyarrow.array([True, False]),
    "uint64": lambda: pyarrow.array([2**64 - 1, 1], pyarrow.uint64()),
}
QUERIES = [
    SHOWN, "SELECT * FROM S WHERE A AS x PARTITION BY [a] WITHIN 10 EVENTS",
    "SELECT * FROM S WHERE A AS x FILTER x[a = 1] WITHIN 10 EVENTS",
    "SELECT * FROM S WHERE A AS x FILTER x[a = 'A'] WITHIN 10 EVENTS",
    "SELECT MAX(x.a) FROM S WHERE A AS x WITHIN 10 EVENTS", "SELECT * FROM S WHERE A AS x WITHIN 10 [a]",
    "SELECT * FROM S WHERE A AS x ; A AS y FILTER x[a = y.a] WITHIN 10 EVENTS",
]  # fmt: skip
BROKEN = ("codes too large", "codes below zero", "no UTF-8", "coded no UTF-8")


@pytest.mark.parametrize("name", ARRAYS)
def test_every_type_in_every_role(name: str) -> None:
    table = pyarrow.table({"a": ARRAYS[name]()})
    said = []
    for query in QUERIES:
        said.append(_said(lambda query=query: match(query, table, relation="A").to_arrow()))
    said.append(_said(lambda: match(TIMED, table, relation="A", time="a").count()))
    said.append(_said(lambda: match(EVENTS, table, type="a").count()))
    said.append(_said(lambda: match(EVENTS, table, relation="A", stream="a").count()))
    said.append(_said(lambda: match(EVENTS, table, relation="A").rows()))
    if name in BROKEN:
        assert any("row 1: error: the column a has" in text for text in said)
        assert "" not in said


def _said(answer: Callable[[], object]) -> str:
    """What is said of data that a query cannot use."""
    try:
        answer()
    except SpaseqError as error:
        return str(error)
    return ""


def test_a_stream_that_is_null_is_none() -> None:
    assert match(EVENTS, pyarrow.table({"a": pyarrow.nulls(3)}), relation="A", stream="a").count() == 0


def test_shapes_of_tables() -> None:
    chunks = pyarrow.chunked_array([[], [1, 2], [], [3]], pyarrow.int64())
    assert shown(pyarrow.table({"a": chunks})) == [1, 2, 3]
    assert shown(pyarrow.table({"a": chunks}).slice(1, 2)) == [2, 3]
    assert shown(pyarrow.table({"a": pyarrow.array(["x", "y", "z"]).dictionary_encode()}).slice(1)) == ["y", "z"]
    assert shown(pyarrow.table({"a": chunks.slice(0, 0)})) == []
    name = "n" * 100_000
    assert match(EVENTS, pyarrow.table({name: [1]}), relation="A").count() == 1
    assert match(EVENTS, io.BytesIO(f"{name},b\n1,2\n".encode()), relation="A").count() == 1
    assert _said(lambda: match(EVENTS, pyarrow.table({}), relation="A").count()) == ""
    twice = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["a", "a"])
    assert "several attributes a" in _said(lambda: shown(twice))
    assert "several attributes a" in _said(lambda: match(EVENTS, twice, relation="A", time="a").count())


ROWS: dict[str, tuple[list[Any], str]] = {
    "a key that is a number": ([{"a": 1}, {1: 2}], "<rows>, row 1: error: the name of a column is a text, not 1"),
    "a key that is no text": ([{"\ud800": 2}], "<rows>, row 0: error: the name of a column is a text, not '\\ud800'"),
    "a value that is no text": (
        [{"a": "x"}, {"a": "\ud800"}],
        "<rows>, row 1: error: the column a has a text that is no UTF-8: '\\ud800'",
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_rows_that_are_none(case: str) -> None:
    rows, said = ROWS[case]
    assert _said(lambda: shown(rows)) == said


def test_a_date_of_numpy_behind_a_null() -> None:
    """Arrow takes such a date by itself, but not together with None."""
    rows = [{"type": "A", "w": None}, {"type": "A", "w": np.datetime64("2026-01-31")}]
    with pytest.raises(StreamError, match=r"row 1: error: the column w was null so far, but has np.datetime64"):
        match("SELECT * FROM S WHERE A FILTER A[w IS NULL]", rows, type="type")


def test_a_value_in_quotes_that_are_not_closed() -> None:
    """All that follows is in it, line for line; it is not read to its end."""
    data = io.BytesIO(b'a,b\n1,2\n1,"' + b"x,1\nA," * 4_000_000)
    with pytest.raises(
        StreamError, match=r"<stream>, row 2: error: a row has more than 16,777,216 bytes\nhint: .*quote"
    ):
        shown(data)
    assert data.tell() < 20_000_000


def test_a_line_that_has_no_end_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wb", 1) as file:
        file.write(b'a,b\n1,2\n1,"')
        for _ in range(300):
            file.write(bytes(1_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(StreamError, match=r"a.csv.gz, row 2: error: a row has more than 16,777,216 bytes"):
            shown(path)
        assert tracemalloc.get_traced_memory()[1] < 150_000_000
    finally:
        tracemalloc.stop()


def test_rows_that_are_longer_than_what_is_read_at_once() -> None:
    long = "x\n" * 1_000_000
    assert [len(value) for value in shown(io.BytesIO(f'a,b\n"{long}",1\nx,2\n"{long}",3\n'.encode()))] == [
        2_000_000, 1, 2_000_000,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("a,b\nc,d\ne", "a,b\nc,d\n"), ('a,"b\nc', ""), ('1\na,"b\n"\nc,"\n', '1\na,"b\n"\n'), ("a\rb\rc", "a\rb\r"),
        ('5" pipe,1\n6" pipe,2\n7"', '5" pipe,1\n6" pipe,2\n'), ('5" pipe\n"a\nb', '5" pipe\n'),
        ('"a""\nb"\n"c', '"a""\nb"\n'),
        ('"a"b"\n,"c"\nd', '"a"b"\n,"c"\n'), ('x"y\n"a\nb"\n"', 'x"y\n"a\nb"\n'), ("", ""),
    ],
)  # fmt: skip
def test_where_rows_end(data: str, rows: str) -> None:
    assert data[: end_of_rows(data.encode())] == rows


@pytest.mark.parametrize("query", [EVENTS, "SELECT COUNT(*) FROM S WHERE A AS x WITHIN 10 EVENTS"])
def test_threads_that_share_results(query: str) -> None:
    """Each result comes to one of them, or they hear that another one is there."""
    results = match(query, [pyarrow.record_batch({"a": list(range(500))})] * 40, relation="A")
    counted: list[int] = []
    wrong: list[BaseException] = []

    def take() -> None:
        while True:
            try:
                counted.append(next(results).num_rows)
            except StopIteration:
                return
            except BusyError:
                continue
            except BaseException as error:
                wrong.append(error)
                return

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=take) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(before)
    assert not wrong
    assert sum(counted) == 20_000
