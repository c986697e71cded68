"""Statements of RDF as texts that are sorted by their event, for streams in which the statements of one lie apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from hashlib import blake2b

import numpy as np
from pyoxigraph import RdfFormat

from gpm.native.assembly import Encoder
from gpm.native.tokens import Line, read_lines
from gpm.parsing import parse
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, StreamError
from spaseq.sources.conversion.keyed_texts import KeyedTexts, ends_of
from spaseq.sources.rdf.assembler import COMES_BACK, NO_TIME, EventAssembler, StatementPlaces
from spaseq.sources.rdf.wire import WireOptions, WireReport

UNREADABLE = b"!"  # begins the text of what could not be read, which no statement does; its graph is behind it
BAD, NOTHING = -1, 0  # as the tokenizer numbers kinds of lines
_REMEMBERED = 1 << 14  # names whose keys are known
_LABELS = re.compile(rb'"(?:[^"\\]|\\.)*+"|<<|<[^>]*>|(_:)')


class ApartError(Exception):
    """The statements of an event may lie apart: its graph comes back, or has no time where it ends."""


class TogetherAssembler(EventAssembler):
    """Makes events whose statements lie together.  ApartError: those of one may not."""

    def _wire_error(self, kind: int, graph: str, text: bytes, line: int, place: StatementPlaces) -> None:
        if kind in (COMES_BACK, NO_TIME):
            raise ApartError
        super()._wire_error(kind, graph, text, line, place)


class StatementCollector(EventAssembler):
    """Takes the statements of one source as texts; what is a message is an event, as for any assembler.

    The key of a statement tells its event.  Its number is ``twice`` where it stands among all, from ``first`` on, and
    one more if it says the time of its event.  ``source`` is the number of the source if there are several: blank nodes
    are those of one.  Without ``options.skip``, what cannot be read is a StreamError.
    """

    def __init__(
        self, stream: str, options: WireOptions, report: WireReport, first: int = 0, source: int | None = None
    ) -> None:
        super().__init__(stream, options, report, Encoder(Terms()))
        self.next = first
        self._label = b"" if source is None else b"_:%d-" % source
        self._times = {f"<{iri}>".encode() for iri in options.time_properties}
        self._keys: dict[bytes, bytes] = {}
        self._last = b""  # the event of the last statement
        self._lines = 0
        self._found: list[tuple[bytes, int, bytes]] = []  # key, number and text of each

    @property
    def lines(self) -> int:
        """See ``EventAssembler``."""
        return self._lines

    def collected(self) -> KeyedTexts | None:
        """The statements since the last call; None if there are none."""
        if not self._found:
            return None
        keys, numbers, texts = zip(*self._found, strict=True)
        self._found = []
        lengths = np.array(list(map(len, texts)), np.int64)
        of_events = np.frombuffer(b"".join(keys), np.int64)
        return KeyedTexts(of_events, (ends_of(lengths), b"".join(texts)), np.array(numbers, np.int64))

    def read(self, block: bytes, place: StatementPlaces, start: int = 0, stop: int | None = None) -> None:
        """See ``EventAssembler``."""
        part = block[start : len(block) if stop is None else stop]
        self._lines += part.count(b"\n")
        for number, line in enumerate(read_lines(part)):
            if line.kind == BAD:
                at = start + offset_of(part, number)
                self.fail(*place.bad_line(at), at, place)
            elif line.graph:
                self._add(line.graph, line)
            elif line.predicate in self._times:
                self._add(line.subject, line)
            elif line.kind != NOTHING:
                self._ignore(line, partial(offset_of, part, number), start, place)

    def fail(self, error: StreamError, graph: bytes | None, line: int, place: StatementPlaces) -> None:
        """See ``EventAssembler``; the error counts when all statements of the event are there."""
        graph = self._last if graph is None else self._of_source(graph) if self._label else graph
        if not (self._skip and graph):
            self._error(error)
            self.next += 1
        else:
            self._put(graph, UNREADABLE + graph + b"\n")

    def finish(self, end: Callable[[], Location]) -> None:
        """See ``EventAssembler``: no event ends here."""

    def _add(self, event: bytes, line: Line) -> None:
        """Take a statement of an event."""
        subject, object_ = line.subject, line.object
        if self._label:
            subject, object_, event = map(self._of_source, (subject, object_, event))
        if line.graph:
            self._put(event, b"%b %b %b %b .\n" % (subject, line.predicate, object_, event))
        else:
            self._put(event, b"%b %b %b .\n" % (subject, line.predicate, object_), is_time=True)

    def _ignore(self, line: Line, offset: Callable[[], int], start: int, place: StatementPlaces) -> None:
        """Count a statement of no event, as the assembler does."""
        self.next += 1
        self._report.ignored += 1
        if "ignored" not in self._report.first:
            self._report.first["ignored"] = f"at {place.locate(start + offset(), line.subject.decode())}"

    def _put(self, event: bytes, text: bytes, is_time: bool = False) -> None:
        self._last = event
        key = self._keys.get(event)
        if key is None:
            if len(self._keys) >= _REMEMBERED:
                self._keys.clear()
            key = self._keys[event] = _key(event)
        self._found.append((key, 2 * self.next + is_time, text))
        self.next += 1

    def _of_source(self, term: bytes) -> bytes:
        """A term whose blank nodes have labels that no other source has."""
        if term[:2] not in (b"_:", b"<<"):
            return term
        return _LABELS.sub(lambda found: self._label if found[1] else found[0], term)


def label_in_source(name: str, several: bool) -> str:
    """The name of a graph or a node as its source has it, of several or one."""
    return "_:" + name.partition("-")[2] if several and name.startswith("_:") else name


def offset_of(block: bytes, number: int) -> int:
    """Where the line of this number begins, from 0."""
    return sum(len(line) + 1 for line in block.split(b"\n", number)[:number])


def _key(event: bytes) -> bytes:
    """64 bits for a name, however it is written.

    Do two have the same, which chance does not bring about, one that lies apart comes back for the assembler: an error.
    """
    if b"\\" in event:
        (quad,) = parse(event + b" <urn:x> <urn:x> .", RdfFormat.N_QUADS)
        event = str(quad.subject).encode()
    return blake2b(event, digest_size=8).digest()
