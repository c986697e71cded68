"""``spaseq run`` from end to end."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyoxigraph
import pytest
from pyoxigraph import QueryResultsFormat, RdfFormat, parse_query_results

from tests.cli.conftest import CONSTRUCT, MATCHES, QUERY, STREAM, Invoke, event

NS = "http://example.org/"


def test_jsonl_is_the_default_of_a_pipe(invoke: Invoke) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines == [
        {
            "first": f"2026-01-01T00:00:0{a}Z",
            "last": f"2026-01-01T00:00:0{b}Z",
            "events": {"A": [f"{NS}e{a}"], "B": [f"{NS}e{b}"]},
            "bindings": {
                "x": {"type": "uri", "value": NS + x},
                "v": {"type": "literal", "value": v},
                "w": {"type": "literal", "value": w},
            },
        }
        for x, v, w, a, b in MATCHES
    ]


@pytest.mark.parametrize("name", ["json", "xml", "tsv"])
def test_sparql_formats(invoke: Invoke, name: str) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--format", name)
    assert result.exit_code == 0, result.stderr
    solutions = parse_query_results(result.stdout.encode(), format=getattr(QueryResultsFormat, name.upper()))
    assert [tuple(term.value for term in row) for row in solutions] == [(NS + x, v, w) for x, v, w, *_ in MATCHES]


def test_csv(invoke: Invoke) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--format", "csv")
    assert b"x,v,w\r\n" in result.stdout_bytes
    rows = list(csv.reader(io.StringIO(result.stdout_bytes.decode(), newline="")))
    assert rows[1:] == [[NS + x, v, w] for x, v, w, *_ in MATCHES]


def test_table(invoke: Invoke) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--format", "table")
    assert "?x" in result.stdout and "ex:a" in result.stdout and "A ex:e1, B ex:e3" in result.stdout


def test_derived_stream_can_be_read_again(invoke: Invoke, folder: Path) -> None:
    for name, ending in ("nquads", "nq"), ("trig", "trig"):
        result = invoke("run", "c.spaseq", "--stream", "s=s.nq", "--format", name, "--output", f"out.{ending}")
        assert (result.exit_code, result.stdout) == (0, ""), result.stderr
        again = invoke("run", "r.spaseq", "--stream", f"out=out.{ending}", "--format", "csv")
        assert again.stdout_bytes.split() == [b"sum", b"1", b"2"]
    quads = list(pyoxigraph.parse((folder / "out.nq").read_bytes(), format=RdfFormat.N_QUADS))
    assert len({quad.graph_name for quad in quads}) == 3


def test_a_construct_feeds_another_query(invoke: Invoke) -> None:
    result = invoke("run", "c.spaseq", "r.spaseq", "--stream", "s=s.nq")
    assert result.exit_code == 0, result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert sorted(line["query"] for line in lines) == ["c", "c", "r", "r"]
    made = {line["event"] for line in lines if line["query"] == "c"}
    assert made == {line["events"]["A"][0] for line in lines if line["query"] == "r"}
    solutions = invoke("run", "c.spaseq", "r.spaseq", "--stream", "s=s.nq", "--format", "csv")
    assert solutions.stdout.split() == ["sum", "1", "2"]


def test_count(invoke: Invoke) -> None:
    assert invoke("run", "q.spaseq", "--stream", "s=s.nq", "--count").stdout == "2\n"
    assert invoke("run", "q.spaseq", "--stream", "s=s.nq", "--count", "--limit", "1").stdout == "1\n"
    assert invoke("run", "c.spaseq", "--stream", "s=s.nq", "--count").stdout == "2\n"


@pytest.mark.parametrize("limit", [0, 1, 2, 5])
def test_limit(invoke: Invoke, limit: int) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--limit", str(limit))
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, min(limit, 2))
    document = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--limit", str(limit), "--format", "json").stdout
    assert len(json.loads(document)["results"]["bindings"]) == min(limit, 2)


def test_statistics(invoke: Invoke) -> None:
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--stats")
    statistics = json.loads(result.stderr)
    assert statistics["queries"]["q"]["results"] == 2
    assert statistics["streams"][NS + "s"]["events"] == 4
    assert len(result.stdout.splitlines()) == 2


def test_late_events(invoke: Invoke, folder: Path) -> None:
    Path("late.nq").write_text(event(5, 'a v "1"') + event(1, 'b v "2"') + event(6, 'a w "3"') + event(7, 'b w "4"'))
    result = invoke("run", "q.spaseq", "--stream", "s=late.nq", "--count", "--late", "too-late.nq", "--stats")
    assert result.stdout == "1\n", result.stderr
    assert json.loads(result.stderr)["streams"][NS + "s"]["late"] == 1
    assert Path("too-late.nq").read_text().count(f"<{NS}e1>") == 2
    patient = invoke("run", "q.spaseq", "--stream", "s=late.nq", "--count", "--lateness", "5s")
    assert patient.stdout == "2\n"


def test_malformed_events_stop_or_are_skipped(invoke: Invoke) -> None:
    lines = STREAM.splitlines(keepends=True)
    Path("bad.nq").write_text("".join([*lines[:4], "<http://example.org/b> broken\n", *lines[4:]]))
    stopped = invoke("run", "q.spaseq", "--stream", "s=bad.nq")
    assert stopped.exit_code == 1
    assert "bad.nq:5:" in stopped.stderr and "Traceback" not in stopped.stderr
    skipped = invoke("run", "q.spaseq", "--stream", "s=bad.nq", "--on-error", "skip", "--count")
    assert (skipped.exit_code, skipped.stdout) == (0, "1\n")


def test_results_before_a_malformed_event_get_out(invoke: Invoke) -> None:
    Path("bad.nq").write_text(STREAM + event(4, 'c v "5"') + "nonsense\n")
    for name in "jsonl", "json":
        result = invoke("run", "q.spaseq", "--stream", "s=bad.nq", "--format", name)
        assert result.exit_code == 1
        assert result.stdout.count("http://example.org/a") == 1
    json.loads(result.stdout)


def test_times_of_another_property_and_unit(invoke: Invoke) -> None:
    text = STREAM.replace("http://www.w3.org/ns/prov#generatedAtTime", "urn:time")
    for second in range(4):
        text = text.replace(f'"2026-01-01T00:00:0{second}Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>', f'"{second}"'
                            "^^<http://www.w3.org/2001/XMLSchema#integer>")  # fmt: skip
    Path("numbers.nq").write_text(text)
    result = invoke("run", "q.spaseq", "--stream", "s=numbers.nq", "--time-property", "<urn:time>", "--time-unit", "s")
    assert json.loads(result.stdout.splitlines()[0])["last"] == "1970-01-01T00:00:02Z", result.stderr


def test_knowledge(invoke: Invoke) -> None:
    Path("k.spaseq").write_text(QUERY.replace("{ ?x ex:w ?w }", "{ ?x ex:w ?w GRAPH <urn:kb> { ?x ex:good true } }"))
    Path("kb.ttl").write_text("@prefix ex: <http://example.org/> . ex:b ex:good true .")
    result = invoke("run", "k.spaseq", "--stream", "s=s.nq", "--kb", "urn:kb=kb.ttl", "--format", "csv")
    assert result.stdout_bytes.splitlines()[1:] == [b"http://example.org/b,2,4"], result.stderr
    without = invoke("run", "k.spaseq", "--stream", "s=s.nq", "--count")
    assert (without.stdout, "warning: no --kb gives GRAPH <urn:kb>" in without.stderr) == ("0\n", True)


WRONG: dict[str, tuple[list[str], str]] = {
    "unknown option": (["--frobnicate"], "No such option"),
    "unknown format": (["--format", "yaml"], "yaml"),
    "missing query": (["nowhere.spaseq"], "nowhere.spaseq"),
    "query is a directory": (["."], "directory"),
    "missing stream file": (["q.spaseq", "--stream", "s=nowhere.nq"], "no such file: nowhere.nq"),
    "no source": (["q.spaseq"], "nothing supplies the stream s"),
    "unknown stream": (["q.spaseq", "--stream", "S=s.nq"], "did you mean s?"),
    "malformed stream": (["q.spaseq", "--stream", "s"], "--stream NAME=PATH"),
    "bad duration": (["q.spaseq", "--stream", "s=s.nq", "--lateness", "soon"], "soon"),
    "negative limit": (["q.spaseq", "--stream", "s=s.nq", "--limit", "-1"], "-1"),
    "csv of a construct": (["c.spaseq", "--stream", "s=s.nq", "--format", "csv"], "one SELECT query"),
    "trig of a select": (["q.spaseq", "--stream", "s=s.nq", "--format", "trig"], "CONSTRUCT"),
    "csv of two selects": (["q.spaseq", "q.spaseq", "--stream", "s=s.nq", "--format", "csv"], "one SELECT query"),
    "missing knowledge": (["q.spaseq", "--stream", "s=s.nq", "--kb", "urn:k=none.ttl"], "no such file"),
    "output into nowhere": (["q.spaseq", "--stream", "s=s.nq", "--output", "no/where"], "cannot write"),
    "a stream without --stream": (
        ["q.spaseq", "s=s.nq"],
        "s=s.nq is no query: an option is missing before it, as in --stream s",
    ),
    "a second one": (["q.spaseq", "--stream", "s=s.nq", "t=t.nq.gz"], "t=t.nq.gz is no query"),
    "a data file alone": (["q.spaseq", "s.nq"], "s.nq holds data, no query: write --stream NAME=s.nq"),
    "a table": (["t.csv"], "t.csv holds data, no query: write --events NAME=t.csv"),
    "a large file": (
        ["large"],
        "large has 5,000,000 bytes, but a query at most 1,048,576 characters; a stream is given as",
    ),
    "a stream without name": (["q.spaseq", "--stream", "s.nq"], "write --stream NAME=PATH, as in --stream s=s.nq"),
    "knowledge without IRI": (
        ["k.spaseq", "--stream", "s=s.nq", "--kb", "kb.ttl"],
        "--kb kb.ttl: write --kb IRI=PATH, as in --kb urn:kb=kb.ttl",
    ),
    "knowledge that no query reads": (["q.spaseq", "--stream", "s=s.nq", "--kb", "kb.ttl"], "write --kb IRI=PATH"),
    "bad query": (["bad.spaseq", "--stream", "s=s.nq"], "bad.spaseq:"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_options_and_queries(invoke: Invoke, case: str) -> None:
    Path("bad.spaseq").write_text(QUERY.replace("A ; B", "A ; B,"))
    Path("k.spaseq").write_text(QUERY.replace("ex:v ?v", "ex:v ?v . GRAPH <urn:kb> { ?x ex:w ?w }"))
    Path("large").write_bytes(b"x" * 5_000_000)
    arguments, message = WRONG[case]
    result = invoke("run", *arguments)
    assert result.exit_code == 2, (result.stdout, result.stderr)
    assert message in result.stderr
    assert "Traceback" not in result.stderr and result.stdout == ""


@pytest.mark.parametrize(
    ("content", "name"), [(b"", "s.nq"), (b"\x1f\x8b damaged", "s.nq.gz"), (b"{}", "s.json"), (b"<a", "s.nq")]
)
def test_unreadable_streams_fail_without_a_trace(invoke: Invoke, content: bytes, name: str) -> None:
    Path(name).write_bytes(content)
    result = invoke("run", "q.spaseq", "--stream", f"s={name}")
    assert result.exit_code in ((0,) if not content else (1, 2))
    assert "Traceback" not in result.stderr and "internal" not in result.stderr


def test_several_wrong_queries_are_all_reported(invoke: Invoke) -> None:
    for name in "one", "two":
        Path(f"{name}.spaseq").write_text(CONSTRUCT.replace("A ; B", "A ; Nobody"))
    result = invoke("run", "one.spaseq", "two.spaseq", "--stream", "s=s.nq")
    assert result.exit_code == 2
    assert "one.spaseq:6" in result.stderr and "two.spaseq:6" in result.stderr
