"""Reading JSON-LD, one document a line, each of them a message; contexts may stand on lines of their own.

A line ``{"@context": …}`` is the context of the documents that follow, which may have others besides.  Nothing is
fetched: a context is written out where it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import RdfFormat, parse, serialize

from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.collected import Collected
from spaseq.streams.event import Events
from spaseq.streams.nquads import explain, printable
from spaseq.streams.source_text import pieces

_CONTEXT_FIRST = re.compile(rb'\s*\{\s*"@context"\s*:')
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[]}]', re.DOTALL)
_DEEPEST = 100  # brackets within each other; the parser's stack is not without end
LONGEST_LINE = 1 << 26  # bytes
_REMOTE = "LoadDocumentCallback"


def read_jsonld(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a source as they come.  Lines without anything on them are passed over.

    StreamError after the events before it: a line is no JSON-LD document or no event, or it is too long.
    """
    reader = _Reader(path, assembler)
    try:
        for number, line in _lines_of(source, path):
            if line.strip():
                reader.add(number, line)
            elif not line:
                reader.flush()
                if complete := assembler.take():
                    yield complete
        reader.flush()
    finally:
        if complete := assembler.take():
            yield complete


def _lines_of(source: BinaryIO, path: str) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from 1, with their ends and without a byte order mark.

    An empty line (without even an end) says that more has to be waited for.  StreamError: a line is too long.
    """
    number, rest = 1, b""
    unfinished: list[bytes] = []
    size = 0
    for data in pieces(source):
        *whole, rest = data.split(b"\n")
        for piece in whole:
            yield number, b"".join([*unfinished, piece, b"\n"])
            number, unfinished, size = number + 1, [], 0
        unfinished.append(rest)
        size += len(rest)
        if size > LONGEST_LINE:
            raise StreamError(f"a line is longer than {LONGEST_LINE:,} bytes", Location(path, number))
        yield number, b""
    yield number, b"".join(unfinished)


class _Reader:
    """Reads documents into an assembler, many at a time."""

    def __init__(self, path: str, assembler: EventAssembler) -> None:
        self._path = path
        self._context = b""  # in force
        self._collected = Collected(assembler)
        self.flush = self._collected.flush

    def add(self, number: int, line: bytes) -> None:
        """Read a line."""
        document = _Line(self._path, number, line, self._context)
        statements = document.statements()
        if not statements and (context := _context_alone(line)):
            self._context = context
            statements = _Line(self._path, number, line, b"").statements()  # for what may be wrong with it
        if isinstance(statements, StreamError):
            self._collected.fail(statements)
        elif statements:
            self._collected.add(statements, document.locate)


def _context_alone(line: bytes) -> bytes:
    """The context, if the document has nothing else; empty otherwise."""
    if not _CONTEXT_FIRST.match(line) or _is_deep(line):
        return b""
    try:
        document = json.loads(line)
    except ValueError:
        return b""
    return json.dumps(document["@context"]).encode() if len(document) == 1 else b""


def _is_deep(line: bytes) -> bool:
    """Whether more than ``_DEEPEST`` brackets are open somewhere in a line."""
    if line.count(b"{") + line.count(b"[") <= _DEEPEST:
        return False
    depth = 0
    for found in _BRACKET.finditer(line):
        depth += {b"{": 1, b"[": 1, b"}": -1, b"]": -1}.get(found[0], 0)
        if depth > _DEEPEST:
            return True
    return False


class _Line:
    """One document, with the context in force."""

    def __init__(self, path: str, number: int, line: bytes, context: bytes) -> None:
        self._path = path
        self._number = number
        self._line = line
        self._before, self._behind = (b'{"@context":' + context + b',"@graph":', b"}") if context else (b"", b"")

    def statements(self) -> bytes | StreamError:
        """N-Quads lines, or what is wrong with the document."""
        if not self._line.lstrip().startswith(b"{"):
            return StreamError("this line is no JSON object", self.locate(""), hint="each line is a JSON-LD document")
        if _is_deep(self._line):
            return StreamError(f"brackets are nested deeper than {_DEEPEST} here", self.locate(""))
        try:
            document = self._before + self._line.rstrip() + self._behind
            return serialize(parse(document, RdfFormat.JSON_LD), format=RdfFormat.N_QUADS) or b""
        except SyntaxError as error:
            return self._failure(error)

    def locate(self, text: str) -> Location:
        """The place of a text, or of the document."""
        line = self._line.decode("utf-8", "replace")
        found = text and text in line
        column = line.index(text) + 1 if found else len(line) - len(line.lstrip()) + 1
        return self._place(column, len(text) if found else 1)

    def _place(self, column: int, width: int) -> Location:
        return Location(self._path, self._number, column, printable(self._line), width)

    def _failure(self, error: SyntaxError) -> StreamError:
        if _REMOTE in error.msg:
            hint = "contexts are not fetched: write it out, here or on a line of its own before"
            return StreamError("the context is on the network", self.locate('"@context"'), hint=hint)
        if error.offset is None:
            return StreamError(explain(error), self.locate(""))
        shift = len(self._before.decode())
        end = len(printable(self._line)) + 1
        column = min(max(1, error.offset - shift), end)
        hint = "each line is a whole JSON-LD document" if column == end else ""
        return StreamError(explain(error), self._place(column, 1), hint=hint)
