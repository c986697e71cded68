"""``spaseq tuples``: what is read, and how."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import Invoke, start
from tests.cli.tuples.events import EVENTS, JSONL, results


def test_output(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", "--output", "out.jsonl")
    assert (result.exit_code, result.stdout) == (0, "")
    assert Path("out.jsonl").read_text() == JSONL


@pytest.mark.parametrize(("limit", "count"), [(None, "3"), ("2", "2"), ("9", "3"), ("0", "0")])
def test_limit_and_count(table: Path, invoke: Invoke, limit: str | None, count: str) -> None:
    options = [] if limit is None else ["--limit", limit]
    command = ["tuples", "pairs.ceql", "--events", "events.csv", *options]
    assert invoke(*command).stdout.splitlines() == JSONL.splitlines()[: int(count)]
    assert invoke(*command, "--count").stdout == f"{count}\n"


def test_gzip_and_standard_input(table: Path, invoke: Invoke) -> None:
    Path("events.csv.gz").write_bytes(gzip.compress(EVENTS.encode()))
    assert invoke("tuples", "pairs.ceql", "--events", "events.csv.gz").stdout == JSONL
    output, _ = start("tuples", "pairs.ceql", "--events", "-").communicate(EVENTS, timeout=60)
    assert output == JSONL


def test_parquet(table: Path, invoke: Invoke) -> None:
    from pyarrow import csv as arrow_csv

    parquet.write_table(arrow_csv.read_csv("events.csv"), "events.parquet")
    assert invoke("tuples", "pairs.ceql", "--events", "events.parquet").stdout == JSONL


def test_types_of_events(table: Path, invoke: Invoke) -> None:
    Path("events.csv").write_text(EVENTS.replace("type,", "kind,"))
    assert invoke("tuples", "pairs.ceql", "--events", "events.csv", "--type", "kind").stdout == JSONL
    query = "SELECT * WHERE Trade AS x FILTER x[kind = 'SELL' AND price > 10] WITHIN 3 EVENTS"
    result = invoke("tuples", "-", "--events", "events.csv", "--relation", "Trade", input=query)
    assert results(result.stdout) == [(1, 1, {"x": [1]})]


def test_times_have_a_unit(table: Path, invoke: Invoke) -> None:
    command = ["tuples", "timed.ceql", "--events", "events.csv", "--time", "at", "--count"]
    assert invoke(*command, "--time-unit", "ms").stdout == "2\n"
    assert invoke(*command).stdout == "3\n"


def test_declared_types(table: Path, invoke: Invoke) -> None:
    query = "SELECT * WHERE SELL FILTER SELL[price = '9'] WITHIN 3 EVENTS"
    command = ["tuples", "-", "--events", "events.csv"]
    assert invoke(*command, input=query).exit_code == 2
    result = invoke(*command, "--declare", "price=string", "--declare", "at=timestamp", input=query)
    assert results(result.stdout) == [(3, 3, {"SELL": [3]})]


def test_events_whose_time_falls(table: Path, invoke: Invoke) -> None:
    Path("events.csv").write_text(EVENTS + "BUY,ACME,1,250\nSELL,ACME,1,\nSELL,ACME,1,400\n")
    command = ["tuples", "timed.ceql", "--events", "events.csv", "--time", "at", "--time-unit", "ms"]
    stopped = invoke(*command)
    assert stopped.exit_code == 1
    assert "events.csv:6: error: the time at falls: 250 after 300" in stopped.stderr
    skipped = invoke(*command, "--on-error", "skip")
    assert results(skipped.stdout)[-1] == (2, 4, {"BUY": [2], "SELL": [4]})
    assert (skipped.exit_code, skipped.stderr) == (
        0,
        "warning: 2 of the 7 events were left out, whose time falls, is missing or malformed: sort them by time; "
        "first at events.csv:6: the time at falls: 250 after 300\n",
    )


def test_a_file_without_header(table: Path, invoke: Invoke) -> None:
    header, _, rest = EVENTS.partition("\n")
    Path("bare.csv").write_text(rest.replace(",", ";"))
    columns = ", ".join(header.split(","))
    result = invoke("tuples", "pairs.ceql", "--events", "bare.csv", "--columns", columns, "--separator", ";")
    assert result.stdout == JSONL
    Path("tabs.csv").write_text(EVENTS.replace(",", "\t"))
    assert invoke("tuples", "pairs.ceql", "--events", "tabs.csv", "--separator", "tab").stdout == JSONL


def test_values_that_are_null(invoke: Invoke) -> None:
    Path("null.ceql").write_text("SELECT * WHERE A FILTER A[p IS NULL] WITHIN 3 EVENTS")
    Path("null.csv").write_text("type,p\nA,-\nA,3\nA,n/a\n")
    result = invoke("tuples", "null.ceql", "--events", "null.csv", "--null", "-", "--null", "n/a", "--count")
    assert result.stdout == "2\n"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--separator", "ab"], "--separator ab: write one character, or tab"),
        (["--columns", "a,,b"], "--columns a,,b: write the names of all columns"),
        (["--columns", "a", "--type", "a"], "the number of values is"),
    ],
)
def test_wrong_formats_of_csv(table: Path, invoke: Invoke, options: list[str], says: str) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", *options)
    assert result.exit_code in (1, 2) and says in result.stderr and "internal" not in result.stderr


def test_times_have_a_form(invoke: Invoke, table: Path) -> None:
    (table / "some.csv").write_text("type,at\nBUY,31.12.2025 23:59\nSELL,01.01.2026 00:00\nSELL,soon\n")
    run = ("tuples", "timed.ceql", "--events", "some.csv", "--time", "at", "--count")
    (table / "timed.ceql").write_text("SELECT * WHERE BUY ; SELL WITHIN 1 MINUTE")
    result = invoke(*run, "--time-format", "%d.%m.%Y %H:%M", "--on-error", "skip")
    assert result.stdout == "1\n" and "1 of the 3 events was left out" in result.stderr
    result = invoke(*run, "--time-format", "%d.%m.%Y %H:%M")
    assert result.exit_code == 1
    assert "some.csv:4: error: the time at is 'soon', which is not of the form %d.%m.%Y %H:%M" in result.stderr


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--time-format", "%H"), "--time-format %H is about times: --time says which column has them"),
        (("--time", "at", "--time-format", "%H", "--time-unit", "s"), "times are integers (--time-unit) or texts"),
        (("--time", "at", "--time-format", "%Q"), "%Q is no form of times: 'Q' is a bad directive"),
    ],
)
def test_what_is_wrong_with_forms(options: tuple[str, ...], says: str, invoke: Invoke, table: Path) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", *options)
    assert result.exit_code == 2 and says in result.stderr
