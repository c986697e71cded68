"""Messages as events of columns."""

from __future__ import annotations

import io
from typing import Any, BinaryIO, cast

import pytest

from spaseq.errors import StreamError
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.files import read_wholes
from spaseq.sources.rdf.wire import WireOptions, WireReport

TIME = "http://www.w3.org/ns/prov#generatedAtTime"
TEXTS = {
    "turtle": f"<urn:e> <{TIME}> 1 ; <urn:p> _:b . MESSAGE <urn:f> <{TIME}> 2 ; <urn:p> _:b . MESSAGE",
    "trig": f"<urn:e> <{TIME}> 1 . <urn:e> {{ _:b <urn:p> _:b , 2 }} MESSAGE [] <{TIME}> 2 ; <urn:q> 3 .",
    "jsonld": f'{{"@id": "urn:e", "{TIME}": 1, "urn:p": 2}}\n{{"@id": "urn:f", "{TIME}": 2, "urn:p": {{}}}}\n',
}


def opened(data: bytes) -> BinaryIO:
    return io.BufferedReader(cast(Any, io.BytesIO(data)))


def read(kind: str, data: bytes, report: WireReport | None = None, skip: bool = False) -> list[Event]:
    lists = read_wholes(kind, opened(data), "log", "urn:s", WireOptions(skip=skip), report or WireReport())
    return [event for events in lists for event in events]


@pytest.mark.parametrize("kind", TEXTS)
def test_events(kind: str) -> None:
    report = WireReport()
    found = read(kind, TEXTS[kind].encode(), report)
    assert [(event.timestamp, len(event.triples)) for event in found] == [(1, 2), (2, 2)]
    assert found[0].name == "urn:e"
    assert report.events == 2


def test_events_before_an_error_count() -> None:
    lists = read_wholes(
        "trig", opened(f"{TEXTS['trig']} MESSAGE oops".encode()), "log", "urn:s", WireOptions(), WireReport()
    )
    assert len(next(events for events in lists if len(events))) == 2
    with pytest.raises(StreamError, match="log:1"):
        next(lists)


def test_jelly_by_frames_and_by_graphs() -> None:
    pytest.importorskip("pyjelly")
    from tests.streams import test_jelly as jelly

    out, report = io.BytesIO(), WireReport()
    options = jelly.SerializerOptions(frame_size=5, logical_type=jelly.jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS)
    quads = [*jelly.dataset(1), *jelly.dataset(2), *jelly.dataset(3)[1:], *jelly.dataset(4)]
    jelly.flat_stream_to_file(iter(quads), out, options)
    assert jelly.brief(read("jelly", out.getvalue(), report, skip=True)) == [("e1", 1, 3), ("e2", 2, 3), ("e4", 4, 3)]
    assert report.errors == 1
    with pytest.raises(StreamError, match=r"frame .: error: the graph <http://ex.org/e3> has no time"):
        read("jelly", out.getvalue())
    grouped = read("jelly", jelly.written(jelly.dataset(1), jelly.dataset(2)))
    assert jelly.brief(grouped) == [("e1", 1, 3), ("e2", 2, 3)]
