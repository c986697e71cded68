"""Malformed queries and streams through the command line: exit codes, one screen, a position, nothing lost silently."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.cli.conftest import STREAM, Invoke, event, start

TESTS = Path(__file__).resolve().parents[1]
QUERIES = sorted((TESTS / "language" / "errors").glob("*.txt"))
GOLDEN = json.loads((TESTS / "streams" / "errors" / "golden.json").read_text(encoding="utf-8"))
STREAMS = sorted(path for path in (TESTS / "streams" / "errors").iterdir() if path.name in GOLDEN)
UNPLACED = {"csv.csv", "turtle.ttl", "gzip_cut_off.nq.gz", "gzip_damaged.nq.gz"}  # the whole file is wrong
MOST_LINES = 25
ANY_EVENT = """\
SELECT ?v
FROM STREAM s <http://example.org/s>
WITHIN 1 HOUR
WHERE { SEQ(A) DEFINE GPM A ON s { ?s ?p ?v } }
"""


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("=" * 40 + "\n")[0]


def assert_clear(stderr: str, position: str | None) -> None:
    """A message of one screen that begins with its place, and shows the line with a caret."""
    lines = stderr.splitlines()
    assert 0 < len(lines) <= MOST_LINES
    assert not re.search(r"Traceback|internal error|File \"|object at 0x", stderr)
    if position is not None:
        assert re.match(re.escape(position) + r":\d+:\d+: error: \S", lines[0]), lines[0]
        if len(lines) > 1 and not lines[1].startswith(("hint", "expected")):
            assert re.fullmatch(r" +\^+", lines[2]), stderr


def test_there_are_enough() -> None:
    assert len(QUERIES) >= 40
    assert len(STREAMS) >= 20


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("command", ["check", "explain", "run"])
@pytest.mark.parametrize("path", QUERIES, ids=lambda path: path.stem)
def test_malformed_query(invoke: Invoke, path: Path, command: str) -> None:
    Path("bad.spaseq").write_text(text_of(path), encoding="utf-8")
    streams = ["--stream", "s=s.nq"] if command == "run" else []
    result = invoke(command, "bad.spaseq", *streams)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert_clear(result.stderr, "bad.spaseq")


def test_all_malformed_queries_in_one_process(folder: Path) -> None:
    for path in QUERIES:
        (folder / f"{path.stem}.spaseq").write_text(text_of(path), encoding="utf-8")
    files = [f"{path.stem}.spaseq" for path in QUERIES]
    process = start("check", *files, stdin=subprocess.DEVNULL)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 2
    assert output == ""
    assert [line.partition(":")[0] for line in errors.splitlines() if ": error: " in line] == files


FEW_WORDS = {
    "undecodable bytes": b"SELECT ?\xff",
    "UTF-16": "SELECT ?x".encode("utf-16"),
    "a zip file": b"PK\x03\x04\x14\x00\x00\x00\x08\x00",
    "zeros": b"\0" * 100,
    "only a byte order mark": b"\xef\xbb\xbf",
    "a megabyte of brackets": b"(" * 1_000_000,
    "more than a megabyte": b"#" * 1_100_000,
    "carriage returns only": b"SELECT ?x\rFROM\r",
}


@pytest.mark.parametrize("content", FEW_WORDS.values(), ids=FEW_WORDS.keys())
@pytest.mark.parametrize("command", ["check", "run"])
def test_no_query_at_all(invoke: Invoke, content: bytes, command: str) -> None:
    Path("bad.spaseq").write_bytes(content)
    result = invoke(command, "bad.spaseq", *(["--stream", "s=s.nq"] if command == "run" else []))
    assert result.exit_code == 2
    assert "bad.spaseq" in result.stderr
    assert_clear(result.stderr, None)


@pytest.mark.parametrize("iri", ["<http://exa mple.org/>", "<http://[::/>", "ex:\\%zz", "<http://e.org/\\u{0}>"])
def test_bad_iri(invoke: Invoke, iri: str) -> None:
    text = Path("q.spaseq").read_text(encoding="utf-8").replace("ex:w", iri)
    Path("q.spaseq").write_text(text, encoding="utf-8")
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq")
    assert result.exit_code == 2
    assert_clear(result.stderr, "q.spaseq")


# ── streams ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def read(invoke: Invoke) -> Callable[..., Result]:
    """Run a query that matches every event of the malformed streams."""
    Path("any.spaseq").write_text(ANY_EVENT, encoding="utf-8")
    return lambda path, *options: invoke("run", "any.spaseq", "--stream", f"s={path}", "--stats", *options)


def counters(stderr: str) -> dict[str, object]:
    found = json.loads(stderr[stderr.index('{\n  "streams"') :])["streams"]["http://example.org/s"]
    assert isinstance(found, dict)
    return found


def events_of(result: Result) -> list[str]:
    names = (json.loads(line)["events"]["A"][0].rpartition("/")[2] for line in result.stdout.splitlines())
    return list(dict.fromkeys(names))  # an event may have several matches


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_malformed_stream(read: Callable[..., Result], path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = read(path)
    assert result.exit_code == 1
    message = result.stderr.partition('{\n  "streams"')
    said = message[0] + message[1].partition("\n}\n")[2]
    said += message[2].rpartition("\n}\n")[2]
    said = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("warning: "))
    assert_clear(said, None if path.name in UNPLACED else str(path))
    assert "error: " in said


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.name)
def test_skipping(read: Callable[..., Result], path: Path) -> None:
    golden = GOLDEN[path.name]
    result = read(path, "--on-error", "skip")
    if "fatal" in golden:  # nothing can be read behind it
        assert result.exit_code == 1
        return
    assert result.exit_code == 0, result.stderr
    found = counters(result.stderr)
    wire = found["wire"]
    assert isinstance(wire, dict)
    assert events_of(result)[:5] == golden["skip"]
    assert found["events"] == wire["events"] == len(events_of(result))
    assert (wire["errors"], len(wire["first_errors"])) == (golden["errors"], min(10, golden["errors"]))


def named(number: int, name: str) -> str:
    """An event of the any-event query."""
    return event(number, 'a p0 "1"').replace("example.org", "ex.org").replace(f"/e{number}>", f"/{name}>")


@pytest.mark.parametrize("compress", [False, True])
def test_thousands_with_a_bad_line_in_each_third(read: Callable[..., Result], compress: bool) -> None:
    lines = []
    for number in range(6000):
        text = named(number % 60, f"n{number}")
        lines.append(text.replace('"1"', '"1') if number % 3 == 0 else text)
    data = "".join(lines).encode()
    Path("many.nq").write_bytes(gzip.compress(data) if compress else data)
    result = read("many.nq", "--on-error", "skip", "--lateness", "1m")
    found = counters(result.stderr)
    wire = found["wire"]
    assert isinstance(wire, dict)
    assert (wire["events"], wire["errors"], len(wire["first_errors"])) == (4000, 2000, 10)
    assert len(events_of(result)) == 4000


def test_out_of_order(read: Callable[..., Result]) -> None:
    Path("late.nq").write_text(named(5, "a") + named(9, "b") + named(7, "c") + named(1, "d") + named(9, "e"))
    result = read("late.nq", "--lateness", "2s", "--late", "too-late.nq")
    found = counters(result.stderr)
    assert result.exit_code == 0
    assert events_of(result) == ["a", "c", "b", "e"]
    assert (found["events"], found["late"]) == (5, 1)
    again = read("too-late.nq")
    assert events_of(again) == ["d"]


EMPTY = {
    "no byte": b"",
    "blank lines": b"\n\n",
    "a comment": b"# nothing\n",
    "byte order mark": b"\xef\xbb\xbf",
    "gzip": gzip.compress(b""),
}


@pytest.mark.parametrize("content", EMPTY.values(), ids=EMPTY.keys())
@pytest.mark.parametrize("name", ["x.nq", "x.trig", "x"])
def test_empty_streams_are_no_error(invoke: Invoke, content: bytes, name: str) -> None:
    Path("any.spaseq").write_text(ANY_EVENT, encoding="utf-8")
    Path(name).write_bytes(content)
    result = invoke("run", "any.spaseq", "--stream", f"s={name}", "--count")
    why = "no results: no event came on <http://example.org/s>, which A reads\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, "0\n", why)


# ── places ───────────────────────────────────────────────────────────────────────────────────────────────
def test_wrong_places(read: Callable[..., Result], folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "named.nq").mkdir()
    (folder / "broken").symlink_to("nowhere")
    (folder / "loop").symlink_to("loop")
    for place in "nowhere.nq", "empty", "named.nq", "*.nt", "broken", "loop", "s.nq/x", "x" * 5000, "~nobody":
        result = read(place)
        assert result.exit_code in (1, 2), place
        assert_clear(result.stderr, None)


def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
    """Open a file unless it is the stream's."""
    if path.name == "s.nq":
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return open(path, *arguments, **options)  # noqa: PTH123  (what it stands for)


