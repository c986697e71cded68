"""The line that tells how far a run is: on a terminal, and whatever happens to it, the results are all there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spaseq
from spaseq.cli.progress import Pace, Progress, Reached
from tests.cli.conftest import CONSTRUCT, MATCHES, QUERY, READER, STREAM, event
from tests.cli.terminal import OnTerminal

LINE = r"{} events · [\d,]+/s · 2026-01-01T00:00:{:02}Z · {} results · {} groups"
ROWS = "type,time\n" + "".join(f"{'BUY' if n % 2 else 'SELL'},{n}\n" for n in range(4000))
PAIRS = "SELECT * WHERE SELL AS a ; BUY AS b WITHIN 9 EVENTS"
COUNT = QUERY.replace("?x ?v ?w", "(COUNT(*) AS ?n)", 1)
ENUMERATED = QUERY.replace("?x ?v ?w", "(GROUP_CONCAT(?v) AS ?n)", 1)


@pytest.mark.parametrize("where", ["file", "pipe"])
def test_a_slow_run(folder: Path, where: str) -> None:
    to_file = ["--output", "out.jsonl"] if where == "file" else []
    running = OnTerminal("run", "q.spaseq", "--stream", "s=-", *to_file)
    running.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    running.wait_for(LINE.format(5, 9, 2, 0))  # the last event is complete when the next one begins
    running.write(event(11, 'c w "1"') + event(12, 'd v "1"'))
    running.wait_for(LINE.format(7, 11, 4, r"\d"))
    output, shown, code = running.end()
    lines = (Path("out.jsonl").read_text() if where == "file" else output).splitlines()
    assert code == 0 and len(lines) == len(MATCHES) + 2
    assert "error" not in shown


@pytest.mark.parametrize(
    ("queries", "results"),
    [
        ({"q": QUERY, "again": QUERY.replace("A ; B", "A : B")}, 4),
        ({"c": CONSTRUCT, "r": READER}, 4),
        ({"totals": COUNT}, 2),
        ({"enumerated": ENUMERATED}, 2),
    ],
)
def test_several_queries_and_aggregates(folder: Path, queries: dict[str, str], results: int) -> None:
    for name, text in queries.items():
        Path(f"{name}.spaseq").write_text(text)
    running = OnTerminal("run", *(f"{name}.spaseq" for name in queries), "--stream", "s=-", "--format", "jsonl")
    running.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    running.wait_for(LINE.format(5, 9, results, r"\d+"))
    output, shown, code = running.end()
    assert code == 0 and len(output.splitlines()) == results, shown


def test_the_number_of_results_that_are_only_counted(folder: Path) -> None:
    running = OnTerminal("run", "q.spaseq", "--stream", "s=-", "--count")
    running.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    running.wait_for(LINE.format(5, 9, 2, 3))
    assert running.end()[0] == "2\n"


def test_tuples(folder: Path) -> None:
    Path("q.ceql").write_text(PAIRS)
    Path("t.csv").write_text(ROWS)
    running = OnTerminal("tuples", "q.ceql", "--events", "t.csv", "--time", "time", "--time-unit", "s")
    running.wait_for(r"4,000 events · [\d,]+/s · 1970-01-01T01:06:39Z · [\d,]+ results")  # nobody reads the results yet
    output, _, code = running.end()
    assert code == 0 and len(output.splitlines()) == 9990


@pytest.mark.parametrize("command", ["run", "tuples"])
def test_a_fast_run_has_no_line(folder: Path, command: str) -> None:
    Path("q.ceql").write_text(PAIRS)
    Path("t.csv").write_text(ROWS)
    rest = {"run": ["q.spaseq", "--stream", "s=s.nq"], "tuples": ["q.ceql", "--events", "t.csv"]}[command]
    output, shown, code = OnTerminal(command, *rest, patience=3600).end()
    assert output and (shown, code) == ("", 0)


def test_results_on_the_terminal_have_no_line_in_their_way(folder: Path) -> None:
    running = OnTerminal("run", "q.spaseq", "--stream", "s=-", stdout="terminal")
    running.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    running.wait_for("2026-01-01T00:00:01Z")
    _, shown, code = running.end()
    assert code == 0 and "events ·" not in shown


def test_no_terminal_no_line(capfd: pytest.CaptureFixture[str]) -> None:
    def nobody_asks() -> Reached:
        raise AssertionError

    with Progress(nobody_asks, hidden=False, pace=Pace(0, 0)):
        pass
    assert capfd.readouterr().err == ""


BROKEN = {
    "what is asked": "import spaseq.cli.run as run; run._reached = None",
    "the library": "import sys; sys.modules['rich.live'] = None",
    "the text": "import spaseq.cli.progress as progress; progress.iso = None",
    "the terminal": """
import os
import spaseq.cli.progress as progress
os.dup2(os.open("/dev/full", os.O_WRONLY), 2)
progress._on_terminal = lambda: True
""",
    "a thread": "import threading; threading.Thread.start = lambda self: exec('raise RuntimeError')",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_failure_of_the_line_does_not_end_the_run(folder: Path, broken: str) -> None:
    running = OnTerminal("run", "q.spaseq", "--stream", "s=-", before=BROKEN[broken])
    running.write(STREAM + event(9, 'c v "0"') + event(10, 'c v "0"'))
    output, shown, code = running.end()
    assert code == 0 and "rror" not in shown and "Traceback" not in shown
    assert [json.loads(line)["bindings"]["x"]["value"][-1] for line in output.splitlines()] == ["a", "b"]


@pytest.mark.parametrize(
    ("reached", "line"),
    [
        (Reached(0, 0), "0 events · 0/s · 0 results"),
        (Reached(3000, 2, 0), "3,000 events · 1,500/s · 1970-01-01T00:00:00Z · 2 results"),
        (Reached(4, 0, 1_999_999, 7), "4 events · 2/s · 1970-01-01T00:00:01Z · 0 results · 7 groups"),
        (Reached(4, 1, -1, 7, "s"), "4 events · 2/s · 1969-12-31T23:59:59Z · 1 results · held back by s · 7 groups"),
    ],
)
def test_the_line(reached: Reached, line: str) -> None:
    assert reached.line(2.0) == line


TWO = """
SELECT ?x FROM STREAM s <urn:s> FROM STREAM t <urn:t>
WHERE { SEQ(A ; B) DEFINE GPM A ON s { ?x <urn:p> ?v } DEFINE GPM B ON t { ?x <urn:q> ?w } }
"""


def test_a_run_tells_its_groups_and_the_stream_that_holds_it_back() -> None:
    run = spaseq.Run(TWO, {"s": [], "t": []})
    assert (run.groups, run.held_back_by) == (0, None)
    run.engine.push("s", b"<urn:a> <urn:p> 1 .", 5)
    run.engine.push("s", b"<urn:b> <urn:p> 1 .", 6)  # then the time of the first one is over
    assert run.held_back_by == "urn:t"
    run.engine.advance(9, "t")
    run.engine.advance(7, "s")
    assert (run.groups, run.held_back_by) == (1, "urn:s")
