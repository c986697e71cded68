"""What a message may be: a dataset in any format of RDF, whole; what is wrong with one costs it alone."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

import spaseq
from spaseq.errors import SpaseqWarning, StreamError
from spaseq.graphs.graph_run import Run
from spaseq.sources.rdf.wire import WireOptions
from tests.transports.scripted import INTEGER, TIME, Scripted, event

ALL = "SELECT ?a ?v FROM STREAM s <urn:s> WHERE { SEQ(A) DEFINE GPM A ON s { ?a <urn:value> ?v } }"
SHORT = f"@prefix : <urn:> . @prefix prov: <{TIME[:-15]}> . "
ONE = {
    "nquads": event("a", 1, 7),
    "two graphs in nquads": event("a", 1, 7) + b"\n" + event("b", 2, 8) + b"\n",
    "trig": f"{SHORT} :a {{ :a :value 7 }} :a prov:generatedAtTime 1 .".encode(),
    "two graphs in trig": (
        f"{SHORT} :a {{ :a :value 7 }} :a prov:generatedAtTime 1 . :b {{ :b :value 8 }} :b prov:generatedAtTime 2 ."
    ).encode(),
    "turtle": f"{SHORT} :a :value 7 ; prov:generatedAtTime 1 .".encode(),
    "ntriples": f'<urn:a> <urn:value> "7"^^<{INTEGER}> . <urn:a> <{TIME}> "1"^^<{INTEGER}> .'.encode(),
    "jsonld": json.dumps({"@id": "urn:a", "urn:value": 7, TIME: 1}, indent=2).encode(),
    "nothing": b"",
}


def found(messages: Sequence[bytes | StreamError | None], at_once: int = 100, skip: bool = False) -> list[int]:
    run = spaseq.run(ALL, {"s": Scripted(messages, at_once)}, options=WireOptions(skip=skip))
    return [int(one.bindings["v"]) for one in run]


@pytest.mark.parametrize("kind", ONE)
def test_a_message_in_any_format(kind: str) -> None:
    expected = [] if kind == "nothing" else [7, 8] if "two" in kind else [7]
    assert found([ONE[kind]]) == expected


@pytest.mark.parametrize("at_once", [1, 2, 100])
def test_formats_may_differ_from_message_to_message(at_once: int) -> None:
    messages = [
        ONE[kind]
        for kind in ("nquads", "trig", "jsonld", "nothing", "turtle", "two graphs in nquads", "two graphs in trig")
    ]
    with pytest.warns(SpaseqWarning, match="1 of the 8 events"):  # the last message begins before the one before ends
        assert found(messages, at_once) == [7, 7, 7, 7, 7, 8, 8]


def test_prefixes_are_those_of_one_message() -> None:
    with pytest.raises(StreamError, match="scripted://x@1:1:"):
        found([ONE["trig"], b":a { :a :value 8 } :a <%s> 2 ." % TIME.encode()])


def test_a_blank_node_is_of_its_event() -> None:
    query = """SELECT ?x WITHIN 1 HOUR SLIDING FROM STREAM s <urn:s>
        WHERE { SEQ(A , B) DEFINE GPM A ON s { ?x <urn:value> 1 } DEFINE GPM B ON s { ?x <urn:value> 2 } }"""
    messages = [
        event("a", 1, 1).replace(b"<urn:a> <urn:v", b"_:x <urn:v"),
        event("b", 2, 2).replace(b"<urn:b> <urn:v", b"_:x <urn:v"),
    ]
    assert list(spaseq.run(query, {"s": Scripted(messages)})) == []


BROKEN = {
    "no statement": (b"<urn:a> <urn:value> .", "scripted://x@1:1:"),
    "no time": (event("b", 1).partition(b"\n")[0], "the message has no time|no time"),
    "a bad time": (event("b", 1).replace(b'"1"', b'"one"'), 'scripted://x@1.* error: "one"'),
    "no JSON": (b'{"@id": ', "scripted://x@1:1:"),
    "half of TriG": (b"@prefix : <urn:> . :a { :a :value 7", "scripted://x@1:1:"),
    "no text": (b"\xff\xfe\x00", "scripted://x@1:1:"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_message_ends_the_run_after_what_was_before_it(broken: str) -> None:
    data, place = BROKEN[broken]
    only = Scripted([event("a", 1, 7), data, event("c", 3, 9)], at_once=100)
    run = Run(ALL, {"s": only})
    assert int(next(run).bindings["v"]) == 7
    with pytest.raises(StreamError, match=place):
        next(run)
    assert only.arrivals.position == 0  # which is what a checkpoint has: the broken one comes again


def test_it_ends_the_run_though_nothing_more_comes() -> None:
    run = Run(ALL, {"s": Scripted([event("a", 1, 7), BROKEN["no JSON"][0], *[None] * 50], at_once=2)})
    assert int(next(run).bindings["v"]) == 7
    with pytest.raises(StreamError):
        next(run)
    run = Run(ALL, {"s": Scripted([event("a", 1, 7), b"", *[None] * 5, BROKEN["no JSON"][0], *[None] * 50], at_once=2)})
    assert int(next(run).bindings["v"]) == 7
    with pytest.raises(StreamError):
        next(run)


@pytest.mark.parametrize("broken", BROKEN)
def test_or_it_is_skipped_alone(broken: str) -> None:
    messages = [event("a", 1, 7), BROKEN[broken][0], event("c", 3, 9)]
    for at_once in (1, 100):
        with pytest.warns(SpaseqWarning, match="1 malformed event of <urn:s> was skipped.*scripted://x@1"):
            assert found(messages, at_once, skip=True) == [7, 9]


def test_what_breaks_off_is_told_after_all_before_it() -> None:
    run = spaseq.run(ALL, {"s": Scripted([event("a", 1, 7), StreamError("the line is dead")])})
    assert int(next(run).bindings["v"]) == 7
    with pytest.raises(StreamError, match="the line is dead"):
        next(run)
