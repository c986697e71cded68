"""Where a unit of TriG ends (a statement, a graph with all in it) that is read by pyoxigraph."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import QuadParser, RdfFormat

from gpm.native.turtle import Translator
from gpm.nesting import TOO_DEEP, too_deep_at
from gpm.parsing import parse_file
from spaseq.errors import Location, StreamError
from spaseq.sources.incoming import is_idle
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import explain
from spaseq.sources.rdf.text import Gathering, SourceText, header, pieces
from spaseq.sources.rdf.wire import CUT_OFF, PAUSED, REST_IS_LOST

_TOKEN = re.compile(
    rb"(?P<skipped>\s+|<<|#[^\r\n]*|<[^\x00-\x20<>\"{}|^`]*>"
    rb"|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*+'''"
    rb"|(?!\"\"\"|''')(?:\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    rb"|(?:[\w:%-]|[\x80-\xff]|\\.|\.(?=\.*(?:[\w:%-]|[\x80-\xff]|\\)))+)"
    rb"|(?P<open>[\[({])|(?P<annotated>\|})|(?P<close>[\])}])|(?P<point>\.)|(?P<long>\"\"\"|''')|(?P<cut>[\"'<])|.",
    re.DOTALL,
)


def unit_end(text: bytes, start: int) -> int | None:
    """Behind the unit that begins at ``start``, or behind some of them; None if the text ends before."""
    at, depth, line_end = start, 0, start
    while found := _TOKEN.match(text, at):
        at, kind = found.end(), found.lastgroup
        if kind == "cut" and line_end < at:
            line_end = text.find(b"\n", at)
        if kind == "long" or (kind == "cut" and line_end < 0):
            return None  # a string or an IRI goes on
        depth += 1 if kind == "open" else -1 if kind in ("close", "annotated") else 0
        if depth <= 0 and (found[0] == b"}" or (kind == "point" and at < len(text))):
            return at
    return None


LONGEST_UNIT = 1 << 26  # bytes of a statement, or of a graph with all in it; also of the lines that it becomes
BUFFER = "buffer"  # in what the parser says of a term that is too large for it
LARGE = 1 << 20  # bytes; a larger graph is not read again with each piece that comes


def read_trig(source: BinaryIO, path: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a TriG source as they come; after a syntax error the rest of the source is lost."""
    text, gathering = SourceText(path), Gathering()
    reader = _Reader(text, assembler)
    try:
        for piece in pieces(source):
            if piece is not None:
                for _ in reader.add(piece):
                    yield assembler.take() or assembler.nothing
            elif is_idle(source) and reader.is_between:
                assembler.flush()
            if reader.lost:
                break
            if piece is None or gathering.is_due(len(piece)):
                yield assembler.take() or assembler.nothing
        else:
            for _ in reader.read(ended=True):
                yield assembler.take() or assembler.nothing
        assembler.finish(text.end)
    finally:
        if complete := assembler.take():
            yield complete


class _Reader:
    """Reads the units of a text into an assembler; ``lost``: one was no TriG, and nothing more is read."""

    def __init__(self, text: SourceText, assembler: EventAssembler) -> None:
        self._text = text
        self._assembler = assembler
        self._translator = Translator(graphs=True)
        self._base: str | None = None
        self._tried = 0  # bytes of an unfinished unit that the parser found nothing wrong with
        self.lost = False

    @property
    def is_between(self) -> bool:
        """Whether all that came has been read, but for a comment that has not ended."""
        return self._text.data[self._text.at : self._text.at + 1] in (b"", b"#")

    def add(self, piece: bytes) -> Iterator[None]:
        """Read the units that are complete with this piece; a large graph is not, as long as its brace is missing.

        It pauses where events may have become many.
        """
        self._text.add(piece)
        if self._text.waiting < LARGE or not self._translator.inside or b"}" in piece:
            yield from self.read()
        if self._text.waiting > LONGEST_UNIT:
            raise StreamError(_too_long(), self._text.place(self._text.at))

    def read(self, ended: bool = False) -> Iterator[None]:
        """Read the units that are there, with pauses; ``ended``: there will be no others."""
        while not self.lost:
            outcome = self._translate(b"\n" if ended else b"")
            if outcome == PAUSED:
                yield
            elif (outcome == CUT_OFF and not (ended and self._text.waiting)) or not self._parse(ended):
                break

    def _translate(self, ending: bytes) -> int:
        """Translate units as far as possible; why not further.  ``ending`` is behind the text."""
        text = self._text
        lines, at, outcome = self._translator.read(text.data + ending, text.at)
        if lines:
            self._assembler.read(lines, _Translated(lines, text, self._translator))
        self._tried = 0 if at > text.at else self._tried
        text.at = min(at, len(text.data))
        return outcome

    def _parse(self, ended: bool) -> bool:
        """Have the parser read the next unit; False if its end is not there."""
        end = unit_end(self._text.data, self._text.at)
        unit = None if end is None else self._unit(end)
        if unit is None or (unit.failure is not None and not unit.is_wrong):
            unit = self._rest(ended)
        if unit is None:
            return False
        self._assembler.read(unit.block, unit)
        if unit.failure is not None:
            self.lost = True
            self._assembler.fail(unit.failure, None, 0, unit)
        self._translator.prefixes, self._base = unit.parser.prefixes, unit.parser.base_iri
        self._text.at = unit.end
        return True

    def _rest(self, ended: bool) -> _Unit | None:
        """All that is there, if no more comes or there is a mistake before its end.

        The parser is asked whenever that has become twice as long.
        """
        text = self._text
        if ended:
            return self._unit(len(text.data))
        if text.waiting < 2 * self._tried:
            return None
        self._tried = text.waiting
        unit = self._unit(max(text.at, text.data.rfind(b"\n") + 1))
        return unit if unit.is_wrong and not unit.is_too_deep else None  # deep, but perhaps in an open string

    def _unit(self, end: int) -> _Unit:
        return _Unit(self._text, self._text.at, end, header(self._translator.prefixes, self._base))


