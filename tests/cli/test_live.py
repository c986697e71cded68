"""The program on live input: pipes, files that grow, silence, signals while it waits."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import MATCHES, STREAM, Invoke, event, start

ROWS = "type,time,price,name\nSELL,0,50,NORD\nBUY,1,52.5,NORD\n"
CEQL = "SELECT * FROM Trades WHERE SELL AS s ; BUY AS b FILTER b[price > 51] WITHIN 10 SECONDS"
TWO = """\
PREFIX ex: <http://example.org/>
SELECT ?x ?v
WITHIN 10 SECONDS SLIDING
FROM STREAM s <http://example.org/s>
FROM STREAM t <http://example.org/t>
WHERE {
  SEQ(A ; B!)
  DEFINE GPM A ON s { ?x ex:v ?v }
  DEFINE GPM B ON t { ?x ex:w ?w }
}
"""
FOLLOWED = ("run", "q.spaseq", "--stream", "s=s.nq", "--follow", "--idle", "20ms")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_followed_file_ends_with_a_signal(folder: Path, sent: signal.Signals) -> None:
    process = start(*FOLLOWED, "--format", "csv")
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    with Path("s.nq").open("a") as file:
        file.write(event(4, 'a w "5"') + event(5, 'b v "6"') + event(6, 'b w "7"'))
    lines.append(process.stdout.readline())
    process.send_signal(sent)
    rest, errors = process.communicate(timeout=60)
    assert [line.strip()[-1] for line in lines] == ["w", "3", "4", "7"]
    assert (rest, errors, process.returncode) == ("", "", 130)


def test_a_limit_ends_it_while_the_input_is_open(folder: Path) -> None:
    process = start(*FOLLOWED, "--limit", "2")
    assert process.stdin is not None and process.stdout is not None
    assert len(process.stdout.readlines()) == len(MATCHES)  # up to its end
    assert process.wait(timeout=60) == 0


def test_statistics_name_the_stream_that_is_silent(folder: Path) -> None:
    Path("two.spaseq").write_text(TWO)
    for pipe in ("s", "t"):
        os.mkfifo(pipe)
    process = start("run", "two.spaseq", "--stream", "s=s", "--stream", "t=t", "--stats")
    with Path("s").open("w") as pipe:
        pipe.write(STREAM)
        pipe.flush()
        while_it_waits(process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert json.loads(errors)["queries"]["two"]["held_back_by"] == "http://example.org/t"
    assert process.returncode == 130


def while_it_waits(process: subprocess.Popen[str]) -> None:
    """Wait until a process sleeps and has read what was written to it: then it waits in ``poll``."""
    waited = Path(f"/proc/{process.pid}/wchan")
    stat = Path(f"/proc/{process.pid}/stat")
    if not waited.exists():
        pytest.skip("needs /proc to know that a process waits")
    while stat.read_text().rsplit(")", 1)[1].split()[0] != "S" or not _has_read(process):
        assert process.poll() is None
        time.sleep(0.01)


def _has_read(process: subprocess.Popen[str]) -> bool:
    """Whether the pipe ``s`` is empty."""
    reader = os.open("s", os.O_RDONLY | os.O_NONBLOCK)
    try:
        import array
        import fcntl
        import termios

        left = array.array("i", [0])
        fcntl.ioctl(reader, termios.FIONREAD, left)
        return left[0] == 0
    finally:
        os.close(reader)


def test_a_silent_stream_does_not_hold_others_back_for_ever(folder: Path) -> None:
    Path("two.spaseq").write_text(TWO)
    for pipe in ("s", "t"):
        os.mkfifo(pipe)
    process = start("run", "two.spaseq", "--stream", "s=s", "--stream", "t=t", "--idle-advance", "50ms")
    assert process.stdout is not None
    with Path("s").open("w") as pipe, Path("t").open("w"):
        pipe.write(event(0, 'a v "1"') + event(11, 'b v "2"'))
        pipe.flush()
        assert json.loads(process.stdout.readline())["bindings"]["v"]["value"] == "1"
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_what_cannot_be_followed(invoke: Invoke, folder: Path) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=.", "--follow")
    assert (result.exit_code, result.stderr) == (
        2, "error: .: only single files can be followed as they grow, no folder and no pattern\n",
    )  # fmt: skip
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--idle", "2s", "--idle-advance", "1s")
    assert result.exit_code == 2
    assert result.stderr == "error: idle is longer than idle_advance, so that an open event would come late\n"


# ── rows ─────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def tuples(folder: Path) -> tuple[str, ...]:
    """A command that reads rows from standard input."""
    pytest.importorskip("pyarrow")
    Path("q.ceql").write_text(CEQL)
    return "tuples", "q.ceql", "--events", "-", "--time", "time", "--time-unit", "s"


@pytest.mark.parametrize("format", ["jsonl", "csv", "table"])
def test_rows_are_matched_as_they_come(tuples: tuple[str, ...], format: str) -> None:
    process = start(*tuples, "--format", format, "--declare", "price=double")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(ROWS)
    process.stdin.flush()
    heads = {"jsonl": 0, "csv": 1, "table": 2}[format]
    assert all(process.stdout.readline() for _ in range(heads))
    shown = {"jsonl": '{"start": 0, "end": 1, "picked": {"s": [0], "b": [1]}}', "csv": "0,1,0,1"}
    assert process.stdout.readline().strip() == shown.get(format, "0       1     0   1")
    process.stdin.write("BUY,2,53.5,NO")
    process.stdin.flush()
    process.stdin.write("RD\nBUY,3,")
    process.stdin.flush()
    more = process.stdout.readline()
    rest = process.communicate('54,"a\nb"', timeout=60)[0]
    shown = {"jsonl": '"end": 2', "csv": "0,2,0,2", "table": "0       2     0   2"}[format]
    assert shown in more and shown.replace("2", "3") in rest
    assert process.returncode == 0


def test_a_bad_row_is_counted_from_the_first(tuples: tuple[str, ...]) -> None:
    process = start(*tuples)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(ROWS)
    process.stdin.flush()
    assert process.stdout.readline()
    _, errors = process.communicate("BUY,2,many,NORD\n", timeout=60)
    assert errors.startswith("<standard input>, row 3: error: the column price was double so far, but has 'many'")
    assert process.returncode == 1


def test_rows_and_ctrl_c(tuples: tuple[str, ...]) -> None:
    process = start(*tuples, "--format", "csv")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(ROWS)
    process.stdin.flush()
    assert [process.stdout.readline() for _ in range(2)][1].strip() == "0,1,0,1"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130


def test_pipes_of_several_streams_of_rows(tuples: tuple[str, ...]) -> None:
    Path("two.ceql").write_text(CEQL.replace("FROM Trades", "FROM Sales, Buys"))
    for pipe in ("a.csv", "b.csv"):
        os.mkfifo(pipe)
    events = ("--events", "Sales=a.csv", "--events", "Buys=b.csv", "--time", "time", "--time-unit", "s")
    process = start("tuples", "two.ceql", *events)
    head, sale, buy = ROWS.splitlines(keepends=True)
    with Path("a.csv").open("w") as sales, Path("b.csv").open("w") as buys:
        sales.write(head + sale)
        sales.flush()
        buys.write(head + buy)
    output, errors = process.communicate(timeout=60)
    assert (output, errors) == ('{"start": 0, "end": 1, "picked": {"s": [0], "b": [1]}}\n', "")
