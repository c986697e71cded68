"""The benchmark beside other engines, without them: what they are asked, what is read from them, what is printed."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from benchmarks import ceql as published
from benchmarks.peers import tables
from benchmarks.peers.__main__ import main, measure
from benchmarks.peers.installing import PEERS, MissingPeerError, install, reason
from benchmarks.peers.queries import BOTH, QUERIES, Query, Step, statements
from benchmarks.peers.running import Failed, Measured, again_and_again, read, run_ours
from benchmarks.peers.texts import ceql, esper, flink, siddhi
from spaseq.languages.ceql import parse
from spaseq.plan.formulas.automaton import RecognitionPlan, recognition
from spaseq.tuples import match
from tests.benchmarks.tools import tool

PAIR = Query("pair", (Step(("SELL",), "MSFT", "> 26.0"), Step(BOTH, "ORCL")), by_volume=True)
RUN = Query("run", (Step(("SELL",), "MSFT"), Step(BOTH, "QQQ", volume=4000, repeated=True), Step(("SELL",), "AMAT")))


@pytest.mark.parametrize("name", QUERIES)
def test_the_queries_are_those_of_the_benchmark_without_peers(name: str) -> None:
    def plan(text: str) -> RecognitionPlan:
        return recognition(parse(text).normal_form, None)

    ours, others = ceql(QUERIES[name]), published.queries(10)[name]
    assert plan(ours).atoms == plan(others).atoms
    assert plan(ours).automaton == plan(others).automaton
    assert parse(ours).query.partition == parse(others).query.partition


def test_a_query_in_ceql() -> None:
    assert ceql(PAIR).splitlines() == [
        "SELECT *",
        "FROM Stock",
        "WHERE SELL AS x0 ; (BUY OR SELL) AS x1",
        "FILTER x0[name = 'MSFT'] AND x0[price > 26.0] AND x1[name = 'ORCL']",
        "PARTITION BY volume",
        "WITHIN 9999 MILLISECONDS",
    ]


def test_a_query_for_esper() -> None:
    assert esper(PAIR).splitlines() == [
        "select * from pattern [every x0=Stock(type = 'SELL', name = 'MSFT', price > 26.0)",
        "-> (every x1=Stock(type = 'BUY' or type = 'SELL', name = 'ORCL', volume = x0.volume)) "
        "where timer:within(10 sec)]",
    ]


def test_many_statements_are_queries_of_their_own() -> None:
    limits, companies = statements(20)
    assert (limits.name, companies.name) == ("20 limits", "20 companies")
    assert {len(many.queries) for many in (limits, companies)} == {20}
    assert "price > " in esper(limits.queries[0])
    assert "name = " not in esper(limits.queries[0])
    events = published.stock(2_000)
    for many in (limits, companies):
        texts = {query.name: ceql(query) for query in many.queries}
        together, apart = (
            match(texts, events, type="event_type", time="stock_time", unit="ms", sharing=sharing).counts()
            for sharing in (True, False)
        )
        assert together == apart
        assert len(texts) == 20


def test_a_repetition_for_esper() -> None:
    assert "pattern (x0 s* (x1 s*)* x1 s* x2)" in esper(RUN)
    assert "x1.volume = 4000 and x1.time - x0.time < 10000" in esper(RUN)


def test_a_query_for_siddhi() -> None:
    assert siddhi(PAIR).splitlines()[2:] == [
        "partition with (volume of Stock) begin",
        "from every x0=Stock[(type == 'SELL') and name == 'MSFT' and price > 26.0] -> "
        "every x1=Stock[(type == 'BUY' or type == 'SELL') and name == 'ORCL' and time - x0.time < 10000]",
        "within 9999 milliseconds",
        "select x0.id as id0, x1.id as id1",
        "insert into Found;",
        "end;",
    ]


def test_queries_for_flink() -> None:
    text = flink([PAIR, RUN])
    assert 'PARTITIONED = Set.of("pair");' in text
    assert (
        'case "run": return Pattern.<Stock>begin("x0", AfterMatchSkipStrategy.noSkip())'
        '.where(SimpleCondition.of(event -> (event.getType().equals("SELL")) && (event.getName().equals("MSFT"))))'
        '.followedByAny("x1")'
    ) in text
    assert "&& (event.getVolume() == 4000))).oneOrMore().allowCombinations()" in text
    assert text.count(".within(Duration.ofSeconds(10));") == 2


def test_what_a_driver_says() -> None:
    said = '{"events": 20000, "matches": 25258, "runs": 4, "seconds": 2.000}\n'
    assert read("SLF4J: something\n" + said, "") == Measured(20_000, 25_258, 0.5)
    assert read('{"failure": "it ran out of memory"}\n', "") == Failed("it ran out of memory")
    assert read("", "Exception in thread main\n  at somewhere\n") == Failed("Exception in thread main")


def test_a_line_has_both_rates_and_their_ratio() -> None:
    row = tables.Row("P3", Measured(20_000, 25_258, 1.0), Measured(20_000, 25_258, 0.002), 100e6)
    lines = (tables.heading("Flink CEP 2.3.0") + "\n" + tables.line(row)).splitlines()
    assert lines == [
        "Flink CEP 2.3.0, events a CPU second",
        "  query             events   matches        peer      SPAseq    ratio   update only    ratio",
        "  P3                20,000    25,258      20,000  10,000,000     500x   100,000,000   5,000x",
    ]


def test_a_line_says_if_counts_differ() -> None:
    row = tables.Row("Q7", Measured(20_000, 234, 1.0), Measured(20_000, 260, 0.002), 100e6)
    assert tables.line(row).endswith("the peer finds 234")
    assert tables.failure("Q7", Failed("it ran out of memory")) == "  Q7              it ran out of memory"


def stocks() -> pyarrow.Table:
    rows = [
        ("SELL", "MSFT", 0),
        ("BUY", "QQQ", 1),
        ("SELL", "QQQ", 1),
        ("SELL", "AMAT", 9_999),
        ("SELL", "AMAT", 10_000),
    ]
    return pyarrow.table(
        {
            "event_type": [kind for kind, _, _ in rows],
            "name": [name for _, name, _ in rows],
            "volume": [4000] * len(rows),
            "price": [1.0] * len(rows),
            "stock_time": [time for _, _, time in rows],
        }
    )


def test_events_come_again_in_windows_of_their_own() -> None:
    once, long = stocks(), again_and_again(stocks(), 12)
    assert long.num_rows == 15
    # One of QQQ, the other, or both; what comes after ten seconds is too late.
    assert run_ours(RUN, once, 1000).matches == 3
    assert run_ours(RUN, long, 1000).matches == 9


def test_a_peer_without_maven_is_missing_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool(tmp_path, "java")
    tool(tmp_path, "javac")
    monkeypatch.setenv("PATH", str(tmp_path))
    for peer in PEERS.values():
        measure(peer, list(QUERIES.values()), stocks(), limit=1, count=0)
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(" is missing: ")[1] for line in printed] == ["it needs mvn, which is not installed"] * 3
    assert printed[0].startswith("Flink CEP 2.")


def test_a_peer_out_of_reach_is_missing_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("java", "javac"):
        tool(tmp_path, name)
    tool(tmp_path, "mvn", "echo '[ERROR] Unknown host repo.maven.apache.org'; echo '[ERROR] '; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(MissingPeerError, match=r"^mvn failed: Unknown host repo\.maven\.apache\.org$"):
        install(PEERS["esper"], tmp_path / "cache")


def test_the_reason_of_a_failure() -> None:
    assert reason("fine\nX.java:3: error: ';' expected\n1 error\n") == "X.java:3: error: ';' expected"
    assert reason("gone\n") == "gone"
    assert reason("") == "it said nothing"


def test_an_unknown_query_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--queries", "P3,P4"])
    assert "P4: not among P3, P6, P9" in capsys.readouterr().err
