"""Messages that another library has parsed: they are collected as N-Quads lines and read together."""

from __future__ import annotations

import io
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, BinaryIO, Generic, Protocol, TypeVar

from pyoxigraph import RdfFormat, serialize

from gpm.nested_json import check_json
from gpm.parsing import parse
from spaseq.errors import Location, StreamError
from spaseq.sources.rdf.assembler import Dataset, EventAssembler, Received
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import explain, printable, shown_line
from spaseq.sources.rdf.text import Gathering, pieces
from spaseq.sources.rdf.wire import DELIMITER, TAKEN

if TYPE_CHECKING:
    from typing_extensions import Buffer


T = TypeVar("T")


class Document(Protocol):
    """Something that was parsed."""

    def locate(self, text: str) -> Location:
        """The place of a text of it in the source ("": of itself)."""


class Collected(Generic[T]):
    """Messages for an assembler.  What is wrong with one is raised as StreamError, or noted if it skips errors.

    ``document`` makes a document of what tells it: few are ever asked for.
    """

    def __init__(self, assembler: EventAssembler, document: Callable[[T], Document]) -> None:
        self._assembler = assembler
        self._document = document
        self._texts: list[bytes] = []  # each with the delimiter behind it
        self._documents: list[T] = []

    def add(self, lines: bytes, document: T) -> None:
        """The statements of a document, which are a message."""
        self._texts.append(lines + DELIMITER)
        self._documents.append(document)

    def fail(self, error: StreamError) -> None:
        """A message that cannot be read."""
        self.flush()
        self._assembler.take_message(error)

    def flush(self) -> None:
        """Have the assembler take what was collected; a message that is no plain event is looked at by itself."""
        texts, documents = self._texts, self._documents
        self._texts, self._documents = [], []
        block, ends = b"".join(texts), list(accumulate(map(len, texts)))
        at, outcome = self._assembler.read_messages(block, 0)
        while outcome != TAKEN:
            number = bisect_right(ends, at)
            self._assembler.take_message(_message(texts[number], self._document(documents[number])))
            at, outcome = self._assembler.read_messages(block, ends[number])


def _message(lines: bytes, document: Document) -> Received:
    try:
        return Dataset(list(parse(lines.removesuffix(DELIMITER), RdfFormat.N_QUADS)), document.locate)
    except SyntaxError as error:
        return StreamError(explain(error), document.locate(""))


_CONTEXT_FIRST = re.compile(rb'\s*\{\s*"@context"\s*:')
LONGEST_LINE = 1 << 26  # bytes, also of the lines that it becomes
SHORT = 1 << 12  # bytes of a document that cannot become too long: none of its terms is longer than itself
TOO_LONG = f"a line is longer than {LONGEST_LINE:,} bytes"
NO_OBJECT = "this line is no JSON object"
_JSON_LD, _N_QUADS = RdfFormat.JSON_LD, RdfFormat.N_QUADS
_REMOTE = "LoadDocumentCallback"


