"""The frames of a Jelly stream, decoded by pyjelly (which has to be there) to pyoxigraph's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError
from pyjelly import jelly
from pyjelly.errors import JellyConformanceError
from pyjelly.parse.decode import Adapter, Decoder, options_from_frame
from pyjelly.parse.ioutils import delimited_jelly_hint
from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from spaseq.errors import Location, StreamError
from spaseq.streams.messages import Message, Received

LARGEST_FRAME = 1 << 26
_REST_IS_LOST = "the rest of this source is not read"
# What pyjelly raises for data that are not as the format has them.
_DAMAGES = (
    DecodeError, JellyConformanceError, AssertionError, AttributeError, LookupError, NotImplementedError, TypeError,
    ValueError,
)  # fmt: skip


class JellyFrames:
    """The frames of one source.

    ``grouped``: each frame is a message; otherwise frames are arbitrary portions of a stream of quads.
    """

    def __init__(self, source: BinaryIO, path: str) -> None:
        self._path = path
        self._number = 0  # of the frame that is read
        beginning = source.peek(3)[:3]  # type: ignore[attr-defined]
        self._frames = self._read(source, beginning[:1] != b"\n" or delimited_jelly_hint(beginning))
        self._first = self._first_frame()
        options = self._first.rows[0].options if self._first is not None else jelly.RdfStreamOptions()
        self.grouped = options.logical_type != jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS
        if options.logical_type == jelly.LOGICAL_STREAM_TYPE_FLAT_TRIPLES:
            hint = "write each event as a frame of a stream of graphs or datasets"
            raise StreamError("a flat Jelly stream of triples has no events", Location(path), hint=hint)

    def messages(self) -> Iterator[Received]:
        """What each frame has; StreamError in place of one that has a term that is none in RDF.

        After damaged data, the rest of the source is lost.
        """
        try:
            if self._first is None:
                return
            decoder = Decoder(_Terms(options_from_frame(self._first, delimited=True)))
            yield self._message(decoder, self._first)
            for frame in self._frames:
                yield self._message(decoder, frame)
        except _DAMAGES as error:
            yield self._damage(error)
        except StreamError as error:
            yield error

    def _first_frame(self) -> Any:
        """The first frame with rows; None if there is none.  StreamError: it does not begin with the options."""
        try:
            frame = next((frame for frame in self._frames if frame.rows), None)
        except DecodeError as error:
            raise self._damage(error) from None
        if frame is not None and frame.rows[0].WhichOneof("row") != "options":
            raise StreamError("a Jelly stream begins with its options; this does not", self._place())
        return frame

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────
    def _read(self, source: BinaryIO, delimited: bool) -> Iterator[Any]:
        """The frames as protobuf has them: many with their sizes before them, or one without."""
        while (size := _size(source) if delimited else LARGEST_FRAME) is not None:
            self._number += 1
            if size > LARGEST_FRAME:
                raise StreamError(f"a frame of {size:,} bytes is too large", self._place(), hint=_REST_IS_LOST)
            data = source.read(size)
            if delimited and len(data) < size:
                raise StreamError("the input ends in the middle of this frame", self._place())
            yield jelly.RdfStreamFrame.FromString(data)
            if not delimited:
                return

    def _message(self, decoder: Any, frame: Any) -> Received:
        quads, wrong = [], None
        for number, row in enumerate(frame.rows, 1):
            kind = row.WhichOneof("row")
            found = decoder.decode_row(getattr(row, kind))
            if kind not in ("triple", "quad"):
                continue
            if isinstance(found, Quad):
                quads.append(found)
            else:
                wrong = wrong or StreamError(f"row {number}: {found}", self._place())
        return wrong or Message(quads, partial(_located, self._place()))

    def _place(self) -> Location:
        return Location(f"{self._path}, frame {self._number}")

    def _damage(self, error: Exception) -> StreamError:
        reason = str(error) or "it contradicts the options of the stream"
        return StreamError(f"this is no Jelly: {reason}", self._place(), hint=_REST_IS_LOST)


def _located(place: Location, _text: str) -> Location:
    return place


def _size(source: BinaryIO) -> int | None:
    """The number before a frame, seven bits a byte; None at the end."""
    size = 0
    for shift in range(0, 70, 7):
        byte = source.read(1)
        if not byte:
            return None
        size |= (byte[0] & 127) << shift
        if byte[0] < 128:
            break
    return size


class _Terms(Adapter):  # type: ignore[misc]
    """Makes pyoxigraph's terms.

    What RDF does not allow becomes a ValueError as a value: a statement with it is one too, and decoding goes on.
    """

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._graph: Any = DefaultGraph()

    def iri(self, iri: str) -> Any:
        return _made(NamedNode, iri)

    def bnode(self, bnode: str) -> Any:
        return _made(BlankNode, bnode)

    def literal(self, lex: str, language: str | None = None, datatype: str | None = None) -> Any:
        kind = None if datatype is None else self.iri(datatype)
        return kind if isinstance(kind, ValueError) else _made(Literal, lex, language=language, datatype=kind)

    def default_graph(self) -> Any:
        return DefaultGraph()

    def graph_start(self, graph_id: Any) -> None:
        self._graph = graph_id

    def graph_end(self) -> None:
        self._graph = DefaultGraph()

    def triple(self, terms: Iterable[Any]) -> Any:
        return _made(Quad, *terms, self._graph)

    def quad(self, terms: Iterable[Any]) -> Any:
        return _made(Quad, *terms)

    def quoted_triple(self, terms: Iterable[Any]) -> Any:
        return _made(Triple, *terms)

    def namespace_declaration(self, name: str, iri: str) -> None:
        """Prefixes are of no use here."""


def _made(kind: Any, *parts: Any, **more: Any) -> Any:
    """A term or statement of the parts, or the ValueError that tells what is wrong with them."""
    for part in parts:
        if isinstance(part, ValueError):
            return part
    try:
        return kind(*parts, **more)
    except ValueError as error:
        return ValueError(f"{parts[0]}: {error}")
    except TypeError:
        return ValueError(f"{' '.join(map(str, parts))} is no statement of RDF")
