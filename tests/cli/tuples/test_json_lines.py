"""``spaseq tuples`` on JSON lines, and on folders."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start
from tests.cli.tuples.events import EVENTS, JSONL, results

ROWS = [
    {name: value for name, value in row.items() if value} | {"price": float(row["price"] or 0), "at": int(row["at"])}
    for row in csv.DictReader(EVENTS.splitlines())
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
RUN = ("tuples", "pairs.ceql", "--events")


@pytest.fixture
def lines(table: Path) -> Path:
    Path("events.jsonl").write_text(LINES)
    return table


def test_a_file_and_standard_input(lines: Path, invoke: Invoke) -> None:
    assert invoke(*RUN, "events.jsonl").stdout == JSONL
    output, _ = start(*RUN, "-").communicate(LINES, timeout=60)
    assert output == JSONL


def test_streams_of_several_formats(lines: Path, invoke: Invoke) -> None:
    query = "SELECT * FROM S, T WHERE S>BUY ; T>SELL WITHIN 1 SECOND"
    options = ("--events", "S=events.csv", "--events", "T=events.jsonl", "--time", "at", "--time-unit", "ms", "--count")
    assert invoke("tuples", "-", *options, "--declare", "price=decimal(9,2)", input=query).stdout == "3\n"


def test_malformed_lines(lines: Path, invoke: Invoke) -> None:
    Path("events.jsonl").write_text(LINES + '{"type": "SELL"\n' + LINES)
    stopped = invoke(*RUN, "events.jsonl")
    assert (stopped.exit_code, stopped.stdout) == (1, JSONL)
    assert stopped.stderr.startswith("events.jsonl:5:16: error: this is no JSON: expecting ',' delimiter\n  {")
    skipped = invoke(*RUN, "events.jsonl", "--on-error", "skip")
    assert len(results(skipped.stdout)) > len(results(JSONL))
    assert (skipped.exit_code, skipped.stderr) == (
        0,
        "warning: 1 malformed line was left out: mend the source; first at events.jsonl:5:16: this is no JSON: "
        "expecting ',' delimiter\n",
    )
    assert invoke(*RUN, "events.jsonl", "--on-error", "skip", "--strict").exit_code == 1


def test_a_folder_with_a_checkpoint(lines: Path, invoke: Invoke) -> None:
    """What is added to its last file is read when the run goes on; its files have to be the same."""
    folder = Path("days")
    folder.mkdir()
    first, *others = LINES.splitlines(keepends=True)
    (folder / "1.jsonl").write_text(f"x\n{first}")
    command = (*RUN, "days", "--on-error", "skip", "--checkpoint", "state", "--format", "jsonl", "--quiet")
    found = [invoke(*command).stdout]
    with (folder / "1.jsonl").open("a") as file:
        file.write(others[0])
    found.append(invoke(*command).stdout)
    assert [bool(text) for text in found] == [False, True]
    with (folder / "1.jsonl").open("a") as file:
        file.write("".join(others[1:]))
    assert "".join([*found, invoke(*command).stdout]) == JSONL
    (folder / "2.jsonl").touch()
    assert "written with the stream <> from days/1.jsonl, here it is days/1.jsonl, days/2" in invoke(*command).stderr
    refused = invoke(*RUN, "days", "--output", "days/1.jsonl")
    assert refused.exit_code == 2 and "this file is read in the same run" in refused.stderr
