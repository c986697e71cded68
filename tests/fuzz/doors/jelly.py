"""Jelly: frames of protobuf, of which rows are moved and numbers changed."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError
from pyjelly import jelly
from pyjelly.integrations.generic import generic_sink as g
from pyjelly.integrations.generic.serialize import GenericSinkTermEncoder, grouped_stream_to_file, stream_frames
from pyjelly.options import StreamParameters
from pyjelly.parse.ioutils import get_options_and_frames
from pyjelly.serialize.ioutils import write_delimited
from pyjelly.serialize.streams import GraphStream, QuadStream, SerializerOptions

from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.jelly import read_jelly
from tests.fuzz.door import Door
from tests.fuzz.doors.reading import read_alike
from tests.fuzz.mutate import mutated

TIME = g.IRI("http://www.w3.org/ns/prov#generatedAtTime")
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
NUMBERS = (0, 1, 2, 3, 7, 8, 9, 127, 128, 4096, 4097, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
TEXTS = ("", "x", "urn:", "\0", "a b", "<", "é" * 300, "x" * 70_000, "\\u0041", "http://www.w3.org/ns/prov#")


def enter(data: bytes) -> str:
    """Read the frames."""
    return read_alike(data, _read).word()


def _read(source: BinaryIO, assembler: EventAssembler) -> Iterator[Events]:
    return read_jelly(source, "f", assembler)


# ── changes ──────────────────────────────────────────────────────────────────────────────────────────────
def changed(data: bytes, other: bytes, words: Sequence[bytes], choose: random.Random) -> bytes:
    """Rows of the frames changed, or bytes."""
    frames = _frames(data) if choose.randrange(4) else []
    if not frames:
        return mutated(data, other, words, choose)
    for _ in range(choose.choice((1, 1, 2, 5))):
        _change_frames(frames, _frames(other) or frames, choose)
    out = io.BytesIO()
    for frame in frames:
        write_delimited(frame, out)
    return out.getvalue()


def _frames(data: bytes) -> list[Any]:
    """The frames of a stream; none if it cannot be read."""
    try:
        return [jelly.RdfStreamFrame.FromString(some.SerializeToString()) for some in _read_frames(data)]
    except Exception:  # the library's answers to damage are of many types
        return []


def _read_frames(data: bytes) -> list[Any]:
    try:
        return list(get_options_and_frames(io.BytesIO(data))[1])
    except DecodeError:
        return []


def _change_frames(frames: list[Any], others: list[Any], choose: random.Random) -> None:
    frame, other = choose.choice(frames), choose.choice(others)
    rows = list(frame.rows)
    kind = choose.randrange(6)
    place = choose.randrange(len(rows)) if rows else 0
    if kind == 0:
        frames.insert(choose.randint(0, len(frames)), other)
    elif kind == 1 and len(frames) > 1:
        frames.remove(frame)
    elif kind == 2 and rows:
        rows.insert(choose.randint(0, len(rows)), choose.choice(list(other.rows) or rows))
    elif kind == 3 and rows:
        del rows[place]
    elif rows:
        _change_fields(rows[place], choose)
    kept = [row.SerializeToString() for row in rows]
    del frame.rows[:]
    frame.rows.extend(jelly.RdfStreamRow.FromString(row) for row in kept)


def _change_fields(message: Any, choose: random.Random) -> None:
    """Another value in a field of a message, or of one within it."""
    fields = message.ListFields() or [(field, None) for field in message.DESCRIPTOR.fields]
    if not fields:
        return
    field, value = choose.choice(fields)
    if value is not None and hasattr(value, "ListFields") and choose.randrange(5):
        _change_fields(value, choose)
    elif field.type == field.TYPE_STRING and not field.is_repeated:
        setattr(message, field.name, choose.choice(TEXTS))
    elif field.type in (field.TYPE_UINT32, field.TYPE_ENUM) and not field.is_repeated:
        number = choose.choice(NUMBERS)
        setattr(message, field.name, number % (1 << 31) if field.type == field.TYPE_ENUM else number)
    elif field.type == field.TYPE_BOOL and not field.is_repeated:
        setattr(message, field.name, not value)
    else:
        message.ClearField(field.name)


# ── seeds ────────────────────────────────────────────────────────────────────────────────────────────────
def seeds() -> list[bytes]:
    """Some streams of each type."""
    grouped = [_grouped(logical) for logical in (
        jelly.LOGICAL_STREAM_TYPE_DATASETS, jelly.LOGICAL_STREAM_TYPE_NAMED_GRAPHS,
        jelly.LOGICAL_STREAM_TYPE_TIMESTAMPED_NAMED_GRAPHS,
    )]  # fmt: skip
    return [*grouped, _streamed(GraphStream), _streamed(QuadStream, jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS)]


def _dataset(number: int) -> list[Any]:
    graph, subject = g.IRI(f"http://e.org/{number}"), g.IRI("http://e.org/a#s")
    return [
        g.Quad(graph, TIME, g.Literal(str(number), datatype=INTEGER), g.DefaultGraph),
        g.Quad(subject, g.IRI("urn:p"), g.Literal("é", langtag="fr"), graph),
        g.Quad(subject, g.IRI("urn:q"), g.BlankNode("b"), graph),
        g.Quad(g.BlankNode("b"), g.IRI("urn:p"), g.Literal("text\n"), graph),
        g.Quad(subject, g.IRI("urn:p"), g.Literal("2.5", datatype="http://www.w3.org/2001/XMLSchema#decimal"), graph),
    ]


def _sinks() -> Iterator[Any]:
    for number in range(1, 4):
        sink = g.GenericStatementSink()
        for quad in _dataset(number):
            sink.add(quad)
        yield sink


def _options(logical: int) -> SerializerOptions:
    return SerializerOptions(logical_type=logical, params=StreamParameters(namespace_declarations=True))


def _grouped(logical: int) -> bytes:
    out = io.BytesIO()
    grouped_stream_to_file(_sinks(), out, options=_options(logical))
    return out.getvalue()


def _streamed(kind: Any, logical: int = jelly.LOGICAL_STREAM_TYPE_DATASETS) -> bytes:
    options = _options(logical)
    stream = kind(encoder=GenericSinkTermEncoder(options.lookup_preset), options=options)
    out = io.BytesIO()
    for sink in _sinks():
        for frame in stream_frames(stream, sink):
            write_delimited(frame, out)
    return out.getvalue()


DOOR = Door("jelly", enter, seeds, mutate=changed)
