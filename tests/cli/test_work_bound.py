"""``run --work-bound``: part of the results, what was left out on standard error; and ``check --bounded``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import CONSTRUCT, Invoke
from tests.kernel.bounded import KINDS, SUM_OF_TWO, stream, text_of

EVENTS = 2000
PROV = "<http://www.w3.org/ns/prov#generatedAtTime>"
COUNTED = text_of(SUM_OF_TWO, 400).replace("SELECT *", "SELECT (COUNT(*) AS ?n)")
READER = """\
PREFIX ex: <http://example.org/>
SELECT ?sum WITHIN 10 SECONDS SLIDING FROM STREAM out <http://example.org/out>
WHERE { SEQ(A ; B) DEFINE GPM A ON out { ?x ex:sum ?sum } DEFINE GPM B ON out { ?y ex:sum ?other } }
"""


def lines() -> Iterator[str]:
    """Events of the sums, a millisecond apart."""
    columns = (column.tolist() for column in stream(EVENTS))
    for number, (kind, key, value) in enumerate(zip(*columns, strict=True)):
        event = f"<urn:e{number}>"
        time = f'"2026-01-01T00:00:{number // 1000:02}.{number % 1000:03}Z"'
        yield f"{event} {PROV} {time}^^<http://www.w3.org/2001/XMLSchema#dateTime> .\n"
        yield f"{event} {{ {event} <urn:{KINDS[kind]}> {value} ; <urn:id> {key} }}\n"


@pytest.fixture
def sums(folder: Path) -> Path:
    Path("sums.spaseq").write_text(text_of(SUM_OF_TWO, 400))
    Path("more.spaseq").write_text(text_of(SUM_OF_TWO, 400))
    Path("s.trig").write_text("".join(lines()))
    return folder


def asked(*more: str) -> list[str]:
    return ["run", "sums.spaseq", "--stream", "s=s.trig", "--count", *more]


def test_what_is_left_out_is_told(sums: Path, invoke: Invoke) -> None:
    whole, some = invoke(*asked()), invoke(*asked("--work-bound", "20", "--stats"))
    assert 0 < int(some.stdout) < int(whole.stdout)
    assert "steps of sums were left out to keep work within its bound: some results may be missing" in some.stderr
    stats = json.loads(some.stderr[some.stderr.index("{") : some.stderr.rindex("}") + 1])
    bound = stats["queries"]["sums"]["bound"]
    assert not bound["complete"]
    assert bound["work"] < 1.2 * 20 * EVENTS
    assert "left out" not in whole.stderr


def test_recall_is_estimated(sums: Path, invoke: Invoke) -> None:
    result = invoke(*asked("--work-bound", "25", "--recall-sample", "0.3"))
    assert int(result.stdout) > 0
    assert re.search(r"of sums were left out .*: of the results about [\d.]+ % were found \([\d.]+ to", result.stderr)


def test_strict(sums: Path, invoke: Invoke) -> None:
    result = invoke(*asked("--work-bound", "20", "--strict"))
    assert result.exit_code == 1
    assert "error: " in result.stderr
    assert invoke(*asked("--work-bound", "1e6", "--strict")).exit_code == 0


def test_latencies(sums: Path, invoke: Invoke) -> None:
    result = invoke(*asked("--latency-bound", "30m", "--stats"))
    assert result.stdout == invoke(*asked()).stdout
    latency = json.loads(result.stderr)["queries"]["sums"]["latency"]
    assert latency["batches"] > latency["batches_over"] == 0
    assert 0 < latency["p50"] <= latency["p99"] <= latency["max"]


def test_priorities(sums: Path, invoke: Invoke) -> None:
    more = ("more.spaseq", "--work-bound", "40", "--priority", "sums=9", "--stats", "--format", "jsonl")
    result = invoke("run", "sums.spaseq", "--stream", "s=s.trig", *more)
    found = [json.loads(line)["query"] for line in result.stdout.splitlines()]
    assert found.count("sums") > 1.2 * found.count("more")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--work-bound", "0"), "a bound on work is a number above 0"),
        (("--latency-bound", "2h"), "a latency is a time from 10 microseconds to an hour"),
        (("--work-bound", "nan"), "a bound on work is a number above 0"),
        (("--work-bound", "5", "--priority", "sum=3"), "there is no query sum to have a priority; did you mean sums"),
        (("--work-bound", "5", "--priority", "sums"), "write QUERY=NUMBER, as in alarms=3"),
        (("--work-bound", "5", "--priority", "sums=-1"), "the priority of sums is a number"),
        (
            ("--priority", "sums=3"),
            "--priority shares a bound among queries: give one with --work-bound or --latency-bound",
        ),
        (("--work-bound", "5", "--recall-sample", "2"), "a sample is a part of the ticks, from 0.0001 to 1, not 2.0"),
        (("--recall-sample", "0.1"), "--recall-sample tells what a bound costs: give one with --work-bound or"),
        (("--work-bound", "5", "--evaluation", "lazy"), "evaluation cannot be lazy"),
    ],
)
def test_wrong_options(more: tuple[str, ...], message: str, sums: Path, invoke: Invoke) -> None:
    result = invoke(*asked(*more))
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_checkpoint_has_its_bound(sums: Path, invoke: Invoke) -> None:
    arguments = ["run", "sums.spaseq", "--stream", "s=s.trig", "--checkpoint", "state", "--work-bound"]
    assert invoke(*arguments, "30").exit_code == 0
    other = invoke(*arguments, "50")
    assert other.exit_code == 2
    assert "--work-bound" in other.stderr
    assert invoke(*arguments, "30").exit_code == 0


def test_what_may_have_no_bound(folder: Path, invoke: Invoke) -> None:
    Path("counted.spaseq").write_text(COUNTED)
    Path("derives.spaseq").write_text(CONSTRUCT)
    Path("reads.spaseq").write_text(READER)
    assert invoke("check", "counted.spaseq").exit_code == 0
    counted = invoke("check", "--bounded", "counted.spaseq")
    assert counted.exit_code == 2
    assert "the work of counted.spaseq may have no bound: it aggregates over matches" in counted.stderr
    assert invoke("check", "--bounded", "derives.spaseq").exit_code == 0
    both = invoke("check", "--bounded", "derives.spaseq", "reads.spaseq")
    assert both.exit_code == 2
    assert "as reads.spaseq reads what it derives: “;” takes the next event" in both.stderr
    run = invoke("run", "derives.spaseq", "reads.spaseq", "--stream", "s=s.nq", "--work-bound", "5")
    assert run.exit_code == 2


def test_path_queries_have_no_bound(folder: Path, invoke: Invoke) -> None:
    Path("q.ceql").write_text("SELECT * FROM S WHERE A ; B WITHIN 3 EVENTS")
    assert invoke("check", "--bounded", "q.ceql").exit_code == 0
    Path("q.paths").write_text("QUERY q FROM <urn:a> ANY WALK <urn:p>+")
    result = invoke("check", "--bounded", "q.paths")
    assert result.exit_code == 2
    assert "q.paths has path queries, whose work has no bound yet" in result.stderr


def test_what_may_be_left_out(folder: Path, invoke: Invoke) -> None:
    Path("counted.spaseq").write_text(COUNTED)
    assert "may be left out of states 1" in invoke("explain", "q.spaseq", "--bounded").stdout
    assert "what reads <http://example.org/out> may not" in invoke("explain", "c.spaseq", "--bounded").stdout
    assert "nothing waits, so nothing is left out" in invoke("explain", "r.spaseq", "--bounded").stdout
    assert "none: it aggregates over matches" in invoke("explain", "counted.spaseq", "--bounded").stdout
    assert invoke("explain", "q.spaseq", "--bounded", "--format", "json").exit_code == 2
