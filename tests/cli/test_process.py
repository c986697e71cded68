"""The program as a process: pipes, signals, live input."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import STREAM, event, start

LIVE = ("run", "q.spaseq", "--stream", "s=-")


def test_results_come_while_the_input_is_open(folder: Path) -> None:
    process = start(*LIVE, "--lateness", "0")
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(STREAM + event(9, 'c v "0"'))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["bindings"]["x"]["value"] == "http://example.org/a"
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_standard_input_to_its_end(folder: Path) -> None:
    output, _ = start(*LIVE, "--count").communicate(STREAM, timeout=60)
    assert output == "2\n"


@pytest.mark.parametrize(("format", "lines"), [("jsonl", 2), ("json", 2)])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_flushes_what_is_decided(folder: Path, format: str, lines: int, sent: signal.Signals) -> None:
    process = start(*LIVE, "--format", format, "--stats")
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdin.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    process.stdin.flush()
    output = "".join(process.stdout.readline() for _ in range(lines))
    process.send_signal(sent)
    output += process.stdout.read()
    errors = process.stderr.read()
    assert process.wait(timeout=60) == 130
    assert output.count('"http://example.org/b"') == 1
    assert "Traceback" not in errors and json.loads(errors)["queries"]["q"]["results"] == 2
    if format == "json":
        assert len(json.loads(output)["results"]["bindings"]) == 2


def test_broken_pipe_ends_quietly(folder: Path) -> None:
    pairs = [event(i % 60, f'a {"v" if i % 2 else "w"} "{i}"').replace(f"/e{i % 60}>", f"/e{i}>") for i in range(4000)]
    lines = "".join(pairs)
    Path("many.nq").write_text(lines)
    query = Path("q.spaseq").read_text().replace("A ; B", "A : B")
    Path("many.spaseq").write_text(query)
    process = start("run", "many.spaseq", "--stream", "s=many.nq", "--lateness", "1h", stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=120) == 0
    assert process.stderr.read() == ""


def test_output_is_utf8_whatever_the_locale(folder: Path) -> None:
    Path("s.nq").write_text(event(0, 'é v "ü"') + event(1, 'é w "日本"'), encoding="utf-8")
    process = start("run", "q.spaseq", "--stream", "s=s.nq", stdin=subprocess.DEVNULL)
    output, errors = process.communicate(timeout=60)
    assert json.loads(output)["bindings"]["w"]["value"] == "日本", errors


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", [["--help"], ["check", "q.spaseq"], ["run", "q.spaseq", "--stream", "s=s.nq"]])
def test_a_full_disk(folder: Path, command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        process = start(*command, stdout=full)
        assert process.communicate(timeout=60)[1] == "error: cannot write: no space left on device\n"
    assert process.returncode == 1
