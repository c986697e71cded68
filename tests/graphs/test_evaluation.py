"""``evaluation``: when steps that may wait are made, from Python and on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import spaseq
from spaseq.cli import main
from spaseq.errors import OptionError

QUERY = """
PREFIX : <http://example.org/>
SELECT ?av ?bv ?cv WITHIN 1 MINUTE SLIDING FROM STREAM s <http://example.org/s>
WHERE {
  SEQ(A : B : C)
  DEFINE GPM A ON s { ?k :A ?av }
  DEFINE GPM B ON s { ?k :B ?bv }
  DEFINE GPM C ON s { ?k :C ?cv FILTER(?av + ?bv < ?cv) }
}
"""
STREAM = "http://example.org/s"
EVENTS = [("A", 1), ("B", 2), ("A", 3), ("B", 4), ("C", 4), ("C", 8), ("B", 1), ("C", 5)]
FOUND = {(1, 2, 4), (1, 2, 8), (1, 4, 8), (3, 4, 8), (1, 2, 5), (1, 1, 5), (3, 1, 5)}


def graph(kind: str, value: int) -> str:
    return f"<http://example.org/k> <http://example.org/{kind}> {value} ."


def pushed(engine: spaseq.Engine) -> set[tuple[Any, ...]]:
    """The values of all matches."""
    found = [
        one
        for second, (kind, value) in enumerate(EVENTS)
        for one in engine.push(STREAM, graph(kind, value).encode(), second * 1_000_000)
    ]
    return {tuple(int(match.bindings[name]) for name in ("av", "bv", "cv")) for match in [*found, *engine.close()]}


@pytest.mark.parametrize("evaluation", ["auto", "eager", "lazy"])
def test_results_are_the_same(evaluation: str) -> None:
    engine = spaseq.Engine(evaluation=evaluation)
    engine.register(QUERY, "sums")
    assert pushed(engine) == FOUND
    segments = engine.statistics()["queries"]["sums"]["segments"]
    assert [one["lazy"] for one in segments] == [int(evaluation == "lazy")]


def test_a_restored_engine_may_evaluate_otherwise() -> None:
    engine = spaseq.Engine(evaluation="lazy")
    engine.register(QUERY, "sums")
    for second, (kind, value) in enumerate(EVENTS[:4]):
        engine.push(STREAM, graph(kind, value).encode(), second * 1_000_000)
    again = spaseq.Engine.restore(engine.snapshot(), {"sums": QUERY}, evaluation="eager")
    found = again.push(STREAM, graph("C", 8).encode(), 4_000_000) + again.close()
    assert {(int(one.bindings["av"]), int(one.bindings["bv"])) for one in found} == {(1, 2), (1, 4), (3, 4)}


@pytest.mark.parametrize("evaluation", ["alternating", "", None, 3])
def test_unknown_ways(evaluation: Any) -> None:
    with pytest.raises(OptionError, match='evaluation is one of "auto", "eager", "lazy", not'):
        spaseq.Engine(evaluation=evaluation)


@pytest.mark.parametrize("evaluation", ["eager", "lazy"])
def test_command_line(evaluation: str, tmp_path: Path) -> None:
    query, stream = tmp_path / "sums.rq", tmp_path / "s.trig"
    query.write_text(QUERY)
    prov = "http://www.w3.org/ns/prov#generatedAtTime"
    time = '"2024-01-01T00:00:{:02}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    stream.write_text(
        "".join(
            f"<urn:g{second}> {{ {graph(kind, value)} }}\n<urn:g{second}> <{prov}> {time.format(second)} .\n"
            for second, (kind, value) in enumerate(EVENTS)
        )
    )
    asked = ["run", str(query), "--stream", f"s={stream}", "--count", "--evaluation", evaluation]
    result = CliRunner().invoke(main, asked)
    assert (result.exit_code, result.stdout.strip()) == (0, str(len(FOUND))), result.output
