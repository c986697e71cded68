"""The frames of a Jelly stream, decoded by pyjelly (which has to be there) to pyoxigraph's terms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from google.protobuf.message import DecodeError
from pyjelly import jelly
from pyjelly.errors import JellyConformanceError
from pyjelly.parse.decode import Adapter, Decoder, options_from_frame
from pyjelly.parse.ioutils import delimited_jelly_hint
from pyoxigraph import BlankNode, Literal, NamedNode

from spaseq.errors import Location, StreamError
from spaseq.sources.incoming import chunks, is_idle
from spaseq.sources.rdf.wire import REST_IS_LOST

BLOCK = 1 << 16  # bytes read at once, if so many are there
LARGEST_FRAME = 1 << 26
_REMEMBERED = 4096  # IRIs whose text is remembered
_NOT_EMPTY = re.compile(rb"[^\0]")
_ESCAPED = re.compile(r'["\\\n\r]')
_GIVE_SOMETHING = ("triple", "quad", "namespace")  # rows, when they are decoded
_LONGEST_SIZE = 10  # bytes of the number before a frame
# What pyjelly raises for data that are not as the format has them.
_DAMAGES = (
    DecodeError, JellyConformanceError, AssertionError, AttributeError, LookupError, NotImplementedError, TypeError,
    ValueError,
)  # fmt: skip


class Frame(NamedTuple):
    """The statements of a frame as N-Quads lines, and which frame it is."""

    lines: bytes
    path: str
    number: int

    def locate(self, _text: str = "") -> Location:
        """The place of a text in it, as far as it is known."""
        return Location(f"{self.path}, frame {self.number}")


Decoded: TypeAlias = Frame | StreamError  # a frame, or what is wrong with it


class JellyFrames:
    """The frames of one source.

    ``grouped``: each frame is a message; otherwise frames are arbitrary portions of a stream of quads.
    """

    def __init__(self, source: BinaryIO, path: str) -> None:
        self._path = path
        self._number = 0  # of the frame that is read
        self._is_idle = False
        beginning = source.peek(3)[:3]  # type: ignore[attr-defined]
        self._frames = self._read(source, beginning[:1] != b"\n" or delimited_jelly_hint(beginning))
        self._first = self._first_frame()
        options = self._first.rows[0].options if self._first is not None else jelly.RdfStreamOptions()
        self.grouped = options.logical_type != jelly.LOGICAL_STREAM_TYPE_FLAT_QUADS
        if options.logical_type == jelly.LOGICAL_STREAM_TYPE_FLAT_TRIPLES:
            hint = "write each event as a frame of a stream of graphs or datasets"
            raise StreamError("a flat Jelly stream of triples has no events", Location(path), hint=hint)

    @property
    def is_idle(self) -> bool:
        """Whether nothing came for so long that what is open counts as complete."""
        return self._is_idle

    def decoded(self) -> Iterator[Decoded | None]:
        """What each frame has, None before waiting for more; StreamError in place of one with a term that RDF has not.

        After damaged data, the rest of the source is lost.
        """
        if self._first is None:
            return
        try:
            decoder = Decoder(_Terms(options_from_frame(self._first, delimited=True)))
            yield self._decoded(decoder, self._first)
            for frame in self._frames:
                yield None if frame is None else self._decoded(decoder, frame)
        except _DAMAGES as error:
            yield self._damage(error)
        except StreamError as error:
            yield error

    def _first_frame(self) -> Any:
        """The first frame with rows; None if there is none.  StreamError: it does not begin with the options."""
        try:
            frame = next((frame for frame in self._frames if frame is not None and frame.rows), None)
        except DecodeError as error:
            raise self._damage(error) from None
        if frame is not None and frame.rows[0].WhichOneof("row") != "options":
            raise StreamError("a Jelly stream begins with its options; this does not", self._place())
        return frame

    def _read(self, source: BinaryIO, delimited: bool) -> Iterator[Any]:
        """The frames as protobuf has them: many with their sizes before them, or one without; None before waiting."""
        data = bytearray()
        for more in chunks(source, BLOCK):
            if more is None:
                self._is_idle = not data and is_idle(source)
                yield None
                continue
            data += more
            start = 0
            while delimited and (frame := self._next(data, start)):
                self._number += 1
                if frame.start == frame.stop:
                    start = self._behind_empty(data, frame.stop)
                    continue
                yield jelly.RdfStreamFrame.FromString(bytes(data[frame]))
                start = frame.stop
            del data[:start]
            if len(data) > LARGEST_FRAME + _LONGEST_SIZE:
                raise self._too_large(len(data))
        self._number += 1
        if delimited and data:
            raise StreamError("the input ends in the middle of this frame", self._place())
        if not delimited:
            yield jelly.RdfStreamFrame.FromString(bytes(data))

    def _behind_empty(self, data: bytearray, start: int) -> int:
        """Where a frame begins that is not empty; each byte before is an empty one."""
        found = _NOT_EMPTY.search(data, start)
        stop = found.start() if found else len(data)
        self._number += stop - start
        return stop

    def _next(self, data: bytearray, start: int) -> slice | None:
        """Where the frame is whose size stands at ``start``; None if not all of it is there."""
        if (found := _size(data, start)) is None:
            return None
        size, begin = found
        if size > LARGEST_FRAME:
            raise self._too_large(size)
        return slice(begin, begin + size) if begin + size <= len(data) else None

    def _decoded(self, decoder: Any, frame: Any) -> Decoded:
        found: list[str] = []
        wrong, size = None, 0
        for index, line in enumerate(decoder.iter_rows(frame)):  # to its end: later frames need what it declares
            if isinstance(line, ValueError):
                wrong = wrong or (index, line)
                continue
            found.append(line)
            size += len(line)
            if size > LARGEST_FRAME:  # a prefix can stand for much
                raise self._too_large(size, 0)
        if wrong is not None:
            index, line = wrong
            rows = (number for number, row in enumerate(frame.rows, 1) if row.WhichOneof("row") in _GIVE_SOMETHING)
            return StreamError(f"row {next(islice(rows, index, None))}: {line}", self._place())
        return Frame("".join(found).encode(), self._path, self._number)

    def _place(self, later: int = 0) -> Location:
        return Location(f"{self._path}, frame {self._number + later}")

    def _damage(self, error: Exception) -> StreamError:
        reason = str(error) or "it contradicts the options of the stream"
        return StreamError(f"this is no Jelly: {reason}", self._place(), hint=REST_IS_LOST)

    def _too_large(self, size: int, later: int = 1) -> StreamError:
        return StreamError(f"a frame of {size:,} bytes is too large", self._place(later), hint=REST_IS_LOST)


def _size(data: bytearray, start: int) -> tuple[int, int] | None:
    """The number at ``start``, seven bits a byte, and the place behind it; None if it is cut off."""
    size = 0
    for place in range(start, min(len(data), start + _LONGEST_SIZE)):
        size |= (data[place] & 127) << 7 * (place - start)
        if data[place] < 128:
            return size, place + 1
    return (size, start + _LONGEST_SIZE) if len(data) >= start + _LONGEST_SIZE else None


class _Terms(Adapter):  # type: ignore[misc]
    """Makes N-Quads lines of valid terms.

    What RDF does not allow becomes a ValueError as a value: a statement with it is one too, and decoding goes on.
    """

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self._graph: Any = ""
        self._iris: dict[str, Any] = {}

    def iri(self, iri: str) -> Any:
        text = self._iris.get(iri)
        if text is None:
            if len(self._iris) >= _REMEMBERED:
                self._iris.clear()
            text = self._iris[iri] = _made(NamedNode, iri)
        return text

    def bnode(self, bnode: str) -> Any:
        return _made(BlankNode, bnode)

    def literal(self, lex: str, language: str | None = None, datatype: str | None = None) -> Any:
        kind = None if datatype is None else self.iri(datatype)
        if isinstance(kind, ValueError):
            return kind
        if language is not None or _ESCAPED.search(lex):
            return _made(Literal, lex, language=language, datatype=None if datatype is None else NamedNode(datatype))
        return f'"{lex}"^^{kind}' if kind else f'"{lex}"'

    def default_graph(self) -> Any:
        return ""

    def graph_start(self, graph_id: Any) -> None:
        self._graph = graph_id

    def graph_end(self) -> None:
        self._graph = ""

    def triple(self, terms: Iterable[Any]) -> Any:
        subject, predicate, object_ = terms
        return _line(subject, predicate, object_, self._graph)

    def quad(self, terms: Iterable[Any]) -> Any:
        return _line(*terms)

    def quoted_triple(self, terms: Iterable[Any]) -> Any:
        subject, predicate, object_ = terms
        line = _line(subject, predicate, object_, "")
        return line if isinstance(line, ValueError) else f"<<( {line[:-4]} )>>"

    def namespace_declaration(self, name: str, iri: str) -> str:
        return ""  # prefixes are of no use here


def _line(subject: Any, predicate: Any, object_: Any, graph: Any) -> Any:
    """The line of a statement, or the ValueError that tells what is wrong with it."""
    try:
        line = subject + " " + predicate + " " + object_ + " " + graph + " .\n"
    except TypeError:
        return _wrong(subject, predicate, object_, graph)
    if subject[:1] in "<_" and predicate[:1] == "<" and graph[:1] in "<_" and line[:2] != "<<":
        return line
    return ValueError(f"{line[:-3]} is no statement of RDF")


def _wrong(*parts: Any) -> ValueError:
    """What is wrong with one of the parts."""
    errors = (part for part in parts if isinstance(part, ValueError))
    return next(errors, ValueError(f"{' '.join(map(str, parts))} is no statement of RDF"))


def _made(kind: Any, value: str, **more: Any) -> Any:
    """The text of a term, or the ValueError that tells what is wrong with it."""
    try:
        return str(kind(value, **more))
    except ValueError as error:
        return ValueError(f"{value}: {error}")
