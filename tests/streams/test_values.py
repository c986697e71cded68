"""Values that are messages by themselves give what a source with one of them gives."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings, strategies as st
from pyoxigraph import Quad

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.messages import read_delimited
from spaseq.sources.rdf.values import ValueReader, event_at
from spaseq.streams import WireOptions, WireReport

TIME = '<urn:e{0}> <http://www.w3.org/ns/prov#generatedAtTime> "{0}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
NAMED = TIME + "<urn:a> <urn:p> _:b <urn:e{0}> .\n<urn:a> <urn:q> <urn:message> <urn:e{0}> .\n"
DEFAULT = TIME + "<urn:e{0}> <urn:p> <urn:b> .\n"
TRIG = "<urn:e{0}> <http://www.w3.org/ns/prov#generatedAtTime> {0} . <urn:e{0}> {{ <urn:a> <urn:p> 1 }} "
VALUES = {
    "named": NAMED.format(1),
    "the same again": NAMED.format(1),
    "default": DEFAULT.format(2),
    "returns": NAMED.format(3).replace("\n", "\r\n"),
    "two graphs": NAMED.format(4) + NAMED.format(5),
    "turtle": "@prefix prov: <http://www.w3.org/ns/prov#> .\n<urn:e6> prov:generatedAtTime 6 ; <urn:p> 7 , 8 .",
    "trig": "PREFIX p: <http://www.w3.org/ns/prov#> <urn:e7> p:generatedAtTime 7 . <urn:e7> { <urn:a> <urn:p> 1 }",
    "two in trig": TRIG.format(8) + TRIG.format(9),
    "json": '{\n  "@id": "urn:e10",\n  "http://www.w3.org/ns/prov#generatedAtTime": 10\n}\n',
    "two messages": DEFAULT.format(11) + "MESSAGE\n" + DEFAULT.format(12),
    "nothing": "",
    "a comment": "# nothing\n",
    "no end": NAMED.format(13).rstrip("\n"),
    "mark": "\ufeff" + NAMED.format(14),
}
NUMBERS = {
    **{"named": [1], "the same again": [1], "default": [2], "returns": [3], "two graphs": [4, 5], "turtle": [6]},
    **{"trig": [7], "two in trig": [8, 9], "json": [10], "two messages": [11, 12], "no end": [13], "mark": [14]},
}


def read(
    values: list[bytes | None], skip: bool = False, report: WireReport | None = None, kind: str | None = None
) -> list[Event]:
    reader = ValueReader("s", WireOptions(skip=skip), report or WireReport(), Encoder(Terms()), kind)
    return [event for events in reader.read(values) for event in events]


def triples(event: Event) -> list[str]:
    return sorted(str(one.triple if isinstance(one, Quad) else one) for one in event.triples)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(sorted(VALUES)), max_size=12))
def test_any_values_in_any_order(names: list[str]) -> None:
    found = read([VALUES[name].encode() for name in names])
    numbers = [number for name in names for number in NUMBERS.get(name, [])]
    assert [(event.timestamp, event.name) for event in found] == [(n, f"urn:e{n}") for n in numbers]
    alone = [event for name in names for event in read([VALUES[name].encode()])]
    assert list(map(triples, found)) == list(map(triples, alone))


def test_one_message_is_read_as_in_a_source() -> None:
    for name in ("named", "default"):
        assembler = EventAssembler("s", WireOptions(), WireReport())
        source = io.BytesIO(VALUES[name].encode())
        (wanted,) = [event for events in read_delimited(source, "f", "nquads", assembler) for event in events]
        (found,) = read([VALUES[name].encode()])
        assert triples(found) == triples(wanted) and found[:3] == wanted[:3]


BAD = {
    b"<urn:a> <urn:b> .": "<value>:1:17: error: the object",
    b'{"@id": ': "<value>:1:",
    NAMED.format(1).replace('"1"', '"x"').encode(): '"x" is not an xsd:integer|"x"',
    b"<urn:a> <urn:p> <urn:b> .": "the message has no time",
    None: "there is no value",
}


@pytest.mark.parametrize("value", BAD, ids=str)
def test_what_cannot_be_read(value: bytes | None) -> None:
    good = NAMED.format(1).encode()
    with pytest.raises(StreamError, match=BAD[value]):
        read([good, value, good])
    report = WireReport()
    assert len(read([good, value, good, value], skip=True, report=report)) == 2
    assert (report.skipped, report.events) == (2, 2)


def test_a_format_that_is_given() -> None:
    assert len(read([b"<urn:e6> <http://www.w3.org/ns/prov#generatedAtTime> 6 ."], kind="turtle")) == 1
    with pytest.raises(StreamError):
        read([VALUES["json"].encode()], kind="nquads")
    with pytest.raises(StreamError):
        read([NAMED.format(1).encode()], kind="ntriples")


def test_times_from_elsewhere() -> None:
    graphs = [
        b"<urn:a> <urn:p> <urn:b> .",
        b"<urn:a> <urn:p> <urn:b> <urn:g> .",
        b'{"@id": "urn:a", "urn:p": 5}',
        b"",
        b"# no",
    ]
    events = [event_at(value, 7, "s") for value in graphs]
    assert [event and event[:3] for event in events] == [("s", 7, ""), ("s", 7, "urn:g"), ("s", 7, ""), None, None]
    for bad, message in (
        (b"<urn:a> <urn:p> <urn:b> <urn:g> .\n<urn:a> <urn:p> <urn:b> <urn:h> .", "one graph, this one has"),
        (b"<urn:a> <urn:p> .", "<value>:1:17"),
    ):
        with pytest.raises(StreamError, match=message):
            event_at(bad, 7, "s")
