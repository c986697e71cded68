"""``spaseq tuples``: several streams."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start

BOTH = "SELECT * FROM S, T WHERE S>BUY AS b ; T>SELL AS s WITHIN 1 HOUR"
OTHERS = "type,at\nSELL,150\nSELL,400\n"


@pytest.fixture
def streams(table: Path, folder: Path) -> list[str]:
    Path("both.ceql").write_text(BOTH)
    Path("t=1.csv").write_text(OTHERS)
    return [
        "tuples",
        "both.ceql",
        "--time",
        "at",
        "--time-unit",
        "ms",
        "--events",
        "S=events.csv",
        "--on-error",
        "skip",
    ]


def test_streams_have_a_file_each(streams: list[str], invoke: Invoke) -> None:
    result = invoke(*streams, "--events", "T=t=1.csv")
    assert result.exit_code == 0
    assert {tuple(json.loads(line)["picked"]) for line in result.stdout.splitlines()} == {("b", "s")}
    piped, _ = start(*streams, "--events", "T=-").communicate(OTHERS, timeout=60)
    assert piped == result.stdout


def test_streams_in_a_column(table: Path, invoke: Invoke) -> None:
    Path("of.csv").write_text("type,of\nBUY,S\nBUY,T\nSELL,T\nSELL,S\n")
    Path("of.ceql").write_text(BOTH.replace("1 HOUR", "9 EVENTS"))
    result = invoke("tuples", "of.ceql", "--events", "of.csv", "--stream", "of")
    assert result.stdout == '{"start": 0, "end": 2, "picked": {"b": [0], "s": [2]}}\n'


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--events", "t=1.csv"], "nothing supplies the stream T"),
        (["--events", "events.csv"], "of several streams, write --events STREAM=PATH for each"),
        (["--events", "S=t=1.csv"], "--events names the stream S twice"),
        (["--events", "T=nowhere.csv"], "nowhere.csv: error: cannot read: no such file"),
        (["--events", "T=-", "--events", "U=-"], "cannot both come from standard input, nor can several streams"),
        (["--events", "T=t=1.csv", "--output", "t=1.csv"], "read in the same run"),
    ],
)
def test_wrong_streams(streams: list[str], invoke: Invoke, options: list[str], says: str) -> None:
    result = invoke(*streams, *options)
    assert result.exit_code in (1, 2) and result.stdout == ""
    assert says in result.stderr
