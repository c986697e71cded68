"""``spaseq spark`` prints what ``spaseq run`` prints."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spaseq.cli import main
from tests.spark.session import session, why_not

QUERY, STREAM = "examples/stocks/v_shape.spaseq", "stock=examples/streams/stocks.nq"
needs_spark = pytest.mark.skipif(bool(why_not()), reason=why_not())
group = pytest.mark.xdist_group("spark")  # one JVM for all of them
own_process = pytest.mark.xdist_group("spark processes")


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "spaseq", *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})


def on_spark(*arguments: str) -> subprocess.CompletedProcess[str]:
    small = ("--conf", "spark.driver.memory=1g", "--master", "local[2]")
    return command("spark", QUERY, "--stream", STREAM, *small, *arguments)


def in_process(*arguments: str) -> list[str]:
    return command("run", QUERY, "--stream", STREAM, *arguments).stdout.splitlines()


@own_process
@needs_spark
def test_the_lines_of_run_as_a_whole() -> None:
    found = on_spark("--format", "jsonl")
    assert (found.returncode, found.stderr) == (0, "")
    lines = found.stdout.splitlines()
    assert sorted(lines) == sorted(in_process("--format", "jsonl")) and len(lines) == 40
    assert [json.loads(line)["last"] for line in lines] == sorted(json.loads(line)["last"] for line in lines)


def here(capfd: pytest.CaptureFixture[str], *arguments: str, query: str = QUERY) -> tuple[int, str, str]:
    """The command in the session of all tests: code, standard output and error."""
    session()
    capfd.readouterr()
    code = main(["spark", query, *arguments], standalone_mode=False)
    told = capfd.readouterr()
    return code or 0, told.out, "".join(line for line in told.err.splitlines(True) if is_ours(line))


def is_ours(line: str) -> bool:
    """Whether it is no line of Spark's, whose session has written to standard error from before."""
    return bool(line.strip()) and "Streaming TransformWithState" not in line and not re.match(r"\d\d/\d\d/\d\d ", line)


@group
@needs_spark
def test_the_lines_of_run_with_a_checkpoint(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is written again; what the file has beyond the last batch is cut off."""
    state, output = tmp_path / "state", tmp_path / "out.jsonl"
    given = ("--stream", STREAM, "--checkpoint", str(state), "--output", str(output))
    assert here(capfd, *given) == (0, "", "")
    lines = output.read_text()
    assert sorted(lines.splitlines()) == sorted(in_process("--format", "jsonl"))
    with output.open("a") as file:
        file.write('{"torn": ')
    assert here(capfd, *given) == (0, "", "no results\n")
    assert output.read_text() == lines
    code, _, told = here(capfd, *given, "--lateness", "1s")
    assert code == 2 and told.startswith("error: --checkpoint: --lateness was 0:00:00 when")


@group
@needs_spark
def test_rows_of_parameters(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    query = "examples/stocks/limits.spaseq"
    given = ("--stream", STREAM, "--given", "examples/stocks/limits.csv", "--format", "jsonl")
    wanted = command("run", query, *given).stdout.splitlines()
    code, found, told = here(capfd, *given, "--checkpoint", str(tmp_path / "state"), query=query)
    assert (code, told) == (0, "") and sorted(found.splitlines()) == sorted(wanted) and len(wanted) == 12


@group
@needs_spark
def test_errors_of_workers_look_as_in_process(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = Path("examples/streams/stocks.nq").read_text().splitlines()
    bad = tmp_path / "bad.nq"
    bad.write_text("\n".join([*text[:40], text[40][:-4], *text[41:]]))
    wanted = command("run", QUERY, "--stream", f"stock={bad}")
    code, _, told = here(capfd, "--stream", f"stock={bad}")
    assert code == wanted.returncode == 1
    assert wanted.stderr in told and f"{bad}:41:" in told


def refused(*arguments: str, **environment: str) -> str:
    found = command("spark", QUERY, *arguments, **environment)
    assert found.returncode == 2 and not found.stdout and found.stderr.count("\n") == 1, found.stderr
    return found.stderr


def java(folder: Path, version: str) -> str:
    """The home of a Java that has that version to say."""
    program = folder / version / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return str(folder / version)


def test_without_java_one_line_says_what_to_install(tmp_path: Path) -> None:
    given = ("--stream", STREAM)
    nothing = refused(*given, JAVA_HOME="", PATH=str(tmp_path))
    assert nothing.startswith("error: Spark needs Java 17 or later, and there is none on the PATH: install it (as with")
    assert "there is none in JAVA_HOME (/nowhere)" in refused(*given, JAVA_HOME="/nowhere")
    assert "is Java 11, and Spark needs 17 or later: install" in refused(*given, JAVA_HOME=java(tmp_path, "11.0.2"))
    assert "is Java 8, and Spark needs 17 or later: install" in refused(*given, JAVA_HOME=java(tmp_path, "1.8.0_392"))


def test_without_pyspark_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pyspark.py").write_text("raise ModuleNotFoundError('no', name='pyspark')")
    found = refused("--stream", STREAM, PYTHONPATH=str(tmp_path))
    assert found == "error: Spark needs pyspark; install it with: pip install 'spaseq[spark]'\n"


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    given = ("--stream", STREAM)
    assert "Spark reads files, not standard input" in refused("--stream", "stock=-")
    assert "--late goes with --checkpoint or --follow" in refused(*given, "--late", str(tmp_path / "late.nq"))
    assert "--strict needs a local master" in refused(*given, "--strict", "--master", "yarn")
    assert "--conf memory=…: write KEY=VALUE" in refused(*given, "--conf", "memory=4g")
    assert "--limit" in refused(*given, "--checkpoint", str(tmp_path / "state"), "--limit", "3")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    assert "has files, but no checkpoint" in refused(*given, "--checkpoint", str(tmp_path / "full"))
