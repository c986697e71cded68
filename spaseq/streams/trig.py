"""Reading TriG: the parser is handed one line at a time, so that the line of every statement is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from pyoxigraph import Quad, RdfFormat, parse

from gpm.nesting import TOO_DEEP, Nesting
from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.event import Events
from spaseq.streams.nquads import BOM, explain, printable
from spaseq.streams.wire import REST_IS_LOST

SLICE = 256  # statements after which complete events are handed on
KEPT = 1000  # lines kept to be shown in errors


class _Lines:
    """A binary file for the parser that gives at most a line a read, and remembers where it is."""

    def __init__(self, source: BinaryIO, path: str) -> None:
        self._source = source
        self._path = path
        self._kept: deque[bytes] = deque([b""], maxlen=KEPT)
        self._line = 0  # the number of the line read last
        self._ended = True  # it ended with a newline
        self._nesting = Nesting()
        self.too_deep = False  # so that nothing more is given

    def read(self, size: int = -1) -> bytes:
        data = self._source.readline(size)
        if not self._line:
            data = data.removeprefix(BOM)
        if self._ended and data:
            self._line += 1
            self._kept.append(data)
        else:
            self._kept[-1] += data
        self._ended = data.endswith(b"\n")
        self.too_deep = self.too_deep or self._nesting.is_too_deep(data)
        return b"" if self.too_deep else data

    @property
    def line(self) -> int:
        """The number of the line being read."""
        return self._line

    def locate(self, number: int, text: str) -> Location:
        """A line, and the column of ``text`` if it stands there."""
        line = self._text(number)
        found = text and (text in line)
        return Location(self._path, number, line.rfind(text) + 1 if found else 1, line, len(text) if found else 1)

    def place(self, error: SyntaxError) -> Location:
        """The place of a parser's error."""
        line = error.lineno or self._line
        same = error.end_lineno == line and error.end_offset is not None and error.offset is not None
        width = (error.end_offset or 1) - (error.offset or 1) if same else 1
        return Location(self._path, line, error.offset or 0, self._text(line), max(1, width))

    def _text(self, line: int) -> str:
        back = self._line - line
        if not 0 <= back < len(self._kept):
            return ""
        return printable(self._kept[-1 - back])


class _Slice:
    """Some statements as N-Quads lines, with the line of the source on which each was read; a Place."""

    def __init__(self, quads: Iterator[Quad], lines: _Lines) -> None:
        self._lines = lines
        self._numbers: list[int] = []
        self.failure: SyntaxError | None = None
        texts: list[str] = []
        try:
            for quad in islice(quads, SLICE):
                texts.append(f"{quad} .\n")
                self._numbers.append(lines.line)
        except SyntaxError as error:
            self.failure = error
        except MemoryError as error:  # a term that the parser has no room for
            self.failure = SyntaxError(str(error))
        self.block = "".join(texts).encode()

    def locate(self, offset: int, text: str) -> Location:
        return self._lines.locate(self._numbers[self.block.count(b"\n", 0, offset)], text)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        line = self.block[offset:].partition(b"\n")[0].decode()
        return StreamError(f"a term of this statement cannot be used: {line}", self.locate(offset, "")), None


def read_trig(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a TriG source; after a syntax error the rest of the source is lost."""
    lines = _Lines(source, path)
    quads = parse(lines, RdfFormat.TRIG)  # type: ignore[arg-type]
    try:
        while _feed(assembler, _Slice(quads, lines), lines):
            if complete := assembler.take():
                yield complete
        assembler.finish(lines.locate(lines.line, ""))
    finally:
        if complete := assembler.take():
            yield complete


def _feed(assembler: EventAssembler, statements: _Slice, lines: _Lines) -> bool:
    """Feed some statements; False when the source has ended, or its rest cannot be read."""
    assembler.read(statements.block, statements)
    if statements.failure is not None:
        error = statements.failure
        message = TOO_DEEP if lines.too_deep else explain(error)
        place = lines.locate(lines.line, "") if lines.too_deep else lines.place(error)
        failure = StreamError(message, place, hint=REST_IS_LOST)
        assembler.fail(failure, None, 0, statements)
        return False
    return bool(statements.block)
