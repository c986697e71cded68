"""TriG as it comes: whole statements and graphs, as soon as they are there, parsed with the prefixes so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import QuadParser, RdfFormat, parse

from gpm.nesting import TOO_DEEP, is_too_deep
from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.event import Events
from spaseq.streams.incoming import chunks, is_idle
from spaseq.streams.nquads import BOM, explain, printable

BLOCK = 1 << 16  # bytes parsed together, if so many are there
LONGEST = 1 << 26  # bytes of a statement or graph

# What may hold a bracket or a full stop that is none, then these.  A quote that does not end on its line is a mistake,
# which the parser finds.
_TOKEN = re.compile(
    rb'"""(?:[^"\\]|\\.|"{1,2}(?!"))*+"""|"(?!"")(?:[^"\\\r\n]|\\.)*+["\r\n]'
    rb"|'''(?:[^'\\]|\\.|'{1,2}(?!'))*+'''|'(?!'')(?:[^'\\\r\n]|\\.)*+['\r\n]"
    rb"|<[^<>\"{}|^`\s]*+>?|\#[^\r\n]*+[\r\n]|\\.|[{}\"'#]|\.(?=\s)",
    re.DOTALL,
)
_OPEN = (b'"', b"'", b"#", b'""', b"''")  # tokens whose end is not there
_EMPTY = re.compile(rb"(?:\s|\#[^\r\n]*(?:[\r\n]|\Z))*")


class Cutter:
    """Cuts a text that comes in pieces behind statements and graphs."""

    def __init__(self) -> None:
        self.rest = b""  # what has begun
        self._looked = 0  # bytes of it that have been gone through
        self._depth = 0  # of braces there

    def add(self, text: bytes) -> bytes:
        """What is complete with this piece."""
        self.rest += text
        stop = 0
        for found in _TOKEN.finditer(self.rest, self._looked):
            token, end = found[0], found.end()
            if (token in _OPEN and (len(token) == 1 or end == len(self.rest))) or (
                token[:1] == b"<" and token[-1:] != b">" and end == len(self.rest)
            ):
                break
            self._looked = end
            self._depth = max(0, self._depth + {b"{": 1, b"}": -1}.get(token, 0))
            if token in (b"}", b".") and not self._depth:
                stop = end
        whole, self.rest, self._looked = self.rest[:stop], self.rest[stop:], max(0, self._looked - stop)
        return whole

    def is_between(self) -> bool:
        """Whether nothing but space and comments stands behind what is complete."""
        found = _EMPTY.match(self.rest)
        return found is not None and found.end() == len(self.rest)


def read_statements(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a TriG source as they come; after a syntax error the rest of the source is lost."""
    cutter, line, column, head = Cutter(), 1, 0, b""
    try:
        for text in _texts(source, path, cutter):
            portion = _Portion(text, path, line, column, head)
            assembler.read(portion.block, portion)
            if portion.failure is not None:
                assembler.fail(portion.failure, None, 0, portion)
                return
            if not text and is_idle(source) and cutter.is_between():
                assembler.flush()
            line, column, head = portion.line, portion.column, portion.head
            yield assembler.take() or assembler.nothing
        assembler.finish(Location(path, line))
    finally:
        if complete := assembler.take():
            yield complete


def _texts(source: BinaryIO, path: str, cutter: Cutter) -> Iterator[bytes]:
    """Text of whole statements, empty before waiting, and the rest at the end.  StreamError: one is too long."""
    mark = BOM
    for data in chunks(source, BLOCK):
        text = cutter.add(data.removeprefix(mark)) if data else b""
        mark = b"" if data else mark
        if text or not data:
            yield text
        if len(cutter.rest) > LONGEST:
            raise StreamError(f"a statement or graph is longer than {LONGEST:,} bytes", Location(path))
    if not cutter.is_between():
        yield cutter.rest


class _Portion:
    """Statements as N-Quads lines (``block``), with the line of the source on which each ended; a Place.

    ``line`` and ``column`` are where the text ends, ``head`` declares the base and the prefixes in force there,
    ``failure`` is what is wrong behind the statements.
    """

    def __init__(self, text: bytes, path: str, line: int, column: int, head: bytes) -> None:
        self._path = path
        self._first = line
        self._lines = (b" " * column + text).splitlines(keepends=True)
        self._read = 0  # lines that the parser has read, that with the declarations included
        self._numbers: list[int] = []
        self._declared = head
        self.failure: StreamError | None = None
        self.head, self.line = head, line + text.count(b"\n")
        self.column = len(text) - text.rfind(b"\n") - 1 if b"\n" in text else column + len(text)
        self.block = self._parsed(text).encode() if text else b""

    def read(self, _size: int) -> bytes:
        """The next line, for the parser."""
        self._read += 1
        if self._read == 1:
            return self._declared + b"\n"
        return self._lines[self._read - 2] if self._read - 2 < len(self._lines) else b""

    def locate(self, offset: int, text: str) -> Location:
        """The line of a statement, and the column of ``text`` if it stands there."""
        index = self._numbers[self.block.count(b"\n", 0, offset)] if self._numbers else 0
        found = printable(self._lines[index]).find(text) if text else -1
        return self._place(index, found + 1 or 1, len(text) if found >= 0 else 1)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        """A statement that the parser lets pass, and nobody else."""
        line = self.block[offset:].partition(b"\n")[0].decode()
        return StreamError(f"a term of this statement cannot be used: {line}", self.locate(offset, "")), None

    def _parsed(self, text: bytes) -> str:
        if is_too_deep(text):
            self.failure = StreamError(TOO_DEEP, self._place(0), hint=_REST)
            return ""
        quads: list[str] = []
        parser = parse(self, RdfFormat.TRIG)  # type: ignore[arg-type]
        try:
            for quad in parser:
                quads.append(f"{quad} .\n")
                self._numbers.append(min(max(0, self._read - 2), len(self._lines) - 1))
            self.head = _head_of(parser)
        except SyntaxError as error:
            self.failure = self._failed(error)
        except MemoryError as error:  # a term that the parser has no room for
            self.failure = StreamError(str(error), self._place(0), hint=_REST)
        return "".join(quads)

    def _failed(self, error: SyntaxError) -> StreamError:
        width = (error.end_offset or 1) - (error.offset or 1) if error.end_lineno == error.lineno else 1
        place = self._place((error.lineno or 2) - 2, error.offset or 1, max(1, width))
        return StreamError(explain(error), place, hint=_REST)

    def _place(self, index: int, column: int = 1, width: int = 1) -> Location:
        text = printable(self._lines[index]) if 0 <= index < len(self._lines) else ""
        return Location(self._path, self._first + index, column, text, width)


_REST = "the rest of this source is not read"


def _head_of(parser: QuadParser) -> bytes:
    """What declares the base and the prefixes in force."""
    base = f"@base <{parser.base_iri}> . " if parser.base_iri else ""
    return (base + "".join(f"@prefix {name}: <{iri}> . " for name, iri in parser.prefixes.items())).encode()
