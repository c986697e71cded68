"""The same events in every format: equal names, times and graphs, however the bytes are cut into reads."""

from __future__ import annotations

import io
import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import pytest
import rdflib
from hypothesis import given, strategies as st
from pyoxigraph import (
    BlankNode,
    CanonicalizationAlgorithm,
    Dataset,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Triple,
    serialize,
)

from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.files import ENDINGS, read_wholes
from spaseq.sources.rdf.nquads import read_nquads
from spaseq.sources.rdf.trig import read_trig
from spaseq.sources.rdf.wire import WireOptions, WireReport

HERE = Path(__file__).parent
TIME = NamedNode("http://www.w3.org/ns/prov#generatedAtTime")
XSD = "http://www.w3.org/2001/XMLSchema#"
PREFIXES = {"ex": "http://ex.org/", "xsd": XSD, "prov": "http://www.w3.org/ns/prov#"}

# ── events ───────────────────────────────────────────────────────────────────────────────────────────────
iris = st.sampled_from(["a", "b", "c-d", "e.f", "1", "x/y", "", "é", "g%20h", "#i"]).map(
    lambda name: NamedNode(f"http://ex.org/{name}")
)
nodes = iris | st.sampled_from(["n", "m.1"]).map(BlankNode)
texts = st.text(st.sampled_from("ab \"'\\\n\r\t#.;é\U0001f600<>{}@"), max_size=8)
literals = (
    texts.map(Literal)
    | st.builds(lambda text: Literal(text, language="en-US"), texts)
    | st.sampled_from(
        [("1", "integer"), ("-2.50", "decimal"), ("1e+05", "double"), ("true", "boolean"), ("x", "other")]
    ).map(lambda pair: Literal(pair[0], datatype=NamedNode(XSD + pair[1])))
)
graphs = st.lists(st.builds(Triple, nodes, iris, nodes | literals), min_size=1, max_size=5)


class Given(NamedTuple):
    """An event to be written."""

    name: NamedNode
    time: int
    triples: list[Triple]

    @property
    def when(self) -> Triple:
        return Triple(self.name, TIME, Literal(str(self.time), datatype=NamedNode(f"{XSD}integer")))

    @property
    def dataset(self) -> list[Quad]:
        """Its graph by name, its time in the default graph."""
        triples = [Quad(part.subject, part.predicate, part.object, self.name) for part in self.triples]
        return [*triples, Quad(self.when.subject, self.when.predicate, self.when.object)]

    @property
    def graph(self) -> list[Triple]:
        """Its graph with its time."""
        return [self.when, *self.triples]


events = st.lists(graphs, min_size=1, max_size=4).map(
    lambda found: [Given(NamedNode(f"http://ex.org/e{n}"), n, graph) for n, graph in enumerate(found)]
)


def canonical(triples: object) -> Dataset:
    dataset = Dataset(Quad(part.subject, part.predicate, part.object) for part in triples)  # type: ignore[attr-defined]
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


# ── writing and reading them ─────────────────────────────────────────────────────────────────────────────
def by_rdflib(triples: list[Triple]) -> bytes:
    graph = rdflib.Graph(bind_namespaces="none")
    for name, iri in PREFIXES.items():
        graph.bind(name, iri)
    graph.parse(data=serialize(triples, format=RdfFormat.N_TRIPLES), format="nt")
    return graph.serialize(format="turtle").encode() + b"\n"


def as_jsonld(quads: list[Quad]) -> bytes:
    return json.dumps(json.loads(serialize(quads, format=RdfFormat.JSON_LD))).encode()


def document(given: Given) -> bytes:
    """A line of JSON-LD: an object whose graphs are those of the event."""
    return b'{"@graph": ' + as_jsonld([Quad(*part) for part in given.graph]) + b"}\n"


WRITERS = {
    "nquads": lambda given: serialize(given.dataset, format=RdfFormat.N_QUADS),
    "trig": lambda given: serialize(given.dataset, format=RdfFormat.TRIG, prefixes=PREFIXES),
    "turtle": lambda given: serialize(given.graph, format=RdfFormat.TURTLE, prefixes=PREFIXES),
    "ntriples": lambda given: serialize(given.graph, format=RdfFormat.N_TRIPLES),
    "rdflib": lambda given: by_rdflib(given.graph),
    "jsonld": document,
}
WAYS = {
    # the reader, the writer, what stands before all, what between two events
    "N-Quads": ("nquads", "nquads", b"", b""),
    "TriG": ("trig", "trig", b"", b""),
    "N-Quads, MESSAGE": ("messages nquads", "nquads", b'VERSION "1.2-messages"\n', b"MESSAGE\n"),
    "N-Quads, # @message": ("messages nquads", "nquads", b"# @message\n", b"# @message\n"),
    "TriG, @message": ("messages trig", "trig", b'@version "1.2-messages" .\n', b"@message .\n"),
    "TriG, # @message": ("messages trig", "trig", b"# @message\n", b"# @message more\n"),
    "N-Triples, MESSAGE": ("messages ntriples", "ntriples", b"MESSAGE\r\n", b"MESSAGE\r\n"),
    "Turtle, MESSAGE": ("messages turtle", "turtle", b"MESSAGE\n", b"MESSAGE\n"),
    "Turtle of rdflib": ("messages turtle", "rdflib", b"message\n", b"message #\n"),
    "JSON-LD": ("messages jsonld", "jsonld", b"", b""),
}


