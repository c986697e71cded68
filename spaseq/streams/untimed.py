"""Why a graph has no time: what its statements say that could be meant as one."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator

from pyoxigraph import DefaultGraph, Literal, Quad, RdfFormat

from gpm.algebra import XSD_DATETIME
from gpm.parsing import parse

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