def test_unreadable(read: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    Path("s.nq").chmod(0)
    if os.geteuid() == 0:  # who may read everything
        monkeypatch.setattr(Path, "open", refuse)
    result = read("s.nq")
    assert result.exit_code == 1
    assert "s.nq: error: cannot read: permission denied" in result.stderr


def test_wrong_places_of_queries(invoke: Invoke, folder: Path) -> None:
    for place in "nowhere.spaseq", ".", "x" * 5000, "q.spaseq/x":
        for command in "check", "run", "explain":
            result = invoke(command, place)
            assert result.exit_code == 2, (place, result.stderr)
            assert_clear(result.stderr, None)


def test_wrong_places_of_outputs(invoke: Invoke, folder: Path) -> None:
    for place in "nowhere/x", ".", "x" * 5000, "q.spaseq/x":
        for option in "--output", "--late":
            result = invoke("run", "q.spaseq", "--stream", "s=s.nq", option, place)
            assert result.exit_code == 2, (place, result.stderr)
            assert_clear(result.stderr, None)


@pytest.mark.parametrize("content", [b"a b c .", b"\xff\xff", b"<", b"\x1f\x8b\x08\x00\x00", b"@prefix"])
@pytest.mark.parametrize("name", ["kb.ttl", "kb.nt", "kb.rdf", "kb.trig", "kb.jsonld", "kb", "kb.ttl.gz"])
def test_malformed_knowledge(invoke: Invoke, content: bytes, name: str) -> None:
    query = Path("q.spaseq").read_text(encoding="utf-8").replace("?x ex:w ?w", "?x ex:w ?w GRAPH ex:kb { ?x ?y ?z }")
    Path("q.spaseq").write_text(query, encoding="utf-8")
    Path(name).write_bytes(content)
    result = invoke("run", "q.spaseq", "--stream", "s=s.nq", "--kb", f"http://example.org/kb={name}")
    assert result.exit_code == 1, result.stderr
    assert name in result.stderr
    assert_clear(result.stderr, None)


def test_the_stream_of_the_other_tests_is_right(invoke: Invoke) -> None:
    assert STREAM and invoke("run", "q.spaseq", "--stream", "s=s.nq", "--count").stdout == "2\n"
