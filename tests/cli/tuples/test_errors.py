"""``spaseq tuples``: mistakes, and why there is no result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import QUERY, Invoke
from tests.cli.tuples.events import EVENTS, JSONL, PAIRS


def test_why_there_is_no_result(table: Path, invoke: Invoke) -> None:
    query = "SELECT * WHERE (BUY OR SWAP) AS b ; SALE AS s ; SELL WITHIN 3 EVENTS"
    result = invoke("tuples", "-", "--events", "events.csv", input=query)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no results: no event fits s\n")


def test_there_is_no_result_though_there_are_all_events(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "-", "--events", "events.csv", input="SELECT * WHERE SELL : SELL WITHIN 9 EVENTS")
    assert (result.exit_code, result.stderr) == (0, "no results\n")


@pytest.mark.parametrize(("format", "head"), [("jsonl", ""), ("table", ""), ("csv", "start,end,BUY,SELL\r\n")])
def test_a_header_alone(table: Path, invoke: Invoke, format: str, head: str) -> None:
    Path("events.csv").write_text(EVENTS.splitlines()[0])
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", "--format", format)
    assert (result.exit_code, result.stdout_bytes) == (0, head.encode())
    assert result.stderr == "no results: no event fits BUY or SELL\n"


WRONG_OPTIONS = {
    "--time tiem": "no column tiem for the times",
    "--type nam": "no column nam for the types; did you mean name?",
    "--time price": "events.csv:2: error: the time price is of type double",
    "--type price": "hint: declare it: --declare price=string",
    "--type name --relation BUY": "not both",
    "--time-unit s": "--time says which column",
    "--declare price": "write COLUMN=TYPE",
    "--declare =int64": "write COLUMN=TYPE",
    "--declare price=number": "unknown type number",
    "--declare prize=double": "did you mean price?",
    "--output events.csv": "read in the same run",
    "--output pairs.ceql": "read in the same run",
    "--output nowhere/out": "cannot write",
    "--limit -1": "--limit",
    "--on-error ignore": "--on-error",
}


@pytest.mark.parametrize("options", WRONG_OPTIONS)
def test_wrong_options(table: Path, invoke: Invoke, options: str) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", *options.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert WRONG_OPTIONS[options] in result.stderr and "internal" not in result.stderr
    assert Path("events.csv").read_text() == EVENTS


def test_a_column_of_texts_that_are_no_times(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv", "--time", "name")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "events.csv:2: error: the time name is '" in result.stderr
    assert "hint: say its form, as in --time-format" in result.stderr


WRONG_QUERIES = {
    "SELECT * WHERE BUY , SELL WITHIN 3 EVENTS": "q.ceql:1:20: error: unexpected ,",
    "SELECT * WHERE BUY ; SELL WITHIN 3 SECONDS": "q.ceql: error: WITHIN measures time here, but",
    "SELECT * WHERE BUY FILTER BUY[prize > 3] WITHIN 3 EVENTS": "did you mean price?",
    "SELECT * WHERE BUY FILTER BUY[price > '3'] WITHIN 3 EVENTS": "does not compare",
    "SELECT * WHERE BUY PARTITION BY [nome] WITHIN 3 EVENTS": "did you mean name?",
    "SELECT * WHERE BUY WITHIN 3 [name]": "needs a number",
    "SELECT * WHERE S>BUY WITHIN 3 EVENTS": "hint: FROM S gives them that name",
    "SELECT SUM(BUY.name) WHERE BUY WITHIN 3 EVENTS": "SUM needs a number",
    "SELECT * FROM S, T WHERE BUY WITHIN 3 EVENTS": "FROM names several streams (S, T), but there is one source",
    "": "error:",
    QUERY.replace("; B)", ";)"): "this looks like SPAseq",
    "# what it finds\n" + QUERY: "q.ceql is a query in SPAseq, for streams of graphs: try spaseq run",
}


@pytest.mark.parametrize("query", WRONG_QUERIES)
def test_wrong_queries(table: Path, invoke: Invoke, query: str) -> None:
    Path("q.ceql").write_text(query)
    result = invoke("tuples", "q.ceql", "--events", "events.csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert WRONG_QUERIES[query] in result.stderr and "internal" not in result.stderr


WRONG_TABLES = {
    "": (1, "events.csv: error: the file is empty: its first line names the columns"),
    EVENTS.partition("\n")[2]: (2, "known are BUY, ACME, 10, 100"),
    EVENTS + "BUY,ACME\n": (1, "events.csv:6: error: the number of values is 2, that of columns 4"),
}


@pytest.mark.parametrize("text", WRONG_TABLES)
def test_wrong_tables(table: Path, invoke: Invoke, text: str) -> None:
    Path("events.csv").write_text(text)
    result = invoke("tuples", "pairs.ceql", "--events", "events.csv")
    assert result.exit_code == WRONG_TABLES[text][0]
    assert WRONG_TABLES[text][1] in result.stderr and "internal" not in result.stderr


def test_values_that_are_not_as_declared(table: Path, invoke: Invoke) -> None:
    Path("price.ceql").write_text("SELECT * WHERE SELL FILTER SELL[price > 3] WITHIN 3 EVENTS")
    result = invoke("tuples", "price.ceql", "--events", "events.csv", "--declare", "price=int64")
    assert result.exit_code == 1
    assert "events.csv:3: error: the column price is declared int64, but has '12.5'" in result.stderr


@pytest.mark.parametrize(
    ("query", "events", "code", "message"),
    [
        ("nowhere.ceql", "events.csv", 2, "cannot read nowhere.ceql"),
        ("pairs.ceql", "nowhere.csv", 1, "nowhere.csv: error: cannot read: no such file"),
        ("pairs.ceql", "folder", 1, "folder: error: the folder has no file with the ending of a stream"),
        ("pairs.ceql", "no*.csv", 1, "no*.csv: error: no file fits this pattern"),
        ("pairs.ceql", "events.json", 1, "events.json: error: of JSON one object a line is read"),
        ("-", "-", 2, "cannot both come from standard input"),
    ],
)
def test_files_that_cannot_be_read(
    table: Path, invoke: Invoke, query: str, events: str, code: int, message: str
) -> None:
    Path("folder").mkdir()
    Path("events.json").touch()
    result = invoke("tuples", query, "--events", events, input=PAIRS)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and "internal" not in result.stderr


def test_a_query_without_window_is_warned_about(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "-", "--events", "events.csv", input=PAIRS.partition(" WITHIN")[0])
    assert result.stdout == JSONL and "warning: no WITHIN" in result.stderr
