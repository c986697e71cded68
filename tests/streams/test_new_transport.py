"""A transport that a newcomer adds is a module of forty lines; its URL stands wherever the path of a stream may."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.streams.newcomer import FOUND, TRANSPORT, installed_transport
from tests.streams.test_newcomer import command, prices, started

IN_PYTHON = """
import spaseq
from pathlib import Path
from tape import Tape
MAPPING = "AT ?time CONSTRUCT { [] <urn:price> ?price }"
streams = ["tape://8", "tape://8/3", Tape("tape://8"), spaseq.Mapped("tape-rows://8", MAPPING)]
for stream in [*streams, spaseq.Mapped("tape-rows://8/2", MAPPING)]:
    run = spaseq.run(Path("rise.spaseq"), {"quotes": stream})
    found = [(int(m.bindings["low"]), int(m.bindings["high"])) for m in run]
    assert found == %r, found
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return installed_transport(tmp_path)


def test_it_is_short() -> None:
    assert len([line for line in TRANSPORT.splitlines() if line.strip()]) <= 40


@pytest.mark.parametrize("url", ["tape://8", "tape://8/3"])
def test_run_and_checkpoints(folder: Path, url: str) -> None:
    line = ["run", "rise.spaseq", "--stream", f"quotes={url}", "--format", "jsonl", "--checkpoint", "kept"]
    ran = command(folder, *line)
    assert (ran.returncode, ran.stderr, prices(ran.stdout)) == (0, "", FOUND)
    again = command(folder, *line)
    assert (again.returncode, again.stdout) == (0, ""), "it goes on behind all that was read"


def test_in_python(folder: Path) -> None:
    ran = started(folder, "-c", IN_PYTHON % FOUND)
    assert (ran.returncode, ran.stderr) == (0, "")


def test_tuples(folder: Path) -> None:
    ran = command(folder, "tuples", "rise.ceql", "--events", "tape-rows://8", "--time", "time", "--count")
    assert (ran.returncode, ran.stdout) == (0, "3\n"), ran.stderr


@pytest.mark.parametrize("url", ["tape://8", "tape://8/3"])
def test_paths(folder: Path, url: str) -> None:
    (folder / "price.paths").write_text("QUERY price FROM <urn:quote:1> ALL WALK <urn:price>\n")
    ran = command(folder, "paths", "price.paths", "--stream", url, "--window", "10s", "--count")
    assert (ran.returncode, ran.stdout) == (0, "1\n"), ran.stderr
