"""``spaseq explain --stats``: what a run has told of graph patterns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpm.costs import HALF, PatternCosts
from tests.cli.conftest import Invoke

QUERY = """PREFIX : <urn:>
SELECT ?a ?b WITHIN 10 SECONDS SLIDING FROM STREAM s <urn:s>
WHERE { SEQ(A : B)
  DEFINE GPM A ON s { ?a :v ?av FILTER(REGEX(?av, "^1.*7$")) }
  DEFINE GPM B ON s { ?b :w ?bw } }
"""
PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"


@pytest.fixture
def run(folder: Path, invoke: Invoke) -> Path:
    Path("q.rq").write_text(QUERY)
    lines = [
        f'<urn:e{n}> {PROV} "{n}"^^<http://www.w3.org/2001/XMLSchema#long> .\n'
        f'<urn:x{n}> <urn:{"vw"[n % 2]}> "{n}" <urn:e{n}> .\n'
        for n in range(400)
    ]
    Path("s.nq").write_text("".join(lines))
    Path("stats.json").write_text(invoke("run", "q.rq", "--stream", "s=s.nq", "--count", "--stats").stderr)
    return folder


def test_what_patterns_matched_and_took(run: Path, invoke: Invoke) -> None:
    gpms = json.loads(Path("stats.json").read_text())["queries"]["q"]["gpms"]
    assert 0 < gpms["A"]["microseconds"] < 10_000
    assert "microseconds" not in gpms["B"]
    shown = invoke("explain", "q.rq", "--stats", "stats.json").stdout.splitlines()[-3:]
    assert shown[0] == "graph patterns in stats.json"
    assert shown[1].startswith("  A  0 of 400 events (0.0 %); ")
    assert shown[1].endswith(" µs each by pyoxigraph")
    assert shown[2] == "  B  200 of 400 events (50.0 %)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "it cannot be read: No such file or directory"),
        ("nothing", "it is not what --stats of spaseq run has printed"),
        ('{\n"queries": 5\n}', "it is not what --stats of spaseq run has printed"),
        ('{\n"queries": {"a": 1, "b": 2}\n}', "it tells of no query q; known are a, b"),
        ('{\n"queries": {"q": {"gpms": {"C": {}}}}\n}', "it tells of a query with other graph patterns"),
        ('{\n"queries": {"q": {"gpms": {"A": {}, "B": {}}}}\n}', "it is not what --stats of spaseq run has printed"),
        ('{\n"queries": {"q": []}\n}', "it is not what --stats of spaseq run has printed"),
    ],
)
def test_other_files(run: Path, invoke: Invoke, text: str | None, message: str) -> None:
    if text is not None:
        Path("other.json").write_text(text)
    result = invoke("explain", "q.rq", "--stats", "other.json")
    assert result.exit_code == 2
    assert f"--stats other.json: {message}" in result.stderr


def test_other_languages_and_formats_have_none(run: Path, invoke: Invoke) -> None:
    assert (
        "--stats is for queries in SPAseq, and text"
        in invoke("explain", "q.rq", "--stats", "stats.json", "--format", "json").stderr
    )


def test_costs_of_long_ago_count_little() -> None:
    costs = PatternCosts()
    assert costs.each("pattern") is None
    assert costs.measured("pattern", HALF, lambda: 7, before=1000.0) == 7
    costs.measured("pattern", HALF, lambda: 7)
    each = costs.each("pattern")
    assert each is not None
    assert each == pytest.approx(1000 / 3 / HALF, rel=0.01)
    costs.keep(set())
    assert costs.each("pattern") is None
