"""``spaseq tuples``, ``check`` and ``explain`` with queries in SQL."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import Invoke

FALL = """\
SELECT name, top, low FROM ticks MATCH_RECOGNIZE (
    PARTITION BY name ORDER BY at
    MEASURES A.price AS top, LAST(B.price) AS low
    PATTERN (A B+)
    DEFINE B AS B.price < PREV(B.price)
)
"""
TICKS = "name,price,at\nx,5,1\ny,7,1\nx,4,2\nx,3,3\ny,8,3\ny,6.5,2\n"
LINES = '{"name": "x", "top": 5.0, "low": 3.0}\n{"name": "y", "top": 7.0, "low": 6.5}\n'


@pytest.fixture
def ticks(folder: Path) -> Path:
    (folder / "fall.sql").write_text(FALL)
    (folder / "ticks.csv").write_text(TICKS)
    return folder


def test_results_are_the_columns_of_select(ticks: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, LINES, "")
    result = invoke("tuples", "-", "--events", "ticks=ticks.csv", "--limit", "1", input=FALL)
    assert (result.exit_code, result.stdout) == (0, LINES.splitlines(keepends=True)[0])
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv", "--format", "csv", "--declare", "price=decimal(9,2)")
    assert result.stdout.split() == ["name,top,low", "x,5.00,3.00", "y,7.00,6.50"]
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv", "--format", "table")
    assert result.stdout.splitlines()[0].split() == ["name", "top", "low"]


def test_parquet(ticks: Path, invoke: Invoke) -> None:
    options = ["--format", "parquet", "--output", "found.parquet", "--declare", "price=decimal(9,2)"]
    assert invoke("tuples", "fall.sql", "--events", "ticks.csv", *options).exit_code == 0
    found = parquet.read_table("found.parquet")
    assert str(found.schema.field("top").type) == "decimal128(9, 2)"
    assert found["name"].to_pylist() == ["x", "y"]


def test_counts_beside_a_query_in_ceql(ticks: Path, invoke: Invoke) -> None:
    Path("high.ceql").write_text("SELECT * WHERE T AS x FILTER x[price > 6]")
    result = invoke("tuples", "fall.sql", "high.ceql", "--events", "ticks.csv", "--relation", "T", "--count")
    assert (result.exit_code, result.stdout) == (0, "fall 2\nhigh 3\n")


def test_why_there_is_no_result(ticks: Path, invoke: Invoke) -> None:
    text = FALL.replace("A B+", "A B+ C").replace("DEFINE", "DEFINE C AS price > 100,")
    result = invoke("tuples", "-", "--events", "ticks.csv", input=text)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no results: no event fits C\n")


WRONG_OPTIONS = {
    "--type name": "type is for CEQL: a row has no type in SQL; write DEFINE A AS name = '…'",
    "--relation T": "relation is for CEQL",
    "--checkpoint state": "--checkpoint: fall is in SQL, and finds nothing before its table has ended",
    "--work-bound 9": 'the query "fall" is in SQL, whose work has no bound yet',
    "--given rows.csv": "no query needs rows: none has parameters",
    "--time tiem": "no column tiem for the times",
    "--declare price=decimal(40)": "a decimal has up to 38 digits",
}


@pytest.mark.parametrize("options", WRONG_OPTIONS)
def test_wrong_options(ticks: Path, invoke: Invoke, options: str) -> None:
    Path("rows.csv").write_text("a\n1\n")
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv", *options.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert WRONG_OPTIONS[options] in result.stderr and "internal" not in result.stderr


def test_a_row_without_a_value(ticks: Path, invoke: Invoke) -> None:
    Path("fall.sql").write_text(FALL.replace("PREV(B.price)", "1 / (B.price - 3)"))
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv", "--declare", "price=int64")
    assert result.exit_code == 1 and "ticks.csv:7: error" in result.stderr
    Path("ticks.csv").write_text(TICKS.replace("6.5", "6"))
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines() == [
        "fall.sql:5:12: error: /: division by zero (at position 3)",
        "      DEFINE B AS B.price < 1 / (B.price - 3)",
        "             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]


def test_an_unknown_column(ticks: Path, invoke: Invoke) -> None:
    Path("fall.sql").write_text(FALL.replace("A.price", "A.prize"))
    result = invoke("tuples", "fall.sql", "--events", "ticks.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("fall.sql:3:16: error: ticks has no column prize\n")
    assert result.stderr.endswith("hint: did you mean price?\n")


def test_other_commands_say_which_one_it_is(ticks: Path, invoke: Invoke) -> None:
    result = invoke("run", "fall.sql", "--stream", "s=ticks.csv")
    assert (result.exit_code, result.stderr) == (
        2,
        "error: fall.sql is a query in SQL, for tables: try spaseq tuples\n",
    )
    result = invoke("check", "--bounded", "fall.sql")
    assert result.stderr == "error: fall.sql is in SQL, whose work has no bound yet\n"
    result = invoke("explain", "--bounded", "fall.sql")
    assert "--bounded is for queries in SPAseq or CEQL, and text." in result.stderr


def test_check(ticks: Path, invoke: Invoke) -> None:
    assert invoke("check", "fall.sql").stdout == "fall.sql: ok\n"
    Path("again.sql").write_text(FALL.replace("PATTERN", "AFTER MATCH SKIP TO A PATTERN"))
    Path("wrong.sql").write_text(FALL.replace("MEASURES", "MEASURE"))
    result = invoke("check", "again.sql", "wrong.sql")
    assert result.exit_code == 2
    assert "again.sql:4:5: error: A is the first row of every match" in result.stderr
    assert "wrong.sql:3:5: error: unexpected MEASURE\n" in result.stderr


def test_a_file_of_another_name_is_known_by_what_it_has(ticks: Path, invoke: Invoke) -> None:
    Path("fall.txt").write_text(f"-- falling prices\n{FALL}")
    assert invoke("check", "fall.txt").stdout == "fall.txt: ok\n"
    Path("names.ceql").write_text("SELECT * WHERE T AS x FILTER x[name = 'MATCH_RECOGNIZE ('] WITHIN 1 EVENTS")
    assert invoke("check", "names.ceql").stdout == "names.ceql: ok\n"


def test_explain(ticks: Path, invoke: Invoke) -> None:
    assert invoke("explain", "fall.sql").stdout.splitlines() == [
        "rows: of ticks, partitions by name, in the order of at",
        "pattern: A B+ (3 positions)",
        "variables:",
        "  A  any row",
        "  B  a row and its neighbours: B.price < PREV(B.price)",
        "matches: ONE ROW PER MATCH; the next one begins past its last row",
        "evaluation: two passes: backwards, where a match can still end; forwards, the preferred position of these",
        "cost: time grows with the rows, whatever the pattern",
        "kept: all rows of the table (name, at, price), which is sorted unless it lies in order",
        "kept of a stream: all rows from the first undecided one on, and 1 row before it",
        "    these may be any number, as there is no WITHIN: those of B",
        "    keys of which all is decided are forgotten",
    ]
    Path("fall.sql").write_text(FALL.replace("PREV(B.price)", "LAST(A.price)"))
    found = json.loads(invoke("explain", "fall.sql", "--format", "json").stdout)
    assert found["evaluation"] == "search"
    assert found["in_a_stream"] == {"rows_before_a_start": 1, "holds_rows": ["B"], "keeps_keys": None}
    assert [one["reads"] for one in found["variables"]] == ["any row", "the match"]
    picture = invoke("explain", "fall.sql", "--format", "mermaid").stdout
    assert "[*] --> p0" in picture and "p2 --> [*]: 2" in picture
    assert invoke("explain", "fall.sql", "--format", "dot").stdout.startswith("digraph plan {")
