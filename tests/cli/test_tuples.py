"""``spaseq tuples``."""

from __future__ import annotations

import csv
import gzip
import io
import json
import signal
import subprocess
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from spaseq.tuples import match
from tests.cli.conftest import QUERY, ROOT, Invoke, start

EXAMPLES = ROOT / "examples" / "tuples"
TRADES = ["--events", str(EXAMPLES / "trades.csv"), "--time", "time"]
EVENTS = """\
type,name,price,at
BUY,ACME,10,100
SELL,ACME,12.5,200
BUY,ZOO,,300
SELL,ZOO,9,300
"""
PAIRS = "SELECT * WHERE BUY ; SELL WITHIN 3 EVENTS"
TIMED = "SELECT * WHERE BUY ; SELL WITHIN 150 MILLISECONDS"
JSONL = """\
{"start": 0, "end": 1, "picked": {"BUY": [0], "SELL": [1]}}
{"start": 2, "end": 3, "picked": {"BUY": [2], "SELL": [3]}}
{"start": 0, "end": 3, "picked": {"BUY": [0], "SELL": [3]}}
"""


@pytest.fixture
def table(folder: Path) -> Path:
    """The working directory, with ``pairs.ceql``, ``timed.ceql`` and ``events.csv``, too."""
    for name, text in {"pairs.ceql": PAIRS, "timed.ceql": TIMED, "events.csv": EVENTS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def results(output: str) -> list[tuple[int, int, dict[str, list[int]]]]:
    return [(row["start"], row["end"], row["picked"]) for row in map(json.loads, output.splitlines())]


# ── the examples, against what the queries say in words ──────────────────────────────────────────────────
def trades() -> list[dict[str, Any]]:
    with (EXAMPLES / "trades.csv").open(encoding="utf-8", newline="") as file:
        rows = [dict(row) for row in csv.DictReader(file)]
    for position, row in enumerate(rows):
        numbers = {"price": float(row["price"]), "volume": int(row["volume"])}
        row |= {"position": position, "time": datetime.fromisoformat(row["time"]), **numbers}
    return rows


def rebounds() -> list[Any]:
    rows = [row for row in trades() if row["name"] == "NORD"]
    lows = [row for row in rows if row["type"] == "SELL" and row["price"] < 49.5]
    highs = [row for row in rows if row["type"] == "BUY" and row["price"] > 50.5]
    pairs = [(low, high) for low in lows for high in highs if low["position"] < high["position"]]
    near = [
        (low["position"], high["position"]) for low, high in pairs if high["time"] - low["time"] <= timedelta(minutes=2)
    ]
    return [(low, high, {"low": [low], "high": [high]}) for low, high in near]


def by_name() -> list[list[dict[str, Any]]]:
    rows = sorted(trades(), key=lambda row: (row["name"], row["position"]))
    return [list(group) for _, group in groupby(rows, key=lambda row: row["name"])]


def sprees() -> list[Any]:
    found = []
    for rows in by_name():
        sales = [index for index, row in enumerate(rows) if row["type"] == "SELL"]
        for before, after in pairwise(sales):
            run = [row["position"] for row in rows[before : after + 1]]
            if len(run) >= 4 and rows[after]["time"] - rows[before]["time"] <= timedelta(minutes=5):
                picked = {"before": run[:1], "first": run[1:2], "more": run[2:-1], "after": run[-1:]}
                found.append((run[0], run[-1], picked))
    return found


def accumulations() -> list[Any]:
    found = []
    for rows in by_name():
        bought = [row for row in rows if row["type"] == "BUY"]
        for index, large in enumerate(bought):
            near = [row for row in bought[:index] if large["time"] - row["time"] <= timedelta(minutes=1)]
            small = [row["position"] for row in near if row["volume"] <= 300]
            if small and large["volume"] >= 700:
                found.append((small[0], large["position"], {"small": small}))
    return found


@pytest.mark.parametrize(
    ("name", "expected"), [("rebound", rebounds), ("buying_spree", sprees), ("accumulation", accumulations)]
)
def test_examples(invoke: Invoke, name: str, expected: Any) -> None:
    result = invoke("tuples", str(EXAMPLES / f"{name}.ceql"), *TRADES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert results(result.stdout) == sorted(expected(), key=lambda one: one[1])
    assert len(expected()) >= 3


def sold_before() -> list[Any]:
    """For each purchase with sales before it: its position and company, and what the sales come to."""
    rows = trades()
    found = []
    for buy in rows:
        window = [row for row in rows if row["position"] < buy["position"] and row["name"] == buy["name"]]
        sales = [row for row in window if row["type"] == "SELL" and buy["time"] - row["time"] <= timedelta(seconds=30)]
        if buy["type"] == "BUY" and sales:
            sold, mean = sum(row["volume"] for row in sales), sum(row["price"] for row in sales) / len(sales)
            values = {"sales": len(sales), "sold": sold, "mean": pytest.approx(mean)}
            found.append({"end": buy["position"], "company": buy["name"], **values})
    return found


def test_aggregates(invoke: Invoke) -> None:
    result = invoke("tuples", str(EXAMPLES / "sold_before.ceql"), *TRADES)
    assert (result.exit_code, result.stderr) == (0, "")
    assert [json.loads(line) for line in result.stdout.splitlines()] == sold_before()
    assert len(sold_before()) >= 10


# ── sources and formats ──────────────────────────────────────────────────────────────────────────────────
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
    assert "(totals)" in invoke(*call).stderr


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
    from pyarrow import parquet

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
        "warning: 2 of the 7 events were left out, whose time falls or is missing: sort them by time; "
        "first at events.csv:6: the time at falls: 250 after 300\n",
    )


# ── no results ───────────────────────────────────────────────────────────────────────────────────────────
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


# ── errors ───────────────────────────────────────────────────────────────────────────────────────────────
WRONG_OPTIONS = {
    "--time tiem": "no column tiem for the times",
    "--type nam": "no column nam for the types; did you mean name?",
    "--time name": "pairs.ceql: error: the time name is of type string",
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
    assert (result.exit_code, result.stdout) == (WRONG_TABLES[text][0], "")
    assert WRONG_TABLES[text][1] in result.stderr and "internal" not in result.stderr


def test_values_that_are_not_as_declared(table: Path, invoke: Invoke) -> None:
    Path("price.ceql").write_text("SELECT * WHERE SELL FILTER SELL[price > 3] WITHIN 3 EVENTS")
    result = invoke("tuples", "price.ceql", "--events", "events.csv", "--declare", "price=int64")
    assert result.exit_code == 1
    assert "events.csv:3: error: the column price is declared int64, but has '12.5'" in result.stderr


@pytest.mark.parametrize(
    ("query", "events", "code", "message"),
    [
        ("nowhere.ceql", "events.csv", 2, "cannot read the query nowhere.ceql"),
        ("pairs.ceql", "nowhere.csv", 1, "nowhere.csv: error: cannot read: no such file"),
        ("pairs.ceql", ".", 1, "cannot read"),
        ("-", "-", 2, "cannot both come from standard input"),
    ],
)
def test_files_that_cannot_be_read(
    table: Path, invoke: Invoke, query: str, events: str, code: int, message: str
) -> None:
    result = invoke("tuples", query, "--events", events, input=PAIRS)
    assert (result.exit_code, result.stdout) == (code, "")
    assert message in result.stderr and "internal" not in result.stderr


def test_a_query_without_window_is_warned_about(table: Path, invoke: Invoke) -> None:
    result = invoke("tuples", "-", "--events", "events.csv", input=PAIRS.partition(" WITHIN")[0])
    assert result.stdout == JSONL and "warning: no WITHIN" in result.stderr


# ── as a process ─────────────────────────────────────────────────────────────────────────────────────────
def many(table: Path) -> None:
    Path("events.csv").write_text("type\n" + "BUY\n" * 2000)
    Path("many.ceql").write_text("SELECT * WHERE BUY+ AS x WITHIN 1000 EVENTS")  # no one waits for all of them


def test_a_broken_pipe_ends_quietly(table: Path) -> None:
    many(table)
    process = start("tuples", "many.ceql", "--events", "events.csv", stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr.read() == ""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(table: Path, sent: signal.Signals) -> None:
    many(table)
    process = start("tuples", "many.ceql", "--events", "events.csv", stdin=subprocess.DEVNULL)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.send_signal(sent)
    process.stdout.read()
    assert process.wait(timeout=60) == 130
    assert process.stderr.read() == ""


# ── how CSV is written ───────────────────────────────────────────────────────────────────────────────────
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


# ── several streams ──────────────────────────────────────────────────────────────────────────────────────
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


# ── attributes, Parquet and forms of times ───────────────────────────────────────────────────────────────
ATTRIBUTES = "SELECT BUY.price, SELL.name AS who, SELL WHERE BUY ; SELL WITHIN 3 EVENTS"


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


# ── several queries ──────────────────────────────────────────────────────────────────────────────────────
SUMS = "SELECT COUNT(*) AS n WHERE BUY ; SELL WITHIN 3 EVENTS"


@pytest.fixture
def two(table: Path) -> list[str]:
    """``pairs.ceql`` and ``sums.ceql`` on the events."""
    Path("sums.ceql").write_text(SUMS)
    return ["tuples", "pairs.ceql", "sums.ceql", "--events", "events.csv"]


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
