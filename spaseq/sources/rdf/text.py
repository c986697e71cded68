"""The text of TriG and of RDF messages, as it comes: lines, places in it, and what separates messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from spaseq.errors import Location
from spaseq.sources.incoming import chunks
from spaseq.sources.rdf.nquads import BOM, GATHERED, shown_line

_WORD_END = rb"(?![^\s\"'<>#;,\[\](){}])"
_LABEL = rb"[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*')"
_INTERESTING = re.compile(rb"message|version|\"\"\"|'''", re.IGNORECASE)
_TOKEN = re.compile(
    rb"(?P<quote>\"\"\"|''')"
    rb"|(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')(?:@[A-Za-z0-9-]+)?"
    rb"|<[^\s<>\"{}|^`]*>"
    rb"|(?P<comment>\#[ \t]*@message\b.*)|\#.*"
    rb"|(?P<version>@version" + _LABEL + rb"[ \t]*\.|VERSION" + _LABEL + rb")"
    rb"|(?P<directive>@message[ \t]*\.|MESSAGE" + _WORD_END + rb")"
    rb"|[^\s\"'<>\#;,\[\](){}]+|.",
    re.IGNORECASE | re.DOTALL,
)
_STRING_END = {
    b'"""': re.compile(rb"(?:[^\"\\]|\\.|\"(?!\"\"))*+\"\"\"(?:@[A-Za-z0-9-]+)?", re.DOTALL),
    b"'''": re.compile(rb"(?:[^'\\]|\\.|'(?!''))*+'''(?:@[A-Za-z0-9-]+)?", re.DOTALL),
}


class Delimiters:
    """Finds the delimiters in the lines of a text, which are given one after the other."""

    def __init__(self) -> None:
        self.announced = False  # the text has said, by a delimiter or its version, that it consists of messages
        self._comments = False  # comments delimit
        self._quote = b""  # of the long string that is open

    @property
    def comments(self) -> bool:
        """Comments delimit."""
        return self._comments

    def restart(self) -> None:
        """What is given next begins behind a delimiter."""
        self._quote = b""

    def split(self, line: bytes) -> list[bytes]:
        """What stands before, between and behind the delimiters of a line; announcements become blanks.

        What follows a delimiter is indented so that each of its columns is what it was.
        """
        part, end = self.first(line)
        parts = [part]
        while end is not None:
            part, end = self.first(line, end)
            parts.append(part)
        return parts

    def first(self, line: bytes, start: int = 0) -> tuple[bytes, int | None]:
        """What stands in a line from byte ``start`` to the next delimiter, and where that ends, if there is one."""
        if not self._quote and not _INTERESTING.search(line, start):
            return indented(line, start, len(line)), None
        text, at = bytearray(line), start
        while found := self._next(line, at):
            at = found.end()
            if found.lastgroup == "version":
                self.announced |= b"-messages" in found[0]
                text[found.start() : at] = b" " * len(found[0])
            elif found.lastgroup in ("directive", "comment") and self._delimits(found.lastgroup == "comment"):
                return indented(text, start, found.start()), at
        return indented(text, start, len(text)), None

    def _next(self, line: bytes, at: int) -> re.Match[bytes] | None:
        """The next token of a line; None at its end, or if a string that is open does not end on it."""
        if not self._quote:
            found = _TOKEN.match(line, at)
            self._quote = (found and found["quote"]) or b""
            return found
        found = _STRING_END[self._quote].match(line, at)
        self._quote = b"" if found else self._quote
        return found

    def _delimits(self, comment: bool) -> bool:
        if not self.announced:
            self.announced, self._comments = True, comment
        return self._comments or not comment


def indented(line: bytes | bytearray, start: int, stop: int) -> bytes:
    """A part of a line, behind as many blanks as there are characters before it."""
    return b" " * len(line[:start].decode("utf-8", "replace")) + bytes(line[start:stop])


def announces_messages(beginning: bytes) -> bool:
    """Whether a text that begins so consists of messages: it has a delimiter, or a version with ``-messages``."""
    delimiters = Delimiters()
    return any(delimiters.split(line) and delimiters.announced for line in beginning.splitlines())


def without_delimiters(beginning: bytes) -> bytes:
    """The same text without delimiters and announcements, for finding out which of the four formats it has."""
    delimiters = Delimiters()
    return b"\n".join(part for line in beginning.splitlines() for part in delimiters.split(line))


