"""Reading TriG: the parser is handed one line at a time, so that the line of every statement is known."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from pyoxigraph import Quad, RdfFormat, parse

from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler, in_runs
from spaseq.streams.event import Event
from spaseq.streams.nquads import explain, printable

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

    def read(self, size: int = -1) -> bytes:
        data = self._source.readline(size)
        if not self._line:
            data = data.removeprefix(b"\xef\xbb\xbf")
        if self._ended and data:
            self._line += 1
            self._kept.append(data)
        else:
            self._kept[-1] += data
        self._ended = data.endswith(b"\n")
        return data

    def locate(self, _number: int, text: str) -> Location:
        """The line being read, and the column of ``text`` if it stands there."""
        line = self._text(self._line)
        found = text and (text in line)
        return Location(self._path, self._line, line.rfind(text) + 1 if found else 1, line, len(text) if found else 1)

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


def read_trig(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[list[Event]]:
    """Give the events of a TriG source in lists; after a syntax error the rest of the source is lost."""
    lines = _Lines(source, path)
    quads = parse(lines, RdfFormat.TRIG)  # type: ignore[arg-type]
    try:
        while _feed(assembler, islice(quads, SLICE), lines):
            if complete := assembler.take():
                yield complete
        assembler.finish(lines.locate(0, ""))
    finally:
        if complete := assembler.take():
            yield complete


def _feed(assembler: EventAssembler, quads: Iterator[Quad], lines: _Lines) -> int:
    """Feed some statements; 0 when the source has ended, or its rest cannot be read."""
    try:
        return assembler.feed(in_runs(quads), lines.locate)
    except SyntaxError as error:
        failure = StreamError(explain(error), lines.place(error), hint="the rest of this source is not read")
    assembler.fail(failure, None)
    return 0
