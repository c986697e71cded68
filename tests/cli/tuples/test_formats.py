"""``spaseq tuples``: how results are written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from spaseq.tuples import match
from tests.cli.conftest import Invoke
from tests.cli.tuples.events import ATTRIBUTES, EVENTS, JSONL, PAIRS, results


def test_results_are_lines_of_json(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv")
    assert (result.exit_code, result.stdout, result.stderr) == (0, JSONL, "")


def test_csv(table: Path, invoke: Invoke) -> None:
    Path("runs.ceql").write_text(
        "SELECT MAX * WHERE (BUY OR SELL)+ AS x : (SELL AS last OR BUY AS never) WITHIN 4 EVENTS"
    )
    result = invoke("tuples", "runs.ceql", "--events", "events.csv", "--format", "csv", "--limit", "2")
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert rows[0] == {"start": "0", "end": "1", "x": "0", "last": "1", "never": ""}
    assert rows[1] == {"start": "0", "end": "2", "x": "0 1", "last": "", "never": "2"}


def test_table(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", "--format", "table", "--limit", "1")
    assert result.stdout == "start   end   BUY   SELL\n" + "─" * 24 + "\n0       1     0     1\n"


def test_a_table_whose_first_cells_are_long(table: Path, invoke: Invoke) -> None:
    Path("long.csv").write_text("type\n" + "BUY\n" * 60 + "SELL\n")
    Path("long.ceql").write_text("SELECT * WHERE BUY:+ AS all : SELL WITHIN 100 EVENTS")
    result = invoke("tuples", "long.ceql", "--events", "long.csv", "--format", "table")
    lines = result.stdout.splitlines()
    assert len(lines) == 2 + 60 and len(lines[1]) < 80
    assert ["0", "60", *map(str, range(61))] in [line.split() for line in lines]


@pytest.mark.parametrize("format", ["table", "jsonl", "csv"])
def test_what_was_found_before_an_error_is_written(table: Path, invoke: Invoke, format: str) -> None:
    rows = "BUY,ACME,10,0\nSELL,ACME,9,0\n" * 40_000
    Path("events.csv").write_text(EVENTS + rows + "BUY,ACME\n")
    Path("next.ceql").write_text("SELECT * WHERE BUY : SELL FILTER BUY[at > 0] WITHIN 1 EVENTS")
    result = invoke("tuples", "next.ceql", "--events", "events.csv", "--format", format)
    assert result.exit_code == 1 and "events.csv:80006: error: the number of values is 2" in result.stderr
    assert len(result.stdout.splitlines()) == {"table": 4, "jsonl": 2, "csv": 3}[format]


def test_aggregates_as_rows(table: Path, invoke: Invoke) -> None:
    """NULL is an empty cell; --limit and --count are about rows."""
    query = "SELECT COUNT(*) AS n, MIN(b.price) AS least, MAX(SELL.at) WHERE BUY AS b ; SELL AS s WITHIN 1 EVENTS"
    command = ["tuples", "-", "--events", "events.csv"]
    lines = invoke(*command, "--format", "csv", input=query).stdout.splitlines()
    assert lines == ["end,n,least,MAX(SELL.at)", "1,1,10.0,200", "3,1,,300"]
    shown = invoke(*command, "--format", "table", "--limit", "1", input=query).stdout
    assert shown.splitlines()[::2] == ["end   n   least   MAX(SELL.at)", "1     1   10.0    200"]
    assert invoke(*command, "--count", input=query).stdout == "2\n"
    assert invoke(*command, "--count", "--limit", "1", input=query).stdout == "1\n"


@pytest.mark.parametrize(("totals", "shown"), [("decimal", str(2**80 - 1)), ("double", str(float(2**80)))])
def test_totals_beyond_64_bits(tmp_path: Path, invoke: Invoke, totals: str, shown: str) -> None:
    events, query = tmp_path / "events.csv", tmp_path / "query.ceql"
    events.write_text("\n".join(["type", "A", *["B"] * 80, "C"]) + "\n")
    query.write_text("SELECT COUNT(*) AS n FROM S WHERE A ; B+ ; C")
    call = ("tuples", str(query), "--events", str(events))
    assert invoke(*call, "--totals", totals).stdout == f'{{"end": 81, "n": {shown}}}\n'
    assert invoke(*call, "--totals", totals, "--format", "csv").stdout.split() == ["end,n", f"81,{shown}"]
    assert "--totals decimal has 38 digits, --totals double is up to" in invoke(*call).stderr
    query.write_text("SELECT * FROM S WHERE A ; B+ ; C")
    assert invoke(*call, "--count", "--totals", totals).stdout == f"{int(float(shown)) if '.' in shown else shown}\n"
    assert "--totals decimal" in invoke(*call, "--count").stderr


def test_aggregates_of_no_match(table: Path, invoke: Invoke) -> None:
    query = "SELECT COUNT(*) WHERE BUY ; SALE WITHIN 3 EVENTS"
    result = invoke("tuples", "-", "--events", "events.csv", "--format", "csv", input=query)
    assert (result.exit_code, result.stdout_bytes) == (0, b"end,COUNT(*)\r\n")
    assert result.stderr == "no results: no event fits SALE\n"


def test_variables_come_as_selected(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "-", "--events", "events.csv", "--format", "csv", input=PAIRS.replace("*", "SELL, BUY"))
    assert result.stdout.splitlines()[0] == "start,end,SELL,BUY"


def test_variables_may_have_the_names_of_columns(table: Path, invoke: Invoke) -> None:
    query = "SELECT * WHERE BUY AS end ; SELL AS positions WITHIN 1 EVENTS"
    result = invoke("tuples", "-", "--events", "events.csv", "--limit", "1", input=query)
    assert results(result.stdout) == [(0, 1, {"end": [0], "positions": [1]})]


def test_attributes_are_values(invoke: Invoke, table: Path) -> None:
    (table / "a.ceql").write_text(ATTRIBUTES)
    lines = [json.loads(line) for line in invoke("tuples", "a.ceql", "--events", "events.csv").stdout.splitlines()]
    assert lines == [
        {"start": 0, "end": 1, "picked": {"SELL": [1]}, "values": {"BUY.price": 10.0, "who": "ACME"}},
        {"start": 2, "end": 3, "picked": {"SELL": [3]}, "values": {"BUY.price": None, "who": "ZOO"}},
        {"start": 0, "end": 3, "picked": {"SELL": [3]}, "values": {"BUY.price": 10.0, "who": "ZOO"}},
    ]
    csv_ = invoke("tuples", "a.ceql", "--events", "events.csv", "--format", "csv").stdout.splitlines()
    assert csv_ == ["start,end,BUY.price,who,SELL", "0,1,10.0,ACME,1", "2,3,,ZOO,3", "0,3,10.0,ZOO,3"]


def test_attributes_of_several_events_are_lists(invoke: Invoke, table: Path) -> None:
    (table / "a.ceql").write_text("SELECT all_.name, all_.price WHERE (BUY : SELL) AS all_ WITHIN 3 EVENTS")
    run = ("tuples", "a.ceql", "--events", "events.csv", "--format")
    first = json.loads(invoke(*run, "jsonl").stdout.splitlines()[0])
    assert first == {"start": 0, "end": 1, "values": {"all_.name": ["ACME", "ACME"], "all_.price": [10.0, 12.5]}}
    assert invoke(*run, "csv").stdout.splitlines()[2] == '2,3,"[""ZOO"", ""ZOO""]","[null, 9.0]"'
    assert "ZOO, ZOO" in invoke(*run, "table").stdout


@pytest.mark.parametrize("query", [PAIRS, ATTRIBUTES, "SELECT COUNT(*) AS n WHERE BUY ; SELL WITHIN 3 EVENTS"])
def test_parquet_is_what_python_gives(query: str, invoke: Invoke, table: Path) -> None:
    (table / "a.ceql").write_text(query)
    result = invoke("tuples", "a.ceql", "--events", "events.csv", "--format", "parquet", "--output", "a.parquet")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    found = match(query, str(table / "events.csv")).to_arrow()
    assert parquet.read_table(table / "a.parquet").to_pylist() == found.to_pylist()
    invoke("tuples", "a.ceql", "--events", "events.csv", "--format", "parquet", "--output", "b.parquet", "--limit", "1")
    assert parquet.read_table(table / "b.parquet").num_rows == 1
