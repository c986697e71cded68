"""N-Quads streams read line by line in plain Python: what the native assembly must give (semantics.md 3.4)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from pyoxigraph import BlankNode, DefaultGraph, Literal, NamedNode, Quad, RdfFormat, Triple, parse

from spaseq.errors import Location, StreamError, shortened
from spaseq.sources.rdf.nquads import explain
from spaseq.sources.rdf.wire import TIME_PROPERTIES, from_literal

Node = NamedNode | BlankNode
LINE_END = re.compile(rb"\r\n|\r|\n")
GRAPH_OF_BAD_LINE = re.compile(rb"\s(?:<([a-z:0-9]+)>|_:(\w+))\s*\.\s*$")


@dataclass
class ReadEvent:
    """An event as the model reads it."""

    name: str
    time: int
    triples: list[Triple]


@dataclass
class Found:
    """What was read: ``errors`` are (message, line, column, hint); in stop mode the last one ended reading."""

    events: list[ReadEvent] = field(default_factory=list)
    errors: list[tuple[str, int, int, str]] = field(default_factory=list)
    ignored: int = 0
    unused_times: int = 0


class _StoppedError(Exception):
    """Reading ends at an error."""


class Model:
    """Reads one source; the last ``remembered`` graphs and waiting times are known, up to ``most_named`` bytes."""

    def __init__(self, skip: bool, remembered: int, most_named: int = 1 << 26) -> None:
        self.skip = skip
        self.remembered = remembered
        self.most_named = most_named
        self.found = Found()
        self.node: Node | None = None
        self.triples: list[Triple] = []
        self.time: int | None = None
        self.lost = False
        self.waiting: dict[Node, int | None] = {}
        self.recent: dict[Node, int | None] = {}
        self.begun: deque[Node] = deque()
        self.line, self.number = "", 0

    def read(self, data: bytes) -> Found:
        """Read a whole source."""
        lines = LINE_END.split(data)
        try:
            for number, line in enumerate(lines):
                self.line, self.number = line.decode("utf-8", "replace"), number + 1
                self._read_line(line, number == len(lines) - 1)
            self.number = max((number + 1 for number, line in enumerate(lines) if line.strip()), default=0)
            self.found.unused_times += len(self.waiting)
            self._close("")
        except _StoppedError:
            pass
        return self.found

    def _read_line(self, line: bytes, is_last: bool) -> None:
        try:
            quads = list(parse(line, RdfFormat.N_QUADS))
        except SyntaxError as error:
            self._lose(error, line, is_last)
            return
        for quad in quads:
            self._take(quad)

    def _take(self, quad: Quad) -> None:
        if isinstance(quad.graph_name, DefaultGraph):
            if quad.predicate.value in TIME_PROPERTIES:
                self._take_time(quad)
            else:
                self.found.ignored += 1
            return
        if quad.graph_name != self.node:
            self._begin(quad.graph_name)
        self.triples.append(quad.triple)

    def _lose(self, error: SyntaxError, line: bytes, is_last: bool) -> None:
        named = GRAPH_OF_BAD_LINE.search(line)
        if named and len(line.split()) > 4:
            node = NamedNode(named[1].decode()) if named[1] else BlankNode(named[2].decode())
            if node != self.node:
                self._begin(node, error.offset or 1)
        self.lost = True
        hint = "the input ends in the middle of this statement" if is_last else ""
        self._error(explain(error), error.offset or 1, hint)

    # ── graphs ──
    def _begin(self, node: Node, column: int = 0) -> None:
        self._close("", column)
        self.node, self.triples, self.time = node, [], None
        self.lost = node in self.recent
        if self.lost:
            self._error(f"the graph {node} comes back after another began", column or self._column(str(node)))
            return
        if node in self.waiting:
            self.time = self.waiting.pop(node)
            self.lost = self.time is None
        self.recent[node] = self.time
        self.begun.append(node)
        while self._are_too_many(self.begun):
            del self.recent[self.begun.popleft()]

    def _close(self, shown: str, column: int = 0) -> None:
        node, self.node = self.node, None
        lost, self.lost = self.lost, False
        if node is None or lost:
            return
        if self.time is None:
            hint = "its time is said outside of it, in the default graph"
            self._error(f"the graph {node} has no time, and here it ends", column or self._column(shown), hint)
            return
        self.found.events.append(ReadEvent(node.value if isinstance(node, NamedNode) else "", self.time, self.triples))

    def _are_too_many(self, names: Collection[Node]) -> bool:
        """Whether the oldest one is forgotten: each counts with its bytes, and one that tells its kind."""
        bytes_ = sum(1 + len(node.value.encode()) for node in names)
        return len(names) > self.remembered or (bytes_ > self.most_named and len(names) > 1)

    # ── times ──
    def _take_time(self, quad: Quad) -> None:
        node, time = quad.subject, self._timestamp(quad.object)
        if node not in self.recent and node not in self.waiting:
            self.waiting[node] = time
            while self._are_too_many(self.waiting):
                del self.waiting[next(iter(self.waiting))]
                self.found.unused_times += 1
            return
        known = self.waiting[node] if node in self.waiting else self.recent[node]
        if time is not None and known is not None and known != time:
            self._error(f"a second time for the graph {node}", self._column(str(node)))
            time = None
        if node == self.node:
            self.time = self.recent[node] = time
            self.lost = self.lost or time is None
        elif node in self.waiting and time is None:
            self.waiting[node] = None

    def _timestamp(self, value: object) -> int | None:
        if not isinstance(value, Literal):
            self._error(f"the time {value} is no literal", self._column(str(value)))
            return None
        try:
            return from_literal(value)
        except ValueError as error:
            self._error(str(error), self._column(value.value))
            return None

    # ── errors ──
    def _column(self, text: str) -> int:
        return max(1, self.line.rfind(text) + 1) if text else 1

    def _error(self, message: str, column: int, hint: str = "") -> None:
        self.found.errors.append((shortened(message), self.number, column, hint))
        if not self.skip:
            raise _StoppedError


def as_error(error: StreamError) -> tuple[str, int, int, str]:
    """An error of the reader in the model's form."""
    place: Location = error.location
    # What a graph without time might mean by its statements is in the golden files.
    hint = "its time is said outside of it, in the default graph" if "has no time" in error.message else error.hint
    return error.message, place.line, place.column, hint
