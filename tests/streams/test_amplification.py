"""A short name can stand for a long IRI: what a text becomes is bounded as the text is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spaseq.errors import StreamError
from spaseq.streams import WireOptions, WireReport, read_source

LONG = f"urn:{'x' * 1_000_000}"
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"
PREFIXES = f"@prefix p: <{LONG}> . @prefix x: <http://www.w3.org/2001/XMLSchema#> .\n"
NAMES = " , ".join(f"p:{n}" for n in range(30))  # three megabytes a statement


def counts(path: Path) -> list[int]:
    """How many events come at once."""
    return [
        len(some.graphs) for some in read_source(str(path), "urn:s", WireOptions(), WireReport()) if len(some.graphs)
    ]


@pytest.mark.deep
def test_a_graph_that_a_prefix_makes_too_long(tmp_path: Path) -> None:
    path = tmp_path / "a.trig"
    path.write_text(f'{PREFIXES}<urn:e> {TIME} "1"^^x:long .\n<urn:e> {{ p:a p:b {NAMES} }}\n')
    with pytest.raises(StreamError, match="a statement or graph is longer than 67,108,864 bytes"):
        counts(path)


def test_a_graph_that_pyoxigraph_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.trig.LONGEST_UNIT", 10_000_000)
    path = tmp_path / "a.trig"
    path.write_text(f'{PREFIXES}<urn:e> {TIME} "1"^^x:long .\n<urn:e> {{ p:a p:\\# {NAMES} }}\n')
    with pytest.raises(StreamError, match="a statement or graph is longer than"):
        counts(path)


def test_a_message_that_pyoxigraph_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.messages.LONGEST_LINE", 10_000_000)
    path = tmp_path / "a.ttl"
    path.write_text(f'MESSAGE\n{PREFIXES}<urn:e> {TIME} "1"^^x:long . p:a p:\\# {NAMES} .\nMESSAGE\n')
    with pytest.raises(StreamError, match="a message is longer than"):
        counts(path)


def test_a_document_that_a_context_makes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.jsonld.LONGEST_LINE", 10_000_000)
    node = {
        "@context": {"p": {"@id": LONG, "@prefix": True}},
        "@id": "p:a",
        "p:b": [{"@id": f"p:{n}"} for n in range(30)],
    }
    (tmp_path / "a.jsonld").write_text(json.dumps(node) + "\n")
    with pytest.raises(StreamError, match="a line is longer than"):
        counts(tmp_path / "a.jsonld")


def test_events_that_are_long_together_come_in_parts(tmp_path: Path) -> None:
    event = "<urn:e{0}> " + TIME + ' "{0}"^^x:long .\n<urn:e{0}> {{ p:a p:b p:c }}\n'
    (tmp_path / "a.trig").write_text(PREFIXES + "".join(event.format(n) for n in range(20)))
    found = counts(tmp_path / "a.trig")
    assert sum(found) == 20
    assert max(found) < 10


LINE = "<urn:a> <urn:b> <urn:c> <urn:%s> .\n"
AT = f'<urn:%s> {TIME} "1"^^<http://www.w3.org/2001/XMLSchema#long> .\n'


def test_an_event_of_n_quads_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.assembler.LARGEST_EVENT", 1_000_000)
    path, many = tmp_path / "a.nq", 100_000
    path.write_text(AT % "x" + LINE % "x" + AT % "y" + LINE % "y" * many + AT % "z" + LINE % "z" * 20_000)
    with pytest.raises(StreamError, match="the graph <urn:y> has more than 1,000,000 bytes: it is too large") as caught:
        counts(path)
    assert (caught.value.location.path, caught.value.location.text) == (str(path), (LINE % "y").rstrip())
    report = WireReport()
    names = [event.name for some in read_source(str(path), "urn:s", WireOptions(skip=True), report) for event in some]
    assert (names, report.errors, report.unused_times) == (["urn:x", "urn:z"], 1, 0)


def test_names_are_remembered_as_far_as_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.assembler.MOST_NAMED", 650_000)
    path = tmp_path / "a.nq"
    long = [f"{n}:{'x' * 100_000}" for n in range(8)]
    path.write_text("".join(AT % name for name in long) + LINE % long[0] + LINE % long[7] + AT % "z" + LINE % "z")
    report = WireReport()
    events = [event for some in read_source(str(path), "urn:s", WireOptions(skip=True), report) for event in some]
    assert [event.name[:10] for event in events] == ["urn:7:xxxx", "urn:z"]  # the times of 2 were dropped
    assert (report.unused_times, report.errors) == (7, 1)
