"""``tuples --follow``: files are read on as they grow, and what replaces them; another run goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start

RISES = "SELECT * FROM S WHERE T AS low ; T AS high FILTER low[value < 3] AND high[value > 7] WITHIN 9 SECONDS"
AT_ONCE = "SELECT * FROM S WHERE T AS a : T AS b FILTER a[value < 3] AND b[value > 7] WITHIN 3 EVENTS"
FALLS = """SELECT * FROM S MATCH_RECOGNIZE (ORDER BY time MEASURES LAST(B.value) AS last, A.value AS first
PATTERN (A B+) DEFINE B AS value < PREV(value))"""
TIMED = ("--time", "time", "--time-unit", "s")
HEAD = "type,value,time\n"


@pytest.fixture
def place(folder: Path) -> Path:
    Path("rises.ceql").write_text(RISES)
    Path("at_once.ceql").write_text(AT_ONCE)
    Path("falls.sql").write_text(FALLS)
    Path("s.csv").write_text(HEAD + row(0, 1) + row(1, 8))
    return folder


def row(time: int | str, value: float | str) -> str:
    return f"T,{value},{time}\n"


def line(time: int, value: float | str) -> str:
    return json.dumps({"type": "T", "value": value, "time": time}) + "\n"


def add(path: str, text: str) -> None:
    with Path(path).open("a") as file:
        file.write(text)


def following(query: str, *more: str, events: str = "s.csv") -> subprocess.Popen[str]:
    return start("tuples", query, "--events", events, *TIMED, "--follow", "--format", "jsonl", *more)


def taken(process: subprocess.Popen[str]) -> dict[str, object]:
    """The next result, as soon as it is written."""
    assert process.stdout is not None
    found: dict[str, object] = json.loads(process.stdout.readline())
    return found


def ended(process: subprocess.Popen[str], by: signal.Signals = signal.SIGINT) -> tuple[str, str]:
    """What a process says when it is ended by a signal."""
    process.send_signal(by)
    rest = process.communicate(timeout=60)
    assert process.returncode == 130
    return rest


@pytest.mark.parametrize(("name", "made"), [("s.csv", row), ("s.jsonl", line)])
def test_matches_are_told_as_they_are_decided(place: Path, name: str, made: object) -> None:
    assert callable(made)
    Path(name).write_text((HEAD if name == "s.csv" else "") + made(0, 1) + made(1, 8))
    process = following("rises.ceql", events=name)
    assert taken(process)["end"] == 1
    add(name, made(2, 5) + made(3, 9) + made(4, 9)[:-4])
    assert taken(process)["end"] == 3
    add(name, made(4, 9)[-4:])
    assert taken(process)["end"] == 4
    assert ended(process, signal.SIGTERM) == ("", "")


def test_windows_of_events_and_row_patterns(place: Path) -> None:
    process = following("at_once.ceql")
    assert taken(process)["end"] == 1
    ended(process)
    process = following("falls.sql")
    add("s.csv", row(2, 7) + row(3, 6) + row(4, 9))
    assert taken(process) == {"last": 6, "first": 8}
    ended(process)


def test_a_file_that_replaces_it_has_its_own_header(place: Path) -> None:
    process = following("rises.ceql")
    assert taken(process)["end"] == 1
    Path("s.csv").rename("old.csv")
    Path("new.csv").write_text("time,type,value\n2,T,9\n" + 9 * "2,T,5\n")
    Path("new.csv").rename("s.csv")
    assert taken(process)["end"] == 2
    Path("s.csv").write_text("")
    add("s.csv", HEAD + row(3, 9))
    assert taken(process)["end"] == 12
    ended(process)


def test_counts_are_told_in_the_end(place: Path) -> None:
    process = start(
        "tuples", "rises.ceql", "--events", "s.csv", *TIMED, "--follow", "--count", "--checkpoint-every", "1h"
    )
    waits(process)
    assert ended(process)[0] == "1\n"


def test_another_run_goes_on(place: Path) -> None:
    more = ("--checkpoint", "state", "--checkpoint-every", "10ms", "--output", "out", "--on-error", "dead-letter")
    more = (*more, "--dead-letters", "letters")
    process = following("rises.ceql", *more)
    written("out", 1)
    add("s.csv", "T,9,2,7\nT\n" + row(3, 9))
    written("out", 2)
    written("letters", 2)  # by a checkpoint, without another row
    process.kill()
    process.wait()
    add("s.csv", row(4, 9) + "T,5\n")
    process = following("rises.ceql", *more)
    written("out", 3)
    written("letters", 3)
    ended(process)
    assert [json.loads(one)["end"] for one in Path("out").read_text().splitlines()] == [1, 2, 3]
    letters = [json.loads(one) for one in Path("letters").read_text().splitlines()]
    assert [(one["position"], one["data"]) for one in letters] == [
        ("s.csv:4", "T,9,2,7"), ("s.csv:5", "T"), ("s.csv:8", "T,5"),
    ]  # fmt: skip


@pytest.mark.parametrize(("name", "made"), [("s.csv", row), ("s.jsonl", line)])
def test_types_stay_when_another_run_goes_on(place: Path, name: str, made: object) -> None:
    """What a run took for integers, and for times, does not become doubles and texts as more can be seen."""
    assert callable(made)
    Path(name).write_text((HEAD if name == "s.csv" else "") + made(0, 1) + made(1, 8))
    more = ("--checkpoint", "state", "--checkpoint-every", "10ms", "--output", "out", "--on-error", "skip")
    process = following("rises.ceql", *more, events=name)
    written("out", 1)
    add(name, made(2, "much") + made(2, 5.5) + made(3, 9))
    written("out", 2)
    process.kill()
    process.wait()
    process = following("rises.ceql", *more, events=name)
    add(name, made(4, 6.5) + made(5, 9))
    written("out", 3)
    ended(process)
    assert [json.loads(one)["end"] for one in Path("out").read_text().splitlines()] == [1, 2, 3]


def written(path: str, lines: int) -> None:
    until = time.monotonic() + 60
    while not Path(path).exists() or Path(path).read_text().count("\n") < lines:
        assert time.monotonic() < until
        time.sleep(0.01)


def waits(process: subprocess.Popen[str]) -> None:
    """Wait until a process has read what there is: then it waits in ``poll``."""
    waited = Path(f"/proc/{process.pid}/wchan")
    if not waited.exists():
        pytest.skip("needs /proc to know that a process waits")
    looked = 0
    while looked < 20:
        looked = looked + 1 if "poll" in waited.read_text() else 0
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("query", "more", "message"),
    [
        ("rises.ceql", ["--events", ".", *TIMED], ".: only single files can be followed as they grow, no folder"),
        ("rises.ceql", ["--events", "s.parquet", *TIMED], "s.parquet cannot be followed as it grows: it is no text"),
        ("falls.sql", ["--events", "s.csv"], "--follow: falls is in SQL, and finds nothing before its table has ended"),
    ],
)  # fmt: skip
def test_what_cannot_be_followed(place: Path, invoke: Invoke, query: str, more: list[str], message: str) -> None:
    Path("s.parquet").write_bytes(b"PAR1")
    result = invoke("tuples", query, *more, "--follow")
    assert result.exit_code in (1, 2)
    assert message in result.stderr
