"""The examples run: every query passes the checks, the programs print something, and matches are as many as counted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import spaseq
from spaseq.datasets import Workload, workloads
from spaseq.datasets.workload import EXAMPLES, KNOWLEDGE
from spaseq.languages.spaseq import parse

from .rows import COUNTS

QUERIES = sorted(EXAMPLES.glob("*/*.spaseq"))
PROGRAMS = sorted((EXAMPLES / "python").glob("*.py"))
BUNDLED = EXAMPLES / "streams"
ALONE = {"stocks": "stocks.nq", "stock-runs": "stock-runs.trig"}  # the others: one file a stream


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_every_query_is_right_and_warns_of_nothing(path: Path) -> None:
    assert parse(path.read_text(encoding="utf-8"), str(path)).warnings == ()


@pytest.mark.parametrize("name", COUNTS)
def test_the_engine_finds_what_was_counted(name: str, tmp_path: Path) -> None:
    workload, count = workloads()[COUNTS[name][0]], COUNTS[name][1]
    matches = _run(EXAMPLES / name, workload, workload.write(tmp_path, 2_000, 0))
    assert len(matches) == count(workload.events(2_000, 0), workload) > 0


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_every_query_runs_on_the_bundled_streams(path: Path) -> None:
    if path.stem == "falling_market":
        pytest.skip("reads the stream that drops.spaseq derives; python/derived_streams.py runs both")
    workload = next(one for one in workloads().values() if path in one.queries)
    _run(path, workload, _bundled(workload))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_programs_run(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=60, env=dict(os.environ), check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr


def _run(path: Path, workload: Workload, files: Mapping[str, Path]) -> list[spaseq.Match]:
    text = path.read_text(encoding="utf-8")
    streams = {name: file for name, file in files.items() if f"FROM STREAM {name} " in text}
    background = {workload.knowledge_iri: files[KNOWLEDGE]} if workload.knowledge_iri else {}
    return list(spaseq.run(spaseq.parse(text, str(path)), streams=streams, background=background))


def _bundled(workload: Workload) -> dict[str, Path]:
    files = {stream: f"{workload.name}-{stream}.trig" for stream in workload.streams}
    if workload.name in ALONE:
        files = dict.fromkeys(workload.streams, ALONE[workload.name])
    if workload.knowledge is not None:
        files[KNOWLEDGE] = f"{workload.name}-kb.ttl"
    return {stream: BUNDLED / file for stream, file in files.items()}
