"""A query with more results than anybody can wait for: what was asked for comes, and signals end it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, start

EVENTS = 3_000
MEMORY = 300 << 20
QUERY = """PREFIX : <urn:> SELECT ?a ?c FROM STREAM s <urn:s> WHERE { SEQ(A : B:+ : C)
    DEFINE GPM A ON s { ?a :A ?x } DEFINE GPM B ON s { ?b :B ?y } DEFINE GPM C ON s { ?c :C ?z } }"""
JUDGED = QUERY.replace("SEQ(A : B:+ : C)", "SEQ(D! : A : B:+ : C) DEFINE GPM D ON s { ?d :D ?x }")  # each for itself
RUN = ("run", "dense.spaseq", "--quiet", "--stream", "s=dense.nq")
SECONDS = 60  # a machine that does much else is slow
MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_maxrss, used.ru_utime, file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture
def dense(folder: Path) -> Path:
    """2²⁹⁹⁸ − 1 matches end with the last event."""
    (folder / "dense.spaseq").write_text(QUERY)
    write_events(folder / "dense.nq", EVENTS)
    return folder


def write_events(path: Path, count: int) -> None:
    """An A, then B's, then a C."""
    with path.open("w") as out:
        for number in range(count):
            kind = "A" if number == 0 else "C" if number == count - 1 else "B"
            time = f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            out.write(f'<urn:x> <urn:{kind}> "{number}" <urn:e{number}> .\n')
            out.write(
                f"<urn:e{number}> <http://www.w3.org/ns/prov#generatedAtTime> "
                f'"{time}"^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n'
            )


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that a test that fails leaves behind."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_a_limit_is_all_that_is_made(dense: Path) -> None:
    """In a process of a small one: what a large one starts counts with the memory of who started it."""
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "spaseq", *RUN, "--limit", "1000"]
    with (dense / "out").open("w") as out:
        done = subprocess.run(
            command, stdout=out, stderr=subprocess.PIPE, timeout=2 * SECONDS, check=True, text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
    assert sum(1 for _ in (dense / "out").open()) == 1000
    kilobytes, seconds = done.stderr.split()
    assert int(kilobytes) * 1024 < MEMORY
    assert float(seconds) < 10, "seconds of the processor: about one, on a machine that does nothing else"


def test_who_reads_no_further_ends_it(dense: Path, started: list[subprocess.Popen[str]]) -> None:
    process = start(*RUN)
    started.append(process)
    assert process.stdout is not None
    assert len([process.stdout.readline() for _ in range(5)]) == 5
    process.stdout.close()
    assert process.wait(timeout=SECONDS) == 0


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("counting", [True, False])
def test_a_signal_ends_it(
    dense: Path, started: list[subprocess.Popen[str]], counting: bool, sent: signal.Signals
) -> None:
    """While matches are counted, of which each has to be judged, and while they are written to a file."""
    out = dense / "out"
    (dense / "dense.spaseq").write_text(JUDGED if counting else QUERY)
    process = start(*RUN, *(["--count"] * counting), stdout=out.open("w"))
    started.append(process)
    await_work(process, out, counting)
    process.send_signal(sent)
    assert process.wait(timeout=SECONDS) == 130
    assert process.stderr is not None and "Traceback" not in process.stderr.read()
    text = out.read_text()
    assert int(text) > 0 if counting else text.endswith("\n")


def await_work(process: subprocess.Popen[str], out: Path, counting: bool) -> None:
    """Until results are there; where they are counted, until the processor has worked for a while."""
    ticks = Path(f"/proc/{process.pid}/stat")
    for _ in range(20 * SECONDS):
        time.sleep(0.05)
        worked = int(ticks.read_text().rpartition(")")[2].split()[11])
        if worked > 300 if counting else out.stat().st_size:
            return
    raise TimeoutError("it does nothing")


def test_all_of_them_are_counted(dense: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "spaseq", *RUN, "--count"], capture_output=True, timeout=SECONDS, check=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert int(done.stdout) == 2 ** (EVENTS - 2) - 1


@pytest.mark.parametrize("counted", [["--count"], []])
def test_a_number_that_nobody_can_read(folder: Path, counted: list[str]) -> None:
    """2¹⁹⁹⁹⁸ − 1 has 6,020 digits."""
    select = "?a ?c" if counted else "(COUNT(*) AS ?n)"
    (folder / "dense.spaseq").write_text(QUERY.replace("?a ?c", select, 1))
    write_events(folder / "dense.nq", 20_000)
    done = subprocess.run(
        [sys.executable, "-m", "spaseq", *RUN, *counted], capture_output=True, timeout=SECONDS, check=False, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert "digits" in done.stderr and "hint: a shorter window" in done.stderr


def test_a_signal_ends_it_where_nobody_reads(dense: Path, started: list[subprocess.Popen[str]]) -> None:
    process = start(*RUN)
    started.append(process)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.2)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=SECONDS) == 130
