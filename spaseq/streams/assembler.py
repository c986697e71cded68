"""From statements to events: a named graph and its time in the default graph make an event (SEMANTICS 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Protocol

from pyoxigraph import Literal, RdfFormat

from gpm.encoder import add_graph, event_batch
from gpm.native.assembly import Assembler, Encoder
from gpm.parsing import parse
from nfa_native.terms.words import Terms
from spaseq.errors import Location, StreamError, shortened
from spaseq.streams.event import EventIris, Events
from spaseq.streams.messages import Received, to_event
from spaseq.streams.timestamps import from_literal
from spaseq.streams.untimed import Nearby, untimed_hint
from spaseq.streams.wire import LARGEST_EVENT, MOST_NAMED, REMEMBERED, WireOptions, WireReport

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
            hint = self._elsewhere or untimed_hint(graph, self._nearby.about(graph), self._properties)
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
