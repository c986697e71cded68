"""``spaseq convert``: what is written is read again as the same events, in order of time."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import spaseq
from spaseq.graphs.graph_run import Run
from tests.cli.conftest import Invoke

MAPPING = """PREFIX x: <http://e/>
EVENT <http://e/{?id}> AT ?time UNIT s
CONSTRUCT { <http://e/{?id}> x:v ?v ; x:of [ x:name ?name ] }
"""
QUERY = """PREFIX x: <http://e/>
SELECT ?v ?name FROM STREAM s <urn:s>
WHERE { SEQ(A) DEFINE GPM A ON s { ?q x:v ?v ; x:of ?o . ?o x:name ?name } }"""
ROWS = "id,time,v,name\n" + "".join(f'{one},{one * 7 % 10},{one}.50,"n ""{one}"" \\ ä"\n' for one in range(30))


@pytest.fixture
def place(folder: Path) -> Path:
    (folder / "a.csv").write_text(ROWS)
    (folder / "a.map").write_text(MAPPING)
    return folder


def results(source: object) -> list[str]:
    """What there is in events, and their names."""
    run = Run(QUERY, {"s": source})  # type: ignore[dict-item]
    return [f"{match.events['A']} {match.first} {match}" for match in run]


def test_tables_in_any_order(place: Path, invoke: Invoke) -> None:
    header, *rows = ROWS.splitlines(keepends=True)
    in_order = sorted(rows, key=lambda row: int(row.split(",")[1]))
    (place / "sorted.csv").write_text(header + "".join(in_order))
    for memory in ("1m", "256m"):
        done = invoke("convert", "a.csv", "--map", "a.map", "--output", "a.nq", "--memory", memory)
        assert (done.exit_code, done.output) == (0, "")
        assert results("a.nq") == results(spaseq.Mapped("sorted.csv", Path("a.map")))
    assert not [one.name for one in place.iterdir() if one.name.startswith(".")]  # nothing is left beside it


def test_events_without_a_name_have_that_of_their_stream(place: Path, invoke: Invoke) -> None:
    Path("b.map").write_text(
        "AT ?time UNIT s CONSTRUCT { [] <http://e/v> ?v ; <http://e/of> [ <http://e/name> ?name ] }"
    )
    Path("b.csv").write_text("time,v,name\n1,1,a\n2,2,b\n")
    invoke("convert", "b.csv", "--map", "b.map", "--output", "b.nq", "--stream", "urn:s")
    assert results("b.nq") == results(spaseq.Mapped("b.csv", Path("b.map")))


def test_rdf_in_any_order(place: Path, invoke: Invoke) -> None:
    Path("1.trig").write_text(
        "PREFIX p: <http://www.w3.org/ns/prov#> PREFIX x: <http://e/>\n"
        'x:b p:generatedAtTime 2 . x:b { x:b x:v 2 ; x:of [ x:name "b" ] }\n'
        'x:a p:generatedAtTime 1 . x:a { x:a x:v 01 ; x:of _:n . _:n x:name "a"@en }\n'
    )
    assert invoke("convert", "1.trig", "--output", "1.nq").output == ""
    assert [one.split()[0] for one in results("1.nq")] == ["['http://e/a']", "['http://e/b']"]
    assert b'"01"^^' in Path("1.nq").read_bytes()  # terms are as they were written
    once = Path("1.nq").read_bytes()
    assert invoke("convert", "1.nq", "--output", "2.nq").output == ""
    assert Path("2.nq").read_bytes() == once


def test_standard_output_and_gzip(place: Path, invoke: Invoke) -> None:
    arguments = ("convert", "a.csv", "--map", "a.map", "--output")
    shown = invoke(*arguments, "-").stdout
    invoke(*arguments, "a.nq.gz")
    invoke(*arguments, "a.nq")
    assert shown.encode() == gzip.decompress(Path("a.nq.gz").read_bytes()) == Path("a.nq").read_bytes()


def test_what_is_malformed_is_counted(place: Path, invoke: Invoke) -> None:
    Path("a.csv").write_text("id,time,v,name\n1,,1,a\n2,2,2,b\n")
    arguments = ("convert", "a.csv", "--map", "a.map", "--output", "a.nq")
    stopped = invoke(*arguments)
    assert stopped.exit_code == 1
    assert stopped.stderr.startswith("a.csv:2: error: the row is no event: ?time is unbound")
    assert not Path("a.nq").exists()
    skipped = invoke(*arguments, "--on-error", "skip")
    assert skipped.exit_code == 0
    assert "warning: 1 malformed event of <urn:spaseq:stream> was skipped" in skipped.stderr
    assert len(results("a.nq")) == 1
    assert invoke(*arguments, "--on-error", "skip", "--strict").exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.csv", "--output", "a.nq"], "CSV is no format of streams, unless a mapping says what rows mean"),
        (["a.csv", "--map", "a.map", "--output", "a.csv"], "--output a.csv: this file is read in the same run"),
        (["a.csv", "--map", "none.map", "--output", "a.nq"], "none.map"),
        (["none.csv", "--map", "a.map", "--output", "a.nq"], "none.csv: error: cannot read: no such file"),
        (["a.csv", "--map", "a.map", "--output", "a.nq", "--memory", "7"], "7 is no size: write 256m or 4g"),
        (["a.csv", "--map", "a.map", "--output", "a.nq", "--memory", "1k"], "--memory: 1m is the least"),
        (["-", "-", "--output", "a.nq"], "only one input can be standard input"),
        (["a.nq", "--separator", ";", "--output", "b.nq"], "--separator is about tables"),
        (["a.csv", "--map", "a.map", "--output", "none/a.nq"], "cannot write to none/a.nq: No such file or directory"),
    ],
)  # fmt: skip
def test_errors(arguments: list[str], message: str, place: Path, invoke: Invoke) -> None:
    done = invoke("convert", *arguments)
    assert done.exit_code in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
