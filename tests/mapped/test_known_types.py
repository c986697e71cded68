"""What a run took for integers stays so when another one goes on: no row becomes an event, or none, by what came."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from spaseq.errors import SnapshotError
from spaseq.graphs.graph_run import Run
from spaseq.graphs.mapped import Mapped
from spaseq.runtime.run import RunState
from spaseq.sources.mapped.known_types import KnownTypes
from spaseq.sources.rdf.wire import WireOptions
from tests.transports.scripted import Scripted

MAPPING = "AT ?time UNIT s CONSTRUCT { <urn:t> <urn:is> ?time ; <urn:v> ?v }"
QUERY = "SELECT ?t ?v FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?x <urn:is> ?t ; <urn:v> ?v } }"
Write = Callable[[object, object], str]


def csv(time: object, value: object) -> str:
    return f"{time},{value}\n"


def line(time: object, value: object) -> str:
    return json.dumps({"time": time, "v": value}) + "\n"


def rows(run: Run) -> list[tuple[str, str]]:
    return [(str(match.bindings["t"]), str(match.bindings["v"])) for match in run]


def went_on(source: object, state: RunState | None) -> tuple[list[tuple[str, str]], RunState]:
    options = WireOptions(skip=True)
    run = Run(QUERY, {"s": Mapped(source, MAPPING)}, options=options, state=state, on_step=lambda: 1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "warns", False)
        return rows(run), run.state()


@pytest.mark.parametrize(("name", "write", "begin"), [("a.csv", csv, "time,v\n"), ("a.jsonl", line, "")])
def test_files(tmp_path: Path, name: str, write: Write, begin: str) -> None:
    path, found, state = tmp_path / name, list[tuple[str, str]](), None
    path.write_text(begin)
    for some in (((1, 3), (2, 4)), ((3, 5.5), (4, 6)), ((5, 6.5), (6, 7), (7, 8))):
        with path.open("a") as file:
            file.writelines(write(*one) for one in some)
        more, state = went_on(str(path), state)
        found += more
    assert found == [("1", "3"), ("2", "4"), ("4", "6"), ("6", "7"), ("7", "8")]


@pytest.mark.parametrize("begin", ["time,v\n", "time,v\n1,\n"])
def test_columns_without_values_may_get_some(tmp_path: Path, begin: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(begin)
    found, state = went_on(str(path), None)
    path.write_text(begin + "2,3\n")
    assert found == [] and went_on(str(path), state)[0] == [("2", "3")]


def test_unless_rows_were_left_out(tmp_path: Path) -> None:
    """Else these could be events now."""
    path = tmp_path / "a.csv"
    path.write_text("time,v\n" + "1,\n" * (1 << 19) + "2,5\n")
    _, state = went_on(str(path), None)
    path.write_text("time,v\n" + "1,\n" * (1 << 19) + "2,5\n3,6\n")
    assert state.types and went_on(str(path), state)[0] == []


def test_messages() -> None:
    messages = [line(*one).encode() for one in ((1, 3), (2, 4), (3, 5.5), (4, 6))]
    first, state = went_on(Scripted(messages[:2]), None)
    more, _ = went_on(Scripted(messages), state)
    assert [*first, *more] == [("1", "3"), ("2", "4"), ("4", "6")]


def test_what_has_its_types_is_not_remembered(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"time": [1], "v": [2]}), tmp_path / "a.parquet")
    assert went_on(str(tmp_path / "a.parquet"), None)[1].types == {}
    (tmp_path / "a.csv").write_text("time,v\n1,2\n")
    declared = Mapped(str(tmp_path / "a.csv"), MAPPING, types={"time": "int64", "v": "int64"})
    run = Run(QUERY, {"s": declared}, on_step=lambda: 1.0)
    assert rows(run) == [("1", "2")] and run.state().types == {}


def test_damaged_types() -> None:
    with pytest.raises(SnapshotError, match="types of columns cannot be read"):
        KnownTypes({"a.csv": b"none"})


def test_the_command_line(tmp_path: Path) -> None:
    """A checkpoint has them; one of an earlier version has none."""
    (tmp_path / "q.spaseq").write_text(QUERY)
    (tmp_path / "s.map").write_text(MAPPING)
    (tmp_path / "s.csv").write_text("time,v\n1,3\n2,4\n")
    command = [sys.executable, "-m", "spaseq", "run", "q.spaseq", "--stream", "s=s.csv", "--map", "s=s.map"]
    command += ["--checkpoint", "state", "--output", "out", "--on-error", "skip", "--format", "jsonl", "--quiet"]
    for more in ("3,5.5\n4,6\n", "5,7.5\n6,8\n"):
        subprocess.run(command, cwd=tmp_path, check=True)
        with (tmp_path / "s.csv").open("a") as file:
            file.write(more)
    subprocess.run(command, cwd=tmp_path, check=True)
    found = [json.loads(one)["bindings"]["t"]["value"] for one in (tmp_path / "out").read_text().splitlines()]
    assert found == ["1", "2", "4", "6"]
