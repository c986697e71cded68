"""Row patterns beside Trino and Flink, without them: what both are asked, what is read from them, what is printed."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pytest

from benchmarks.peers.running import Failed
from benchmarks.peers.shapes import Matched, matched, run_shapes, totals
from benchmarks.sql_peers import COMPARISONS, V_THEN_D, agree, beside_others, line
from benchmarks.sql_ticks import KEYS, V_SHAPE, ticks
from spaseq.tuples import match
from tests.benchmarks.tools import tool

TRINO, FLINK = COMPARISONS
SAID = """INFO: memory
{"query": 0, "cpu": 9.000, "clock": 8.000, "answer": [2, 7.0, 3.0, null]}
{"query": 1, "cpu": 0.500, "clock": 0.250, "answer": [6, 1.0]}
{"query": 0, "cpu": 6.000, "clock": 5.000, "answer": [2, 7.0, 3.0, null]}
{"query": 1, "cpu": 1.000, "clock": 2.000, "answer": [6, 1.0]}
{"query": 0, "cpu": 4.500, "clock": 5.000, "answer": [2, 7.0, 3.0, null]}
{"query": 1, "cpu": 1.000, "clock": 0.500, "answer": [6, 1.0]}
"""


def test_the_fastest_answer_counts_without_the_first_and_without_what_only_reads() -> None:
    assert matched(SAID, 2) == Matched(2, [7.0, 3.0, None], cpu=5.0, clock=3.0)
    only = "".join(row + "\n" for row in SAID.splitlines() if '"query": 0' in row)
    assert matched(only, 1) == Matched(2, [7.0, 3.0, None], cpu=4.5, clock=5.0)
    assert matched(only, 1).seconds == 4.5


def test_a_shape_that_ends_with_another_row_is_the_v_shape_but_at_the_end_of_a_key() -> None:
    table = ticks(KEYS * 20)
    shapes, ended = (
        match(query.replace("MEASURES", "MEASURES LAST(C.t) AS ends,"), table).to_arrow()
        for query in (V_SHAPE, V_THEN_D)
    )
    last = pyarrow.compute.max(table["t"])
    assert ended.equals(shapes.filter(pyarrow.compute.less(shapes["ends"], last)))
    assert 0 < ended.num_rows < shapes.num_rows


def test_answers_agree_in_matches_and_in_sums() -> None:
    found = pyarrow.table({"top": [3.0, 4.0], "bottom": [1.0, 2.0], "last": [5.0, 5.0]})
    assert agree(Matched(2, [7.0, 3.0000000001, 10.0], 1, 1), found)
    assert not agree(Matched(3, [7.0, 3.0, 10.0], 1, 1), found)
    assert not agree(Matched(2, [7.0, 3.0, 10.1], 1, 1), found)
    assert agree(Matched(0, [None, None, None], 1, 1), found[:0])


def test_a_line_says_which_seconds_are_compared() -> None:
    theirs = Matched(66_057, [1.0, 1.0, 1.0], cpu=12.0, clock=11.0)
    assert line(FLINK, 250_000, theirs, 0.1).splitlines() == [
        f"V shape with a row behind it, 250,000 rows sorted: 110.0 times as fast as {FLINK.title}, 66,057 matches each",
        "    0.100 s; 12.00 s of CPU, 11.00 s on the clock, without reading the rows",
    ]


def test_a_driver_gets_values_and_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, "java", f"shift 5; printf '%s\\n' \"$@\" > {tmp_path}/arguments; cat <<'END'\n{SAID}END")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr("benchmarks.peers.shapes.CACHE", tmp_path)
    (tmp_path / FLINK.peer.name).mkdir()
    table = ticks(KEYS * 3)
    assert isinstance(run_shapes(FLINK.peer, "classes", ["SELECT * FROM x", "SELECT 1"], table, 3), Matched)
    values = tmp_path / FLINK.peer.name / "values.bin"
    assert values.stat().st_size == KEYS * 3 * 8
    asked = (tmp_path / "arguments").read_text().splitlines()
    assert asked == [str(values), str(KEYS), "3", totals("SELECT * FROM x"), "SELECT 1"]


def test_a_driver_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, "java", "echo 'Exception in thread main: no memory' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("benchmarks.peers.shapes.CACHE", tmp_path)
    (tmp_path / TRINO.peer.name).mkdir()
    failed = run_shapes(TRINO.peer, "classes", [V_SHAPE], ticks(KEYS * 3), 3)
    assert failed == Failed("Exception in thread main: no memory")


def test_peers_without_maven_are_missing_and_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [said.partition(" is missing: ")[2] for said in beside_others(3_000)] == [
        "it needs java, which is not installed"
    ] * 2
