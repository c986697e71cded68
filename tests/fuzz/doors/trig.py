"""Streams of TriG: the events that pyoxigraph's quads of the whole text make, and its mistakes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import Quad, RdfFormat, parse

from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import BOM
from spaseq.sources.rdf.trig import read_trig
from tests.fuzz.door import Door, same
from tests.fuzz.doors.reading import Brief, is_deep, mistake, nameless, read_alike
from tests.fuzz.doors.words import TERMS, TURTLE, examples, w3c
from tests.streams.assembly_model import Model, _StoppedError


def enter(data: bytes) -> str:
    """Read the text, and compare with what is made of pyoxigraph's quads."""
    found = read_alike(data, _read)
    if not is_deep(data):
        quads = _parsed(data)
        if quads is None:
            same(bool(found.stopped), True, "it is refused")
        else:
            events, stopped = _events(quads)
            same(found.events, events, "events")
            same(found.stopped, stopped, "the first mistake")
    return found.word()


def _read(source: BinaryIO, assembler: EventAssembler) -> Iterator[Events]:
    return read_trig(source, "f", assembler)


def _parsed(data: bytes) -> list[Quad] | None:
    """pyoxigraph's quads; None: it refuses the text, but for a byte order mark, which we pass over in all formats."""
    try:
        return list(parse(data.removeprefix(BOM), RdfFormat.TRIG))
    except SyntaxError:
        return None


def _events(quads: list[Quad]) -> tuple[list[Brief], str]:
    """The events of a model, and its first mistake."""
    model = Model(skip=False, remembered=1 << 16)
    with contextlib.suppress(_StoppedError):
        for quad in quads:
            model._take(quad)
        model._close("")
    found = [(event.name, event.time, nameless(event.triples)) for event in model.found.events]
    return found, mistake(model.found.errors[-1][0] if model.found.errors else "")


def seeds() -> list[bytes]:
    """The W3C's tests and the examples."""
    return [*w3c("rdf-trig", ".trig"), *examples("*.trig", 25)]


DOOR = Door("trig", enter, seeds, (*TERMS, *TURTLE))
