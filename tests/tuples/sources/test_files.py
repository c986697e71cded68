"""Tables in files: of any format, packed or not, in folders, and through pipes, the same rows give the same results."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import csv, feather, ipc, parquet

import spaseq
from spaseq.errors import SpaseqWarning, StreamError
from spaseq.sources.rdf.wire import WireOptions
from spaseq.sources.tables.opening import open_source
from spaseq.tuples import match
from tests.mapped.test_runs import MAPPING, QUERY
from tests.tuples.sources.json_rows import read

BEGIN = datetime(2026, 1, 31, 9)
ROWS = [
    {
        "id": number, "type": ("BUY", "SELL")[number % 3 == 2], "name": f"{'xyz'[number % 3]} & co",
        "time": BEGIN + timedelta(seconds=number), "price": price, "open": number % 2 == 0, "note": None,
    }
    for number, price in enumerate([5.5, 3.25, 4.25, 5.0, None, 4.5, 6.0, 1.0, 2.5])
]  # fmt: skip
TABLE = pyarrow.Table.from_pylist(ROWS, pyarrow.schema([
    ("id", pyarrow.int64()), ("type", pyarrow.string()), ("name", pyarrow.string()), ("time", pyarrow.timestamp("us")),
    ("price", pyarrow.float64()), ("open", pyarrow.bool_()), ("note", pyarrow.string()),
]))  # fmt: skip
CEQL = "SELECT b.price, s.name, s.time, s.open WHERE BUY AS b ; SELL AS s FILTER b[price > 3] WITHIN 4 SECONDS"


# ── formats ──────────────────────────────────────────────────────────────────────────────────────────────
def as_csv(table: pyarrow.Table, path: Path) -> None:
    csv.write_csv(table, path)


def as_json(table: pyarrow.Table, path: Path) -> None:
    lines = (json.dumps({name: value for name, value in row.items() if value is not None}, default=str) + "\n"
             for row in table.to_pylist())  # fmt: skip
    path.write_text("".join(lines))


def as_ipc(table: pyarrow.Table, path: Path) -> None:
    with ipc.new_file(path, table.schema) as file:
        file.write_table(table, max_chunksize=4)


def as_ipc_stream(table: pyarrow.Table, path: Path) -> None:
    with ipc.new_stream(path, table.schema) as stream:
        stream.write_table(table, max_chunksize=4)


FORMATS: dict[str, Callable[[pyarrow.Table, Path], object]] = {
    "t.csv": as_csv, "t.jsonl": as_json, "t.ndjson": as_json, "t.log": as_json, "t": as_json,
    "t.parquet": parquet.write_table, "t.arrow": as_ipc, "t.ipc": as_ipc_stream, "t.feather": feather.write_feather,
}  # fmt: skip
PACKED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress, ".zst": lambda data: bytes(pyarrow.compress(data, "zstd", asbytes=True)),
}  # fmt: skip


def written(name: str, folder: Path, table: pyarrow.Table = TABLE) -> Path:
    """The path of a table in the format, and packed by the tool, that its name tells."""
    packing = next((ending for ending in PACKED if name.endswith(ending)), "")
    FORMATS[name.removesuffix(packing)](table, plain := folder / name.removesuffix(packing))
    if packing:
        (folder / name).write_bytes(PACKED[packing](plain.read_bytes()))
        plain.unlink()
    return folder / name


ALL = [*FORMATS, "t.csv.gz", "t.csv.zst", "t.jsonl.gz", "t.ndjson.zst"]


@pytest.mark.parametrize("name", ALL)
def test_a_query_finds_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    found = match(CEQL, written(name, tmp_path), time="time").to_arrow().to_pylist()
    assert found == match(CEQL, TABLE, time="time").to_arrow().to_pylist()
    assert len(found) == 5


@pytest.mark.parametrize("name", ALL)
def test_a_mapped_table_has_the_same_events_in_every_format(name: str, tmp_path: Path) -> None:
    def found(source: Any) -> list[str]:
        return [str(match) for match in spaseq.run(QUERY, {"s": spaseq.Mapped(source, MAPPING)})]

    assert found(str(written(name, tmp_path))) == found(TABLE) != []


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv", "t.parquet", "t.arrow", "t.ipc"])
def test_columns_that_are_asked_for_are_read(name: str, tmp_path: Path) -> None:
    found = read(written(name, tmp_path), columns=["price", "id"])
    assert found.rows == [{"price": row["price"], "id": row["id"]} for row in ROWS]
    source = open_source(written(name, tmp_path))
    source.choose([])
    assert sum(batch.num_rows for batch in source.batches()) == len(ROWS)


def test_files_that_are_none(tmp_path: Path) -> None:
    for name, data, said in [
        ("a.arrow", b"x", "this is no Arrow file"), ("a.feather", b"FEA1....", "this is Feather of version 1"),
        ("a.ipc", b"", "this is no Arrow file"), ("a.csv", gzip.compress(b"a\n1\n"), "the table is packed by gzip"),
        ("a", PACKED[".zst"](b"a"), "the table is packed by zstd\nhint: its name should end in .zst"),
        ("a.jsonl.zst", b"no", "cannot read"), ("a.jsonl.zst", PACKED[".zst"](b'{"a":1}\n' * 99)[:-9], "cannot read"),
    ]:  # fmt: skip
        (tmp_path / name).write_bytes(data)
        assert said in read(tmp_path / name).said[0]


def test_a_file_of_arrow_that_is_cut_off(tmp_path: Path) -> None:
    path = written("t.ipc", tmp_path)
    path.write_bytes(path.read_bytes()[:-900])
    assert "t.ipc: error: cannot read" in read(path).said[0]


def test_rows_of_arrow_have_their_numbers(tmp_path: Path) -> None:
    assert "t.arrow, row 1: error: the column price" in read(written("t.arrow", tmp_path), {"price": "int64"}).said[0]


# ── folders ──────────────────────────────────────────────────────────────────────────────────────────────
def in_three(name: str, folder: Path) -> Path:
    """A folder with the table in three files, and notes beside them."""
    for number in range(3):
        path = written(name, folder, TABLE.slice(3 * number, 3))
        path.rename(folder / f"{number}-{name}")
    for note in ("_SUCCESS", f".0-{name}.crc", f"_{name}", "README.md"):
        (folder / note).touch()
    return folder


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("t", "t.log")])
def test_a_folder_is_a_table(name: str, tmp_path: Path) -> None:
    wanted = match(CEQL, TABLE, time="time").to_arrow().to_pylist()
    folder = in_three(name, tmp_path)
    assert match(CEQL, folder, time="time").to_arrow().to_pylist() == wanted
    found = match(CEQL, f"{folder}/?-*", time="time")
    assert found.to_arrow().to_pylist() == wanted
    assert match(CEQL, folder, time="time").rows().num_rows == 2 * len(wanted)
    assert read(folder, columns=["id", "price", "open"]).rows == [
        {"id": row["id"], "price": row["price"], "open": row["open"]} for row in ROWS
    ]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.arrow"])
def test_files_of_a_folder_have_the_same_columns(name: str, tmp_path: Path) -> None:
    folder = in_three(name, tmp_path)
    for other, said in [
        (TABLE.drop_columns(["open"]), "the file has no column open, as"),
        (TABLE.append_column("more", TABLE["id"]), "the file has a column more, unlike"),
    ]:
        written(name, folder, other).rename(folder / f"1-{name}")
        assert read(folder).said == [f"{folder}/1-{name}: error: {said} {folder}/0-{name}"]


def test_files_of_a_folder_have_the_same_types(tmp_path: Path) -> None:
    whole = TABLE.slice(3, 3).set_column(4, "price", pyarrow.array(["5", "x", "7"]))
    for name in ("t.parquet", "t.arrow"):
        folder = in_three(name, tmp_path / name[2:]) if (tmp_path / name[2:]).mkdir() is None else tmp_path
        written(name, folder, whole).rename(folder / f"1-{name}")
        assert "the column price is string here, and double in" in read(folder).said[0]
        assert read(folder, {"price": "string"}, ["price"]).rows[4] == {"price": "x"}
    for name in ("t.csv", "t.jsonl"):
        folder = in_three(name, tmp_path / name[2:]) if (tmp_path / name[2:]).mkdir() is None else tmp_path
        written(name, folder, whole).rename(folder / f"1-{name}")
        assert f"1-{name}:" in (said := read(folder).said[0]) and "the column price was double so far" in said


def test_members_that_a_file_of_a_folder_lacks_are_null(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text('{"a":1}\n')
    (tmp_path / "2.jsonl").write_text('\ufeff{"b":2}\n\n{"a":3}')
    (tmp_path / "3.jsonl").write_text("")
    (tmp_path / "4.jsonl").write_text('{"a":"x"}\n{"a":4}')
    found = read(tmp_path, skip=True)
    assert found.rows == [{"a": 1}, {"a": None}, {"a": 3}, {"a": 4}]
    assert found.said[0].startswith(f"{tmp_path}/4.jsonl:1: error: the column a was int64 so far, but has 'x'")


def test_files_of_a_folder_are_of_one_format(tmp_path: Path) -> None:
    folder = in_three("t.csv", tmp_path)
    written("t.jsonl", folder)
    assert f"t.jsonl: error: this is no file of the format of {folder}/0-t.csv" in read(folder).said[0]


def test_places_in_a_folder(tmp_path: Path) -> None:
    for name in ("t.csv", "t.jsonl", "t.parquet", "t.arrow"):
        (tmp_path / name[2:]).mkdir()
        folder = in_three(name, tmp_path / name[2:])
        with pytest.raises(StreamError, match=rf"1-{name}.*: error: the time id falls") as caught:
            match(CEQL, with_first_twice(folder, name), time="id").count()
        assert "2-" not in caught.value.location.path


def with_first_twice(folder: Path, name: str) -> Path:
    """The folder, with the first file in the place of the second one."""
    (folder / f"1-{name}").write_bytes((folder / f"0-{name}").read_bytes())
    return folder


def test_a_folder_without_tables(tmp_path: Path) -> None:
    assert "the folder has no file" in read(tmp_path).said[0]
    assert "no file fits this pattern" in read(tmp_path / "*.csv").said[0]


# ── pipes ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def pipe() -> Iterator[tuple[str, int]]:
    reading, writing = os.pipe()
    yield f"/dev/fd/{reading}", writing
    os.close(reading)


def test_lines_of_a_pipe_are_rows_as_they_come(pipe: tuple[str, int]) -> None:
    path, end = pipe
    os.write(end, b'{"a":1}\n{"a"')
    source = open_source(path)
    source.choose(["a"])
    batches = source.batches()
    assert next(batches).to_pylist() == [{"a": 1}]
    for text, rows in [(b':2}\n{"a":3}\n', [2, 3]), (b'\n{"a":4}\nx\n', [4])]:
        os.write(end, text)
        assert [row["a"] for row in next(batches).to_pylist()] == rows
    os.close(end)
    with pytest.raises(StreamError, match=r"/dev/fd/\d+:6:1: error: this is no JSON"):
        next(batches)


def test_what_a_pipe_begins_with_may_be_left_out(pipe: tuple[str, int]) -> None:
    path, end = pipe
    os.write(end, b'{"a\nwelcome\n')
    writer = threading.Timer(0.2, lambda: (os.write(end, b' {"a":1}\n'), os.close(end)))
    writer.start()
    found = read(path, skip=True)
    writer.join()
    assert found.rows == [{"a": 1}] and len(found.said) == 2


def test_the_name_of_a_pipe_tells_its_format(tmp_path: Path) -> None:
    """Whatever it begins with."""
    os.mkfifo(path := tmp_path / "t.jsonl")
    writer = threading.Thread(target=path.write_text, args=('x,y\n{"a":1}\n',))
    writer.start()
    found = read(path, skip=True)
    writer.join()
    assert found.rows == [{"a": 1}] and f"{path}:1:1: error: this is no JSON" in found.said[0]


def test_what_a_pipe_is_packed_by(pipe: tuple[str, int]) -> None:
    path, end = pipe
    os.write(end, PACKED[".zst"](b'{"a":1}\n'))
    os.close(end)
    assert "the table is packed by zstd\nhint: unpack it on the way (zstd -dc)" in read(path).said[0]


def test_a_pipe_that_is_packed_by_gzip(pipe: tuple[str, int]) -> None:
    path, end = pipe
    os.write(end, gzip.compress(b'{"a":1}\n{"a":2}'))
    os.close(end)
    assert read(path).rows == [{"a": 1}, {"a": 2}]


# ── malformed lines ──────────────────────────────────────────────────────────────────────────────────────
def test_malformed_lines_are_counted(tmp_path: Path) -> None:
    path = written("t.jsonl", tmp_path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], "x", *lines[4:], '{"price":"free"}']))
    with pytest.raises(StreamError, match=r"t.jsonl:5:1: error: this is no JSON"):
        match(CEQL, path, time="time").count()
    found = match(CEQL, path, time="time", on_error="skip")
    assert found.to_arrow().to_pylist() == match(CEQL, TABLE, time="time").to_arrow().to_pylist()
    assert found.skipped == 2
    (loss,) = found.losses()
    assert loss.line().startswith(
        f"2 malformed lines were left out: mend the source; first at {path}:5:1: this is no JS"
    )


def test_malformed_lines_of_mapped_tables_are_counted(tmp_path: Path) -> None:
    path = written("t.jsonl", tmp_path)
    path.write_text(f"{path.read_text()}x\n")
    mapped = {"s": spaseq.Mapped(path, MAPPING)}
    with pytest.raises(StreamError, match=r"t.jsonl:10:1: error: this is no JSON"):
        list(spaseq.run(QUERY, mapped))
    run = spaseq.run(QUERY, mapped, options=WireOptions(skip=True))
    with pytest.warns(SpaseqWarning, match="1 malformed event"):
        assert len(list(run)) > 0
    (report,) = run.reports.values()
    assert (report.skipped, report.events) == (1, 9)


def test_times_of_json_are_texts_as_they_are_written(tmp_path: Path) -> None:
    """A text that is no time is an event without one, and not a malformed line."""
    path, query = tmp_path / "t.jsonl", "SELECT a.at, b.at WHERE A AS a ; B AS b WITHIN 2 DAYS"
    for times, options in [
        (["2026-01-30", "soon", 5, "2026-01-31"], {}),
        (["30.01.2026", "soon", 5, "31.01.2026"], {"time_format": "%d.%m.%Y"}),
        ([1769731200, "soon", None, 1769817600], {"unit": "s"}),
    ]:
        rows = zip("AABB", times, strict=True)
        path.write_text("".join(json.dumps({"type": type_, "at": time}) + "\n" for type_, time in rows))
        found = match(query, path, time="at", on_error="skip", **options)
        assert (found.count(), found.skipped) == (1, 2)
