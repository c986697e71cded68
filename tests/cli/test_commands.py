"""``check``, ``explain``, ``generate`` and the program itself."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import QUERY, Invoke, start


def test_help_and_version(invoke: Invoke) -> None:
    assert all(name in invoke("--help").stdout for name in ("run", "check", "explain", "generate"))
    assert invoke("--version").stdout.startswith("spaseq, version")
    assert "--lateness" in invoke("run", "-h").stdout


def test_python_dash_m() -> None:
    process = start("--version")
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert output.startswith("spaseq, version")


def test_unknown_command(invoke: Invoke) -> None:
    result = invoke("dance")
    assert result.exit_code == 2 and "dance" in result.stderr


def test_check(invoke: Invoke) -> None:
    result = invoke("check", "q.spaseq", "c.spaseq")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "q.spaseq: ok\nc.spaseq: ok\n", "")


def test_check_reports_every_wrong_file(invoke: Invoke) -> None:
    Path("bad.spaseq").write_text(QUERY.replace("?x ex:v ?v", "?x ex:v"))
    result = invoke("check", "bad.spaseq", "q.spaseq", "nowhere.spaseq")
    assert result.exit_code == 2
    assert "q.spaseq: ok" in result.stdout
    assert "bad.spaseq:7:" in result.stderr and "^" in result.stderr and "nowhere.spaseq" in result.stderr


def test_check_of_text_that_is_none(invoke: Invoke) -> None:
    Path("binary.spaseq").write_bytes(b"\xff\xfe\x00")
    result = invoke("check", "binary.spaseq")
    assert result.exit_code == 2 and "UTF-8" in result.stderr


def test_check_standard_input(invoke: Invoke) -> None:
    assert invoke("check", "-", input=QUERY).stdout == "-: ok\n"


def test_check_warns(invoke: Invoke) -> None:
    Path("w.spaseq").write_text(QUERY.replace("WITHIN 10 SECONDS SLIDING\n", ""))
    result = invoke("check", "w.spaseq")
    assert result.exit_code == 0
    assert "warning:" in result.stdout and "w.spaseq: ok" in result.stdout


@pytest.mark.parametrize("format", ["text", "mermaid", "dot", "json"])
def test_explain(invoke: Invoke, format: str) -> None:
    result = invoke("explain", "q.spaseq", "--format", format)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.strip()
    if format == "json":
        json.loads(result.stdout)


def test_explain_of_a_stream_is_for_path_queries(invoke: Invoke) -> None:
    result = invoke("explain", "q.spaseq", "--stream")
    assert result.exit_code == 2 and "--stream is for path queries" in result.stderr
    Path("q.paths").write_text("QUERY q FROM <urn:a> ANY SHORTEST :p+")
    assert "  kept    a tree of shortest walks for each start" in invoke("explain", "q.paths", "--stream").stdout
    assert "kept" in json.loads(invoke("explain", "q.paths", "--stream", "--format", "json").stdout)


def test_explain_of_a_wrong_query(invoke: Invoke) -> None:
    Path("bad.spaseq").write_text(QUERY.replace("A ; B", "A ; X"))
    result = invoke("explain", "bad.spaseq")
    assert result.exit_code == 2 and "bad.spaseq:6:" in result.stderr


def test_generate(invoke: Invoke, folder: Path) -> None:
    result = invoke("generate", "stocks", "--events", "20", "--seed", "3", "--out", "new/stocks")
    assert result.exit_code == 0, result.stderr
    assert "wrote new/stocks/stock.nq" in result.stdout
    assert "spaseq run" in result.stdout
    first = Path("new/stocks/stock.nq").read_bytes()
    invoke("generate", "stocks", "--events", "20", "--seed", "3", "--out", "again")
    assert Path("again/stock.nq").read_bytes() == first


CEQL = "SELECT * WHERE A AS x ; B FILTER x[p < 3] WITHIN 3 EVENTS"


def test_check_and_explain_of_ceql(invoke: Invoke) -> None:
    """By the ending, or where that says nothing by what can be read."""
    for name in ("c.ceql", "c.txt"):
        Path(name).write_text(CEQL)
        assert invoke("check", name, "q.spaseq").stdout == f"{name}: ok\nq.spaseq: ok\n"
        assert "normal form  A[p < 3] AS x ; B\n" in invoke("explain", name).stdout
    assert invoke("check", "-", input=CEQL).stdout == "-: ok\n"
    assert json.loads(invoke("explain", "-", "--format", "json", input=CEQL).stdout)["automaton"]["chain"]
    assert invoke("explain", "c.ceql", "--format", "mermaid").stdout.startswith("stateDiagram-v2\n")


PATHS = """# films
PREFIX : <urn:relation:> PREFIX ex: <http://e/>
BASE <http://b/>
QUERY films FROM LABEL "Kismet" :directed_by/^:directed_by
"""


def test_check_of_path_queries(invoke: Invoke) -> None:
    for name in ("films.paths", "films.PATHS", "films.txt"):
        Path(name).write_text(PATHS)
        assert invoke("check", name, "q.spaseq").stdout == f"{name}: ok\nq.spaseq: ok\n"
    assert invoke("check", "-", input="query q :p").stdout == "-: ok\n"
    wrong = invoke("check", "-", input=PATHS + "QUERY more :p/")
    assert wrong.exit_code == 2 and "<standard input>:5:15: error: the query ends too early" in wrong.stderr
    warned = invoke("check", "-", input="QUERY q :p{0}")
    assert "<standard input>:1:9: warning" in warned.stdout and warned.stdout.endswith("-: ok\n")


def test_check_of_wrong_ceql(invoke: Invoke) -> None:
    wrong = invoke("check", "-", input=CEQL.replace(";", ","))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("<standard input>:1:23: error: unexpected ,")
    Path("w.ceql").write_text(CEQL.partition("WITHIN")[0])
    warned = invoke("check", "w.ceql")
    assert "warning: no WITHIN" in warned.stdout and "w.ceql: ok" in warned.stdout
    Path("s.ceql").write_text(QUERY)
    assert "s.ceql:1:1: error" in invoke("check", "s.ceql").stderr


def test_run_of_ceql(invoke: Invoke) -> None:
    Path("c.ceql").write_text(CEQL)
    result = invoke("run", "c.ceql", "--stream", "s=s.nq")
    assert (result.exit_code, result.stderr) == (2, "error: c.ceql is a query in CEQL, for tables: try spaseq tuples\n")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_generate_a_table(invoke: Invoke, folder: Path, form: str) -> None:
    result = invoke("generate", "trades", "--events", "2000", "--out", "new", "--format", form)
    wrote, command, _ = result.stdout.splitlines()
    assert (result.exit_code, wrote) == (0, f"wrote new/trades.{form}")
    assert int(invoke(*shlex.split(command)[1:], "--count").stdout) > 100


def test_generate_mistakes(invoke: Invoke) -> None:
    unknown = invoke("generate", "stock", "--out", "x")
    assert unknown.exit_code == 2 and "did you mean stocks?" in unknown.stderr
    assert invoke("generate", "stocks", "--events", "-1", "--out", "x").exit_code == 2
    assert invoke("generate", "stocks").exit_code == 2
    taken = invoke("generate", "stocks", "--out", "q.spaseq/inside", "--events", "1")
    assert taken.exit_code == 2 and "cannot write" in taken.stderr
    for_tables = invoke("generate", "stocks", "--out", "x", "--format", "csv")
    assert for_tables.exit_code == 2
    assert "stocks is written as N-Quads; --format csv is for trades" in for_tables.stderr