class Cut:
    """A source that gives pieces of some sizes, in turn, and that others may write to."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self.data, self.at = data, 0
        self._sizes = itertools.cycle(sizes)

    def read1(self, _size: int = -1) -> bytes:
        start, self.at = self.at, min(self.at + next(self._sizes), len(self.data))
        return self.data[start : self.at]

    def peek(self, size: int = 0) -> bytes:
        return self.data[self.at : self.at + size]


def reading(way: str, source: BinaryIO, report: WireReport, skip: bool = False) -> Iterator[Events]:
    options = WireOptions(skip=skip)
    if way.startswith("messages "):
        return read_wholes(way.removeprefix("messages "), source, "f", "urn:s", options, report)
    read = read_trig if way == "trig" else read_nquads
    return read(source, "f", EventAssembler("urn:s", options, report))


def read(way: str, source: BinaryIO) -> list[Event]:
    return [event for events in reading(way, source, WireReport()) for event in events]


@pytest.mark.parametrize("name", WAYS)
@given(given=events, sizes=st.lists(st.integers(1, 400), min_size=1, max_size=5) | st.just([1]))
def test_every_format_gives_the_same_events(name: str, given: list[Given], sizes: list[int]) -> None:
    way, writer, head, delimiter = WAYS[name]
    data = head + delimiter.join(WRITERS[writer](event) for event in given)
    expected = [(event.name.value, event.time) for event in given]
    own_time = writer not in ("nquads", "trig")  # the time statement is part of the graph
    for source in (io.BytesIO(data), Cut(data, sizes)):
        found = read(way, cast(BinaryIO, source))
        assert [(event.name, event.timestamp) for event in found] == expected
        for event, original in zip(found, given, strict=True):
            assert canonical(event.triples) == canonical(original.graph if own_time else original.triples)


# ── malformed files, cut anywhere ────────────────────────────────────────────────────────────────────────
def outcome(way: str, source: BinaryIO, skip: bool) -> tuple[list[object], str, WireReport]:
    report, found, stopped = WireReport(), [], ""
    try:
        for events in reading(way, source, report, skip):
            found += [(event.name, event.timestamp) for event in events]
    except StreamError as error:
        stopped = error.render().partition("\nhint:")[0]  # hints are about what is at hand
    return found, stopped, report


def malformed() -> list[tuple[Path, str]]:
    """The malformed files of other tests, and which reader they are for."""
    own = [(file, "trig" if file.suffix == ".trig" else "nquads") for file in (HERE / "errors").glob("*.*")]
    messages = [(file, f"messages {ENDINGS.get(file.suffix)}") for file in (HERE / "message_errors").glob("*.*")]
    return sorted((file, way) for file, way in own + messages if file.suffix in ENDINGS)


@pytest.mark.parametrize(("file", "way"), malformed(), ids=lambda value: value.name if isinstance(value, Path) else "")
def test_mistakes_are_the_same_however_a_file_is_cut(file: Path, way: str) -> None:
    data, chance = file.read_bytes(), random.Random(1)
    for skip in (False, True):
        expected = outcome(way, io.BytesIO(data), skip)
        for sizes in ([1], [7], [chance.randint(1, 90) for _ in range(20)]):
            assert outcome(way, cast(BinaryIO, Cut(data, sizes)), skip) == expected


# ── as they come ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", WAYS)
def test_an_event_is_handed_on_before_more_is_read(name: str) -> None:
    """With the last byte of its message, or of what begins the next graph."""
    way, writer, head, delimiter = WAYS[name]
    one = [Triple(NamedNode("http://ex.org/a"), NamedNode("http://ex.org/b"), Literal(str(n))) for n in range(2)]
    texts = [WRITERS[writer](Given(NamedNode(f"http://ex.org/e{n}"), n, one)) + delimiter for n in range(5)]
    pieces = [head + texts[0], *texts[1:]]
    source = Cut(b"".join(pieces), [*map(len, pieces), 1])
    lag = 0 if delimiter or writer == "jsonld" else 1
    lists = (events for events in reading(way, cast(BinaryIO, source), WireReport()) if len(events))
    for number, events in enumerate(lists):
        assert [event.timestamp for event in events] == [number]
        assert source.at == sum(map(len, pieces[: number + 1 + lag]))
    assert number == 4