FIRST_READ, READ = 1 << 14, 1 << 18  # bytes; small at first for early results
KEPT = 1 << 16  # bytes of a line that are kept to be shown when what follows them is read


class SourceText:
    """``data`` from byte ``at`` on is not done with; what is before it on its line is kept to be shown."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.data = b""
        self.at = 0
        self._line = 1  # number of the first line of ``data``
        self._column = 0  # characters of that line before ``data``

    @property
    def waiting(self) -> int:
        """Bytes that are not done with."""
        return len(self.data) - self.at

    def add(self, more: bytes) -> None:
        """What was read; lines that are done with are forgotten."""
        start = self.data.rfind(b"\n", 0, self.at) + 1
        if start:
            self._line, self._column = self.number(start), 0
        if self.at - start > KEPT:
            self._column += len(self.data[start : self.at].decode("utf-8", "replace"))
            start = self.at
        self.data, self.at = self.data[start:] + more, self.at - start

    def number(self, offset: int) -> int:
        """The number of the line in which a byte lies."""
        return self._line + self.data.count(b"\n", 0, offset)

    def line(self, offset: int) -> tuple[int, bytes]:
        """Where the line begins in which a byte lies, and that line with its end."""
        start = self.data.rfind(b"\n", 0, offset) + 1
        return start, self.data[start : self._behind(offset)]

    def place(self, offset: int, width: int = 1) -> Location:
        """The place of a byte."""
        _, line = self.line(offset)
        return self.location(self.number(offset), self.before(offset) + 1, line, width)

    def before(self, offset: int) -> int:
        """How many characters stand before a byte on its line, but for what was forgotten."""
        start, _ = self.line(offset)
        return len(self.data[start:offset].decode("utf-8", "replace"))

    def find(self, offset: int, text: str) -> Location:
        """The place of ``text`` on the line of a byte, that of the line if it is not there."""
        _, line = self.line(offset)
        column = line.decode("utf-8", "replace").rfind(text) + 1 if text else 0
        return self.location(self.number(offset), max(1, column), line, len(text) if column else 1)

    def location(self, number: int, column: int, line: bytes, width: int = 1) -> Location:
        """A column of a line; a line whose beginning was forgotten is not shown."""
        if number == self._line and self._column:
            return Location(self.path, number, self._column + column)
        return shown_line(self.path, number, column, line, max(1, width))

    def end(self) -> Location:
        """The place of the last line."""
        return self.find(max(0, len(self.data) - 1), "")

    def _behind(self, offset: int) -> int:
        return self.data.find(b"\n", offset) + 1 or len(self.data)


class Gathering:
    """When to hand on what was read although more can be read at once: at first soon, then after so many bytes."""

    def __init__(self) -> None:
        self._read = self._gathered = 0

    def is_due(self, size: int) -> bool:
        """Whether it is time, after so many bytes more."""
        self._read += size
        self._gathered += size
        due = self._gathered >= min(GATHERED, self._read // 2)
        self._gathered = 0 if due else self._gathered
        return due


def pieces(source: BinaryIO) -> Iterator[bytes | None]:
    """The bytes of a source as they come, without a byte order mark; None where more has to be waited for."""
    held, begun = b"", False
    for data in chunks(source, FIRST_READ, READ):
        if begun or data is None:
            yield data
        elif len(held := held + data) >= len(BOM) or not BOM.startswith(held):
            begun = True
            yield held.removeprefix(BOM)
    if not begun and held:
        yield held


def with_newlines(read: Iterator[bytes | None]) -> Iterator[bytes | None]:
    """The same text with line ends of one kind."""
    held = b""
    for piece in read:
        if piece and (held or b"\r" in piece):
            piece = (held + piece).replace(b"\r\n", b"\n")
            held = piece[-1:] if piece.endswith(b"\r") else b""  # a newline may follow
            piece = piece.removesuffix(b"\r").replace(b"\r", b"\n")
        yield piece
    if held:
        yield b"\n"


def header(prefixes: dict[str, str], base: str | None) -> bytes:
    """A line that declares prefixes and base."""
    declared = "".join(f"@prefix {name}: <{iri}> . " for name, iri in prefixes.items())
    return (f"@base <{base}> . {declared}" if base else declared).encode() + b"\n"
