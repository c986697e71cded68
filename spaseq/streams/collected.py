"""Messages that another library has parsed: they are collected as N-Quads lines and read together."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from pyoxigraph import RdfFormat, parse

from spaseq.errors import StreamError
from spaseq.streams.assembler import EventAssembler
from spaseq.streams.messages import Locate, Message, Received
from spaseq.streams.nquads import explain
from spaseq.streams.outcomes import DELIMITER, TAKEN


class Collected:
    """Messages for an assembler.  What is wrong with one is raised as StreamError, or noted if it skips errors."""

    def __init__(self, assembler: EventAssembler) -> None:
        self._assembler = assembler
        self._texts: list[bytes] = []  # each with the delimiter behind it
        self._places: list[Locate] = []

    def add(self, lines: bytes, locate: Locate) -> None:
        """A message; ``locate`` finds a text of it in the source."""
        self._texts.append(lines + DELIMITER)
        self._places.append(locate)

    def fail(self, error: StreamError) -> None:
        """A message that cannot be read."""
        self.flush()
        self._assembler.take_message(error)

    def flush(self) -> None:
        """Have the assembler take what was collected; a message that is no plain event is looked at by itself."""
        texts, places = self._texts, self._places
        self._texts, self._places = [], []
        block, ends = b"".join(texts), list(accumulate(map(len, texts)))
        at, outcome = self._assembler.read_messages(block, 0)
        while outcome != TAKEN:
            number = bisect_right(ends, at)
            self._assembler.take_message(_message(texts[number], places[number]))
            at, outcome = self._assembler.read_messages(block, ends[number])


def _message(lines: bytes, locate: Locate) -> Received:
    try:
        return Message(list(parse(lines.removesuffix(DELIMITER), RdfFormat.N_QUADS)), locate)
    except SyntaxError as error:
        return StreamError(explain(error), locate(""))
