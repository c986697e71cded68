"""Where messages end in N-Triples, N-Quads, Turtle and TriG: RDF Messages of the W3C's community group.

Delimiters are ``MESSAGE`` and ``@message .``; a stream that begins with ``# @message``, of earlier drafts, is delimited
by these comments too.  ``VERSION "…"`` and ``@version "…" .`` announce what follows.
"""

from __future__ import annotations

import re

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
