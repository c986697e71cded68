"""Streams of N-Quads: the events that a plain reading of pyoxigraph's lines gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO
from unittest.mock import patch

from pyoxigraph import BlankNode, NamedNode, RdfFormat, parse

from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import graph_of, read_nquads
from tests.fuzz.door import Door, same
from tests.fuzz.doors.reading import is_deep, mistake, nameless, read_alike
from tests.fuzz.doors.words import TERMS, TIME, examples, w3c
from tests.streams.assembly_model import Model


def enter(data: bytes) -> str:
    """Read the lines, and compare with the model."""
    with patch("spaseq.sources.rdf.nquads.GATHERED", 1 << 16):  # it takes memory by this measure
        found = read_alike(data, _read)
    if not is_deep(data):
        expected = _Lines(skip=False, remembered=1 << 16).read(data.removeprefix(b"\xef\xbb\xbf"))
        theirs = [(event.name, event.time, nameless(event.triples)) for event in expected.events]
        same(found.events, theirs, "events")
        same(found.stopped, mistake(expected.errors[-1][0] if expected.errors else ""), "the first mistake")
    return found.word()


class _Lines(Model):
    """The model, which sees the graph of a bad line where the reader does."""

    def _lose(self, error: SyntaxError, line: bytes, is_last: bool) -> None:
        if (graph := graph_of(line)) is not None:
            (quad,) = parse(b"<urn:s> <urn:p> <urn:o> " + graph + b" .", RdfFormat.N_QUADS)
            if quad.graph_name != self.node:
                assert isinstance(quad.graph_name, NamedNode | BlankNode)
                self._begin(quad.graph_name, error.offset or 1)
        super()._lose(error, b"", is_last)


def _read(source: BinaryIO, assembler: EventAssembler) -> Iterator[Events]:
    return read_nquads(source, "f", assembler)


def seeds() -> list[bytes]:
    """Statements of the W3C's tests in a graph with a time, and an example."""
    valid = [TIME + data for data in w3c("rdf-n-quads", ".nq")]
    return [*valid, *examples("*.nq", 20)]


DOOR = Door("nquads", enter, seeds, TERMS)
