"""Reading messages in N-Triples, N-Quads, Turtle and TriG: each is parsed by itself, with the prefixes so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import QuadParser, RdfFormat, parse

from gpm.nesting import TOO_DEEP, is_too_deep
from spaseq.errors import Location, StreamError
from spaseq.streams.delimiters import Delimiters
from spaseq.streams.incoming import chunks
from spaseq.streams.messages import Message, Received
from spaseq.streams.nquads import BOM, explain, printable

FORMATS = {
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
}
BLOCK = 1 << 16  # bytes read at once, if so many are there
LONGEST_LINE = 1 << 26  # bytes of a line, or of a message
_BY_LINES = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)


def read_messages(source: BinaryIO, path: str, kind: str) -> Iterator[Received | None]:
    """Give the messages of a source as they come, None before waiting for more; ``kind`` is a key of FORMATS.

    StreamError in place of a message that cannot be read; raised for a line or message that is too long.
    """
    delimiters, parser, text = Delimiters(), _Parser(FORMATS[kind]), _Text(path)
    for number, line in lines_of(source, path):
        if not line:
            yield None
            continue
        first, *others = delimiters.split(line)
        text.add(number, first, line)
        for part in others:
            yield parser.message(text)
            text = _Text(path)
            text.add(number, part, line)
    last = parser.message(text)
    if isinstance(last, StreamError) or last.quads:
        yield last


def lines_of(source: BinaryIO, path: str) -> Iterator[tuple[int, bytes]]:
    """The lines, numbered from 1, with their ends and without a byte order mark.

    An empty line (without even an end) says that more has to be waited for.  StreamError: a line is too long.
    """
    number, mark, size = 1, BOM, 0
    pieces: list[bytes] = []  # of the line that is not complete, ``size`` bytes
    for data in chunks(source, BLOCK):
        if data is None:
            yield number, b""
            continue
        *whole, rest = data.split(b"\n")
        for piece in whole:
            line = b"".join([*pieces, piece, b"\n"])
            yield number, line.removeprefix(mark)
            number, mark, pieces, size = number + 1, b"", [], 0
        pieces.append(rest)
        size += len(rest)
        if size > LONGEST_LINE:
            raise StreamError(f"a line is longer than {LONGEST_LINE:,} bytes", Location(path, number))
    if size:
        yield number, b"".join(pieces).removeprefix(mark)


class _Text:
    """The lines of one message: ``parts`` without delimiters and ``shown`` as they stand there."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.first = 0  # number of the first line in the source
        self.parts: list[bytes] = []
        self.shown: list[bytes] = []
        self._size = 0

    def add(self, number: int, part: bytes, line: bytes) -> None:
        """Add what belongs to the message of the line with this number.  StreamError: the message is too long."""
        self.first = self.first or number
        self.parts.append(part)
        self.shown.append(line)
        self._size += len(part)
        if self._size > LONGEST_LINE:
            raise StreamError(f"a message is longer than {LONGEST_LINE:,} bytes", Location(self.path, self.first))

    def place(self, index: int, column: int, width: int = 1) -> Location:
        """A place in the line with this index here."""
        line = printable(self.shown[index]) if index < len(self.shown) else ""
        return Location(self.path, self.first + index, column, line, max(1, width))

    def locate(self, text: str) -> Location:
        """The place of a text; that of the message's first word if it stands nowhere as such."""
        lines = [part.decode("utf-8", "replace") for part in self.parts]
        for index, line in enumerate(lines):
            if text and text in line:
                return self.place(index, line.index(text) + 1, len(text))
        for index, line in enumerate(lines):
            if line.strip() and not line.lstrip().startswith("#"):
                return self.place(index, len(line) - len(line.lstrip()) + 1)
        return Location(self.path, self.first)


class _Parser:
    """Parses messages, and remembers what prefixes and base they declare."""

    def __init__(self, rdf_format: RdfFormat) -> None:
        self._format = rdf_format
        self._head = b""

    def message(self, text: _Text) -> Received:
        """The message of some lines, or what is wrong with it."""
        if is_too_deep(b"".join(text.parts)):
            return StreamError(TOO_DEEP, text.place(0, 1))
        parser = parse(self._head + b"\n" + b"".join(text.parts), self._format)
        try:
            return Message(list(parser), text.locate)
        except SyntaxError as error:
            return self._failure(text, error)
        finally:
            self._remember(parser)

    def _remember(self, parser: QuadParser) -> None:
        if self._format in _BY_LINES:
            return
        base = f"@base <{parser.base_iri}> . " if parser.base_iri else ""
        prefixes = (f"@prefix {name}: <{iri}> . " for name, iri in parser.prefixes.items())
        self._head = (base + "".join(prefixes)).encode()

    def _failure(self, text: _Text, error: SyntaxError) -> StreamError:
        index, error = self._bad_line(text) or ((error.lineno or 2) - 2, error)
        column, stop = error.offset or 1, error.end_offset or 0
        ends = error.end_lineno != error.lineno or index + 1 >= len(text.parts)
        hint = "a message ends with this line: delimiters stand between statements, outside of graphs" if ends else ""
        return StreamError(explain(error), text.place(index, column, stop - column), hint=hint)

    def _bad_line(self, text: _Text) -> tuple[int, SyntaxError] | None:
        """In a format of lines, the first line that is no statement: the parser may notice it on the next."""
        for index, part in enumerate(text.parts if self._format in _BY_LINES else ()):
            try:
                list(parse(part.rstrip(), self._format))
            except SyntaxError as error:
                return index, error
        return None
