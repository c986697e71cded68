"""A query, its stream, and a way to run the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from spaseq.cli import main

ROOT = Path(__file__).resolve().parents[2]
S = "http://example.org/s"
QUERY = """\
PREFIX ex: <http://example.org/>
SELECT ?x ?v ?w
WITHIN 10 SECONDS SLIDING
FROM STREAM s <http://example.org/s>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?x ex:v ?v }
  DEFINE GPM B ON s { ?x ex:w ?w }
}
"""
CONSTRUCT = """\
PREFIX ex: <http://example.org/>
CONSTRUCT { ?x ex:sum ?v } INTO STREAM <http://example.org/out>
WITHIN 10 SECONDS SLIDING
FROM STREAM s <http://example.org/s>
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?x ex:v ?v }
  DEFINE GPM B ON s { ?x ex:w ?w }
}
"""
READER = """\
PREFIX ex: <http://example.org/>
SELECT ?sum
WITHIN 10 SECONDS SLIDING
FROM STREAM out <http://example.org/out>
WHERE { SEQ(A) DEFINE GPM A ON out { ?x ex:sum ?sum } }
"""


def event(number: int, triple: str) -> str:
    """An event at a second of 2026-01-01."""
    name = f"<http://example.org/e{number}>"
    time = f'"2026-01-01T00:00:{number:02}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    subject, property, value = triple.split()
    statement = f"<http://example.org/{subject}> <http://example.org/{property}> {value} {name} .\n"
    return f"{name} <http://www.w3.org/ns/prov#generatedAtTime> {time} .\n" + statement


STREAM = event(0, 'a v "1"') + event(1, 'b v "2"') + event(2, 'a w "3"') + event(3, 'b w "4"')
MATCHES = [("a", "1", "3", 0, 2), ("b", "2", "4", 1, 3)]  # ?x, ?v, ?w, numbers of the events


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with ``q.spaseq``, ``c.spaseq``, ``r.spaseq`` and ``s.nq``."""
    for name, text in {"q.spaseq": QUERY, "c.spaseq": CONSTRUCT, "r.spaseq": READER, "s.nq": STREAM}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


Invoke = Callable[..., Result]


@pytest.fixture
def invoke(folder: Path) -> Invoke:
    """Run a command within this process."""
    return lambda *arguments, **options: CliRunner().invoke(main, arguments, **options)


def start(*arguments: str, **options: object) -> subprocess.Popen[str]:
    """Run a command as a process of its own, which Ctrl-C interrupts even where the tests run in the background."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    pipes: dict[str, object] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    pipes["preexec_fn"] = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    command = [sys.executable, "-m", "spaseq", *arguments]
    return subprocess.Popen(command, env=environment, encoding="utf-8", **(pipes | options))  # type: ignore[call-overload, no-any-return]
