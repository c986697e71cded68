"""Messages that come as values, each by itself: of a queue, or of a column of a table."""

from __future__ import annotations

import io
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from pyoxigraph import DefaultGraph, NamedNode, RdfFormat

from gpm.native.assembly import Encoder
from gpm.native.turtle import Translator
from gpm.parsing import parse
from spaseq.errors import Location, StreamError
from spaseq.sources.rdf.assembler import EventAssembler
from spaseq.sources.rdf.events import Event, Events
from spaseq.sources.rdf.files import read_wholes, sniffed
from spaseq.sources.rdf.nquads import BOM, explain, printable, read_text
from spaseq.sources.rdf.trig import read_trig
from spaseq.sources.rdf.wire import DELIMITER, PAUSED, TAKEN, WireOptions, WireReport

PLACE = "<value>"  # what errors call the place of a value
LINES = ("nquads", "ntriples")
_TRANSLATED = ("trig", "turtle")
_OF_QUADS = ("nquads", "trig")
_PARSED = {
    "nquads": RdfFormat.N_QUADS,
    "ntriples": RdfFormat.N_TRIPLES,
    "trig": RdfFormat.TRIG,
    "turtle": RdfFormat.TURTLE,
    "jsonld": RdfFormat.JSON_LD,
}
_DELIMITER = re.compile(rb"^[ \t]*@?message\b", re.IGNORECASE | re.MULTILINE)
_BEHIND = b"\n" + DELIMITER
_UNREADABLE = b"?"  # native reading stops here


class ValueReader:
    """Reads values as events of one stream: each is a message, or some named graphs with their times.

    ``kind`` is their format (a value of ``ENDINGS`` of ``sources``); None: each by how it begins.  Without
    ``options.skip`` the first value that cannot be read is a StreamError.
    """

    def __init__(
        self, stream: str, options: WireOptions, report: WireReport, encoder: Encoder, kind: str | None = None
    ) -> None:
        self._arguments = stream, options, report, encoder
        self._kind = kind
        self._messages = EventAssembler(*self._arguments)

    def read(self, values: Sequence[bytes | None]) -> Iterator[Events]:
        """The events of the values, in their order.  Lines of N-Quads with one event are read together, natively."""
        return (events for _, events in self.read_each(values) if events is not None)

    def read_each(
        self, values: Sequence[bytes | None], place: Callable[[int], str] = lambda _: PLACE
    ) -> Iterator[tuple[int, Events | None]]:
        """The same, each time with how many values are worked out; ``place`` is what errors call the value there."""
        lines = self._all_as_lines(values)
        starts = [0, *accumulate(size + len(_BEHIND) for size in map(len, lines))]
        block = _BEHIND.join([*lines, b""])
        number, at = 0, 0
        while number < len(values):
            at, outcome = self._messages.read_messages(block, at, graphs=self._kind != "ntriples")
            number = len(values) if outcome == TAKEN else bisect_right(starts, at) - 1
            yield number, self._messages.take()
            if outcome not in (TAKEN, PAUSED):
                for events in self._noted(values[number], place(number)):
                    yield number, events
                number += 1
                yield number, None
                at = starts[number]

    def _all_as_lines(self, values: Sequence[bytes | None]) -> Sequence[bytes]:
        """The N-Quads lines of each value."""
        present = [value for value in values if value is not None]
        if self._kind in (None, *LINES) and len(present) == len(values):
            every = b"\n".join(present)
            if b"{" not in every and b"@prefix" not in every and BOM not in every and _is_plain(every):
                return present  # as most are: there is no need to look at each
        return [_UNREADABLE if value is None else self._as_lines(value) for value in values]

    def _as_lines(self, value: bytes) -> bytes:
        """The N-Quads lines of a value, as far as that is easy; those that are not are read by themselves."""
        if not _is_plain(value):
            return _UNREADABLE
        kind = self._kind or ("nquads" if _begins_as_lines(value) else sniffed(value))
        if kind in _TRANSLATED:
            return _translated(value, kind == "trig")
        return value if kind in LINES else _UNREADABLE

    def _noted(self, value: bytes | None, place: str) -> list[Events]:
        """The events of one value; what is skipped of it is the whole of it."""
        _, options, report, _ = self._arguments
        report.whole, found = value, list[Events]()
        try:
            found += self._closely(value, place)
        except StreamError as error:  # of what has no rest that could be read
            if not options.skip:
                raise
            report.note(error, skipped=True)
        finally:
            report.whole = None
        return found

    def _closely(self, value: bytes | None, place: str) -> Iterator[Events]:
        """The events of one value, whatever it is."""
        stream, options, report, encoder = self._arguments
        if value is None:
            self._refuse(StreamError("there is no value", Location(place)))
            return
        kind, graphs = self._looked_at(value)
        if graphs > 1:
            yield from self._several(value, kind, place)
            return
        text = _in_one_line(value) if kind == "jsonld" else value
        source = io.BufferedReader(io.BytesIO(text))
        yield from read_wholes(kind, source, place, stream, options, report, encoder)

    def _looked_at(self, value: bytes) -> tuple[str, int]:
        """The format of a value, and how many named graphs it has, as far as that matters."""
        kind = self._kind or sniffed(value)
        graphs = _named_graphs(value, kind)
        if graphs is None and self._kind is None and kind == "nquads":  # its beginning may be both
            graphs = _named_graphs(value, "trig")
            kind = kind if graphs is None else "trig"
        return kind, graphs or 0

    def at(self, values: Sequence[bytes | None], times: Sequence[int | None]) -> Iterator[Events]:
        """The events of values that are graphs, at these times (µs)."""
        stream, _, report, encoder = self._arguments
        found: list[Event] = []
        for value, time in zip(values, times, strict=True):
            try:
                if value is None or time is None:
                    raise StreamError(f"there is no {'time' if time is None else 'value'}", Location(PLACE))
                if event := event_at(value, time, stream, self._kind):
                    found.append(event)
            except StreamError as error:
                self._refuse(error)
        report.events += len(found)
        yield Events.of(stream, found, encoder)

    def _refuse(self, error: StreamError) -> None:
        _, options, report, _ = self._arguments
        report.note(error, options.skip)
        if not options.skip:
            raise error

    def _several(self, value: bytes, kind: str, place: str) -> Iterator[Events]:
        """The events of a value with several named graphs."""
        assembler = EventAssembler(*self._arguments)
        if kind == "trig":
            yield from read_trig(io.BytesIO(value), place, assembler)
        else:
            yield read_text(value, place, assembler)


