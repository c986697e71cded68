"""``--given``: the rows of queries with parameters, from files and from standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import STREAM, Invoke, event, start

GIVEN = """\
PREFIX ex: <http://example.org/>
SELECT ?who ?limit ?w
WITHIN 10 SECONDS SLIDING
FROM STREAM s <http://example.org/s>
GIVEN ?who ?limit
WHERE {
  SEQ(A ; B)
  DEFINE GPM A ON s { ?x ex:v ?who }
  DEFINE GPM B ON s { ?y ex:w ?w FILTER(?w > ?limit) }
}
"""
TABLE = 'who,limit\n"""1""","""3"""\n"""2""","""2"""\n'  # texts are compared with texts
RUN = ("run", "g.spaseq", "--stream", "s=s.nq", "--format", "csv")


@pytest.fixture(autouse=True)
def written(folder: Path) -> None:
    """A query with parameters, and a table for it."""
    (folder / "g.spaseq").write_text(GIVEN)
    (folder / "t.csv").write_text(TABLE)


def rows(output: str) -> list[str]:
    return output.splitlines()[1:]


def test_a_table(invoke: Invoke) -> None:
    found = invoke(*RUN, "--given", "t.csv")
    assert (found.exit_code, found.stderr) == (0, "")
    assert rows(found.stdout) == ["2,2,3", "1,3,4"]
    assert invoke(*RUN, "--given", "g=t.csv").stdout == found.stdout
    assert invoke(*RUN, "--given", "t.csv", "--count").stdout == "2\n"
    assert rows(invoke(*RUN, "--given", "t.csv", "--limit", "1").stdout) == ["2,2,3"]


def test_standard_input(folder: Path) -> None:
    process = start(*RUN, "--given", "-", cwd=folder)
    assert process.communicate(TABLE) == ("who,limit,w\n2,2,3\n1,3,4\n", "")


def test_several_queries(invoke: Invoke, folder: Path) -> None:
    (folder / "h.spaseq").write_text(GIVEN.replace("GIVEN ?who ?limit", 'GIVEN (?who ?limit) { ("2" "2") }'))
    (folder / "u.tsv").write_text('?limit\t?who\n"0"\t"1"\n')
    several = ("run", "g.spaseq", "q.spaseq", "h.spaseq", "--stream", "s=s.nq", "--count")
    assert invoke(*several, "--given", "t.csv").stdout == "5\n"
    assert invoke(*several, "--given", "g=u.tsv").stdout == "4\n"


def test_statistics(invoke: Invoke) -> None:
    found = invoke(*RUN, "--given", "t.csv", "--stats")
    assert json.loads(found.stderr)["queries"]["g"]["rows"] == 2


def test_no_results_say_why(invoke: Invoke, folder: Path) -> None:
    (folder / "t.csv").write_text("who,limit\nnobody,nothing\n")
    found = invoke(*RUN, "--given", "t.csv")
    assert found.exit_code == 0
    assert found.stderr.startswith("no results: of 2 events that matched A, 2 failed the filter ?who as given")


def test_check(invoke: Invoke, folder: Path) -> None:
    assert invoke("check", "g.spaseq").stdout == "g.spaseq: ok\n"
    assert invoke("check", "g.spaseq", "--given", "t.csv").stdout == "g.spaseq: ok\ng: 2 rows\n"
    (folder / "t.csv").write_text("who,limit\na,1\n,2\n")
    found = invoke("check", "g.spaseq", "--given", "t.csv")
    assert found.exit_code == 1
    assert found.stderr == "t.csv:3: error: the column who has no value: a row has a term for each parameter\n"


def test_explain(invoke: Invoke) -> None:
    found = invoke("explain", "g.spaseq").stdout
    assert "given     ?who ?limit: a query for each row" in found
    assert "rows      together\n" in found
    assert "?who as given" in found
    assert json.loads(invoke("explain", "g.spaseq", "--format", "json").stdout)["given"] == {
        "parameters": ["who", "limit"], "length": None, "rows": {"why_apart": "", "apart": []},
    }  # fmt: skip


WRONG = {
    (): "error: the query g needs rows: give them with --given g=FILE",
    ("--given", "x=t.csv"): "error: --given x=t.csv: there is no query x; known are g",
    ("--given", "no.csv"): "no.csv: error: cannot read: no such file or directory",
    ("--given", "t.csv", "--given", "t.csv"): "error: --given t.csv: the query g has rows from t.csv already",
    ("--given", "t.csv", "--output", "t.csv"): "error: --output t.csv: this file is read in the same run",
}


@pytest.mark.parametrize("options", WRONG)
def test_wrong_options(invoke: Invoke, options: tuple[str, ...]) -> None:
    found = invoke(*RUN, *options)
    assert found.exit_code in (1, 2)
    assert found.stderr.startswith(WRONG[options])
    assert found.stdout == ""


def test_no_query_needs_rows(invoke: Invoke, folder: Path) -> None:
    found = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--given", "t.csv")
    assert (found.exit_code, found.stderr[:38]) == (2, "error: --given t.csv: no query needs r")
    (folder / "h.spaseq").write_text(GIVEN)
    found = invoke("run", "g.spaseq", "h.spaseq", "--stream", "s=s.nq", "--given", "t.csv")
    assert found.stderr == "error: --given t.csv: write QUERY=FILE, with the name of a query: g, h\n"


def test_rows_come_and_go_between_runs(invoke: Invoke, folder: Path) -> None:
    run = ("run", "g.spaseq", "--stream", "s=s.nq", "--given", "t.csv", "--checkpoint", "state", "--output", "out")
    assert invoke(*run).exit_code == 0
    (folder / "s.nq").write_text(STREAM + event(4, 'c v "5"') + event(5, 'c w "6"'))
    (folder / "t.csv").write_text('who,limit\n"""5""","""1"""\n"""2""","""2"""\n')
    assert invoke(*run).exit_code == 0
    found = [json.loads(line)["bindings"] for line in (folder / "out").read_text().splitlines()]
    shown = sorted("".join(one[name]["value"] for name in ("who", "limit", "w")) for one in found)
    assert shown == ["134", "223", "516"]


@pytest.mark.parametrize("command", ["run", "check"])
def test_help(invoke: Invoke, command: str) -> None:
    assert "--given [QUERY=]FILE" in invoke(command, "--help").stdout
