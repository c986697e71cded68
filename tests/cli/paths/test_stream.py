"""``spaseq paths --stream``: what appears, formats, options, what is told on standard error."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import Invoke, start

PROV, DATETIME = "http://www.w3.org/ns/prov#generatedAtTime", "http://www.w3.org/2001/XMLSchema#dateTime"
EVENTS = ((0, "a p b"), (10, "b p c"), (5, "b p e"), (30, "a p c"), (90, "c p d"))
REACHED = "PREFIX : <http://e/> QUERY reached FROM :a ANY SHORTEST :p+\n"
STEPS = "PREFIX : <http://e/> QUERY steps FROM :a ALL WALK :p\n"
WINDOW = ("--stream", "edges.nq", "--window", "1h")


def lines(minute: int, edge: str) -> str:
    name = f"<http://e/event/{minute}>"
    time = f'"2026-01-01T{minute // 60:02}:{minute % 60:02}:00Z"^^<{DATETIME}>'
    terms = " ".join(f"<http://e/{term}>" for term in edge.split())
    return f"{name} <{PROV}> {time} .\n{terms} {name} .\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("edges.nq").write_text("".join(lines(*event) for event in EVENTS))
    Path("one.paths").write_text(REACHED)
    Path("two.paths").write_text(REACHED + STEPS)
    return tmp_path


def test_lines_of_json(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "two.paths", *WINDOW, "-q")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["query"], row["time"][11:16], len(row["edges"])) for row in rows] == [
        ("reached", "00:00", 1), ("steps", "00:00", 1), ("reached", "00:10", 2), ("reached", "00:30", 1),
        ("steps", "00:30", 1), ("reached", "01:30", 2),
    ]  # fmt: skip
    assert rows[0]["nodes"] == [{"type": "uri", "value": f"http://e/{name}"} for name in "ab"]
    assert (result.exit_code, result.stderr) == (0, "")


def test_csv_and_parquet(files: Path, invoke: Invoke) -> None:
    rows = list(csv.reader(io.StringIO(invoke("paths", "one.paths", *WINDOW, "--format", "csv").stdout)))
    assert rows[0] == ["time", "length", "path"] and len(rows) == 5
    assert rows[1] == ["2026-01-01T00:00:00Z", "1", "<http://e/a> <http://e/p> <http://e/b>"]
    assert invoke("paths", "one.paths", *WINDOW, "--format", "parquet", "--output", "o.parquet").exit_code == 0
    table = parquet.read_table("o.parquet")
    assert table.column_names == ["query", "time", "nodes", "predicates", "inverse"] and table.num_rows == 4


def test_late_events_are_told_of_or_wait(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "one.paths", *WINDOW, "--count")
    assert result.stdout == "4\n" and "1 of the 5 events" in result.stderr and "--lateness 5m" in result.stderr
    assert invoke("paths", "one.paths", *WINDOW, "--count", "--strict").exit_code == 1
    result = invoke("paths", "one.paths", *WINDOW, "--count", "--lateness", "5m")
    assert (result.stdout, result.stderr) == ("5\n", "")
    result = invoke("paths", "one.paths", *WINDOW, "--count", "--late", "late.nq")
    assert result.stderr == "" and "<http://e/e>" in Path("late.nq").read_text()


def test_limit_and_counts_of_several(files: Path, invoke: Invoke) -> None:
    assert len(invoke("paths", "two.paths", *WINDOW, "-q", "--limit", "3").stdout.splitlines()) == 3
    assert invoke("paths", "two.paths", *WINDOW, "-q", "--limit", "0").stdout == ""
    assert invoke("paths", "two.paths", *WINDOW, "-q", "--count").stdout == "reached 4\nsteps 2\n"


def test_standard_input_and_folders(files: Path, invoke: Invoke) -> None:
    process = start("paths", "one.paths", "--stream", "-", "--window", "1h", "--count", "-q")
    assert process.communicate(Path("edges.nq").read_text(), timeout=60)[0] == "4\n"
    Path("folder").mkdir()
    Path("folder/one.nq").write_text(lines(0, "a p b"))
    Path("folder/two.nq").write_text(lines(7, "b p c"))
    assert invoke("paths", "one.paths", "--stream", "folder", "--window", "1h", "--count").stdout == "2\n"


def test_malformed_events(files: Path, invoke: Invoke) -> None:
    with Path("edges.nq").open("a") as file:
        file.write("<http://e/a> nonsense\n" + lines(95, "d p f"))
    result = invoke("paths", "one.paths", *WINDOW, "--lateness", "5m")
    assert result.exit_code == 1 and "edges.nq:11" in result.stderr and len(result.stdout.splitlines()) == 3
    result = invoke("paths", "one.paths", *WINDOW, "--lateness", "5m", "--on-error", "skip", "--count")
    assert result.exit_code == 0 and "skipped" in result.stderr


@pytest.mark.parametrize(("arguments", "message"), [
    (("one.paths",), "--graph PATH"), (("one.paths", "--graph", "edges.nq", *WINDOW), "of one"),
    (("one.paths", "--stream", "edges.nq"), "--stream needs --window"),
    (("one.paths", "--graph", "edges.nq", "--window", "1h"), "--window: only with --stream"),
    (("one.paths", *WINDOW, "--most-edges", "7"), "--most-edges: not with --stream"),
    (("one.paths", *WINDOW, "--output", "edges.nq"), "read in the same run"),
    (("two.paths", *WINDOW, "--format", "csv"), "csv"),
    (("one.paths", "--stream", "none.nq", "--window", "1h"), "none.nq"),
    (("one.paths", "--stream", "edges.nq", "--window", "0s"), "longer than nothing"),
])  # fmt: skip
def test_what_is_refused(files: Path, invoke: Invoke, arguments: tuple[str, ...], message: str) -> None:
    result = invoke("paths", *arguments)
    assert result.exit_code in (1, 2) and message in result.stderr and not result.stdout


def test_labels_are_refused(files: Path, invoke: Invoke) -> None:
    Path("label.paths").write_text('QUERY q FROM LABEL "a" :p')
    result = invoke("paths", "label.paths", *WINDOW)
    assert result.exit_code == 2 and "a stream has no labels" in result.stderr


def test_labels_of_a_graph(files: Path, invoke: Invoke) -> None:
    Path("kb.ttl").write_text('<http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "Ann"@en .')
    Path("label.paths").write_text('PREFIX : <http://e/> QUERY q FROM LABEL "Ann" :p QUERY r FROM LABEL "Bob" :p')
    result = invoke("paths", "label.paths", *WINDOW, "--lateness", "5m", "--labels", "kb.ttl", "--count")
    assert result.stdout == "q 2\nr 0\n"
    assert result.stderr == "warning: r: no node of the graph is LABEL 'Bob'\n"


def test_the_last_event_is_complete_when_nothing_comes_for_long(files: Path) -> None:
    Path("edges.nq").write_text(lines(0, "a p b"))
    process = start("paths", "one.paths", *WINDOW, "--follow", "--idle", "20ms", "--format", "csv", "--limit", "2")
    assert process.stdout is not None
    rows = [process.stdout.readline() for _ in range(2)]
    with Path("edges.nq").open("a") as file:
        file.write(lines(5, "b p c"))
    output, errors = process.communicate(timeout=60)
    assert [row.split(",")[1] for row in (*rows, output)] == ["length", "1", "2"]
    assert process.returncode == 0 and errors == ""


def test_idle_is_for_streams(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "one.paths", "--graph", "edges.nq", "--idle", "1s")
    assert result.exit_code == 2 and "--idle: only with --stream" in result.stderr