def event_at(value: bytes, time: int, stream: str, kind: str | None = None) -> Event | None:
    """The event at a time (µs) whose graph is that of a value, its only one; None: there is no statement.

    ``kind`` as of ``ValueReader``, but Jelly has its own times.  StreamError: the value has no such graph.
    """
    kind = kind or sniffed(value)
    if kind not in _PARSED:
        raise StreamError(f"a value in {kind} has its own time", Location(PLACE))
    try:
        quads = list(parse(value, _PARSED[kind]))
    except SyntaxError as error:
        raise StreamError(explain(error), _location(value, error)) from None
    graphs = list(dict.fromkeys(quad.graph_name for quad in quads if not isinstance(quad.graph_name, DefaultGraph)))
    if len(graphs) > 1:
        raise StreamError(
            f"a value with a time is one graph, this one has {graphs[0]} and {graphs[1]}", Location(PLACE)
        )
    graph = graphs[0] if graphs else DefaultGraph()
    triples = [quad.triple for quad in quads if quad.graph_name == graph]
    return Event(stream, time, graph.value if isinstance(graph, NamedNode) else "", triples) if triples else None


def _location(value: bytes, error: SyntaxError) -> Location:
    number, column = error.lineno or 1, error.offset or 1
    lines = value.splitlines()
    return Location(PLACE, number, column, printable(lines[number - 1]) if number <= len(lines) else "")


def _begins_as_lines(value: bytes) -> bool:
    """Whether a value is most likely in N-Quads: where it is not, native reading says so."""
    return value[:1] in (b"<", b"_") and b"{" not in value


def _translated(value: bytes, graphs: bool) -> bytes:
    """The N-Quads lines of a value in Turtle or TriG (``graphs``), if native code is certain of them."""
    text = value + b"\n" + DELIMITER
    lines, at, _ = Translator(graphs=graphs, messages=True).read(text, 0)
    if at < len(text) - 1 or lines.count(DELIMITER) != 1 or not lines.endswith(DELIMITER):
        return _UNREADABLE
    return lines[: -len(DELIMITER)]


def _is_plain(value: bytes) -> bool:
    """Whether a value has one message at most, and no line ends that native reading does not know."""
    if b"\r" in value or value.startswith(BOM):
        return False
    return b"message" not in value.lower() or not _DELIMITER.search(value)


def _in_one_line(document: bytes) -> bytes:
    """A document of JSON without line ends: they stand between its words alone."""
    return document.replace(b"\r", b" ").replace(b"\n", b" ")


def _named_graphs(value: bytes, kind: str) -> int | None:
    """How many named graphs a value has; None: it is not of this format, or that has none but in messages."""
    if kind not in _OF_QUADS:
        return None
    try:
        names = {quad.graph_name for quad in parse(value, _PARSED[kind])}
    except SyntaxError:
        return None
    return len(names - {DefaultGraph()})
