"""Reading JSON-LD, one document a line, each of them a message; contexts may stand on lines of their own.

A line ``{"@context": …}`` is the context of the documents that follow, which may have others besides.  Nothing is
fetched: a context is written out where it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import BinaryIO

from pyoxigraph import RdfFormat, parse

from spaseq.errors import Location, StreamError
from spaseq.streams.delimited import lines_of
from spaseq.streams.messages import Message, Received
from spaseq.streams.nquads import explain, printable

_CONTEXT_FIRST = re.compile(rb'\s*\{\s*"@context"\s*:')
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[{]|[]}]', re.DOTALL)
_DEEPEST = 100  # brackets within each other; the parser's stack is not without end
_REMOTE = "LoadDocumentCallback"


def read_jsonld(source: BinaryIO, path: str) -> Iterator[Received | None]:
    """Give the messages of a source as they come, None before waiting for more.

    StreamError in place of a line that is no JSON-LD document.  Lines without anything on them are passed over.
    StreamError is raised for a line that is too long.
    """
    context = b""
    for number, line in lines_of(source, path):
        if not line:
            yield None
        if not line.strip():
            continue
        alone = _context_alone(line)
        message = _Line(path, number, line, b"" if alone else context).message()
        context = alone or context
        if not alone or isinstance(message, StreamError):
            yield message


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

    def message(self) -> Received:
        """The message, or what is wrong with it."""
        if not self._line.lstrip().startswith(b"{"):
            return StreamError("this line is no JSON object", self.locate(""), hint="each line is a JSON-LD document")
        if _is_deep(self._line):
            return StreamError(f"brackets are nested deeper than {_DEEPEST} here", self.locate(""))
        try:
            document = self._before + self._line.rstrip() + self._behind
            return Message(list(parse(document, RdfFormat.JSON_LD)), self.locate)
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
