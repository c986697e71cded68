"""TriG that is not plain, and comes in pieces: what the parser is asked, when, and about how much."""

from __future__ import annotations

from typing import Any, cast

import pytest

from spaseq.errors import StreamError
from spaseq.sources.rdf import trig
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.trig import read_trig, unit_end
from spaseq.sources.rdf.wire import WireOptions, WireReport
from tests.streams.test_formats import Cut

HEAD = "@prefix : <urn:> .\n@base <http://x.org/> .\n"
TIME = "<http://www.w3.org/ns/prov#generatedAtTime>"


def read(*pieces: str, skip: bool = False) -> list[tuple[str, list[str]]]:
    """The names and statements of events in pieces of TriG."""
    sizes = [len(piece.encode()) for piece in pieces]
    source = cast(Any, Cut("".join(pieces).encode(), [*sizes, 1]))
    found = read_trig(source, "f", EventAssembler("urn:s", WireOptions(skip=skip), WireReport()))
    return [(event.name, [str(quad.triple) for quad in event.triples]) for events in found for event in events]


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_relative_iris_and_triple_terms(size: int) -> None:
    text = (
        f"{HEAD}<e> {TIME} 1 .\n<e> {{ :a :b <c> . :a :p <<( :a :b <c> )>> ; :q 5. }}\n:f {{ :a :b 'x' }} :f {TIME} 2 ."
    )
    assert read(*(text[start : start + size] for start in range(0, len(text), size))) == [
        (
            "http://x.org/e",
            [
                "<urn:a> <urn:b> <http://x.org/c>",
                "<urn:a> <urn:p> <<( <urn:a> <urn:b> <http://x.org/c> )>>",
                '<urn:a> <urn:q> "5"^^<http://www.w3.org/2001/XMLSchema#integer>',
            ],
        ),
        ("urn:f", ['<urn:a> <urn:b> "x"']),
    ]


@pytest.mark.parametrize(
    "text",
    [
        ":a :b 1.5 . rest",
        ':a :b :c.d, \'x. y\', """x" .\n""", <http://a.b/> . rest',
        ":a :b [ :c ( 1 . 2 ) . ] . rest",
        ":g { :a :b :c . :a :b :d {| :e :f |} . } rest",
        ":a :b <<( :a :b :c )>> # a comment.\n . rest",
    ],
)
def test_where_a_unit_ends(text: str) -> None:
    data = text.encode()
    assert unit_end(data, 0) == len(data) - len(" rest")
    assert all(unit_end(data[:size], 0) is None for size in range(len(data) - len(" rest")))


def test_a_mistake_is_told_before_the_input_ends() -> None:
    source = Cut(f"{HEAD}:e {TIME} 1 . :e {{\n :a :b oops .\n".encode(), [1000])
    source.read1 = lambda _=0, first=iter([source.read1()]): next(first)  # type: ignore[method-assign]
    with pytest.raises(StreamError, match="f:4:8: error: oops is not a valid RDF object"):
        list(read_trig(cast(Any, source), "f", EventAssembler("urn:s", WireOptions(), WireReport())))


def test_a_graph_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trig, "LONGEST_UNIT", 100)
    monkeypatch.setattr(trig, "LARGE", 50)
    with pytest.raises(StreamError, match="f:3:1: error: a statement or graph is longer than 100 bytes"):
        read(HEAD + ":e {\n", *[":a :b :c .\n"] * 20)


def test_a_long_line_is_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spaseq.sources.rdf.text.KEPT", 20)
    before = f":e {TIME} 1 . :e {{ :a :b :c }} "
    with pytest.raises(StreamError) as caught:
        read(HEAD, before, ":f { :a :b 'é', ", "oops }", "\n", skip=False)
    assert (caught.value.line, caught.value.column) == (3, len(before) + 17)
