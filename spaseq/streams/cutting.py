"""Where files of N-Quads may be cut: between two events, so that parts can be read apart.

A line belongs to an event: a quad to its graph, a time in the default graph to its subject.  An event begins with a
line of another event than that of the line before; comments and other statements belong to none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import BinaryIO

from pyoxigraph import DefaultGraph, RdfFormat

from gpm.parsing import parse
from spaseq.streams.nquads import graph_of

LOOK = 1 << 16  # bytes that are looked at together
_LINE_END = re.compile(rb"\n|\r\n|\r(?=[^\n])")  # a carriage return at the end may be half of one


def event_start(file: BinaryIO, at: int, stop: int, properties: Collection[str]) -> int:
    """Where an event begins, at byte ``at`` or soon behind, but for the file's beginning; ``stop`` if none does.

    ``properties``: IRIs of time properties.
    """
    if at == 0:
        return 0
    known = None
    for offset, line in islice(_lines(file, at - 1, stop), 1, None):
        event = _event_of(line, properties)
        if event is not None and known is not None and event != known:
            return offset
        known = known or event
    return stop


def last_event_start(file: BinaryIO, start: int, stop: int, properties: Collection[str]) -> int:
    """Where the last event begins of which there is a whole line in bytes ``start:stop``; ``start`` if no other does.

    An event begins at ``start``.  What stands before is complete, what stands behind may go on.
    """
    size = LOOK
    while stop - size > start:
        lines = list(islice(_lines(file, stop - size, stop), 1, None))
        if (found := _last_change(lines, properties)) is not None:
            return found
        size *= 4
    found = _last_change(list(_lines(file, start, stop)), properties)
    return start if found is None else found


def event_around(file: BinaryIO, at: int, stop: int, properties: Collection[str]) -> str:
    """The event that goes on at byte ``at``, as its IRI or node is written; empty if another begins there, or none."""
    before = [_event_of(line, properties) for _, line in _lines(file, max(0, at - LOOK), at)]
    behind = (_event_of(line, properties) for _, line in _lines(file, at, stop))
    first, last = next(filter(None, behind), None), next(filter(None, reversed(before)), None)
    return first.decode() if first is not None and first == last else ""


def _last_change(lines: list[tuple[int, bytes]], properties: Collection[str]) -> int | None:
    """Where the lines begin that belong to the last event; None if all do."""
    last, begin = None, 0
    for offset, line in reversed(lines):
        event = _event_of(line, properties)
        if event is not None and last is not None and event != last:
            return begin
        if event is not None:
            last, begin = event, offset
    return None


def _event_of(line: bytes, properties: Collection[str]) -> bytes | None:
    """The event that a line belongs to, as its IRI or node is written; None: none."""
    try:
        quad = next(iter(parse(line, RdfFormat.N_QUADS)), None)
    except SyntaxError:
        return graph_of(line)
    if quad is None:
        return None
    if not isinstance(quad.graph_name, DefaultGraph):
        return str(quad.graph_name).encode()
    return str(quad.subject).encode() if quad.predicate.value in properties else None


def _lines(file: BinaryIO, at: int, stop: int) -> Iterator[tuple[int, bytes]]:
    """The lines that end in bytes ``at:stop``, each with where it begins; the first one may be the end of a line."""
    file.seek(at)
    rest = b""
    while data := file.read(min(LOOK, stop - at - len(rest))):
        rest += data
        start = 0
        for end in _LINE_END.finditer(rest):
            yield at + start, rest[start : end.end()]
            start = end.end()
        at, rest = at + start, rest[start:]
