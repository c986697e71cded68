"""Reading messages in N-Triples, N-Quads, Turtle and TriG.

A message that is one plain event is read natively.  What is announced at the beginning, what else there may be in
Turtle, and what is wrong is read by pyoxigraph, message by message, with the prefixes so far.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pyoxigraph import Quad, RdfFormat

from gpm.native.turtle import Translator
from gpm.nesting import TOO_DEEP, is_too_deep
from gpm.parsing import parse
from spaseq.errors import Location, StreamError
from spaseq.sources.rdf.assembler import Dataset, EventAssembler, Received
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.nquads import explain, shown_line
from spaseq.sources.rdf.text import Delimiters, Gathering, SourceText, header, indented, pieces, with_newlines
from spaseq.sources.rdf.wire import CUT_OFF, DELIMITER, PAUSED, TAKEN

DELIMITED_FORMATS = {
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
}
LONGEST_LINE = 1 << 26  # bytes of a line, or of a message; also of the lines that it becomes
TOO_LONG = f"a message is longer than {LONGEST_LINE:,} bytes"
_BY_LINES = (RdfFormat.N_TRIPLES, RdfFormat.N_QUADS)


def read_delimited(source: BinaryIO, path: str, kind: str, assembler: EventAssembler) -> Iterator[Events]:
    """Give the events of a source of messages as they come; ``kind`` is a key of DELIMITED_FORMATS.

    StreamError after the events before it: a message cannot be read or is no event, or a line or message is too long.
    """
    rdf_format = DELIMITED_FORMATS[kind]
    by_lines, gathering = rdf_format in _BY_LINES, Gathering()
    reader = (_Reader if by_lines else _Translating)(path, rdf_format, assembler)
    read = with_newlines(pieces(source)) if by_lines else pieces(source)
    try:
        for piece in read:
            if piece is not None:
                for _ in reader.add(piece):
                    yield assembler.take() or assembler.nothing
            if piece is None or gathering.is_due(len(piece)):
                yield assembler.take() or assembler.nothing
        for _ in reader.read(ended=True):
            yield assembler.take() or assembler.nothing
    finally:
        if complete := assembler.take():
            yield complete


class _Reader:
    """Reads messages of N-Triples or N-Quads into an assembler."""

    def __init__(self, path: str, rdf_format: RdfFormat, assembler: EventAssembler) -> None:
        self._text = SourceText(path)
        self._assembler = assembler
        self._delimiters = Delimiters()
        self._parser = _Parser(rdf_format)

    def add(self, piece: bytes) -> Iterator[None]:
        """Read the messages that are complete with this piece; it pauses where events may have become many."""
        text = self._text
        text.add(piece)
        last_line = text.data.rfind(b"\n", 0, len(text.data) - len(piece)) + 1
        if _may_delimit(text.data[last_line:]):
            yield from self.read()
        if text.waiting > LONGEST_LINE:
            line = len(text.data) - text.data.rfind(b"\n") - 1
            what, offset = ("line", len(text.data)) if line > LONGEST_LINE else ("message", text.at)
            place = Location(text.path, text.number(offset))
            raise StreamError(f"a {what} is longer than {LONGEST_LINE:,} bytes", place)

    def read(self, ended: bool = False) -> Iterator[None]:
        """Read the messages that are there, with pauses; ``ended``: there will be no others."""
        while self._text.waiting:
            if self._delimiters.announced:
                outcome = self._read_natively(b"\n" + DELIMITER if ended else b"")
                if outcome == TAKEN or not self._text.waiting or (outcome == CUT_OFF and not ended):
                    return
                if outcome == PAUSED:
                    yield
                    continue
            if not self._read_closely(ended):
                return

    def _read_natively(self, ending: bytes) -> int:
        """Read messages as far as possible; why not further.  ``ending`` is behind the text."""
        text = self._text
        comments, graphs = self._delimiters.comments, self._parser.rdf_format == RdfFormat.N_QUADS
        at, outcome = self._assembler.read_messages(text.data + ending, text.at, comments, graphs)
        text.at = min(at, len(text.data))
        return outcome

    def _read_closely(self, ended: bool) -> bool:
        """Have the parser read one message; False if its end is not there."""
        found = self._message(ended)
        if found is not None:
            message, self._text.at = found
            self._assembler.take_message(self._parser.message(message))
        return found is not None

    def _message(self, ended: bool) -> tuple[_Passage, int] | None:
        """The next message, and where its delimiter ends; None if that is not there."""
        passage, text = _Passage(self._text.path), self._text
        self._delimiters.restart()
        at, number = text.at, text.number(text.at)
        while at < len(text.data):
            start, line = text.line(at)
            if not (ended or line.endswith(b"\n")):
                return None
            part, end = self._delimiters.first(line, at - start)
            passage.add(number, part, line)
            if end is not None:
                return passage, start + end
            at, number = start + len(line), number + 1
        return (passage, at) if ended else None


class _Translating(_Reader):
    """Reads messages of Turtle or TriG into an assembler."""

    def _read_natively(self, ending: bytes) -> int:
        text, translator = self._text, self._parser.translator
        lines, at, outcome = translator.read(text.data + ending, text.at, self._delimiters.comments)
        self._take(lines)
        text.at = min(at, len(text.data))
        return outcome

    def _take(self, lines: bytes) -> None:
        """Take the messages that were translated; those that are no plain events are looked at by themselves."""
        at, outcome = self._assembler.read_messages(lines, 0)
        while outcome != TAKEN:
            end = lines.index(DELIMITER, at)
            quads = list(parse(lines[at:end], RdfFormat.N_QUADS, lenient=True))
            self._assembler.take_message(Dataset(quads, self._passage(lines, at, end).locate))
            at, outcome = self._assembler.read_messages(lines, end + len(DELIMITER))

    def _passage(self, lines: bytes, start: int, end: int) -> _Passage:
        """What the lines from one byte to another were translated from."""
        before, last = lines.count(b"\n", 0, start), lines.count(b"\n", 0, end)
        translator, text = self._parser.translator, self._text
        at, stop = translator.place(before - 1) if before else text.at, translator.place(last)
        passage, number = _Passage(text.path), text.number(at)
        while at < min(stop, len(text.data)):
            begin, line = text.line(at)
            passage.add(number, indented(line, at - begin, stop - begin), line)
            at, number = begin + len(line), number + 1
        return passage


def _may_delimit(text: bytes) -> bool:
    return b"MESSAGE" in text or b"message" in text or b"message" in text.lower()


def _bounded(quads: Iterable[Quad]) -> Iterator[Quad]:
    """The same statements.  OverflowError: they are too long; a prefix can stand for much."""
    size = 0
    for quad in quads:
        size += len(str(quad))
        if size > LONGEST_LINE:
            raise OverflowError
        yield quad


class _Passage:
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
            raise StreamError(TOO_LONG, Location(self.path, self.first))

    def place(self, index: int, column: int, width: int = 1) -> Location:
        """A place in the line with this index here."""
        line = self.shown[index] if index < len(self.shown) else b""
        return shown_line(self.path, self.first + index, column, line, max(1, width))

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
    """Parses messages; ``translator`` knows what prefixes they have declared."""

    def __init__(self, rdf_format: RdfFormat) -> None:
        self.rdf_format = rdf_format
        self.translator = Translator(graphs=rdf_format == RdfFormat.TRIG, messages=True)
        self._base: str | None = None

    def message(self, text: _Passage) -> Received:
        """The message of some lines, or what is wrong with it."""
        if is_too_deep(b"".join(text.parts)):
            return StreamError(TOO_DEEP, text.place(0, 1))
        head = header(self.translator.prefixes, self._base)
        parser = parse(head + b"".join(text.parts), self.rdf_format)
        try:
            return Dataset(list(_bounded(parser)), text.locate)
        except OverflowError:
            return StreamError(TOO_LONG, text.place(0, 1))
        except SyntaxError as error:
            return self._failure(text, error)
        finally:
            if self.rdf_format not in _BY_LINES:
                self.translator.prefixes, self._base = parser.prefixes, parser.base_iri

    def _failure(self, text: _Passage, error: SyntaxError) -> StreamError:
        index, error = self._bad_line(text) or ((error.lineno or 2) - 2, error)
        column, stop = error.offset or 1, error.end_offset or 0
        ends = error.end_lineno != error.lineno or index + 1 >= len(text.parts)
        hint = "a message ends with this line: delimiters stand between statements, outside of graphs" if ends else ""
        return StreamError(explain(error), text.place(index, column, stop - column), hint=hint)

    def _bad_line(self, text: _Passage) -> tuple[int, SyntaxError] | None:
        """In a format of lines, the first line that is no statement: the parser may notice it on the next."""
        for index, part in enumerate(text.parts if self.rdf_format in _BY_LINES else ()):
            try:
                list(parse(part.rstrip(), self.rdf_format))
            except SyntaxError as error:
                return index, error
        return None
