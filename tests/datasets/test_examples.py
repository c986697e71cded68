"""The examples run: every query passes the checks, the programs print something, and matches are as many as counted."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

import spaseq
from spaseq import streams
from spaseq.datasets import Workload, workloads
from spaseq.datasets.event import Event
from spaseq.datasets.workload import EXAMPLES, KNOWLEDGE
from spaseq.errors import OptionError
from spaseq.languages.spaseq import parse
from tests import oracle
from tests.datasets.bridge import bridge
from tests.datasets.rows import COUNTS

QUERIES = sorted(EXAMPLES.glob("*/*.spaseq"))
PROGRAMS = sorted((EXAMPLES / "python").glob("*.py"))
# the oracle has no CONSTRUCT, no STR, and no tables
COMPARED = [path for path in QUERIES if path.stem not in {"drops", "falling_market", "rendezvous", "limits"}]
BUNDLED = EXAMPLES / "streams"
ALONE = {"stocks": "stocks.nq", "stock-runs": "stock-runs.trig"}  # the others: one file a stream


@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_every_query_is_right_and_warns_of_nothing(path: Path) -> None:
    assert parse(path.read_text(encoding="utf-8"), str(path)).warnings == ()


@pytest.mark.parametrize("events", [2_000, pytest.param(10_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", COUNTS)
def test_the_engine_finds_what_was_counted(name: str, events: int, tmp_path: Path) -> None:
    workload, count = workloads()[COUNTS[name][0]], COUNTS[name][1]
    matches = _run(EXAMPLES / name, workload, workload.write(tmp_path, events, 0))
    assert len(matches) == count(workload.events(events, 0), workload) > 0


@pytest.mark.deep
@pytest.mark.parametrize(("name", "expected"), [("slowing", 7_881), ("slowing_next", 9_115)])
def test_query_5_on_the_real_streams(name: str, expected: int, tmp_path: Path) -> None:
    aarhus = workloads()["aarhus"]
    try:
        files = aarhus.write(tmp_path)
    except OptionError as error:
        pytest.skip(str(error))
    assert len(_run(EXAMPLES / "traffic" / f"{name}.spaseq", aarhus, files)) == expected


@pytest.mark.parametrize("name", COUNTS)
def test_the_oracle_finds_what_was_counted(name: str) -> None:
    workload, count = workloads()[COUNTS[name][0]], COUNTS[name][1]
    assert len(_oracle(EXAMPLES / name, workload)) == count(bundled_events(workload), workload) > 0


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.stem)
def test_engine_and_oracle_agree_on_the_bundled_streams(path: Path) -> None:
    workload = next(one for one in workloads().values() if path in one.queries)
    expected = _oracle(path, workload)
    found = [_plain(match) for match in _run(path, workload, _bundled(workload))]
    assert sorted(found) == sorted(expected) != []


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_programs_run(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=60, env=dict(os.environ), check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr


def _run(path: Path, workload: Workload, files: Mapping[str, Path]) -> list[spaseq.Match]:
    text = path.read_text(encoding="utf-8")
    sources = {name: file for name, file in files.items() if f"FROM STREAM {name} " in text}
    background = {workload.knowledge_iri: files[KNOWLEDGE]} if workload.knowledge_iri else {}
    given = path.with_suffix(".csv") if "GIVEN" in text else None
    return list(spaseq.run(spaseq.parse(text, str(path)), streams=sources, background=background, given=given))


def _bundled(workload: Workload) -> dict[str, Path]:
    files = {stream: f"{workload.name}-{stream}.trig" for stream in workload.streams}
    if workload.name in ALONE:
        files = dict.fromkeys(workload.streams, ALONE[workload.name])
    if workload.knowledge is not None:
        files[KNOWLEDGE] = f"{workload.name}-kb.ttl"
    return {stream: BUNDLED / file for stream, file in files.items()}


def bundled_events(workload: Workload) -> list[Event]:
    """The bundled events of all streams by time."""
    events = [event for stream in workload.streams for event in _events(workload, stream)]
    return sorted(events, key=lambda event: event.time)


def _events(workload: Workload, stream: str) -> list[Event]:
    """The bundled events of one stream, in the shape of the generators."""
    lists = streams.read_source(str(_bundled(workload)[stream]), stream, streams.WireOptions(), streams.WireReport())
    return [Event(stream, event.name, event.timestamp, _terms(event.triples)) for events in lists for event in events]


def _terms(triples: Iterable[Any]) -> list[tuple[str, str, str]]:
    return [(str(triple.subject), str(triple.predicate), str(triple.object)) for triple in triples]


def _oracle(path: Path, workload: Workload) -> list[str]:
    """The oracle's results on the bundled streams, as text."""
    query = parse(path.read_text(encoding="utf-8"), str(path)).query
    knowledge = _terms(pyoxigraph.parse(path=str(_bundled(workload)[KNOWLEDGE]))) if workload.knowledge else []
    events = [
        oracle.Event(iri, event.time, event.name, (*event.triples, *knowledge))
        for stream, iri in workload.streams.items()
        for event in _events(workload, stream)
    ]
    return [
        _text(dict(result.picks), {name: _value(term) for name, term in result.row})
        for result in oracle.evaluate(bridge(query), events)
    ]


def _plain(match: spaseq.Match) -> str:
    return _text(match.events, {name: str(value) for name, value in match.bindings.items() if value is not None})


def _text(picks: Mapping[str, Iterable[str]], row: Mapping[str, str]) -> str:
    return repr((sorted((name, sorted(map(str, events))) for name, events in picks.items()), sorted(row.items())))


def _value(term: str) -> str:
    return term.split('"')[1] if term.startswith('"') else term.strip("<>")
