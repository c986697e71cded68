"""From statements, and from messages that are events as wholes, to events as columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple

from gpm.algebra import XSD_DATETIME
from gpm.encoder import add_graph, event_batch
from gpm.native.assembly import Assembler, Encoder
from gpm.parsing import parse
from nfa_native.terms.dictionary import Terms
from spaseq.errors import Location, StreamError, shortened
from spaseq.sources.rdf.events import Event, EventIris, Events
from spaseq.sources.rdf.wire import LARGEST_EVENT, MOST_NAMED, REMEMBERED, WireOptions, WireReport, from_literal

OUTSIDE = "its time is said outside of it, in the default graph"
_NEAR = 1 << 16  # bytes before the end of a graph that are looked at


def untimed_hint(graph: str, quads: Iterable[Quad], properties: Collection[str]) -> str:
    """What to do about a graph (as N-Quads write its name) without time; ``quads`` are some around it."""
    other = ""
    for quad in quads:
        property = quad.predicate.value
        if str(quad.graph_name) == graph and property in properties:
            return "the time stands inside the graph: write it outside, in the default graph"
        if isinstance(quad.graph_name, DefaultGraph) and str(quad.subject) == graph and _is_time(quad.object):
            other = other or property
    return f"if <{other}> is its time, say so: --time-property {other} (time_properties)" if other else OUTSIDE


class Nearby:
    """The last lines of N-Quads that were read, in however many pieces they came."""

    def __init__(self) -> None:
        self._pieces: deque[bytes] = deque()
        self._size = 0  # of all pieces

    def add(self, block: bytes, start: int, end: int) -> None:
        """Bytes ``start:end`` of a block were read."""
        piece = block[max(start, end - _NEAR) : end]
        if piece:
            self._pieces.append(piece)
            self._size += len(piece)
        while self._pieces and self._size - len(self._pieces[0]) >= _NEAR:
            self._size -= len(self._pieces.popleft())

    def about(self, graph: str) -> Iterator[Quad]:
        """The statements that name the graph."""
        name = graph.encode()
        for line in b"".join(self._pieces)[-_NEAR:].splitlines():
            if name in line:
                yield from _read(line)


def _read(line: bytes) -> Iterator[Quad]:
    try:
        yield from parse(line, RdfFormat.N_QUADS)
    except SyntaxError:  # cut at the beginning
        return


def _is_time(term: object) -> bool:
    return isinstance(term, Literal) and term.datatype.value == XSD_DATETIME


Locate = Callable[[str], Location]  # a text of the message ("": the message itself) -> its place
Node: TypeAlias = NamedNode | BlankNode


class Dataset(NamedTuple):
    """The statements of one message, in their order; ``locate`` finds a text of it in the source."""

    quads: list[Quad]
    locate: Locate


Received: TypeAlias = Dataset | StreamError  # a message, or what is wrong with it


def to_event(message: Received, stream: str, options: WireOptions, report: WireReport) -> Event | None:
    """The event that a message is; None if it has no statements.  StreamError: it is none.

    Its graph is the message's named graph, whose time stands in the default graph, or else the default graph, with the
    time statement in it.
    """
    if isinstance(message, StreamError):
        raise message
    default = [quad.triple for quad in message.quads if isinstance(quad.graph_name, DefaultGraph)]
    named = [quad for quad in message.quads if not isinstance(quad.graph_name, DefaultGraph)]
    times = [triple for triple in default if triple.predicate.value in options.time_properties]
    if named:
        node = _only_graph(named, message.locate)
        own = [triple for triple in times if triple.subject == node]
        _count_left_out(node, default, times, message.locate, report)
        hint = "" if own else untimed_hint(str(node), message.quads, options.time_properties)
        return _event(stream, node, own, [quad.triple for quad in named], options, message.locate, hint)
    if not default:
        return None
    subject = _main_subject(times, default, message.locate)
    own = [triple for triple in times if triple.subject == subject]
    return _event(stream, subject, own, default, options, message.locate, "")


def _count_left_out(node: Node, default: list[Triple], times: list[Triple], locate: Locate, report: WireReport) -> None:
    """The statements in the default graph that say nothing of use about the named graph."""
    ignored = [triple for triple in default if triple not in times]
    unused = [triple for triple in times if triple.subject != node]
    report.ignored += len(ignored)
    report.unused_times += len(unused)
    if ignored:
        report.first.setdefault("ignored", f"at {locate(_text(ignored[0].subject))}")
    if unused:
        report.first.setdefault("unused_times", f"at {locate(_text(unused[0].subject))}")


def _event(
    stream: str,
    node: object,
    times: list[Triple],
    triples: list[Triple],
    options: WireOptions,
    locate: Locate,
    hint: str,
) -> Event:
    if not times:
        about = "message" if node is None else f"graph {node}"
        raise StreamError(f"the {about} has no time", locate(""), hint=hint)
    found = [_microseconds(triple.object, options.time_unit, locate) for triple in times]
    for triple, time in zip(times, found, strict=True):
        if time != found[0]:
            raise StreamError(f"a second time for {node}", locate(_text(triple.object)))
    return Event(stream, found[0], node.value if isinstance(node, NamedNode) else "", triples)


def _only_graph(named: list[Quad], locate: Locate) -> Node:
    """The graph of a message."""
    first = named[0].graph_name
    for quad in named:
        if quad.graph_name != first:
            other = quad.graph_name
            raise StreamError(f"a message has one named graph, this one has {first} and {other}", locate(_text(other)))
    assert isinstance(first, Node)
    return first


def _main_subject(times: list[Triple], statements: list[Triple], locate: Locate) -> object:
    """What a message without named graph is about: the subject with a time to which no statement refers."""
    subjects = list(dict.fromkeys(triple.subject for triple in times))
    if len(subjects) > 1:
        objects = {triple.object for triple in statements}
        subjects = [subject for subject in subjects if subject not in objects] or subjects
    if len(subjects) > 1:
        message = f"{subjects[0]} and {subjects[1]} have times: which is the message's?"
        hint = "a message is one event; several make a message each, or a named graph with its own time"
        raise StreamError(message, locate(_text(subjects[1])), hint=hint)
    return subjects[0] if subjects else None


def _microseconds(value: object, unit: int, locate: Locate) -> int:
    if not isinstance(value, Literal):
        raise StreamError(f"the time {value} is no literal", locate(_text(value)))
    try:
        return from_literal(value, unit)
    except ValueError as error:
        raise StreamError(str(error), locate(value.value)) from None


def _text(term: object) -> str:
    """A term as it is likely to stand in the source."""
    return term.value if isinstance(term, NamedNode | Literal) else str(term)


# As gpm.native.assembly numbers problems.
BAD_LINE, COMES_BACK, NO_TIME, BAD_TIME, SECOND_TIME, IGNORED, UNUSED_TIME, TOO_LARGE = range(8)


class StatementPlaces(Protocol):
    """Finds the places of statements in a block of N-Quads lines."""

    def locate(self, offset: int, text: str) -> Location:
        """The place of ``text`` in the source, in what became the line at ``offset`` of the block."""

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        """What is wrong with that line, and the graph that it names as far as can be seen."""


class EventAssembler:
    """Groups the statements of one source into the events of ``stream``.

    Without ``options.skip`` the first wire error is raised as StreamError; what was complete before it is still given
    by ``take``.  With it the event of the error is lost, and the error counted in ``report``.  An ``endless`` source
    has no end: what seems one is that of a file that another follows.  ``elsewhere``: the source is a part of one, and
    this is the hint for a graph without time, whose time may stand in another; not even ``options.skip`` loses that.
    """

    def __init__(
        self,
        stream: str,
        options: WireOptions,
        report: WireReport,
        encoder: Encoder | None = None,
        endless: bool = False,
        elsewhere: str = "",
    ) -> None:
        self._stream = stream
        self._options = options
        self._skip = options.skip
        self._unit = options.time_unit
        self._properties = options.time_properties
        self._nearby = Nearby()
        self._endless = endless
        self._elsewhere = elsewhere
        self._flushed = ""  # the graph that was complete for want of more
        self._report = report
        encoder = encoder or Encoder(Terms())
        bounds = REMEMBERED, MOST_NAMED, LARGEST_EVENT
        self._native = Assembler(encoder, options.time_properties, options.time_unit, *bounds)
        self._ignored = self._unused_times = 0  # of the native counters, as far as the report has them

    def take(self) -> Events | None:
        """The events completed since the last call; None if there are none."""
        columns = self._native.take()
        report, native = self._report, self._native
        report.ignored += native.ignored - self._ignored
        report.unused_times += native.unused_times - self._unused_times
        self._ignored, self._unused_times = native.ignored, native.unused_times
        if not len(columns["times"]):
            return None
        graphs = event_batch(native, columns)
        report.events += len(graphs)
        ends = columns["name_ends"]
        return Events(self._stream, graphs, EventIris.ending(columns["names"], ends))

    @cached_property
    def nothing(self) -> Events:
        """No events: a reader gives them where it has none, but is going to wait."""
        return Events.of(self._stream, [], self._native.encoder)

    @property
    def lines(self) -> int:
        """Line ends that were read."""
        return self._native.lines

    def read(self, block: bytes, place: StatementPlaces, start: int = 0, stop: int | None = None) -> None:
        """Read the whole lines of a block, or of bytes ``start:stop`` of it."""
        at, stop = start, len(block) if stop is None else stop
        while at < stop:
            begin = at
            at, problems = self._native.read(block, at, stop)
            self._nearby.add(block, begin, at)
            for kind, line, name, start, size in problems:
                if kind == BAD_LINE:
                    self.fail(*place.bad_line(line), line, place)
                else:
                    self._wire_error(kind, name.decode(), block[start : start + size], line, place)

    def read_messages(self, block: bytes, start: int, comments: bool = False, graphs: bool = True) -> tuple[int, int]:
        """Read messages in N-Quads lines from byte ``start`` of a block on, up to one that is no plain event.

        Gives where that begins, and one of TAKEN (there is none), CUT_OFF (its delimiter is not there) and UNSURE.
        ``comments``: ``# @message`` is a delimiter too; ``graphs``: statements may name one.
        """
        return self._native.read_messages(block, start, comments, graphs)

    def take_message(self, message: Received) -> None:
        """Add the event that a message is; one that is none is an error, one without statements nothing."""
        try:
            event = to_event(message, self._stream, self._options, self._report)
        except StreamError as error:
            self._error(error)
        else:
            if event is not None:
                add_graph(self._native, event.triples, event.timestamp, event.name.encode())

    def finish(self, end: Callable[[], Location]) -> None:
        """The source has ended, at ``end()``: its last event is complete."""
        if self._endless:
            return
        for kind, _, name, _, _ in self._native.finish():
            self._wire_error(kind, name.decode(), b"", 0, _End(end()))

    def flush(self) -> None:
        """Nothing came for long: the open event is complete, if it has its time."""
        self._flushed = (self._native.flush() or b"").decode() or self._flushed

    def fail(self, error: StreamError, graph: bytes | None, line: int, place: StatementPlaces) -> None:
        """A statement of ``graph`` (None: unknown) could not be read: its event, or else the open one, is lost."""
        for kind, _, name, _, _ in self._native.fail(graph, line):
            self._wire_error(kind, name.decode(), b"", line, _End(error.location))
        self._error(error)

    def _wire_error(self, kind: int, graph: str, text: bytes, line: int, place: StatementPlaces) -> None:
        if kind == IGNORED:
            self._report.first.setdefault("ignored", f"at {place.locate(line, text.decode())}")
            return
        if kind == UNUSED_TIME:
            self._report.first.setdefault("unused_times", shortened(graph))
            return
        hint, about = "", graph
        if kind == COMES_BACK:
            message = f"the graph {graph} comes back after another began"
            if graph == self._flushed:
                message = f"the graph {graph} goes on after it counted as complete: nothing of it had come for long"
                hint = "wait longer with --idle (idle)"
        elif kind == NO_TIME:
            message, about = f"the graph {graph} has no time, and here it ends", ""
            hint = self._elsewhere
            if not (hint or self._skip):  # of what is skipped nobody sees a hint, and it takes a millisecond
                hint = untimed_hint(graph, self._nearby.about(graph), self._properties)
        elif kind == TOO_LARGE:
            message = f"the graph {graph} has more than {LARGEST_EVENT:,} bytes: it is too large for an event"
        elif kind == BAD_TIME:
            message, about = self._why_no_time(text)
        else:
            message = f"a second time for the graph {graph}"
        ends = kind == NO_TIME and bool(self._elsewhere)
        wanted = ends or not self._skip or self._report.wants_position()
        error = StreamError(message, place.locate(line, about) if wanted else Location(), hint=hint)
        if ends:
            raise error
        self._error(error)

    def _why_no_time(self, text: bytes) -> tuple[str, str]:
        """What is wrong with the object of a time statement, and what of it to point at."""
        (quad,) = parse(b"<urn:x> <urn:x> " + text + b" .", RdfFormat.N_QUADS)
        value = quad.object
        if not isinstance(value, Literal):
            return f"the time {value} is no literal", str(value)
        try:
            from_literal(value, self._unit)
        except ValueError as error:
            return str(error), value.value
        return f'the time "{value.value}" cannot be read', value.value

    def _error(self, error: StreamError) -> None:
        self._report.note(error, self._skip)
        if not self._skip:
            raise error


class _End:
    """A place that is known already."""

    def __init__(self, location: Location) -> None:
        self._location = location

    def locate(self, offset: int, text: str) -> Location:
        return self._location

    def bad_line(self, offset: int) -> tuple[StreamError, bytes | None]:
        raise AssertionError("no line is read here")
