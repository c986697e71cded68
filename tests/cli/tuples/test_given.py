"""``tuples --given`` and ``check --given``: the rows of queries with parameters, from files and standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Invoke, start

QUERY = """SELECT * FROM S GIVEN $kind, $limit
WHERE A ; B AS b FILTER b[name = $kind AND value > $limit] WITHIN 9 EVENTS
"""
EVENTS = "type,name,value,time\nA,x,0,1\nB,x,3,2\nB,y,5,3\nB,x,7,4\n"
ROWS = "kind,limit\nx,2\ny,4\n'x',5\n"
RUN = ("tuples", "q.ceql", "--events", "s.csv")


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    """A query with parameters, events and rows."""
    for name, text in {"q.ceql": QUERY, "s.csv": EVENTS, "t.csv": ROWS}.items():
        (folder / name).write_text(text)


def test_a_table(invoke: Invoke) -> None:
    found = invoke(*RUN, "--given", "t.csv", "--format", "csv")
    assert (found.exit_code, found.stdout.splitlines()) == (
        0, ["start,end,kind,limit,A,b", "0,1,x,2,0,1", "0,2,y,4,0,2", "0,3,x,2,0,3", "0,3,x,5,0,3"],
    )  # fmt: skip
    assert invoke(*RUN, "--given", "q=t.csv", "--count").stdout == "4\n"
    assert len(invoke(*RUN, "--given", "t.csv", "--limit", "2", "--format", "csv").stdout.splitlines()) == 3
    first = json.loads(invoke(*RUN, "--given", "t.csv", "--format", "jsonl").stdout.splitlines()[0])
    assert first == {
        "start": 0, "end": 1, "picked": {"A": [0], "b": [1]}, "values": {"kind": "x", "limit": 2},
    }  # fmt: skip


def test_standard_input(folder: Path) -> None:
    process = start(*RUN, "--given", "-", "--count", cwd=folder)
    assert process.communicate(ROWS) == ("4\n", "")


def test_one_input_alone_is_standard_input(invoke: Invoke) -> None:
    found = invoke("tuples", "q.ceql", "--events", "-", "--given", "-", input=ROWS)
    assert (found.exit_code, found.stderr) == (
        2, "error: the rows of --given come from standard input, so nothing else can\n",
    )  # fmt: skip


def test_several_queries(invoke: Invoke) -> None:
    Path("r.ceql").write_text(QUERY.replace("GIVEN $kind, $limit", "GIVEN ($kind, $limit) { ('y', 0) }"))
    several = ("tuples", "q.ceql", "r.ceql", "--events", "s.csv", "--count")
    assert invoke(*several, "--given", "t.csv").stdout == invoke(*several, "--given", "q=t.csv").stdout == "q 4\nr 1\n"
    assert "the query q needs rows: give them with --given q=FILE" in invoke(*several).stderr
    assert "--given p=t.csv: there is no query p" in invoke(*several, "--given", "p=t.csv").stderr


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("kind,limits\nx,1\n", "t.csv: error: there is no column limit, for the parameter $limit\nhint: did you mean"),
        ("kind,limit\nx,1\ny,\n", "t.csv:3: error: the column limit has no value: a row has a constant for each"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(invoke: Invoke, rows: str, message: str) -> None:
    Path("t.csv").write_text(rows)
    for command in (RUN, ("check", "q.ceql")):
        found = invoke(*command, "--given", "t.csv")
        assert found.exit_code == 1
        assert found.stderr.startswith(message)


def test_a_constant_that_does_not_compare_names_its_row(invoke: Invoke) -> None:
    Path("t.csv").write_text("kind,limit\nx,1\nx,one\n")
    found = invoke(*RUN, "--given", "t.csv")
    assert found.exit_code == 2
    assert found.stderr.startswith("q, row ('x', 'one'): error: the attribute value of type int64 does not compare")


def test_check(invoke: Invoke) -> None:
    assert invoke("check", "q.ceql", "--given", "t.csv").stdout == "q.ceql: ok\nq: 3 rows\n"
    assert invoke("check", "q.ceql").stdout == "q.ceql: ok\n"
    both = invoke("check", "q.ceql", "q.spaseq", "--given", "q=t.csv")
    assert both.stdout == "q.ceql: ok\nq.spaseq: ok\nq: 3 rows\n"


def test_explain(invoke: Invoke) -> None:
    said = invoke("explain", "q.ceql").stdout.splitlines()
    assert said[0] == "given        $kind, $limit: a query for each row, shown with parameters"
    assert said[1] == "rows         together"
    assert "B[name = $kind AND value > $limit] AS b" in said[2]


def test_a_run_that_goes_on(invoke: Invoke) -> None:
    """Rows that are new begin where it stopped, those that are gone give nothing more."""
    command = (*RUN, "--given", "t.csv", "--time", "time", "--checkpoint", "state", "--quiet", "--format", "jsonl")
    assert len(invoke(*command).stdout.splitlines()) == 4
    Path("t.csv").write_text("kind,limit\nx,2\nx,6\n")
    with Path("s.csv").open("a") as events:
        events.write("B,x,8,5\nA,x,0,6\nB,x,9,7\n")
    found = [json.loads(line) for line in invoke(*command).stdout.splitlines()]
    assert [(one["end"], one["values"]["limit"], one["picked"]["A"]) for one in found] == [
        (4, 2, [0]), (6, 2, [3 + 2]), (6, 2, [0]), (6, 6, [5]),
    ]  # fmt: skip
