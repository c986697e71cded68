"""Jelly: frames in, messages out."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, cast

import pytest
from pyoxigraph import RdfFormat, parse

from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.jelly import is_jelly, open_jelly, read_jelly
from spaseq.sources.rdf.wire import WireOptions, WireReport

pyjelly = pytest.importorskip("pyjelly")

from pyjelly import jelly  # noqa: E402
from pyjelly.integrations.generic import generic_sink as g  # noqa: E402
from pyjelly.integrations.generic.serialize import (  # noqa: E402
    GenericSinkTermEncoder,
    flat_stream_to_file,
    grouped_stream_to_file,
    grouped_stream_to_frames,
    stream_frames,
)
from pyjelly.options import StreamParameters  # noqa: E402
from pyjelly.serialize.ioutils import write_delimited  # noqa: E402
from pyjelly.serialize.streams import GraphStream, SerializerOptions  # noqa: E402

TIME = g.IRI("http://www.w3.org/ns/prov#generatedAtTime")
P = g.IRI("http://ex.org/p")
DATASETS = jelly.LOGICAL_STREAM_TYPE_DATASETS


def iri(name: str) -> Any:
    return g.IRI(f"http://ex.org/{name}")


def number(value: int) -> Any:
    return g.Literal(str(value), datatype="http://www.w3.org/2001/XMLSchema#integer")


def dataset(n: int, name: str = "") -> list[Any]:
    """An event with its time, some terms of every kind."""
    graph = iri(name or f"e{n}")
    return [
        g.Quad(graph, TIME, number(n), g.DefaultGraph),
        g.Quad(iri("s"), P, g.Literal("é", langtag="fr"), graph),
        g.Quad(iri("s"), P, g.BlankNode("b"), graph),
        g.Quad(g.BlankNode("b"), P, g.Literal("text"), graph),
    ]


def graph(n: int) -> list[Any]:
    return [g.Triple(iri(f"e{n}"), TIME, number(n)), g.Triple(iri(f"e{n}"), P, number(n))]


def sinks(statements: list[list[Any]]) -> Iterator[Any]:
    for each in statements:
        sink = g.GenericStatementSink()
        for statement in each:
            sink.add(statement)
        yield sink


def written(*frames: list[Any], logical: int = DATASETS, **options: Any) -> bytes:
    """A stream with these frames."""
    out = io.BytesIO()
    grouped_stream_to_file(sinks(list(frames)), out, options=SerializerOptions(logical_type=logical, **options))
    return out.getvalue()


def opened(data: bytes) -> BinaryIO:
    return io.BufferedReader(cast(Any, io.BytesIO(data)))


def frames_of(data: bytes) -> list[list[str]]:
    """The lines of each frame."""
    frames = open_jelly(opened(data), "log.jelly").decoded()
    return [frame.lines.decode().splitlines() for frame in frames if frame and not isinstance(frame, StreamError)]


def read(source: BinaryIO, report: WireReport | None = None, **options: Any) -> Iterator[Events]:
    assembler = EventAssembler("urn:s", WireOptions(**options), report or WireReport())
    return (events for events in read_jelly(source, "log.jelly", assembler) if len(events))


def events_of(data: bytes, report: WireReport | None = None, **options: Any) -> list[Event]:
    return [event for events in read(opened(data), report, **options) for event in events]


def brief(found: Iterable[Event]) -> list[tuple[str, int, int]]:
    return [(event.name.removeprefix("http://ex.org/"), event.timestamp, len(event.triples)) for event in found]


def error_of(data: bytes) -> str:
    with pytest.raises(StreamError) as caught:
        events_of(data)
    return caught.value.render()


# ── what frames are ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "logical",
    [DATASETS, jelly.LOGICAL_STREAM_TYPE_NAMED_GRAPHS, jelly.LOGICAL_STREAM_TYPE_TIMESTAMPED_NAMED_GRAPHS],
)
def test_a_dataset_a_frame(logical: int) -> None:
    data = written(dataset(1), dataset(2), logical=logical)
    assert brief(events_of(data)) == [("e1", 1, 3), ("e2", 2, 3)]


@pytest.mark.parametrize("logical", [jelly.LOGICAL_STREAM_TYPE_GRAPHS, jelly.LOGICAL_STREAM_TYPE_SUBJECT_GRAPHS])
def test_a_graph_a_frame(logical: int) -> None:
    assert brief(events_of(written(graph(1), graph(2), logical=logical))) == [("e1", 1, 2), ("e2", 2, 2)]


def test_terms_are_what_they_were() -> None:
    (lines,) = frames_of(written(dataset(1)))
    assert [str(quad.object) for quad in parse("\n".join(lines), RdfFormat.N_QUADS)] == [
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"é"@fr', "_:b", '"text"',
    ]  # fmt: skip


def test_the_physical_type_graphs() -> None:
    options = SerializerOptions(logical_type=DATASETS)
    stream = GraphStream(encoder=GenericSinkTermEncoder(options.lookup_preset), options=options)
    out = io.BytesIO()
    for sink in sinks([dataset(1), dataset(2)]):
        for frame in stream_frames(stream, sink):
            write_delimited(frame, out)
    assert brief(events_of(out.getvalue())) == [("e1", 1, 3), ("e2", 2, 3)]


def test_one_frame_without_its_size() -> None:
    (frame,) = grouped_stream_to_frames(sinks([dataset(1)]), options=SerializerOptions(logical_type=DATASETS))
    assert brief(events_of(frame.SerializeToString())) == [("e1", 1, 3)]


def test_frames_of_a_flat_stream_are_portions_of_it() -> None:
    out = io.BytesIO()
    options = SerializerOptions(frame_size=5, logical_type=jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS)
    flat_stream_to_file((quad for n in (1, 2) for quad in dataset(n)), out, options)
    assert not open_jelly(opened(out.getvalue()), "log.jelly").grouped
    portions = frames_of(out.getvalue())
    assert len(portions) > 2
    assert sum(map(len, portions)) == 8


def test_frames_without_statements_are_no_events() -> None:
    assert brief(events_of(b"\0\0" + written(dataset(1)) + b"\0")) == [("e1", 1, 3)]
    assert events_of(b"") == []
    assert events_of(b"\0") == []


class Slow(io.BytesIO):
    """Gives a few bytes a read."""

    def peek(self, _size: int = 0) -> bytes:
        return self.getvalue()[self.tell() : self.tell() + 64]

    def read1(self, _size: int | None = -1, /) -> bytes:
        return self.read(7)


def test_frames_are_handed_on_before_more_is_waited_for() -> None:
    first = written(dataset(1))
    source = Slow(first + written(dataset(1), dataset(2))[len(first) :])
    found = read(source)
    assert brief(next(found)) == [("e1", 1, 3)]
    assert source.tell() < len(first) + 14
    assert brief(next(found)) == [("e2", 2, 3)]
    assert next(found, None) is None


def test_gzip() -> None:
    with gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(written(dataset(1))))) as source:
        assert [len(events) for events in read(cast(BinaryIO, source))] == [1]


def test_what_looks_like_jelly() -> None:
    assert is_jelly(written(dataset(1)))
    assert is_jelly(written(dataset(1), params=StreamParameters(stream_name="a stream", namespace_declarations=True)))
    assert not any(map(is_jelly, [b"", b"<urn:a> <urn:b> 1 .", b"\n\n\n# comment\n", b"{\n\n}", b"\x1f\x8b\x08\0"]))


# ── what is wrong with them ──────────────────────────────────────────────────────────────────────────────
def test_a_flat_stream_of_triples_has_no_events() -> None:
    out = io.BytesIO()
    flat_stream_to_file((triple for triple in graph(1)), out)
    assert error_of(out.getvalue()).startswith("log.jelly: error: a flat Jelly stream of triples has no events")


def test_a_frame_that_is_no_event() -> None:
    report = WireReport()
    data = written(dataset(1), dataset(2, "e3") + dataset(4), dataset(5)[1:], dataset(6))
    expected = "log.jelly, frame 2: error: a message has one named graph, this one has <http://ex.org/e3> and"
    assert error_of(data).startswith(expected)
    assert brief(events_of(data, report, skip=True)) == [("e1", 1, 3), ("e6", 6, 3)]
    assert report.positions[1] == "log.jelly, frame 3: the graph <http://ex.org/e5> has no time"


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (g.Quad(iri("a b"), P, number(1), iri("e2")), "http://ex.org/a b: Invalid IRI code point ' '"),
        (g.Quad(iri("s"), P, g.Literal("x", langtag="not a tag"), iri("e2")), "x: "),
        (g.Quad(iri("s"), P, g.Literal("x", datatype="no iri"), iri("e2")), "no iri: Invalid IRI code point ' '"),
        (g.Quad(g.Literal("s"), P, number(1), iri("e2")), "is no statement of RDF"),
    ],
)
def test_a_term_that_rdf_does_not_have(statement: Any, message: str) -> None:
    """Only its frame is lost, though later frames use the names that it introduced."""
    report = WireReport()
    data = written(
        dataset(1), [statement, *dataset(2)], dataset(2, "e3"), params=StreamParameters(generalized_statements=True)
    )
    assert error_of(data).startswith("log.jelly, frame 2: error: row ")
    assert brief(events_of(data, report, skip=True)) == [("e1", 1, 3), ("e3", 2, 3)]
    assert message in report.positions[0]


def test_a_term_that_is_repeated_loses_each_frame_that_repeats_it() -> None:
    bad = iri("a b")
    frames = [[*dataset(n)[:1], g.Quad(bad, P, number(n), iri(f"e{n}"))] for n in (1, 2)]
    report = WireReport()
    assert events_of(written(frames[0], frames[1][1:], dataset(3)), report, skip=True)
    assert report.errors == 2


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        (lambda data: data[:-3], "log.jelly, frame 2: error: the input ends in the middle of this frame"),
        (lambda data: data[:60] + b"\xff" * 9 + data[69:], "error: this is no Jelly: "),
        (lambda data: b"name,price\nabc,3\n", "log.jelly: error: this does not begin as Jelly does"),
        (lambda data: data + b"\xff" * 9 + b"\1", "log.jelly, frame 3: error: a frame of "),
        (
            lambda data: data + bytes([6, 10, 4, 10, 2, 16, 1]),
            "frame 3: error: this is no Jelly: it contradicts the options",
        ),
    ],
)
def test_damaged_data(damage: Callable[[bytes], bytes], error: str) -> None:
    assert error in error_of(damage(written(dataset(1), dataset(2))))


def test_empty_frames_count_and_are_nothing() -> None:
    first, both = written(dataset(1)), written(dataset(1), dataset(2))
    data = first + bytes(5_000_000) + both.removeprefix(first) + bytes(7) + b"\xff" * 9 + b"\1"
    report = WireReport()
    assert brief(events_of(data, report, skip=True)) == [("e1", 1, 3), ("e2", 2, 3)]
    assert report.positions[0].startswith("log.jelly, frame 5000010: a frame of ")


def test_what_comes_before_damage_counts() -> None:
    data = written(dataset(1), dataset(2), dataset(3))
    report = WireReport()
    assert brief(events_of(data[:-3], report, skip=True)) == [("e1", 1, 3), ("e2", 2, 3)]
    assert report.errors == 1


@pytest.mark.parametrize("seed", range(40))
def test_random_damage_gives_clear_errors(seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(written(dataset(1), dataset(2), dataset(3)))
    for _ in range(chance.randint(1, 5)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    with contextlib.suppress(StreamError):
        events_of(bytes(data), skip=True)


def test_without_pyjelly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "spaseq.sources.rdf.jelly_frames", raising=False)
    monkeypatch.setitem(sys.modules, "pyjelly", None)
    with pytest.raises(StreamError) as caught:
        events_of(b"")
    assert caught.value.message.startswith("reading Jelly needs the package pyjelly")
    assert caught.value.hint == "pip install 'spaseq[jelly]'"