def read_jsonld(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a source as they come.  Lines without anything on them are passed over.

    StreamError after the events before it: a line is no JSON-LD document or no event, or it is too long.
    """
    reader = _Reader(path, assembler)
    try:
        for number, line in _lines_of(source, path):
            if line is None:
                reader.flush()
                yield assembler.take() or assembler.nothing
            elif line and not line.isspace():
                reader.add(number, line)
        reader.flush()
    finally:
        if complete := assembler.take():
            yield complete


def _lines_of(source: BinaryIO, path: str) -> Iterator[tuple[int, bytes | None]]:
    """The lines, numbered from 1, without their ends and a byte order mark; None when events are to be handed on.

    StreamError: a line is too long.
    """
    gathering = Gathering()
    number, size = 1, 0
    unfinished: list[bytes] = []
    for data in pieces(source):
        if data is None:
            yield number, None
            continue
        *whole, rest = data.split(b"\n")
        if whole:
            whole[0] = b"".join([*unfinished, whole[0]])
            yield from enumerate(whole, number)
            number, size, unfinished = number + len(whole), 0, []
        unfinished.append(rest)
        size += len(rest)
        if size > LONGEST_LINE:
            raise StreamError(TOO_LONG, Location(path, number))
        if gathering.is_due(len(data)):
            yield number, None
    yield number, b"".join(unfinished)


_NOTHING = (b"", b"")  # around a document with all that it needs


class _Reader:
    """Reads documents into an assembler, many at a time."""

    def __init__(self, path: str, assembler: EventAssembler) -> None:
        self._path = path
        self._around = _NOTHING  # a document: what gives it the context in force
        self._collected = Collected(assembler, self._document)
        self.flush = self._collected.flush

    def add(self, number: int, line: bytes) -> None:
        """Read a line."""
        statements = self._read(number, line, self._around)
        failed = isinstance(statements, StreamError)
        if (failed or not statements) and (context := _context_alone(line)):
            self._around = (b'{"@context":' + context + b',"@graph":', b"}")
            statements = self._read(number, line, _NOTHING)  # for what may be wrong with it
        if isinstance(statements, StreamError):
            self._collected.fail(statements)
        elif statements:
            self._collected.add(statements, (number, line, self._around))

    def _read(self, number: int, line: bytes, around: tuple[bytes, bytes]) -> bytes | StreamError:
        """The N-Quads lines of a document, or what is wrong with it."""
        try:
            return _statements(line, around)
        except (SyntaxError, OverflowError) as error:
            return _Line(self._path, number, line, around).failure(error)

    def _document(self, found: tuple[int, bytes, tuple[bytes, bytes]]) -> _Line:
        return _Line(self._path, *found)


def _statements(line: bytes, around: tuple[bytes, bytes]) -> bytes:
    """The N-Quads lines of a document.  SyntaxError: it is none.  OverflowError: they are too long."""
    if line[:1] != b"{" and not line.lstrip().startswith(b"{"):
        raise SyntaxError(NO_OBJECT)
    quads = parse(line.rstrip(), _JSON_LD, around=around)
    if len(line) + len(around[0]) <= SHORT:
        return serialize(quads, format=_N_QUADS) or b""
    lines = _Lines()
    serialize(quads, lines, _N_QUADS)
    return lines.getvalue()


def _context_alone(line: bytes) -> bytes:
    """The context, if the document has nothing else; empty otherwise."""
    if not _CONTEXT_FIRST.match(line):
        return b""
    try:
        check_json(line)
        document = json.loads(line)
    except (ValueError, SyntaxError):
        return b""
    return json.dumps(document["@context"]).encode() if len(document) == 1 else b""


class _Lines(io.BytesIO):
    """N-Quads lines.  OverflowError: they are too long; a term of a context can stand for much."""

    def write(self, data: Buffer) -> int:
        if self.tell() > LONGEST_LINE:
            raise OverflowError
        return super().write(data)


class _Line:
    """One document, and what stands around it when it is parsed."""

    __slots__ = ("_around", "_line", "_number", "_path")

    def __init__(self, path: str, number: int, line: bytes, around: tuple[bytes, bytes]) -> None:
        self._path = path
        self._number = number
        self._line = line
        self._around = around

    def locate(self, text: str) -> Location:
        """The place of a text, or of the document."""
        line = self._line.decode("utf-8", "replace")
        found = text and text in line
        column = line.index(text) + 1 if found else len(line) - len(line.lstrip()) + 1
        return self._place(column, len(text) if found else 1)

    def _place(self, column: int, width: int) -> Location:
        return shown_line(self._path, self._number, column, self._line, width)

    def failure(self, error: SyntaxError | OverflowError) -> StreamError:
        """The error for what ``_statements`` raised."""
        if isinstance(error, OverflowError):
            return StreamError(TOO_LONG, self.locate(""))
        if error.msg == NO_OBJECT:
            return StreamError(NO_OBJECT, self.locate(""), hint="each line is a JSON-LD document")
        if _REMOTE in error.msg:
            hint = "contexts are not fetched: write it out, here or on a line of its own before"
            return StreamError("the context is on the network", self.locate('"@context"'), hint=hint)
        if error.offset is None:
            return StreamError(explain(error), self.locate(""))
        shift = len(self._around[0].decode())
        end = len(printable(self._line)) + 1
        column = min(max(1, error.offset - shift), end)
        hint = "each line is a whole JSON-LD document" if column == end else ""
        return StreamError(explain(error), self._place(column, 1), hint=hint)