class _Translated:
    """Lines that were translated, as a Place."""

    def __init__(self, lines: bytes, text: SourceText, translator: Translator) -> None:
        self._lines = lines
        self._text = text
        self._translator = translator

    def locate(self, offset: int, text: str) -> Location:
        number = self._lines.count(b"\n", 0, offset)
        return self._text.find(self._translator.place(number) - 1, text)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        return unusable(self._lines, offset, self.locate(offset, ""))


def unusable(lines: bytes, offset: int, place: Location) -> tuple[StreamError, None]:
    """The error of a statement that the parser lets pass and the tokenizer does not."""
    line = lines[offset:].partition(b"\n")[0].decode("utf-8", "replace")
    return StreamError(f"a term of this statement cannot be used: {line}", place), None


def _too_long() -> str:
    return f"a statement or graph is longer than {LONGEST_UNIT:,} bytes"


class _Unit:
    """The bytes ``start:end`` of a text, as the parser reads them; a Place.

    ``block``: the statements as N-Quads lines; ``failure``: why the parser stopped; ``is_wrong``: and not because the
    text ends.
    """

    def __init__(self, text: SourceText, start: int, end: int, head: bytes) -> None:
        self._text = text
        self._lines = _Lines(head, text, start, end)
        self._places: list[int] = []  # where the line ended that was read when the parser gave each statement
        self.failure: StreamError | None = None
        self.is_wrong = False
        self.end = end
        self.parser = parse_file(self._lines, RdfFormat.TRIG)
        self.block = b"".join(self._read(self.parser))

    def _read(self, quads: QuadParser) -> Iterator[bytes]:
        size = 0
        try:
            for quad in quads:
                self._places.append(self._lines.at)
                line = f"{quad} .\n".encode()
                size += len(line)
                if size > LONGEST_UNIT:  # a prefix can stand for much
                    self.failure = StreamError(_too_long(), self._text.find(self._lines.at - 1, ""), hint=REST_IS_LOST)
                    self.is_wrong = True
                    return
                yield line
        except SyntaxError as error:
            place, hint = self._lines.place(error), REST_IS_LOST
            self.failure, self.is_wrong = (
                StreamError(explain(error), place, hint=hint),
                self._lines.is_before_end(error),
            )
        except MemoryError as error:
            if BUFFER not in str(error):
                raise
            # A term that the parser has no room for.
            self.failure = StreamError(str(error), self._text.find(self._lines.at - 1, ""), hint=REST_IS_LOST)
        if self._lines.too_deep:
            self.failure = StreamError(TOO_DEEP, self._text.find(self._lines.at - 1, ""), hint=REST_IS_LOST)
            self.is_wrong = True

    @property
    def is_too_deep(self) -> bool:
        """Whether the parser stopped at a triple term that may be too deep."""
        return self._lines.too_deep

    def locate(self, offset: int, text: str) -> Location:
        number = self.block.count(b"\n", 0, offset)
        return self._text.find(self._places[number] - 1 if number < len(self._places) else self._lines.at - 1, text)

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        return unusable(self.block, offset, self.locate(offset, ""))


class _Lines:
    """A binary file for the parser: a line with declarations, then the lines of bytes ``start:end`` of a text."""

    def __init__(self, head: bytes, text: SourceText, start: int, end: int) -> None:
        self._head = io.BytesIO(head + b" " * text.before(start))
        self._text = text
        self._start = start
        self._end = end
        self._deep = too_deep_at(text.data, start, end)
        self.at = start  # behind what was given
        self.too_deep = False  # what comes next, so nothing more is given

    def read(self, size: int) -> bytes:
        """So many bytes, of one line."""
        if head := self._head.read(size):
            return head
        self.too_deep = self.at == self._deep
        end = self._end if self._deep is None else self._deep
        line_end = self._text.data.find(b"\n", self.at, end) + 1 or end
        piece = self._text.data[self.at : min(self.at + size, line_end)]
        self.at += len(piece)
        return piece

    def place(self, error: SyntaxError) -> Location:
        """The place of a parser's error."""
        number, start = max(0, (error.lineno or 2) - 2), self._start
        for _ in range(number):
            start = self._text.data.find(b"\n", start) + 1 or len(self._text.data)
        _, line = self._text.line(start)
        same = error.end_lineno == error.lineno and error.end_offset is not None and error.offset is not None
        width = (error.end_offset or 1) - (error.offset or 1) if same else 1
        return self._text.location(self._text.number(start), error.offset or 0, line, width)

    def is_before_end(self, error: SyntaxError) -> bool:
        """Whether the error ends before the text does."""
        return (error.end_lineno or 0) - 2 < self._text.data.count(b"\n", self._start, self._end)
