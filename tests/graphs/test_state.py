"""Snapshots of real queries, in this process and in another; the table of terms stays small."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyoxigraph import Literal, NamedNode, Triple

import spaseq
from spaseq.graphs.names import FEW
from spaseq.sources.merge import merge
from spaseq.streams import Event, WireOptions, WireReport, read_source
from tests.graphs.test_run import ABSENT, BY_EVENTS, DERIVED, QUERY, READER, content, files

__all__ = ["files"]

AGGREGATE = QUERY.replace("SELECT ?s ?v ?w", "SELECT ?s (COUNT(*) AS ?n)").replace("}\n}", "}\n}\nGROUP BY ?s")
DISTINCT = QUERY.replace("SELECT ?s ?v ?w", "SELECT DISTINCT ?s")
KLEENE = QUERY.replace("SEQ(A ; B)", "SEQ(A ; B;+)").replace("?v ?w", "?v (COUNT(?w) AS ?n) ?w")
QUERIES = {
    "plain": QUERY, "absent": ABSENT, "events": BY_EVENTS, "make": DERIVED, "read": READER, "distinct": DISTINCT,
    "kleene": KLEENE, "aggregate": AGGREGATE,
}  # fmt: skip


def events_of(files: dict[str, str]) -> list[Event]:
    sources = [read_source(files[s], f"urn:s:{s}", WireOptions(), WireReport()) for s in "ab"]
    found = [event for batch in merge(sources) for events in batch for event in events]
    return sorted(found, key=lambda event: event.timestamp)


def started() -> spaseq.Engine:
    engine = spaseq.Engine(lateness=1000)
    for name, query in QUERIES.items():
        engine.register(query, name)
    return engine


def push(engine: spaseq.Engine, events: list[Event]) -> list[spaseq.Match]:
    return [match for table in engine.push_events(events) for match in table]


def test_restoring_anywhere_changes_nothing(files: dict[str, str]) -> None:
    events = events_of(files)
    engine = started()
    expected = content(push(engine, events) + engine.close())
    engine, found = started(), []
    for at in range(0, len(events), 23):
        found += push(engine, events[at : at + 23])
        data = engine.snapshot()
        assert engine.snapshot() == data
        engine = spaseq.Engine.restore(data, QUERIES)
    found += engine.close()
    assert content(found) == expected
    assert {match.query for match in found} == set(QUERIES)


@pytest.mark.parametrize("window", ["5 MILLISECONDS", "3 EVENTS"])
def test_a_query_that_comes_late_has_seen_nothing(window: str) -> None:
    """A snapshot between its registration and its first event, when names of older events are gone."""
    query = f"PREFIX : <urn:> SELECT ?x WITHIN {window} SLIDING FROM STREAM s <urn:s> WHERE {{ SEQ(A ; B)" + (
        " DEFINE GPM A ON s { ?x :p ?v } DEFINE GPM B ON s { ?x :q ?v } }"
    )
    found = []
    for restored in (False, True):
        engine, queries, some = spaseq.Engine(), {"early": query}, []
        engine.register(query, "early")
        for time in range(40):
            some += engine.push("s", f"<urn:x{time // 2}> <urn:{'pq'[time % 2]}> 1 .".encode(), 1000 * time)
            if time == 19:
                engine.register(query, "late")
                queries["late"] = query
            if restored:
                engine = spaseq.Engine.restore(engine.snapshot(), queries)
        found.append(content(some + engine.close()))
    assert found[0] == found[1]
    assert len(found[0]) == 20 + 10


OTHER_PROCESS = """
import pathlib, sys
import spaseq
from tests.graphs.test_state import QUERIES, content, events_of, push
snapshot, folder, at = sys.argv[1:]
engine = spaseq.Engine.restore(pathlib.Path(snapshot).read_bytes(), QUERIES)
events = events_of({stream: f"{folder}/{stream}.nq" for stream in "ab"})
print("\\n".join(content(push(engine, events[int(at):]) + engine.close())))
"""


def test_another_process_goes_on(files: dict[str, str], tmp_path: Path) -> None:
    events = events_of(files)
    engine = started()
    push(engine, events[:150])
    snapshot = tmp_path / "snapshot"
    snapshot.write_bytes(engine.snapshot())
    expected = content(push(engine, events[150:]) + engine.close())
    arguments = [sys.executable, "-c", OTHER_PROCESS, str(snapshot), str(tmp_path), "150"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.stderr == ""
    assert done.stdout.splitlines() == expected


def test_terms_of_the_past_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, value = NamedNode("http://ex.org/s"), NamedNode("http://ex.org/value")
    graphs = [[Triple(subject, value, Literal(f"value {number}"))] for number in range(600)]
    events = [Event("urn:s:" + "ab"[n % 2], n * 1_000_000, f"urn:e:{n}", graph) for n, graph in enumerate(graphs)]
    found, most = [], []
    for few in (1 << 20, 30):
        monkeypatch.setattr("spaseq.graphs.terms_in_use.FEW_TERMS", few)
        engine, matches, sizes = spaseq.Engine(), [], []
        for name in ("plain", "absent", "distinct", "kleene"):
            engine.register(QUERIES[name], name)
        for at in range(0, len(events), 10):
            matches += content(push(engine, events[at : at + 10]))  # read at once: matches hold their terms
            sizes.append(len(engine.terms))
        found.append(matches + content(engine.close()))
        most.append(max(sizes))
    assert found[0] == found[1]
    assert len(found[0]) > 500
    assert most[1] < most[0] / 3


@pytest.mark.parametrize("size", [1, FEW // 2, 3 * FEW])
def test_names_of_the_past_are_forgotten(size: int) -> None:
    """However many events come at once."""
    engine = spaseq.Engine()
    engine.register(QUERIES["plain"])
    graph = [Triple(NamedNode("http://ex.org/s"), NamedNode("http://ex.org/value"), Literal("1"))]
    events = [Event("urn:s:a", n * 1_000_000, f"urn:e:{n}", graph) for n in range(9 * FEW)]
    for at in range(0, len(events), size):
        push(engine, events[at : at + size])
        engine.advance(events[at : at + size][-1].timestamp)
    names = engine.core.inputs[0].names
    assert names.next - names.base <= max(3 * FEW, size)
