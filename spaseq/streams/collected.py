"""Messages that another library has parsed: they are collected as N-Quads lines and read together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from pyoxigraph import RdfFormat

from gpm.parsing import parse
from spaseq.errors import Location, StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.messages import Message, Received
from spaseq.streams.nquads import explain
from spaseq.streams.outcomes import DELIMITER, TAKEN

T = TypeVar("T")


class Document(Protocol):
    """Something that was parsed."""

    def locate(self, text: str) -> Location:
        """The place of a text of it in the source ("": of itself)."""


class Collected(Generic[T]):
    """Messages for an assembler.  What is wrong with one is raised as StreamError, or noted if it skips errors.

    ``document`` makes a document of what tells it: few are ever asked for.
    """

    def __init__(self, assembler: EventAssembler, document: Callable[[T], Document]) -> None:
        self._assembler = assembler
        self._document = document
        self._texts: list[bytes] = []  # each with the delimiter behind it
        self._documents: list[T] = []

    def add(self, lines: bytes, document: T) -> None:
        """The statements of a document, which are a message."""
        self._texts.append(lines + DELIMITER)
        self._documents.append(document)

    def fail(self, error: StreamError) -> None:
        """A message that cannot be read."""
        self.flush()
        self._assembler.take_message(error)

    def flush(self) -> None:
        """Have the assembler take what was collected; a message that is no plain event is looked at by itself."""
        texts, documents = self._texts, self._documents
        self._texts, self._documents = [], []
        block, ends = b"".join(texts), list(accumulate(map(len, texts)))
        at, outcome = self._assembler.read_messages(block, 0)
        while outcome != TAKEN:
            number = bisect_right(ends, at)
            self._assembler.take_message(_message(texts[number], self._document(documents[number])))
            at, outcome = self._assembler.read_messages(block, ends[number])


def _message(lines: bytes, document: Document) -> Received:
    try:
        return Message(list(parse(lines.removesuffix(DELIMITER), RdfFormat.N_QUADS)), document.locate)
    except SyntaxError as error:
        return StreamError(explain(error), document.locate(""))
