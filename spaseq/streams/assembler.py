"""From quads to events: a named graph and its time in the default graph make an event (SEMANTICS 3.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import attrgetter

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

from gpm.lines import QuadLines
from spaseq.errors import Location, StreamError
from spaseq.streams.event import Event, GraphTriples
from spaseq.streams.timestamps import from_literal
from spaseq.streams.wire import REMEMBERED, WireOptions, WireReport

Node = NamedNode | BlankNode | DefaultGraph
Run = tuple[Node, Iterable[Quad]]  # quads that follow each other in one graph
Locate = Callable[[int, str], Location]  # (number of the quad in this feed, a text on its line) -> its place

_graph_name = attrgetter("graph_name")


def in_runs(quads: Iterable[Quad]) -> Iterable[Run]:
    """The runs of ``quads``, which may raise in the middle of one."""
    return groupby(quads, _graph_name)


class EventAssembler:
    """Groups the quads of one source into the events of ``stream``.

    Without ``options.skip`` the first wire error is raised as StreamError; what was complete before it is still given
    by ``take``.  With it the event of the error is lost, and the error counted in ``report``.
    """

    def __init__(self, stream: str, options: WireOptions, report: WireReport) -> None:
        self._stream = stream
        self._unit = options.time_unit
        self._properties = frozenset(options.time_properties)
        self._skip = options.skip
        self._report = report
        self._complete: list[Event] = []
        self._node: NamedNode | BlankNode | None = None  # the open graph
        self._name = ""
        self._quads: GraphTriples | None = None
        self._time: int | None = None
        self._lost = False  # the open graph had an error
        self._waiting: dict[str, int | None] = {}  # times before their graphs; None: the event is lost
        self._recent: dict[str, int | None] = {}  # graphs that were begun, with their times
        self._begun: deque[str] = deque()  # their names, oldest first (a dict is slow at finding its oldest key)

    def take(self) -> list[Event]:
        """The events completed since the last call."""
        complete, self._complete = self._complete, []
        self._report.events += len(complete)
        return complete

    def feed(self, runs: Iterable[Run], locate: Locate) -> int:
        """Read ``runs``, which may raise in the middle, and return the number of their quads."""
        count = 0
        for node, run in runs:
            if isinstance(node, DefaultGraph):
                for quad in run:
                    self._default_quad(quad, count, locate)
                    count += 1
                continue
            if node != self._node:
                self._begin(node, count, locate)
            count += self._add(run)
        return count

    def _add(self, run: Iterable[Quad]) -> int:
        """Add statements to the open graph, as text if all of them are."""
        if isinstance(run, QuadLines) and isinstance(self._quads, QuadLines | None):
            self._quads = run if self._quads is None else self._quads + run
            return len(run)
        quads = self._quads if isinstance(self._quads, list) else list(self._quads or ())
        self._quads = quads
        before = len(quads)
        quads.extend(run)  # may raise, and what came before counts
        return len(quads) - before

    def finish(self, place: Location) -> None:
        """The source has ended, at ``place``: its last event is complete."""
        self._close(lambda _number, _text: place, 0)
        self._report.unused_times += len(self._waiting)
        self._waiting.clear()

    def fail(self, error: StreamError, graph: NamedNode | BlankNode | None) -> None:
        """A statement of ``graph`` (None: unknown) could not be read: its event, or else the open one, is lost."""
        if graph is not None and graph != self._node:
            self._begin(graph, 0, lambda _number, _text: error.location)
        self._lost = True
        self._error(error)

    # ── graphs ───────────────────────────────────────────────────────────────────────────────────────────
    def _begin(self, node: NamedNode | BlankNode, number: int, locate: Locate) -> None:
        self._close(locate, number)
        name = _key(node)
        self._node, self._name, self._time, self._quads = node, name, None, None
        self._lost = name in self._recent
        if self._lost:
            self._wire_error(f"the graph {node} comes back after another began", number, str(node), locate)
            return
        if name in self._waiting:
            self._time = self._waiting.pop(name)
            self._lost = self._time is None
        self._recent[name] = self._time
        self._begun.append(name)
        if len(self._begun) > REMEMBERED:
            del self._recent[self._begun.popleft()]

    def _close(self, locate: Locate, number: int) -> None:
        """The open graph is complete: make it an event."""
        node, self._node = self._node, None
        if node is None or self._lost:
            self._lost = False
            return
        if self._time is None:
            message = f"the graph {node} has no time, and here it ends"
            self._wire_error(message, number, "", locate, "its time is said outside of it, in the default graph")
            return
        name = self._name if type(node) is NamedNode else ""
        self._complete.append(Event(self._stream, self._time, name, self._quads or ()))

    # ── times ────────────────────────────────────────────────────────────────────────────────────────────
    def _default_quad(self, quad: Quad, number: int, locate: Locate) -> None:
        if quad.predicate.value not in self._properties:
            self._report.ignored += 1
            return
        name, time = _key(quad.subject), self._timestamp(quad.object, number, locate)
        if name in self._recent or name in self._waiting:
            self._set_time_again(name, time, str(quad.subject), number, locate)
            return
        self._waiting[name] = time
        if len(self._waiting) > REMEMBERED:
            del self._waiting[next(iter(self._waiting))]
            self._report.unused_times += 1

    def _timestamp(self, value: object, number: int, locate: Locate) -> int | None:
        """The time that ``value`` says; None after an error."""
        if type(value) is not Literal:
            self._wire_error(f"the time {value} is no literal", number, str(value), locate)
            return None
        try:
            return from_literal(value, self._unit)
        except ValueError as error:
            self._wire_error(str(error), number, value.value, locate)
            return None

    def _set_time_again(self, name: str, time: int | None, shown: str, number: int, locate: Locate) -> None:
        """A time for a graph that has begun or has a time already; None loses the event."""
        is_open = self._node is not None and name == self._name
        known = self._waiting[name] if name in self._waiting else self._recent[name]
        if time is not None and known is not None and known != time:
            self._wire_error(f"a second time for the graph {shown}", number, shown, locate)
            time = None
        if is_open:
            self._time = self._recent[name] = time
            self._lost = self._lost or time is None
        elif name in self._waiting and time is None:
            self._waiting[name] = None

    # ── errors ───────────────────────────────────────────────────────────────────────────────────────────
    def _wire_error(self, message: str, number: int, text: str, locate: Locate, hint: str = "") -> None:
        wanted = not self._skip or self._report.wants_position()
        self._error(StreamError(message, locate(number, text) if wanted else Location(), hint=hint))

    def _error(self, error: StreamError) -> None:
        self._report.note(error)
        if not self._skip:
            raise error


def _key(node: NamedNode | BlankNode | Triple) -> str:
    return node.value if type(node) is NamedNode else str(node)
