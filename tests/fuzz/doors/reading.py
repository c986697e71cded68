"""Streams read in three ways: as a whole, in pieces, and up to the first mistake."""

from __future__ import annotations

import io
import itertools
import re
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple, cast

from gpm.native.assembly import Encoder
from nfa_native.terms.dictionary import Terms
from spaseq.errors import StreamError, shortened
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Events
from spaseq.sources.rdf.wire import WireOptions, WireReport
from tests.fuzz.door import same

Read = Callable[[BinaryIO, EventAssembler], Iterator[Events]]
Brief = tuple[str, int, frozenset[str]]  # name, time, statements with nameless blank nodes
DEEP = 100  # triple terms in each other; pyoxigraph is not asked about deeper ones
_BLANK = re.compile(r"_:[^\s>)]+")


class Found(NamedTuple):
    """What was read; ``stopped``: the message of the error that ended it."""

    events: list[Brief]
    errors: int
    stopped: str

    def word(self) -> str:
        """How much that is.  StreamError: there is no event, and a mistake."""
        if self.stopped and not self.events:
            raise StreamError(self.stopped)
        triples = sum(len(triples) for _, _, triples in self.events)
        sizes = [number.bit_length() for number in (len(self.events), triples, self.errors)]
        return f"{sizes} {bool(self.stopped)}"


class Pieces:
    """A source that gives pieces of some sizes in turn."""

    def __init__(self, data: bytes, sizes: list[int]) -> None:
        self._data, self._at = data, 0
        self._sizes = itertools.cycle(sizes)

    def read1(self, _size: int = -1) -> bytes:
        """The next piece."""
        start, self._at = self._at, min(self._at + next(self._sizes), len(self._data))
        return self._data[start : self._at]

    def peek(self, size: int = 0) -> bytes:
        """The rest."""
        return self._data[self._at :]


def found_in(source: BinaryIO, read: Read, skip: bool) -> Found:
    """What a reader gives, every triple encoded."""
    encoder, report = Encoder(Terms()), WireReport()
    encoder.want([(0, 0, 0)])
    assembler = EventAssembler("urn:s", WireOptions(skip=skip), report, encoder)
    found: list[Brief] = []
    stopped = ""
    try:
        for events in read(source, assembler):
            found += [(event.name, event.timestamp, nameless(event.triples)) for event in events]
    except StreamError as error:
        stopped = nameless_text(error.message)
        error.render()
    assert report.events == len(found)
    return Found(found, report.errors, stopped)


def read_alike(data: bytes, read: Read) -> Found:
    """What is read up to the first mistake; DisagreementError if pieces and the whole do not give the same."""
    whole = found_in(_whole(data), read, skip=True)
    same(whole, found_in(cast(BinaryIO, Pieces(data, sizes_for(data))), read, skip=True), "whole and in pieces")
    stopping = found_in(_whole(data), read, skip=False)
    same(stopping.events, whole.events[: len(stopping.events)], "up to a mistake")
    return stopping


def _whole(data: bytes) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(io.BytesIO(data)))  # type: ignore[arg-type]


def sizes_for(data: bytes) -> list[int]:
    """Sizes of pieces that depend on the input; not too many of them."""
    digest = zlib.crc32(data)
    least = len(data) // 60
    return [least + 1 + (digest >> shift) % 37 for shift in (0, 5, 10, 15)]


def nameless(triples: object) -> frozenset[str]:
    """Statements as texts, without the names of blank nodes and of graphs."""
    return frozenset(nameless_text(str(getattr(one, "triple", one))) for one in cast("list[object]", triples))


def nameless_text(text: str) -> str:
    """A text without the names of blank nodes."""
    return _BLANK.sub("_:", text)


def mistake(message: str) -> str:
    """What is compared of a message: as it is shown, without the names of blank nodes."""
    return nameless_text(shortened(message))


def is_deep(data: bytes) -> bool:
    """Whether pyoxigraph might not survive these triple terms."""
    return data.count(b"<<") > DEEP
