"""What is malformed is kept with its place, and the rest goes on."""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("confluent_kafka")

from tests.cli.conftest import Invoke
from tests.sinks.test_sinks import of_topic
from tests.transports.kafka_cluster import Cluster
from tests.transports.scripted import event

ALL = "SELECT ?a FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
MAPPING = "EVENT <urn:{?n}> AT ?time CONSTRUCT { <urn:{?n}> <urn:value> ?value }"
CAST = """PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> EVENT <urn:{?n}> AT ?time
CONSTRUCT { <urn:{?n}> <urn:value> ?v } WHERE { BIND(xsd:integer(?value) AS ?v) }"""
RUN = "run all.spaseq --quiet --on-error dead-letter --dead-letters letters.jsonl --stream"
BROKEN = {  # messages of graphs, and of rows
    "no UTF-8": (b'<urn:x> <urn:value> "\xff" <urn:x> .', b'{"n": "\xff", "time": 1, "value": 1}'),
    "cut off": (event("x", 1)[:-30], b'{"n": "x", "time": 1, "val'),
    "another type": (event("x", 1).replace(b'"1"^^', b'"one"^^'), b'{"n": "x", "time": "one", "value": 1}'),
    "no time": (b'<urn:x> <urn:value> "1" <urn:x> .', b'{"n": "x", "value": 1}'),
    "another format": (b"<a><b/></a>", b"x;1;1"),
    "NUL": (b"\0" * 20, b"\0" * 20),
    "two times": (event("x", 1) + b"\n" + event("x", 2), b'{"n": null, "time": 1, "value": 1}'),
    "a huge number": (event("x", 10**40), b'{"n": "x", "time": 1' + b"0" * 40 + b', "value": 1}'),
    "deep": (b"[" * 5000, b'{"n": ' + b"[" * 5000 + b"]" * 5000 + b', "time": 1, "value": 1}'),
    "a number": (b"17", b"17"),
    "no object": (b"<urn:x> <urn:value> <urn:x>", b'[{"n": "x", "time": 1, "value": 1}]'),
    "a truncated frame of Jelly": (b"\x8a\x01\x0a\x60\x0a\x00\x10", b"\x8a\x01\x0a\x60\x0a\x00\x10"),
}


def data_of(letter: dict[str, Any]) -> bytes:
    return base64.b64decode(letter["base64"]) if "base64" in letter else letter["data"].encode()


def offset_of(letter: dict[str, Any]) -> int:
    return int(letter["position"].rpartition("@")[2].partition(":")[0].partition(",")[0])


@pytest.fixture
def letters(folder: Path) -> Path:
    (folder / "all.spaseq").write_text(ALL)
    (folder / "rows.map").write_text(MAPPING)
    return folder / "letters.jsonl"


@pytest.fixture(scope="module")
def cluster() -> Any:
    one = Cluster()
    yield one
    one.stop()


def row(number: int) -> bytes:
    return b'{"n": "e%d", "time": %d, "value": %d}' % (number, number, number)


