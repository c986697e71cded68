"""``spaseq tuples`` as a process."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import start


def many(table: Path) -> None:
    Path("events.csv").write_text("type\n" + "BUY\n" * 2000)
    Path("many.ceql").write_text("SELECT * WHERE BUY+ AS x WITHIN 1000 EVENTS")  # no one waits for all of them


def test_a_broken_pipe_ends_quietly(table: Path) -> None:
    many(table)
    process = start("tuples", "many.ceql", "--events", "events.csv", stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(table: Path, sent: signal.Signals) -> None:
    many(table)
    process = start("tuples", "many.ceql", "--events", "events.csv", stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.send_signal(sent)
    process.stdout.read()
    assert process.wait(timeout=60) == 130
    assert process.stderr.read() == ""
