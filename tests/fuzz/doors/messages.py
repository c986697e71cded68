"""RDF messages in four syntaxes: the native way, and message by message through pyoxigraph.

The first byte of an input says which syntax: ``t``\\ urtle, ``g`` (TriG), ``q``\\ uads, else N-Triples.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO

from spaseq.errors import StreamError
from spaseq.sources.rdf.assembler import EventAssembler, to_event
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.messages import read_delimited
from spaseq.sources.rdf.wire import WireOptions, WireReport
from tests.fuzz.door import Door, same
from tests.fuzz.doors.reading import Brief, nameless, nameless_text, read_alike
from tests.fuzz.doors.words import MESSAGES, TERMS, TURTLE, examples, w3c
from tests.streams.recorder import Recorder

SYNTAXES = {b"t": "turtle", b"g": "trig", b"q": "nquads"}


def enter(data: bytes) -> str:
    """Read the messages in both ways."""
    kind, text = SYNTAXES.get(data[:1], "ntriples"), data[1:]
    found = read_alike(text, partial(_read, kind))
    same((found.events, found.stopped), _closely(text, kind), "read natively and closely")
    return f"{kind} {found.word()}"


def _read(kind: str, source: BinaryIO, assembler: EventAssembler) -> Iterator[Events]:
    return read_delimited(source, "f", kind, assembler)


def _closely(text: bytes, kind: str) -> tuple[list[Brief], str]:
    """The events of a text that pyoxigraph reads, up to the first mistake."""
    recorder, stopped = Recorder(), ""
    source: Any = Whole(text)
    try:
        for _ in read_delimited(source, "f", kind, recorder):  # type: ignore[arg-type]
            pass
    except StreamError as error:
        stopped = nameless_text(error.message)
    events: list[Brief] = []
    for message in recorder.found:
        try:
            event = to_event(message, "urn:s", WireOptions(), WireReport())
        except StreamError as error:
            return events, nameless_text(error.message)
        if event is not None:
            events.append((event.name, event.timestamp, nameless(event.triples)))
    return events, stopped


class Whole:
    """A source that gives all at once."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def read1(self, _size: int = -1) -> bytes:
        """All, then nothing."""
        data, self._data = self._data, b""
        return data


def seeds() -> list[bytes]:
    """Messages made of the W3C's tests and of examples."""
    about = b'<urn:e> <http://www.w3.org/ns/prov#generatedAtTime> "7"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
    lines = [b"q" + b'VERSION "1.2-messages"\n' + about + data for data in w3c("rdf-n-triples", ".nt")[:40]]
    graphs = [b"g" + b"MESSAGE\n" + data for data in [*w3c("rdf-trig", ".trig")[:80], *examples("*.trig", 12)]]
    return [*lines, *(b"n" + data[1:] for data in lines[:10]), *graphs]


DOOR = Door("messages", enter, seeds, (*MESSAGES, *MESSAGES, *TERMS, *TURTLE))