@pytest.mark.parametrize("kind", ["graphs", "rows"])
def test_some_of_a_thousand_messages_are_broken(cluster: Cluster, invoke: Invoke, letters: Path, kind: str) -> None:
    good = [event(f"e{number}", number) if kind == "graphs" else row(number) for number in range(1, 1001)]
    messages = list(good)
    places = sorted(random.Random(7).sample(range(1, 1000), len(BROKEN)), reverse=True)
    for place, broken in zip(places, BROKEN.values(), strict=True):
        messages.insert(place, broken[kind == "rows"])
    cluster.send(kind, messages)
    mapped = ["--map", "s=rows.map"] if kind == "rows" else []
    result = invoke(*RUN.split(), f"s={cluster.url(kind, end='now', partition=0)}", *mapped, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    found = [json.loads(line)["bindings"]["a"]["value"] for line in result.stdout.splitlines()]
    assert found == [f"urn:e{number}" for number in range(1, 1001)]
    kept = sorted(map(json.loads, letters.read_text().splitlines()), key=offset_of)
    expected = [(number, one) for number, one in enumerate(messages) if one not in good]
    assert [data_of(one) for one in kept] == [one for _, one in expected]
    for letter, (number, _) in zip(kept, expected, strict=True):
        assert letter["position"].startswith(f"kafka://{cluster.servers}/{kind}[0]@{number}")
        assert letter["stream"] == "urn:s" and letter["reason"]


def test_to_a_topic(cluster: Cluster, invoke: Invoke, letters: Path) -> None:
    cluster.make("letters")
    broken = b'{"n": \xff'
    cluster.send("of one", [row(1), broken, row(2)])
    line = [*RUN.replace("letters.jsonl", cluster.url("letters")).split(), f"s={cluster.url('of one', end='now')}"]
    result = invoke(*line, "--map", "s=rows.map", "--count")
    assert (result.exit_code, result.stdout) == (0, "2\n")
    ((data, headers),) = of_topic(cluster, "letters")
    assert data == broken
    assert headers["position"].decode().startswith(f"kafka://{cluster.servers}/of one[0]@1")
    assert headers["stream"] == b"urn:s" and headers["reason"].startswith(b"this is no JSON")


def test_of_files(invoke: Invoke, letters: Path, folder: Path) -> None:
    (folder / "t.csv").write_text(  # of which a time is none, and a value is missing
        "n,time,value\na,2026-01-01,1\nb,x,2\nc,3\nd,2026-01-04,4\n"
    )
    result = invoke(*RUN.split(), "s=t.csv", "--map", "s=rows.map", "--count")
    assert result.exit_code == 0, result.stderr
    kept = [json.loads(line) for line in letters.read_text().splitlines()]
    assert sorted((one["position"], one["data"], one["reason"]) for one in kept) == [
        ("t.csv:3", "b,x,2", 'the row is no event: ?time is "x", no time'),
        ("t.csv:4", "c,3", "the number of values is 2, that of columns 3"),
    ]


LINES = {  # of which some are no UTF-8, and a row is on two lines; those that are broken
    "t.csv": (
        b'n,time,value\na,1,1\n\xff,x,2\n"b\nc",2,much\nd,4\r\ne,5,5\n',
        [b"\xff,x,2", b'"b\nc",2,much', b"d,4"],
    ),
    "t.jsonl": (
        b'{"n": "a", "time": 1, "value": 1}\n{"n": "\xff", "time": 2, "value": 2}\n {"n": 1, \n'
        b'{"n": "e", "time": 5, "value": 5}\n',
        [b'{"n": "\xff", "time": 2, "value": 2}', b' {"n": 1, '],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("command", ["run", "tuples"])
def test_lines_of_files_are_kept_as_they_are(invoke: Invoke, letters: Path, name: str, command: str) -> None:
    text, expected = LINES[name]
    Path(name).write_bytes(text)
    Path("all.ceql").write_text("SELECT a.n FROM S WHERE T AS a FILTER a[value < 9]")
    line = [*RUN.split(), f"s={name}", "--map", "s=cast.map"]
    if command == "tuples":
        line = ["tuples", "all.ceql", "--events", name, *RUN.split()[2:-1], "--relation", "T", "--time", "time"]
        line += ["--declare", "value=int64", "--declare", "time=int64"]
    Path("cast.map").write_text(CAST)
    result = invoke(*line, "--count")
    assert (result.exit_code, result.stdout) == (0, "2\n"), result.stderr
    assert sorted(data_of(json.loads(one)) for one in letters.read_text().splitlines()) == sorted(expected)


def test_a_line_of_n_quads_is_kept_as_it_is(invoke: Invoke, letters: Path, folder: Path) -> None:
    broken = b'<urn:b> <urn:value> "\xff\x01" <urn:b> .'
    (folder / "s.nq").write_bytes(b"\n".join([event("a", 1), broken, event("c", 3), b""]))
    assert invoke(*RUN.split(), "s=s.nq", "--count").stdout == "2\n"
    assert [data_of(json.loads(one)) for one in letters.read_text().splitlines()] == [broken]


def test_a_run_that_goes_on_keeps_each_once(invoke: Invoke, letters: Path, folder: Path) -> None:
    lines = [event("a", 1), b"<urn:b> broken .", event("c", 3)]
    (folder / "s.nq").write_bytes(b"\n".join(lines) + b"\n")
    line = [*RUN.split(), "s=s.nq", "--checkpoint", "kept", "--format", "jsonl"]
    assert invoke(*line).exit_code == 0
    assert [json.loads(one)["position"] for one in letters.read_text().splitlines()] == ["s.nq:3:9"]
    with (folder / "s.nq").open("ab") as file:
        file.write(b"<urn:d> broken .\n" + event("e", 5) + b"\n")
    assert invoke(*line).exit_code == 0
    kept = [json.loads(one) for one in letters.read_text().splitlines()]
    assert [(one["position"], one["data"]) for one in kept] == [
        ("s.nq:3:9", "<urn:b> broken ."),
        ("s.nq:6:9", "<urn:d> broken ."),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--on-error dead-letter", "say where they go, as in --dead-letters letters.jsonl"),
        ("--dead-letters x", "--dead-letters goes with --on-error dead-letter"),
        ("--on-error dead-letter --dead-letters s.nq", "--dead-letters s.nq: this file is read in the same run"),
        ("--on-error dead-letter --dead-letters x --output x", "cannot both write x"),
        ("--on-error dead-letter --dead-letters parts/", "they go to files, Kafka, MQTT and HTTP"),
    ],
)
def test_what_does_not_go_together(invoke: Invoke, letters: Path, options: str, message: str) -> None:
    result = invoke("run", "all.spaseq", "--stream", "s=s.nq", *options.split())
    assert result.exit_code == 2
    assert message in result.stderr
