"""N-Quads that are large, deep or broken: an event or an error message, never a crash or a wait."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from unittest.mock import patch

import pytest

from gpm.native.assembly import Encoder
from gpm.nesting import DEEPEST
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Event
from spaseq.sources.rdf.nquads import read_nquads
from spaseq.sources.rdf.trig import read_trig
from spaseq.sources.rdf.wire import PROV_TIME, REMEMBERED, WireOptions, WireReport

INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


def time_line(graph: str, value: int = 5) -> bytes:
    return f'<urn:{graph}> <{PROV_TIME}> "{value}"^^<{INTEGER}> .\n'.encode()


def line(graph: str, object_: str = "<urn:o>") -> bytes:
    return f"<urn:s> <urn:p> {object_} <urn:{graph}> .\n".encode()


def nested(depth: int) -> str:
    return "<<( <urn:s> <urn:p> " * depth + "<urn:o>" + " )>>" * depth


def read(data: bytes, skip: bool = True) -> tuple[list[Event], WireReport]:
    """All events, every triple encoded."""
    report, encoder = WireReport(), Encoder(Terms())
    encoder.want([(0, 0, 0)])
    assembler = EventAssembler("urn:s", WireOptions(skip=skip), report, encoder)
    source = io.BufferedReader(io.BytesIO(data))  # type: ignore[arg-type]
    return [event for events in read_nquads(source, "f", assembler) for event in events], report


def test_an_event_of_200_000_triples() -> None:
    lines = b"".join(line("g", f'"{number}"') for number in range(200_000))
    events, report = read(lines + time_line("g") + time_line("h") + line("h"))
    assert [(event.name, len(event.triples)) for event in events] == [("urn:g", 200_000), ("urn:h", 1)]
    assert report.errors == 0


def test_an_event_over_many_blocks() -> None:
    lines = [line("g", f'"{number}"') for number in range(3_000)]
    with patch("spaseq.sources.rdf.nquads.FIRST_BLOCK", 100), patch("spaseq.sources.rdf.nquads.BLOCK", 100):
        events, _ = read(time_line("g") + time_line("h").join(lines) + line("h"))
    assert [len(event.triples) for event in events] == [3_000, 1]
    assert {quad.graph_name.value for quad in events[0].triples} == {"urn:g"}


def test_times_that_wait_for_their_graphs() -> None:
    count = 100_000
    times = b"".join(time_line(f"g{number}", number) for number in range(count))
    graphs = b"".join(line(f"g{number}") for number in range(count))
    events, report = read(times + graphs)
    assert [event.timestamp for event in events] == list(range(count - REMEMBERED, count))
    assert report.unused_times == report.errors == count - REMEMBERED


def test_a_long_literal() -> None:
    events, _ = read(time_line("g") + line("g", '"' + "é\\n" * 3_900_000 + '"'))
    (quad,) = events[0].triples
    assert len(quad.object.value) == 7_800_000


@pytest.mark.parametrize("end", [b"\n", b"\r", b""])
@pytest.mark.parametrize("object_", ['"', ""])
def test_a_longer_literal(end: bytes, object_: str) -> None:
    before = time_line("g") + line("g") + time_line("h") + line("h")
    with pytest.raises(StreamError, match="a line is longer than 16,000,000 bytes"):
        read(before + line("h", '"' + "x" * 17_000_000 + object_).replace(b"\n", end))
    data = b'GRAPH <urn:g> { <urn:s> <urn:p> "' + b"x" * 17_000_000 + b'" }' + end
    assembler = EventAssembler("urn:s", WireOptions(), WireReport())
    with pytest.raises(StreamError, match="maximal size"):
        list(read_trig(io.BytesIO(data), "f", assembler))


@pytest.mark.parametrize("depth", [1, 90, DEEPEST])
def test_deep_triple_terms(depth: int) -> None:
    (event,), report = read(time_line("g") + line("g", nested(depth)))
    assert str(event.triples[0].object).count("<<(") == depth - 1
    assert report.errors == 0


@pytest.mark.parametrize("depth", [DEEPEST + 1, 5_000, 200_000])
@pytest.mark.parametrize("end", [" )>>", "", " )>"])
def test_triple_terms_too_deep(depth: int, end: str) -> None:
    text = "<<( <urn:s> <urn:p> " * depth + "<urn:o>" + end * depth
    events, report = read(time_line("g") + line("g") + time_line("h") + line("h", text))
    assert [event.name for event in events] == ["urn:g"]
    assert report.positions == [f"f:4:1: triple terms are nested more than {DEEPEST} deep"]


def test_brackets_in_a_literal_are_not_deep() -> None:
    with pytest.raises(StreamError, match="dot"):
        read(line("g", '"' + "<<(" * 200 + '" <urn:h>'), skip=False)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (b'<urn:s> <urn:p> "a\0b" <urn:g> .', None),
        (b"<urn:s> <urn:\0> <urn:o> <urn:g> .", "IRI"),
        (b"\0", "not allowed"),
        (b'<urn:s> <urn:p> "\xff" <urn:g> .', "UTF-8"),
        (b'<urn:s> <urn:p> "\xed\xa0\x80" <urn:g> .', "UTF-8"),
        (b"<urn:s> <urn:\xc3> <urn:o> <urn:g> .", "UTF-8"),
        (b'<urn:s> <urn:p> "a', ""),
    ],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b""])
def test_odd_bytes(bad: bytes, message: str | None, end: bytes) -> None:
    for size in (1, 2, 7, 1 << 14):
        with patch("spaseq.sources.rdf.nquads.FIRST_BLOCK", size), patch("spaseq.sources.rdf.nquads.BLOCK", size):
            events, report = read(time_line("g") + line("g").replace(b"\n", b"\r\n") + bad + end)
        assert report.errors == (message is not None)
        assert len(events) == (message is None)
        assert message is None or message.lower() in report.positions[0].lower()
        assert message is None or report.positions[0].startswith("f:3:")


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def test_many_bad_lines_cost_no_more_each() -> None:
    few, many = (time_line("g") + b"<urn:s> <urn:p> bad <urn:g> .\n" * count for count in (1_000, 30_000))
    assert seconds(lambda: read(many)) < 90 * seconds(lambda: read(few)) + 0.5
    assert read(many)[1].errors == 30_000


def test_a_mark_of_byte_order_that_comes_in_pieces() -> None:
    with patch("spaseq.sources.rdf.nquads.FIRST_BLOCK", 1):
        events, report = read(b"\xef\xbb\xbf" + time_line("g") + line("g"))
    assert (len(events), report.errors) == (1, 0)
