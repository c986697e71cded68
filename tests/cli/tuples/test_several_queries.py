"""``spaseq tuples``: several queries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke
from tests.cli.tuples.events import JSONL, SUMS


def test_lines_of_several_queries_name_them(two: list[str], invoke: Invoke) -> None:
    rows = list(map(json.loads, invoke(*two).stdout.splitlines()))
    pairs = [{"query": "pairs", **json.loads(line)} for line in JSONL.splitlines()]
    assert rows == [*pairs, {"query": "sums", "end": 1, "n": 1}, {"query": "sums", "end": 3, "n": 2}]
    assert list(map(json.loads, invoke(*two, "--limit", "4").stdout.splitlines())) == rows[:4]


def test_tables_of_several_queries(two: list[str], invoke: Invoke) -> None:
    lines = invoke(*two, "--format", "table").stdout.splitlines()
    assert [line.split() for line in lines if "─" not in line] == [
        ["pairs"], ["start", "end", "BUY", "SELL"], ["0", "1", "0", "1"], ["2", "3", "2", "3"], ["0", "3", "0", "3"],
        [], ["sums"], ["end", "n"], ["1", "1"], ["3", "2"],
    ]  # fmt: skip


def test_counts_of_several_queries(two: list[str], invoke: Invoke) -> None:
    assert invoke(*two, "--count").stdout == "pairs 3\nsums 2\n"
    assert invoke(*two, "--count", "--limit", "4").stdout == "pairs 3\nsums 1\n"


@pytest.mark.parametrize("format", ["csv", "parquet"])
def test_formats_of_one_query(two: list[str], invoke: Invoke, format: str) -> None:
    result = invoke(*two, "--format", format, "--output", "out")
    assert result.exit_code == 2
    assert f"{format} holds the results of one query, here are pairs, sums; use jsonl or table" in result.stderr


def test_each_wrong_query_is_told(two: list[str], invoke: Invoke) -> None:
    Path("sums.ceql").write_text("SELECT")
    result = invoke(*two[:2], "sums.ceql", "sums.ceql", *two[3:])
    assert result.exit_code == 2
    assert result.stderr.count("sums.ceql:1:") == 2
    Path("sums.ceql").write_text(SUMS.replace("SELL", "SELL FILTER BUY[prize > 3]"))
    assert "sums.ceql: error: the events have no attribute prize" in invoke(*two).stderr


def test_several_queries_without_results(two: list[str], invoke: Invoke) -> None:
    for name in ("pairs", "sums"):
        Path(f"{name}.ceql").write_text("SELECT * WHERE SALE AS s WITHIN 3 EVENTS")
    result = invoke(*two)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no results: no event fits s\n")
    Path("sums.ceql").write_text(SUMS)
    assert invoke(*two).stderr == ""


def test_queries_of_several_streams(two: list[str], invoke: Invoke) -> None:
    Path("s.ceql").write_text("SELECT * FROM S WHERE BUY : SELL WITHIN 9 EVENTS")
    Path("t.ceql").write_text("SELECT * FROM S, T WHERE S>BUY ; T>SELL WITHIN 9 EVENTS")
    command = ["tuples", "s.ceql", "t.ceql", "--events", "S=events.csv", "--events", "T=events.csv", "--time", "at"]
    assert invoke(*command, "--count").stdout == "s 2\nt 3\n"
