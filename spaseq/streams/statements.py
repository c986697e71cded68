"""TriG as it comes: whole statements and graphs, as soon as they are there, parsed with the prefixes so far."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import QuadParser, RdfFormat, parse

from gpm.nesting import TOO_DEEP, is_too_deep
from spaseq.errors import Location, StreamError
from spaseq.streams.incoming import chunks, is_idle
from spaseq.streams.messages import Message, Received
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


class Portions:
    """The statements of a TriG source in portions; iterate over it once.

    None before more has to be waited for.  After a StreamError, in place of a portion, the rest is not read.
    """

    def __init__(self, source: BinaryIO, path: str) -> None:
        self._source = source
        self._path = path
        self._cutter = Cutter()
        self._line, self._column = 1, 0  # of what is parsed next
        self._head = b""

    @property
    def is_idle(self) -> bool:
        """Whether nothing came for so long that the open event is complete."""
        return is_idle(self._source) and self._cutter.is_between()

    def __iter__(self) -> Iterator[Received | None]:
        """Portions as they come."""
        for text in self._texts():
            portion = self._parse(text) if text else None
            yield portion
            if isinstance(portion, StreamError):
                return

    def _texts(self) -> Iterator[bytes]:
        """Text of whole statements, empty before waiting, and the rest at the end."""
        mark = BOM
        for data in chunks(self._source, BLOCK):
            if data is not None:
                yield from filter(None, [self._cutter.add(data.removeprefix(mark))])
                mark = b""
                if len(self._cutter.rest) > LONGEST:
                    raise StreamError(f"a statement is longer than {LONGEST:,} bytes", Location(self._path, self._line))
            else:
                yield b""
        if not self._cutter.is_between():
            yield self._cutter.rest

    def _parse(self, text: bytes) -> Received:
        first, column = self._line, self._column
        self._line += text.count(b"\n")
        self._column = len(text) - text.rfind(b"\n") - 1 if b"\n" in text else column + len(text)
        lines = (b" " * column + text).split(b"\n")
        if is_too_deep(text):
            return StreamError(TOO_DEEP, self._place(first, lines, 0), hint=_REST)
        parser = parse(self._head + b"\n" + b"\n".join(lines), RdfFormat.TRIG)
        try:
            quads = list(parser)
        except SyntaxError as error:
            return self._failure(error, first, lines)
        self._head = _head_of(parser)
        return Message(quads, lambda about: self._locate(about, first, lines))

    def _failure(self, error: SyntaxError, first: int, lines: list[bytes]) -> StreamError:
        index = min(max(0, (error.lineno or 2) - 2), len(lines) - 1)
        width = (error.end_offset or 1) - (error.offset or 1) if error.end_lineno == error.lineno else 1
        return StreamError(
            explain(error), self._place(first, lines, index, error.offset or 1, max(1, width)), hint=_REST
        )

    def _locate(self, about: str, first: int, lines: list[bytes]) -> Location:
        """The place of a text among lines, else of their beginning."""
        for index, line in enumerate(lines):
            if about and (found := line.decode("utf-8", "replace").find(about)) >= 0:
                return self._place(first, lines, index, found + 1, len(about))
        return self._place(first, lines, 0)

    def _place(self, first: int, lines: list[bytes], index: int, column: int = 1, width: int = 1) -> Location:
        return Location(self._path, first + index, column, printable(lines[index]), width)


_REST = "the rest of this source is not read"


def _head_of(parser: QuadParser) -> bytes:
    """What declares the base and the prefixes in force."""
    base = f"@base <{parser.base_iri}> . " if parser.base_iri else ""
    return (base + "".join(f"@prefix {name}: <{iri}> . " for name, iri in parser.prefixes.items())).encode()
