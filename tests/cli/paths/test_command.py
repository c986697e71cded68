"""``spaseq paths``: formats, options, what is told on standard error."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from tests.cli.conftest import Invoke

KB = """\
Kismet|directed_by|William Dieterle
The Life of Emile Zola|directed_by|William Dieterle
The Life of Emile Zola|starred_actors|Paul Muni
Kismet|starred_actors|Ronald Colman
"""
QUERY = 'QUERY colleagues FROM LABEL "Kismet" ALL WALK :directed_by/^:directed_by/:starred_actors NOT BACK TO START\n'
MORE = 'QUERY actors FROM LABEL "Kismet" ALL WALK :starred_actors\n'
TEXT = (
    "Kismet -> directed_by -> William Dieterle -> ^directed_by -> The Life of Emile Zola -> starred_actors -> Paul Muni"
)
LITERAL = ("Kismet", "William Dieterle", "The Life of Emile Zola", "Paul Muni")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("kb.txt").write_text(KB)
    Path("one.paths").write_text(QUERY)
    Path("two.paths").write_text(QUERY + MORE)
    return tmp_path


def test_lines_of_json(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "one.paths", "--graph", "kb.txt")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "query": "colleagues",
        "nodes": [{"type": "literal", "value": name} for name in LITERAL],
        "edges": [
            {"predicate": "urn:relation:directed_by", "inverse": False},
            {"predicate": "urn:relation:directed_by", "inverse": True},
            {"predicate": "urn:relation:starred_actors", "inverse": False},
        ],
    }


def test_table(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "two.paths", "--graph", "kb.txt", "--format", "table")
    lines = result.stdout.splitlines()
    assert lines[0] == "colleagues" and lines[3] == f"3        {TEXT}"
    assert lines[5] == "actors" and lines[8] == "1        Kismet -> starred_actors -> Ronald Colman"


def test_csv(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "one.paths", "--graph", "kb.txt", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(result.stdout))
    assert row == {
        "length": "3",
        "path": '"Kismet" <urn:relation:directed_by> "William Dieterle" ^<urn:relation:directed_by> '
        '"The Life of Emile Zola" <urn:relation:starred_actors> "Paul Muni"',
    }
    refused = invoke("paths", "two.paths", "--graph", "kb.txt", "--format", "csv")
    assert refused.exit_code == 2 and "one query" in refused.stderr


def test_parquet(files: Path, invoke: Invoke) -> None:
    invoke("paths", "one.paths", "--graph", "kb.txt", "--format", "parquet", "--output", "found.parquet")
    (row,) = parquet.read_table("found.parquet").to_pylist()
    assert row["nodes"] == [f'"{name}"' for name in LITERAL] and row["inverse"] == [False, True, False]


def test_counts(files: Path, invoke: Invoke) -> None:
    assert invoke("paths", "one.paths", "--graph", "kb.txt", "--count").stdout == "1\n"
    assert invoke("paths", "two.paths", "--graph", "kb.txt", "--count").stdout == "colleagues 1\nactors 1\n"


def test_ends(files: Path, invoke: Invoke) -> None:
    result = invoke("paths", "two.paths", "--graph", "kb.txt", "--ends")
    pairs = [
        (row["query"], row["start"]["value"], row["end"]["value"])
        for row in map(json.loads, result.stdout.splitlines())
    ]
    assert pairs == [("colleagues", "Kismet", "Paul Muni"), ("actors", "Kismet", "Ronald Colman")]
    assert invoke("paths", "two.paths", "--graph", "kb.txt", "--ends", "--count").stdout == "colleagues 1\nactors 1\n"
    result = invoke("paths", "one.paths", "--graph", "kb.txt", "--ends", "--format", "csv")
    assert result.stdout.splitlines() == ["start,end", '"""Kismet""","""Paul Muni"""']
    invoke("paths", "one.paths", "--graph", "kb.txt", "--ends", "--format", "parquet", "--output", "found.parquet")
    (row,) = parquet.read_table("found.parquet").to_pylist()
    assert row == {"query": "colleagues", "start": '"Kismet"', "end": '"Paul Muni"'}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--format", "svg"], "svg: not with --ends"),
        (["--format", "csv"], "one query"),
        (["--most-nodes", "3"], "--most-nodes is about pictures"),
    ],
)
def test_what_ends_are_not(files: Path, invoke: Invoke, options: list[str], text: str) -> None:
    refused = invoke("paths", "two.paths", "--graph", "kb.txt", "--ends", *options)
    assert refused.exit_code == 2 and text in refused.stderr


def test_counts_within_budgets(files: Path, invoke: Invoke) -> None:
    Path("all.paths").write_text('QUERY q FROM LABEL "Kismet" TRAIL (!:x|!^:x)+\n')
    limited = invoke("paths", "all.paths", "--graph", "kb.txt", "--limit", "1", "--count")
    assert (limited.stdout, limited.stderr) == ("1\n", "")
    cut = invoke("paths", "all.paths", "--graph", "kb.txt", "--most-edges", "2", "--ends", "--count")
    assert cut.stderr.startswith("warning: not all paths")


def test_several_files_have_different_names(files: Path, invoke: Invoke) -> None:
    Path("more.paths").write_text(MORE)
    assert (
        invoke("paths", "one.paths", "more.paths", "--graph", "kb.txt", "--count").stdout == "colleagues 1\nactors 1\n"
    )
    twice = invoke("paths", "one.paths", "two.paths", "--graph", "kb.txt")
    assert twice.exit_code == 2 and "two queries are called colleagues" in twice.stderr


def test_what_is_missing_is_told(files: Path, invoke: Invoke) -> None:
    Path("bad.paths").write_text('QUERY q FROM LABEL "Nobody" ALL WALK :directd_by\n')
    result = invoke("paths", "bad.paths", "--graph", "kb.txt")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.splitlines() == [
        "warning: q: no edge has the predicate <urn:relation:directd_by>; did you mean urn:relation:directed_by?",
        "warning: q: no node of the graph is LABEL 'Nobody'",
        "no results",
    ]
    assert invoke("paths", "bad.paths", "--graph", "kb.txt", "--quiet").stderr == ""
    assert invoke("paths", "bad.paths", "--graph", "kb.txt", "--strict").exit_code == 1


def test_a_search_that_ends_early_says_so(files: Path, invoke: Invoke) -> None:
    Path("all.paths").write_text('QUERY q FROM LABEL "Kismet" TRAIL (!:x|!^:x)+\n')
    result = invoke("paths", "all.paths", "--graph", "kb.txt", "--most-edges", "2")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == "warning: not all paths: the search ended early, as its limit says"
    limited = invoke("paths", "all.paths", "--graph", "kb.txt", "--limit", "1")
    assert (len(limited.stdout.splitlines()), limited.stderr) == (1, "")
    assert invoke("paths", "all.paths", "--graph", "kb.txt", "--time-limit", "10s").stderr == ""


def test_columns_and_separators(files: Path, invoke: Invoke) -> None:
    Path("kb.csv").write_text("tail;how;head\nWilliam Dieterle;directed_by;Kismet\n")
    Path("d.paths").write_text('QUERY q FROM LABEL "Kismet" ALL WALK :directed_by\n')
    options = ("--columns", "head,how,tail", "--separator", ";")
    assert invoke("paths", "d.paths", "--graph", "kb.csv", *options, "--count").stdout == "1\n"
    wrong = invoke("paths", "d.paths", "--graph", "kb.csv", "--columns", "head,how")
    assert wrong.exit_code == 2 and "write three names" in wrong.stderr
    label = invoke("paths", "d.paths", "--graph", "kb.csv", *options, "--label-property", "urn:x")
    assert label.exit_code == 2 and "--label-property is about RDF" in label.stderr


@pytest.mark.parametrize(
    ("graph", "code", "text"),
    [
        ("missing.nt", 1, "missing.nt: error: cannot read"),
        ("bad.nt", 1, "bad.nt:1:"),
        ("one.paths", 1, "unknown format 'paths'"),
    ],
)
def test_graphs_that_cannot_be_read(files: Path, invoke: Invoke, graph: str, code: int, text: str) -> None:
    Path("bad.nt").write_text("<urn:a> <urn:b> .\n")
    result = invoke("paths", "one.paths", "--graph", graph)
    assert (result.exit_code, result.stdout) == (code, "") and text in result.stderr


def test_wrong_queries_show_their_place(files: Path, invoke: Invoke) -> None:
    Path("bad.paths").write_text('QUERY q FROM LABEL "Kismet" ALL WALK :p*\n')
    for command in ("paths", "check", "explain"):
        result = invoke(command, "bad.paths", *(("--graph", "kb.txt") if command == "paths" else ()))
        assert result.exit_code == 2 and result.stderr.startswith("bad.paths:1:")


def test_too_large_expressions_show_their_place(files: Path, invoke: Invoke) -> None:
    Path("bad.paths").write_text('QUERY q FROM LABEL "Kismet" ALL WALK (:p{1000}){100}\n')
    result = invoke("paths", "bad.paths", "--graph", "kb.txt")
    assert result.exit_code == 2 and result.stderr.startswith("bad.paths:1:38: error: the expression has more than")


@pytest.mark.parametrize("form", ["text", "json", "dot", "mermaid"])
def test_explain(files: Path, invoke: Invoke, form: str) -> None:
    result = invoke("explain", "two.paths", "--format", form)
    assert result.exit_code == 0 and "starred_actors" in result.stdout


def test_run_knows_path_queries(files: Path, invoke: Invoke) -> None:
    result = invoke("run", "one.paths", "--stream", "s=kb.txt")
    assert result.exit_code == 2
    assert "one.paths has path queries, for graphs that stay as they are: try spaseq paths" in result.stderr


def test_a_graph_is_saved_and_opened(files: Path, invoke: Invoke) -> None:
    expected = invoke("paths", "two.paths", "--graph", "kb.txt").stdout
    saved = invoke("paths", "--graph", "kb.txt", "--save", "kb.spaseqgraph")
    assert (saved.exit_code, saved.stdout, saved.stderr) == (0, "", "")
    assert invoke("paths", "two.paths", "--graph", "kb.spaseqgraph").stdout == expected
    both = invoke("paths", "two.paths", "--graph", "kb.txt", "--save", "other.spaseqgraph")
    assert both.stdout == expected
    assert Path("other.spaseqgraph").read_bytes() == Path("kb.spaseqgraph").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--graph", "kb.txt"], "Missing argument"),
        (["--graph", "kb.txt", "--save", "kb.nt"], "the name of a saved graph ends in .spaseqgraph: kb.nt"),
        (["--graph", "bad.spaseqgraph", "--save", "bad.spaseqgraph"], "this file is read in the same run"),
        (["one.paths", "--graph", "bad.spaseqgraph"], "bad.spaseqgraph: error: this is no saved graph"),
        (
            ["one.paths", "--graph", "kb.txt", "--save", "none/kb.spaseqgraph"],
            "cannot write none/kb.spaseqgraph",
        ),
    ],
)
def test_what_is_wrong_with_saved_graphs(files: Path, invoke: Invoke, arguments: list[str], told: str) -> None:
    Path("bad.spaseqgraph").write_bytes(b"graph")
    result = invoke("paths", *arguments)
    assert result.exit_code != 0 and told in result.stderr


def test_pictures(files: Path, invoke: Invoke) -> None:
    drawn = invoke("paths", "two.paths", "--graph", "kb.txt", "--format", "svg")
    assert drawn.exit_code == 0 and drawn.stdout.startswith("<svg ") and drawn.stdout.endswith("</svg>\n")
    few = invoke("paths", "two.paths", "--graph", "kb.txt", "--format", "dot", "--most-nodes", "4")
    assert 'label="not drawn: 1 path with 1 more node"' in few.stdout
    wrong = invoke("paths", "two.paths", "--graph", "kb.txt", "--format", "csv", "--most-nodes", "4")
    assert wrong.exit_code == 2 and "--most-nodes is about pictures" in wrong.stderr
