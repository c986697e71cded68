"""The order of results: by the time at which they were decided, then by query, however the input was cut."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import spaseq
from spaseq.cli import main
from spaseq.graphs.graph_run import Run
from spaseq.runtime.run import RunState
from spaseq.sources.merge import merge
from tests.graphs.test_run import ABSENT, BY_EVENTS, DERIVED, QUERY, READER, line

BY_SUBJECT = "PARTITION BY ?s\nWHERE"
QUERIES = {
    "b": QUERY, "a": ABSENT, "events": BY_EVENTS, "read": READER, "make": DERIVED,
    "absent events": BY_EVENTS.replace("?v ?w", "?v").replace("SEQ(A ; B)", "SEQ(A ; B!)"),
    "keys": QUERY.replace("SEQ(A ; B)", "SEQ(A : B)").replace("WHERE", BY_SUBJECT),
    "keys of events": BY_EVENTS.replace("WHERE", BY_SUBJECT),
    "total": QUERY.replace("?s ?v ?w", "(COUNT(*) AS ?n)"),
}  # fmt: skip
RANKS = {name: rank for rank, name in enumerate(QUERIES)}


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Two streams, in whose seconds several events come."""
    folder, generator = tmp_path_factory.mktemp("streams"), random.Random(6)
    for stream in "ab":
        times = sorted(generator.randrange(60) for _ in range(150))
        lines = (line(n, time, generator.randrange(3), stream) for n, time in enumerate(times))
        (folder / f"{stream}.nq").write_text("".join(lines))
    return {stream: str(folder / f"{stream}.nq") for stream in "ab"}


def results(run: Run) -> Iterator[spaseq.Match]:
    return (match for some in run.merged() for table in some.runs() for match in table)


@pytest.mark.parametrize("lateness", [0, 3_000_000])
def test_however_the_input_is_cut(streams: dict[str, str], lateness: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for limit in (4096, 1, 7, 50):
        monkeypatch.setattr(sys.modules["spaseq.runtime.run"], "merge", partial(merge, limit=limit))
        run = list(results(Run(QUERIES, streams, lateness=lateness)))
        order = [(match.microseconds.decided, RANKS[match.query]) for match in run]
        assert order == sorted(order)
        assert list(Run(QUERIES, streams, lateness=lateness)) == run
        found.append([match.to_dict() for match in run])
    assert found == [found[0]] * 4
    assert {match["query"] for match in found[0]} == set(QUERIES)


def test_a_run_that_goes_on_elsewhere_writes_what_is_missing(
    streams: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [match.to_dict() for match in results(Run(QUERIES, streams))]
    for limit in (7, 61):
        monkeypatch.setattr(sys.modules["spaseq.runtime.run"], "merge", partial(merge, limit=limit))
        states = states_of(streams)
        monkeypatch.setattr(sys.modules["spaseq.runtime.run"], "merge", merge)
        for written, state in states[::3]:
            rest = [match.to_dict() for match in results(Run(QUERIES, streams, state=state))]
            assert rest == expected[written:]


def states_of(streams: dict[str, str]) -> list[tuple[int, RunState]]:
    """The states of a run after each of its steps, with how many results it had given."""
    states, given = list[tuple[int, RunState]](), list[spaseq.Match]()

    def note() -> float:
        states.append((len(given), run.state()))
        return 1.0

    run = Run(QUERIES, streams, on_step=note)
    for match in results(run):
        given.append(match)
    return states


def test_lines_of_several_queries_take_turns(streams: dict[str, str], tmp_path: Path) -> None:
    for name in ("b", "keys"):
        (tmp_path / f"{name}.spaseq").write_text(QUERIES[name])
    files = [str(tmp_path / f"{name}.spaseq") for name in ("b", "keys")]
    given = [word for name, path in streams.items() for word in ("--stream", f"{name}={path}")]
    lines = CliRunner().invoke(main, ["run", *files, *given], catch_exceptions=False).stdout.splitlines()
    run = Run({"b": QUERIES["b"], "keys": QUERIES["keys"]}, streams)
    assert list(map(json.loads, lines)) == [match.to_dict() for match in run]
    few = CliRunner().invoke(main, ["run", *files, *given, "--limit", "9"], catch_exceptions=False).stdout
    assert few.splitlines() == lines[:9]
