"""``tuples --checkpoint``: what several runs write is what one would have written; other inputs are refused."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start
from tests.cli.killing import prepare_tuples, scenario

QUERY = "SELECT * FROM S WHERE A ; B WITHIN 9 SECONDS"


def line(number: int) -> str:
    """An event a second."""
    return f"{'AB'[number % 2]},{number},{number}\n"


@pytest.fixture
def place(folder: Path) -> Path:
    Path("q.ceql").write_text(QUERY)
    Path("s.csv").write_text("type,value,time\n" + "".join(map(line, range(20))))
    return folder


def arguments(*more: str) -> list[str]:
    base = ["tuples", "q.ceql", "--events", "s.csv", "--time", "time", "--time-unit", "s"]
    return [*base, "--checkpoint", "state", "--quiet", *more]


@pytest.mark.parametrize("to_file", [True, False], ids=["output", "standard output"])
def test_kills(to_file: bool) -> None:
    kills, wrong = scenario(to_file, 2, 8_000, 1, prepare_tuples)
    assert wrong == []
    assert kills > 0


@pytest.mark.parametrize("output", [[], ["--output", "out"]])
def test_a_run_that_has_ended_goes_on_with_what_was_added(place: Path, invoke: Invoke, output: list[str]) -> None:
    first = invoke(*arguments(*output)).stdout
    assert invoke(*arguments(*output)).stdout == ""
    with Path("s.csv").open("a") as file:
        file.write("".join(map(line, range(20, 30))))
    second = invoke(*arguments(*output)).stdout
    found = Path("out").read_text() if output else first + second
    Path("state").unlink()
    assert found == invoke(*arguments()).stdout


@pytest.mark.parametrize("begin", ["", "A,,0\n", "A,,0\nB,,1\n"])
def test_columns_without_values_may_get_some(place: Path, invoke: Invoke, begin: str) -> None:
    """The file has a header alone when the first run reads it, or a column of NULL; that goes on when values come."""
    Path("q.ceql").write_text("SELECT * FROM S WHERE A AS a ; B AS b FILTER b[value > 2] WITHIN 9 SECONDS")
    Path("s.csv").write_text("type,value,time\n" + begin)
    assert invoke(*arguments()).stdout == ""
    with Path("s.csv").open("a") as file:
        file.write("".join(map(line, range(2, 20))))
    found = invoke(*arguments())
    assert found.exit_code == 0, found.stderr
    Path("state").unlink()
    assert found.stdout == invoke(*arguments()).stdout != ""


def test_parquet_goes_on(place: Path, invoke: Invoke) -> None:
    import pyarrow.csv
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.csv.read_csv("s.csv"), "s.parquet")
    base = ["tuples", "q.ceql", "--events", "s.parquet", "--time", "time", "--time-unit", "s", "--checkpoint", "state"]
    assert invoke(*base).stdout.count("\n") > 10
    assert invoke(*base).stdout == ""


def test_ctrl_c_writes_it(tmp_path: Path) -> None:
    given = [*prepare_tuples(tmp_path, 8_000, 3), "--output", str(tmp_path / "out")]
    state = ["--checkpoint", str(tmp_path / "state"), "--checkpoint-every", "1h"]
    process = start(*given, *state, cwd=tmp_path)
    until = time.monotonic() + 20
    while not (tmp_path / "out").exists() or not (tmp_path / "out").stat().st_size:
        assert time.monotonic() < until
        time.sleep(0.01)
    before = (tmp_path / "state").stat().st_mtime_ns
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert (tmp_path / "state").stat().st_mtime_ns > before
    assert start(*given, *state, cwd=tmp_path).wait(60) == 0
    found = (tmp_path / "out").read_text()
    (tmp_path / "out").unlink()
    assert start(*given, cwd=tmp_path).wait(60) == 0
    assert found == (tmp_path / "out").read_text()


@pytest.mark.parametrize(
    ("change", "more", "message"),
    [
        (lambda: Path("q.ceql").write_text(QUERY.replace("9", "8")), [], "another query"),
        (lambda: None, ["--on-error", "skip"], "with --on-error stop, here it is skip"),
        (lambda: Path("s.csv").write_text("type,value,time\n" + line(0)), [], "s.csv of .* bytes, and now it has"),
        (lambda: Path("state").write_text("x" * 100), [], "no snapshot"),
        (lambda: Path("state").write_bytes(Path("state").read_bytes()[:-1]), [], "damaged"),
    ],
    ids=["query", "option", "shorter", "no checkpoint", "damaged"],
)
def test_what_differs_is_named(place: Path, invoke: Invoke, change: object, more: list[str], message: str) -> None:
    assert invoke(*arguments()).exit_code == 0
    change()  # type: ignore[operator]
    found = invoke(*arguments(*more))
    assert found.exit_code == 2
    assert re.search(message, found.stderr), found.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--limit", "3"], "--limit do not go together"),
        (["--count"], "--count do not go together"),
        (["--format", "csv"], "what is written as csv cannot be gone on with"),
    ],
)
def test_what_does_not_go_together(place: Path, invoke: Invoke, more: list[str], message: str) -> None:
    found = invoke(*arguments(*more))
    assert found.exit_code == 2
    assert message in found.stderr


def test_pipes_are_refused(place: Path, invoke: Invoke) -> None:
    os.mkfifo("pipe.csv")
    for path, shown in (("-", "standard input"), ("pipe.csv", "pipe.csv")):
        found = invoke("tuples", "q.ceql", "--events", path, "--checkpoint", "state")
        assert found.exit_code == 2
        assert f"needs files, which can be read again: {shown} cannot" in found.stderr
