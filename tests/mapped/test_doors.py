"""One mapping, every door: files of any format, frames, rows that are pushed, messages, the command line, convert."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import spaseq
from spaseq.cli import main
from spaseq.graphs import Engine
from tests.cli.conftest import ROOT
from tests.transports.scripted import Scripted, Topic

TRADES = ROOT / "examples" / "tuples" / "trades.csv"
MAPPING = ROOT / "examples" / "tables" / "trades.map"
QUERY = ROOT / "examples" / "stocks" / "v_shape.spaseq"
TABLE = pyarrow.csv.read_csv(TRADES)
LINES = [
    json.dumps({**row, "time": f"{row['time'].isoformat()}Z".replace("+00:00Z", "Z")}).encode()
    for row in TABLE.to_pylist()
]


def told(match: Any) -> tuple[Any, ...]:
    """What is the same, whatever a match comes from."""
    return str(match.first), str(match.last), *(str(term) for term in match.bindings.values())


EXPECTED = [told(match) for match in spaseq.run(QUERY, {"stock": spaseq.Mapped(TRADES, MAPPING)})]


def test_there_are_matches() -> None:
    assert len(EXPECTED) == 17


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────
def written(name: str, data: bytes) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        (folder / name).write_bytes(data)
        return str(folder / name)

    return write


def parquet(folder: Path) -> str:
    pyarrow.parquet.write_table(TABLE, folder / "t.parquet", row_group_size=7)
    return str(folder / "t.parquet")


def ipc(folder: Path) -> str:
    pyarrow.feather.write_feather(TABLE, folder / "t.arrow", compression="uncompressed", chunksize=7)
    return str(folder / "t.arrow")


def several(folder: Path) -> str:
    """A folder whose files follow each other, in two formats."""
    (folder / "parts").mkdir()
    pyarrow.csv.write_csv(TABLE.slice(0, 20), folder / "parts" / "a.csv")
    pyarrow.csv.write_csv(TABLE.slice(20), folder / "parts" / "b.csv")
    return str(folder / "parts")


CSV, JSON = TRADES.read_bytes(), b"\n".join(LINES) + b"\n"
FILES: dict[str, Callable[[Path], str]] = {
    "csv": written("t.csv", CSV),
    "packed csv": written("t.csv.gz", gzip.compress(CSV)),
    "json lines": written("t.jsonl", JSON),
    "packed json lines": written("t.jsonl.zst", pyarrow.compress(JSON, "zstd", asbytes=True)),
    "parquet": parquet,
    "ipc": ipc,
    "a folder": several,
    "a glob": lambda folder: several(folder) + "/*.csv",
}


@pytest.mark.parametrize("kind", FILES)
def test_files(kind: str, tmp_path: Path) -> None:
    path = FILES[kind](tmp_path)
    assert [told(match) for match in spaseq.run(QUERY, {"stock": spaseq.Mapped(path, MAPPING)})] == EXPECTED


def command(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def results(text: str) -> list[tuple[Any, ...]]:
    """Those of the command line, as ``told``."""
    found = []
    for line in map(json.loads, text.splitlines()):
        times = [str(pandas.Timestamp(line[name]).to_pydatetime()) for name in ("first", "last")]
        found.append((*times, *(one["value"] for one in line["bindings"].values())))
    return found


RUN = ["run", str(QUERY), "--map", f"stock={MAPPING}", "--format", "jsonl", "--stream"]


@pytest.mark.parametrize("kind", ["packed json lines", "parquet"])
def test_the_command_line(kind: str, tmp_path: Path) -> None:
    assert results(command(*RUN, f"stock={FILES[kind](tmp_path)}")) == EXPECTED


def test_standard_input() -> None:
    line = [sys.executable, "-m", "spaseq", *RUN, "stock=-"]
    assert results(subprocess.check_output(line, cwd=ROOT, input=CSV).decode()) == EXPECTED


@pytest.mark.parametrize("kind", ["csv", "ipc"])
def test_convert(kind: str, tmp_path: Path) -> None:
    path, output = FILES[kind](tmp_path), tmp_path / "t.nq"
    command("convert", path, "--map", str(MAPPING), "--output", str(output), "--memory", "1m")
    assert [told(match) for match in spaseq.run(QUERY, {"stock": str(output)})] == EXPECTED


# ── rows that come ───────────────────────────────────────────────────────────────────────────────────────
FORMS: dict[str, Callable[[pyarrow.Table], Any]] = {
    "arrow": lambda rows: rows,
    "pandas": lambda rows: rows.to_pandas(),
    "polars": polars.DataFrame,
    "dictionaries": lambda rows: rows.to_pylist(),
}


def pieces(size: int) -> Iterator[pyarrow.Table]:
    return (TABLE.slice(at, size) for at in range(0, TABLE.num_rows, size))


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize("form", FORMS)
def test_rows_are_pushed_with_snapshots_between(form: str, size: int) -> None:
    engine, found = Engine(), list[Any]()
    engine.register(QUERY)
    for rows in pieces(size):
        found += engine.push_rows("stock", FORMS[form](rows), MAPPING)
        engine = Engine.restore(engine.snapshot(), [QUERY])
    assert [told(match) for match in [*found, *engine.close()]] == EXPECTED


@pytest.mark.parametrize("at_once", [1, 9, 100])
def test_messages(at_once: int) -> None:
    rows = spaseq.Mapped(Scripted(LINES, at_once), MAPPING)
    assert [told(match) for match in spaseq.run(QUERY, {"stock": rows})] == EXPECTED


def test_partitions_of_messages() -> None:
    parts = {str(number): Scripted(LINES[number::3], 4) for number in range(3)}
    rows = spaseq.Mapped(Topic({**parts, "empty": Scripted([])}), MAPPING)
    assert [told(match) for match in spaseq.run(QUERY, {"stock": rows})] == EXPECTED
