"""Standard files that are closed, full, or that nobody reads any more: one line at most, and the right exit code."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import STREAM, start

RUN = "run q.spaseq --stream s=s.nq"
TUPLES = "tuples q.ceql --events e.csv"
COMMANDS = [
    f"{RUN} --format table", f"{RUN} --format parquet", f"{RUN} --count", TUPLES, "check q.spaseq", "explain q.spaseq",
    "generate stocks --events 1 --out .", "run --help", "--version",
]  # fmt: skip
OTHERS = [
    RUN, f"{RUN} --format csv", f"{RUN} --format xml", "run c.spaseq --stream s=s.nq --format trig",
    f"{TUPLES} --format table", f"{TUPLES} --format parquet", f"{TUPLES} --count", "explain q.ceql", "--help",
]  # fmt: skip
ALL = [*COMMANDS, *(pytest.param(command, marks=pytest.mark.deep) for command in OTHERS)]
CLOSED = "error: cannot write: standard output is closed\n"
FULL = "error: cannot write: no space left on device\n"
FULL_FILE = FULL.replace("write", "write to /dev/full")


@pytest.fixture(autouse=True)
def tables(folder: Path) -> None:
    Path("q.ceql").write_text("SELECT * FROM S WHERE A AS x WITHIN 10 EVENTS")
    Path("e.csv").write_text("type,a\n" + "A,1\n" * 5)
    Path("wrong.spaseq").write_text("SELECT")


def end(command: str, **options: object) -> tuple[int, str]:
    """The exit code of a command, and what it says on standard error."""
    process = start(*command.split(), **options)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors or ""


def without(*numbers: int) -> Callable[[], None]:
    """What closes standard files of a process that begins."""
    return lambda: [os.close(number) for number in numbers] and None


@pytest.mark.parametrize("command", ALL)
def test_standard_output_is_closed(command: str) -> None:
    assert end(command, preexec_fn=without(1)) == (1, CLOSED)


@pytest.mark.parametrize("command", ALL)
def test_nobody_reads_standard_output(command: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert end(command, stdout=writer) == (0, "")
    finally:
        os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    ("command", "option"),
    [(RUN, "--late"), (RUN, "--output"), (f"{RUN} --format parquet", "--output"), (TUPLES, "--output")],
)
def test_files_on_a_full_disk(command: str, option: str) -> None:
    """The error names the file."""
    Path("s.nq").write_text("".join(STREAM.splitlines(keepends=True)[2:]) + STREAM)  # some are late
    assert end(f"{command} {option} /dev/full --quiet", stdout=subprocess.DEVNULL) == (1, FULL_FILE)


CODES = [
    (f"{RUN} --stats", 0), ("check wrong.spaseq", 2), ("nonsense", 2), ("run nowhere.spaseq", 2),
]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("command", "code"), CODES)
def test_what_cannot_be_told_changes_no_exit_code(command: str, code: int) -> None:
    with Path("/dev/full").open("w") as full:
        assert end(command, stderr=full) == (code, "")


@pytest.mark.parametrize(("command", "code"), [(f"{RUN} --output out.jsonl --stats", 0), ("check wrong.spaseq", 2)])
def test_all_standard_files_are_closed(command: str, code: int) -> None:
    """The files that are opened do not get their numbers, to which other things may be written."""
    assert end(command, preexec_fn=without(0, 1, 2), stderr=subprocess.DEVNULL)[0] == code
    if code == 0:
        assert len(Path("out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("command", "code"), [("check -", 2), ("run q.spaseq --stream s=-", 1), ("tuples q.ceql --events -", 1)]
)
def test_standard_input_is_closed(command: str, code: int) -> None:
    found, errors = end(command, preexec_fn=without(0))
    assert (found, errors.count("\n")) == (code, 1)
    assert "standard input" in errors or "bad file descriptor" in errors
