"""Very deep text is an error at every door: the parser would not survive it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Triple

import spaseq
from gpm.errors import PatternError
from gpm.terms import triple_term
from spaseq.errors import OptionError, StreamError
from spaseq.streams import Event, WireOptions, WireReport, read_source
from tests.gpm.nested import deep

DEEP = deep(50_000)
TIME = '<urn:e> <http://www.w3.org/ns/prov#generatedAtTime> "1"^^<http://www.w3.org/2001/XMLSchema#long>'
TEXTS = {
    "a.nq": f"{TIME} .\n<urn:s> <urn:p> {DEEP} <urn:e> .\n",
    "a.trig": f"{TIME} .\n<urn:e> {{ <urn:s> <urn:p> {DEEP} }}\n",
    "lines.trig": f"{TIME} .\n<urn:e> {{ <urn:s> <urn:p> {DEEP} }}\n".replace("<<(", "<<(\n"),
    "messages.ttl": f"MESSAGE\n{TIME} .\n<urn:s> <urn:p> {DEEP} .\nMESSAGE\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_streams(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TEXTS[name])
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        list(read_source(str(tmp_path / name), "urn:x", WireOptions(), WireReport()))


def test_graphs_and_knowledge() -> None:
    text = f"<urn:s> <urn:p> {DEEP} .".encode()
    engine = spaseq.Engine()
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }")
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        engine.push("s", text, 1)
    with pytest.raises(StreamError, match="nested more than 100 deep"):
        spaseq.Engine({"urn:kb": text})


def nested(levels: int) -> Triple:
    triple = Triple(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:o"))
    for _ in range(levels):
        triple = Triple(NamedNode("urn:s"), NamedNode("urn:p"), triple)
    return triple


def test_objects() -> None:
    """A program may make deep terms, or parse them by itself."""
    engine = spaseq.Engine({"urn:kb": [nested(100)]})
    engine.register("SELECT * FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?o } }")
    assert len(engine.push("s", [nested(100)], 1)) == 1
    deep = nested(2_000)
    calls: list[Callable[[], object]] = [
        lambda: engine.push("s", [deep], 2),
        lambda: engine.push("s", iter([deep]), 2),
        lambda: engine.push_batch("s", [(2, [deep]), (3, [deep])]),
        lambda: list(engine.push_events([Event("urn:s", 2, "", [deep])])),
    ]
    for call in calls:
        with pytest.raises(OptionError, match="nested more than 100 deep"):
            call()
    with pytest.raises((OptionError, PatternError), match="nested more than 100 deep"):
        spaseq.Engine({"urn:kb": [deep]})
    assert len(engine.push("s", [nested(1)], 2)) == 1


def test_terms_of_snapshots() -> None:
    with pytest.raises(SyntaxError, match="nested more than 100 deep"):
        triple_term(DEEP)


@pytest.mark.parametrize("doors", ["streams", "knowledge"])
def test_no_door_crashes(doors: str, tmp_path: Path) -> None:
    command = [sys.executable, "-um", "tests.streams.nested_doors", str(tmp_path), doors]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=root)
    last = done.stdout.splitlines()[-1:]
    assert not done.returncode, f"it ended after {last}: {done.stderr}"
    for line in done.stdout.splitlines():
        assert line.endswith(" events, 1 errors") or "Error: " in line, line
    if doors == "streams":
        assert "0 events" not in done.stdout


def test_a_long_string_that_comes_in_pieces_is_not_deep(tmp_path: Path) -> None:
    large = "<<( " * 400_000
    text = f'{TIME} .\n<urn:e> {{ <urn:s> <urn:p> """ \n{large} """ }}\n'
    (tmp_path / "a.trig").write_text(text)
    (events,) = [
        some for some in read_source(str(tmp_path / "a.trig"), "urn:x", WireOptions(), WireReport()) if len(some.graphs)
    ]
    assert len(events.graphs) == 1


def test_only_one_module_calls_the_parsers_of_pyoxigraph() -> None:
    root = Path(spaseq.__file__).parents[1]
    callers = {
        path.relative_to(root).as_posix()
        for folder in ("gpm", "spaseq", "nfa_native")
        for path in (root / folder).rglob("*.py*")
        if path.suffix in (".py", ".pyx")
        for line in path.read_text().splitlines()
        if "pyoxigraph.parse(" in line
        or ("import" in line and "pyoxigraph" in line and "parse" in line.split())
        or (".load(" in line and "store" in line.lower() and "dump" not in line)
    }
    assert callers == {
        "gpm/parsing.py",
        "gpm/background.py",
        "gpm/staging.py",
    }  # the last two load what was parsed before
