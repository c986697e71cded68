"""A source that a newcomer adds is one module and one line; its URL then stands wherever the path of a stream may."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.streams.newcomer import FOUND, MODULE, installed

ROOT = Path(__file__).parents[2]
IN_PYTHON = """
import spaseq
from ticker import Ticker
query = open("rise.spaseq").read()
for stream in ("ticker://8", Ticker("ticker://8")):
    found = [(int(m.bindings["low"]), int(m.bindings["high"])) for m in spaseq.run(query, {"quotes": stream})]
    assert found == %r, found
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return installed(tmp_path)


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of Python, for which the source is installed."""
    own = {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
    line = [sys.executable, *arguments]
    return subprocess.run(line, cwd=folder, env=own, capture_output=True, text=True, timeout=120)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return started(folder, "-m", "spaseq", *arguments)


def prices(lines: str) -> list[tuple[int, int]]:
    """What the results in JSON lines bind."""
    found = [json.loads(line)["bindings"] for line in lines.splitlines()]
    return [(int(one["low"]["value"]), int(one["high"]["value"])) for one in found]


def test_it_is_short() -> None:
    assert len([line for line in MODULE.splitlines() if line.strip()]) <= 14


def test_on_the_command_line(folder: Path) -> None:
    ran = command(folder, "run", "rise.spaseq", "--stream", "quotes=ticker://8", "--format", "jsonl")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert prices(ran.stdout) == FOUND


def test_in_python(folder: Path) -> None:
    ran = started(folder, "-c", IN_PYTHON % FOUND)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_as_a_stream_of_edges(folder: Path) -> None:
    (folder / "price.paths").write_text("QUERY price FROM <urn:quote:1> ALL WALK <urn:price>\n")
    ran = command(folder, "paths", "price.paths", "--stream", "ticker://8", "--window", "10s", "--count")
    assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr


def test_what_cannot_be_gone_on_with_is_said(folder: Path) -> None:
    ran = command(folder, "run", "rise.spaseq", "--stream", "quotes=ticker://8", "--checkpoint", "kept")
    assert ran.returncode == 2
    assert "--checkpoint needs files, which can be read again: ticker://8 cannot" in ran.stderr


def test_another_scheme_is_told(folder: Path) -> None:
    ran = command(folder, "run", "rise.spaseq", "--stream", "quotes=tocker://8")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "tocker://8: nothing reads tocker://; did you mean ticker?" in ran.stderr


def test_what_is_named_derives_from_source(folder: Path) -> None:
    (folder / "ticker.py").write_text("class Ticker:\n    pass\n")
    ran = command(folder, "run", "rise.spaseq", "--stream", "quotes=ticker://8")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "ticker:// is read by ticker:Ticker, which does not derive from Source" in ran.stderr
