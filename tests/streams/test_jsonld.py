"""JSON-LD by lines: contexts, messages, events.  What is said of malformed lines stands in test_messages.py."""

from __future__ import annotations

import io
import json
from typing import Any, cast

import pytest
from pyoxigraph import Literal

from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import Dataset as Message, EventAssembler
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.jsonld import read_jsonld
from spaseq.sources.rdf.wire import WireOptions, WireReport
from tests.streams.recorder import Recorder

CONTEXT = {"at": "http://www.w3.org/ns/prov#generatedAtTime", "n": "http://ex.org/n"}


def lines(*documents: object) -> bytes:
    return "".join(json.dumps(document) + "\n" for document in documents).encode()


def messages(data: bytes) -> list[list[str]]:
    """The objects of each message's statements, sorted; a document without statements is none."""
    recorder = Recorder()
    list(read_jsonld(io.BytesIO(data), "log", cast(Any, recorder)))
    assert all(isinstance(message, Message) for message in recorder.found)
    return [
        sorted(quad.object.value for quad in message.quads if isinstance(quad.object, Literal))
        for message in recorder.found
        if isinstance(message, Message)
    ]


def read(data: bytes) -> list[Event]:
    found = read_jsonld(io.BytesIO(data), "log", EventAssembler("urn:s", WireOptions(), WireReport()))
    return [event for events in found for event in events]


def events_of(*documents: object) -> list[Event]:
    return read(lines(*documents))


def test_a_document_a_line() -> None:
    first, second = ({"@context": CONTEXT, "@id": f"http://ex.org/{n}", "n": n} for n in (1, 2))
    assert messages(lines(first) + b"\n  \n" + lines(second)) == [["1"], ["2"]]


def test_a_context_on_a_line_of_its_own_is_that_of_what_follows() -> None:
    other = {"n": "http://ex.org/other"}
    data = lines({"n": 1}, {"@context": CONTEXT}, {"n": 2}, {}, {"n": 3}, {"@context": other}, {"n": 4, "at": 5})
    assert messages(data) == [["2"], ["3"], ["4"]]


def test_a_document_with_a_context_adds_to_the_one_in_force() -> None:
    own = {"@context": {"m": "http://ex.org/m"}, "n": 1, "m": 2}
    assert messages(lines({"@context": CONTEXT}, own, {"n": 3, "m": 4})) == [["1", "2"], ["3"]]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf"])
def test_blanks_marks_and_line_ends(prefix: bytes) -> None:
    data = prefix + b' { "http://ex.org/n" : 1 }\r\n{"http://ex.org/n":2}'
    assert messages(data) == [["1"], ["2"]]


def test_brackets_in_strings_are_not_nested() -> None:
    assert messages(lines({"http://ex.org/n": "[{" * 200})) == [["[{" * 200]]


def test_a_default_graph_is_an_event() -> None:
    (event,) = events_of({"@context": CONTEXT, "@id": "http://ex.org/e", "at": 5, "n": [1, 2]})
    assert (event.name, event.timestamp, len(event.triples)) == ("http://ex.org/e", 5, 3)


def test_a_named_graph_is_an_event() -> None:
    graph = {"@id": "http://ex.org/e", "at": 5, "@graph": [{"@id": "http://ex.org/s", "n": [1, 2]}]}
    (event,) = events_of({"@context": CONTEXT, **graph})
    assert (event.name, event.timestamp, len(event.triples)) == ("http://ex.org/e", 5, 2)
    (other,) = events_of({"@context": CONTEXT}, graph)
    assert other._replace(triples=list(other.triples)) == event._replace(triples=list(event.triples))


def test_typed_times() -> None:
    typed = CONTEXT | {"at": {"@id": CONTEXT["at"], "@type": "http://www.w3.org/2001/XMLSchema#dateTime"}}
    (event,) = events_of({"@context": typed}, {}, {"@id": "http://ex.org/e", "at": "1970-01-01T00:00:01Z"})
    assert event.timestamp == 1_000_000


def test_nothing_is_fetched() -> None:
    with pytest.raises(StreamError, match="the context is on the network"):
        events_of({"@context": "http://localhost:1/context.jsonld", "n": 1})


def test_deep_documents_are_refused_before_they_are_parsed() -> None:
    deep = b'{"http://ex.org/n":' * 5000 + b"1" + b"}" * 5000
    with pytest.raises(StreamError, match="nested deeper than 100"):
        read(deep)


def test_a_context_that_is_wrong_is_in_force_nevertheless() -> None:
    """What needs it is an error, too, and not a document that says nothing."""
    report = WireReport()
    data = lines({"@context": {"n": 5}}, {"@id": "http://ex.org/e", "n": 1})
    found = read_jsonld(io.BytesIO(data), "log", EventAssembler("urn:s", WireOptions(skip=True), report))
    assert not any(len(events) for events in found)
    assert report.errors == 2
