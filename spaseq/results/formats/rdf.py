"""N-Quads and TriG: events of CONSTRUCT queries as an RDF stream, a named graph each, its time in the default graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TextIO

import pyoxigraph

from gpm.algebra import XSD_DATETIME
from spaseq.results.formats.writer import Layout, MessageOutput, write_encoded
from spaseq.results.table import MatchTable
from spaseq.streams.timestamps import iso

PROV = "http://www.w3.org/ns/prov#"
GENERATED_AT = pyoxigraph.NamedNode(PROV + "generatedAtTime")
_CONTROLS = re.compile(rb"\x7f|\xc2[\x80-\x9f]")
_DATETIME = pyoxigraph.NamedNode(XSD_DATETIME)


class TimedGraph(Protocol):
    """What an event is on the wire: its IRI, time in microseconds, and triples (the graph of a quad means nothing)."""

    @property
    def name(self) -> str:
        """Its IRI."""

    @property
    def timestamp(self) -> int:
        """Its time in microseconds."""

    @property
    def triples(self) -> Sequence[pyoxigraph.Triple | pyoxigraph.Quad]:
        """What it says."""


def serialized(
    quads: Iterable[pyoxigraph.Quad], format: pyoxigraph.RdfFormat, prefixes: dict[str, str] | None = None
) -> bytes:
    """Quads in UTF-8, in a format of which C1 is escaped, too."""
    data = pyoxigraph.serialize(quads, format=format, prefixes=prefixes)
    assert data is not None
    return escaped(data)


def escaped(data: bytes) -> bytes:
    """What is written in N-Quads or TriG, with numbers for DEL and C1, which stand in literals and IRIs alone."""
    if b"\xc2" not in data and b"\x7f" not in data:
        return data
    return _CONTROLS.sub(lambda found: b"\\u00%02X" % found[0][-1], data)


def event_quads(event: TimedGraph) -> Iterator[pyoxigraph.Quad]:
    """The time of the event, then its graph."""
    graph = pyoxigraph.NamedNode(event.name)
    yield pyoxigraph.Quad(graph, GENERATED_AT, pyoxigraph.Literal(iso(event.timestamp), datatype=_DATETIME))
    for triple in event.triples:
        yield pyoxigraph.Quad(triple.subject, triple.predicate, triple.object, graph)


def stream_quads(events: Iterable[TimedGraph]) -> Iterator[pyoxigraph.Quad]:
    """The quads of all events, in order."""
    for event in events:
        yield from event_quads(event)


# ── N-Quads ──────────────────────────────────────────────────────────────────────────────────────────────
class NQuadsWriter:
    """The events of CONSTRUCT queries as an RDF stream in N-Quads; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        if isinstance(self._output, MessageOutput):
            for event in table.derived or ():
                self._output.write_message(serialized(event_quads(event), pyoxigraph.RdfFormat.N_QUADS))
            return
        write_encoded(self._output, serialized(stream_quads(table.derived or ()), pyoxigraph.RdfFormat.N_QUADS))

    def close(self) -> None:
        """Nothing stands at the end."""


# ── TriG ─────────────────────────────────────────────────────────────────────────────────────────────────
class TrigWriter:
    """The events of CONSTRUCT queries as an RDF stream in TriG; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._prefixes = {"xsd": "http://www.w3.org/2001/XMLSchema#", **layout.prefixes, "prov": PROV}
        head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in self._prefixes.items())
        write_encoded(output, escaped(head.encode()))

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        if not table.derived:
            return
        data = serialized(stream_quads(table.derived), pyoxigraph.RdfFormat.TRIG, self._prefixes)
        write_encoded(self._output, data.split(b"\n", len(self._prefixes))[-1])  # prefixes stand in the head already

    def close(self) -> None:
        """Nothing stands at the end."""
