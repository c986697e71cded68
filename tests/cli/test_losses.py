"""Nothing is lost in silence: what a run drops, and why it has no result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import spaseq
from spaseq.streams import WireOptions
from tests.cli.conftest import QUERY, STREAM, Invoke, S, event
from tests.cli.terminal import OnTerminal

OF = f"of <{S}>"
PROV, XSD = "http://www.w3.org/ns/prov#", "http://www.w3.org/2001/XMLSchema#"
TIME = f'<http://example.org/e{{}}> <{PROV}generatedAtTime> "1"^^<{XSD}integer> .\n'
TRIG = "@prefix ex: <http://example.org/> . @prefix prov: <http://www.w3.org/ns/prov#> .\n"

# What is read besides two matches; options; the lines on standard error.
LOSSES: dict[str, tuple[str, list[str], list[str]]] = {
    "nothing": ("", [], []),
    "one event is late": (
        event(1, 'c v "0"').replace("/e1>", "/late>"),
        [],
        [
            f"1 of the 5 events {OF} came late and was dropped: sort the stream or give --lateness 2s; "
            "first <http://example.org/late> at 2026-01-01T00:00:01Z"
        ],
    ),
    "two are": (
        event(1, 'c v "0"').replace("/e1>", "/late>") + event(2, 'c v "0"').replace("/e2>", "/later>"),
        [],
        [
            f"2 of the 6 events {OF} came late and were dropped: sort the stream or give --lateness 2s; "
            "first <http://example.org/late> at 2026-01-01T00:00:01Z"
        ],
    ),
    "late events are wanted": (event(1, 'c v "0"').replace("/e1>", "/late>"), ["--late", "late.nq"], []),
    "there is enough lateness": (event(1, 'c v "0"').replace("/e1>", "/late>"), ["--lateness", "2s"], []),
    "a malformed event": (
        event(9, 'c v "0').replace("/e9>", "/bad>"),
        ["--on-error", "skip"],
        [f"1 malformed event {OF} was skipped: mend the source; first at x.nq:10:47: unexpected end of file"],
    ),
    "malformed events": (
        event(8, "c v _").replace("/e8>", "/bad>") + event(9, 'c v "0').replace("/e9>", "/worse>"),
        ["--on-error", "skip"],
        [f"2 malformed events {OF} were skipped: mend the source; first at x.nq:10:47: unexpected character ' '"],
    ),
    "a time without graph": (
        TIME.format("x") + TIME.format("y"),
        [],
        [
            f"2 times {OF} have no graph: the name of the graph is the subject of its time; "
            "first <http://example.org/ex>"
        ],
    ),
    "statements outside of graphs": (
        "<urn:a> <urn:b> <urn:c> .\n" * 2,
        [],
        [f"2 statements {OF} outside of named graphs were ignored: an event is a named graph; first at x.nq:9:1"],
    ),
    "several things": (
        event(1, 'c v "0"').replace("/e1>", "/late>") + TIME.format("x") + "<urn:a> <urn:b> <urn:c> .\n",
        [],
        [
            f"1 of the 5 events {OF} came late and was dropped: sort the stream or give --lateness 2s; "
            "first <http://example.org/late> at 2026-01-01T00:00:01Z",
            f"1 time {OF} has no graph: the name of the graph is the subject of its time; first <http://example.org/ex>",
            f"1 statement {OF} outside of named graphs was ignored: an event is a named graph; first at x.nq:12:1",
        ],
    ),
}


@pytest.mark.parametrize("case", LOSSES)
@pytest.mark.parametrize("mode", ["", "--quiet", "--strict", "--quiet --strict"])
def test_what_is_dropped_is_told(invoke: Invoke, case: str, mode: str) -> None:
    more, options, lines = LOSSES[case]
    Path("x.nq").write_text(STREAM + more)
    result = invoke("run", "q.spaseq", "--stream", "s=x.nq", *options, *mode.split())
    kind = "error" if "strict" in mode else "warning"
    shown = [] if mode == "--quiet" else [f"{kind}: {line}" for line in lines]
    assert result.stderr.splitlines() == shown
    assert result.exit_code == (1 if lines and "strict" in mode else 0)
    assert len(result.stdout.splitlines()) >= 2  # all results


def test_the_rest_of_a_source(invoke: Invoke) -> None:
    Path("x.trig").write_text(TRIG + "ex:a prov:generatedAtTime 1 . ex:a { ex:s ex:v 1 }\nex:b { ex:s ex:v 2 ] }\n")
    result = invoke("run", "q.spaseq", "--stream", "s=x.trig", "--on-error", "skip", "--count")
    assert (result.exit_code, result.stdout) == (0, "0\n")
    skipped, cut, none = result.stderr.splitlines()
    assert skipped.startswith(f"warning: 1 malformed event {OF} was skipped: mend the source; first at x.trig:3:")
    assert cut.startswith(f"warning: the rest of 1 source {OF} was not read after an error: mend the source; first at")
    assert none.startswith("no results: B matched none of the 1 events of")


@pytest.mark.parametrize("output", ["pipe", "terminal"])
def test_losses_and_reasons_come_last_on_a_terminal_or_not(folder: Path, output: str) -> None:
    Path("x.nq").write_text(event(5, 'a v "1"') + event(1, 'a w "1"'))
    where = {"stdout": "terminal"} if output == "terminal" else {}
    _, shown, code = OnTerminal("run", "q.spaseq", "--stream", "s=x.nq", patience=3600, **where).end()
    late, none = shown.splitlines()
    assert code == 0
    assert late.startswith("warning: 1 of the 2 events of <http://example.org/s> came late and was dropped: ")
    assert none == "no results: B matched none of the 1 events of <http://example.org/s>"


def test_there_is_a_reason_where_no_counter_tells_one(invoke: Invoke) -> None:
    """Windows of EVENTS of each key by itself."""
    Path("x.nq").write_text("".join(event(2 * n, f's{n} v "1"') + event(2 * n + 1, f't{n} w "1"') for n in range(3)))
    Path("k.spaseq").write_text("""
        SELECT * WITHIN 2 EVENTS FROM STREAM s <http://example.org/s> PARTITION BY ?s
        WHERE { SEQ(A ; B)
          DEFINE GPM A ON s { ?s <http://example.org/v> ?v }
          DEFINE GPM B ON s { ?s <http://example.org/w> ?w } }""")
    result = invoke("run", "k.spaseq", "--stream", "s=x.nq")
    reason = "each GPM matched events, but no events of one partition and window follow each other as SEQ says"
    assert result.stderr == f"no results: {reason}\n"


def test_statistics_have_the_losses_too(invoke: Invoke) -> None:
    bad = event(9, 'c w "0').replace("/e9>", "/bad>")
    Path("x.nq").write_text(event(5, 'a v "1"') + event(1, 'a w "1"') + bad)
    result = invoke("run", "q.spaseq", "--stream", "s=x.nq", "--stats", "--quiet", "--on-error", "skip")
    found = json.loads(result.stderr)
    stream = found["streams"][S]
    assert (stream["late"], stream["first_late"]) == (1, "<http://example.org/e1> at 2026-01-01T00:00:01Z")
    assert stream["lateness_needed"] == 4_000_000
    assert found["queries"]["q"]["why"] == [
        f"1 of the 2 events {OF} came late and was dropped",
        f"1 malformed event {OF} was skipped",
        f"B matched none of the 1 events {OF}",
    ]


# ── tables ───────────────────────────────────────────────────────────────────────────────────────────────
PAIR = "SELECT * WHERE BUY AS b ; SELL AS s"
TABLES: dict[str, tuple[str, str, list[str], list[str]]] = {
    "nothing": (PAIR + " WITHIN 9 EVENTS", "BUY,1,A,1\nSELL,2,A,2\n", [], []),
    "a time that falls": (
        PAIR + " WITHIN 9 MINUTES",
        "BUY,1,A,1\nSELL,2,A,2\nSELL,1,A,2\nSELL,,A,2\n",
        ["--time", "at", "--on-error", "skip"],
        [
            "2 of the 4 events were left out, whose time falls, is missing or malformed: sort them by time; "
            "first at t.csv:4: the time at falls: 1 after 2"
        ],
    ),
    "no partition": (
        PAIR + " PARTITION BY [name] WITHIN 9 EVENTS",
        "BUY,1,A,1\nSELL,2,,2\nSELL,2,A,2\n",
        [],
        ["1 of the 3 events was in no partition: name is NULL there; first at position 1"],
    ),
    "no window": (
        PAIR + " WITHIN 9 [volume]",
        "BUY,1,A,1\nSELL,2,A,\nSELL,2,A,2\nSELL,2,A,\n",
        [],
        ["2 of the 4 events were in no window: volume is NULL there; first at position 1"],
    ),
}


@pytest.mark.parametrize("case", TABLES)
@pytest.mark.parametrize("mode", ["", "--quiet", "--strict"])
def test_what_is_dropped_of_tables_is_told(invoke: Invoke, case: str, mode: str) -> None:
    query, rows, options, lines = TABLES[case]
    Path("q.ceql").write_text(query)
    Path("t.csv").write_text("type,at,name,volume\n" + rows)
    result = invoke("tuples", "q.ceql", "--events", "t.csv", *options, *mode.split())
    kind = "error" if "strict" in mode else "warning"
    assert result.stderr.splitlines() == ([] if mode == "--quiet" else [f"{kind}: {line}" for line in lines])
    assert result.exit_code == (1 if lines and mode == "--strict" else 0)
    assert result.stdout


# ── Python ───────────────────────────────────────────────────────────────────────────────────────────────
LATE = event(5, 'a v "1"') + event(1, 'a w "1"')


def test_a_run_in_python_warns_once(folder: Path) -> None:
    Path("x.nq").write_text(LATE + "<urn:a> <urn:b> <urn:c> .\n")
    with pytest.warns(spaseq.SpaseqWarning) as warned:
        assert list(spaseq.run(QUERY, {"s": "x.nq"})) == []
    (warning,) = warned
    assert warning.filename == __file__
    late, ignored = str(warning.message).splitlines()
    assert late.startswith(f"1 of the 2 events {OF} came late and was dropped: sort the stream or give lateness 4s; ")
    assert ignored.startswith(f"1 statement {OF} outside of named graphs was ignored")


@pytest.mark.filterwarnings("error")
def test_who_asks_is_not_warned(folder: Path) -> None:
    Path("x.nq").write_text(LATE)
    late: list[Any] = []
    run = spaseq.Run(QUERY, {"s": "x.nq"}, on_late=late.append)
    assert list(run) == [] and len(late) == 1
    assert [loss.is_late for loss in run.losses()] == [True]


def test_counts_of_a_run(folder: Path) -> None:
    Path("x.nq").write_text(STREAM + event(9, 'c v "0').replace("/e9>", "/bad>"))
    run = spaseq.Run(QUERY, {"s": "x.nq"}, options=WireOptions(skip=True))
    with pytest.warns(spaseq.SpaseqWarning, match="1 malformed event"):
        assert len(list(run)) == 2
    report = run.reports[S]
    assert (report.events, report.errors, report.skipped, len(report.positions)) == (4, 1, 1, 1)


def test_an_engine_counts_what_is_late_also_after_a_snapshot() -> None:
    engine = spaseq.Engine()
    engine.register(QUERY, "q")
    graph = b"<urn:a> <http://example.org/v> <urn:b> ."
    engine.push("s", graph, 5_000_000)
    engine.push("s", graph, 4_000_000, "urn:late")
    engine = spaseq.Engine.restore(engine.snapshot(), {"q": QUERY})
    engine.push("s", graph, 3_000_000, "urn:later")
    found = engine.statistics()
    assert found["streams"][S]["first_late"] == "<urn:late> at 1970-01-01T00:00:04Z"
    assert (found["streams"][S]["late"], found["streams"][S]["lateness_needed"]) == (2, 2_000_000)
    assert found["queries"]["q"]["why"][0] == f"2 of the 3 events {OF} came late and were dropped"
