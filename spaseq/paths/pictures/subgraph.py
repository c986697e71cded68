"""What a picture shows: the part of the graph that paths go through, what it says of it, and how nodes and edges look.

Texts of a graph are shown as they may stand in a picture, whatever is in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias
from unicodedata import east_asian_width

from spaseq.paths.terms import NamedGraph, short_name
from spaseq.results.terms import Value

MOST_SHOWN = 32  # characters of a label
MOST_TOLD = 500  # of what is told when somebody points to it
# What XML does not have, and what would turn the text around it: controls, embeddings, non-characters.
_UNFIT = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]+")


def cleaned(text: str, most: int = MOST_TOLD) -> str:
    """A text in one line and without what is not shown, cut if it is longer."""
    plain = _UNFIT.sub(" ", text[: 4 * most]).strip() or ("∅" if not text else "…")
    return plain if len(plain) <= most and len(text) <= 4 * most else plain[: most - 1] + "…"


def shortened(text: str) -> str:
    """What stands in a node or beside an edge."""
    return cleaned(text, MOST_SHOWN)


def width(text: str) -> int:
    """How wide a text is, in characters; some are twice as wide as others."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


# ── the part of a graph ──────────────────────────────────────────────────────────────────────────────────
MOST_SEEN = 10_000  # paths; of more it is only said that there are more

Route: TypeAlias = "tuple[str, tuple[int, ...], tuple[int, ...]]"  # query, vertices and symbols of a path
Edge: TypeAlias = "tuple[int, int, int]"  # subject, label, object


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """``text`` is what stands in it, ``full`` is all of its term."""

    text: str
    full: str
    is_start: bool
    is_end: bool


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """From subject to object, which are places of nodes; ``is_first`` if the first path of a query takes it."""

    source: int
    target: int
    text: str
    full: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes in the order in which paths come to them, and edges; ``note`` says what is left out, if anything."""

    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    note: str


class _Collected:
    """What was collected of paths so far: nodes with their places, edges, and whether they are on a first path."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.places: dict[int, int] = {}
        self.edges: dict[Edge, bool] = {}
        self.starts: set[int] = set()
        self.ends: set[int] = set()
        self.queries: set[str] = set()

    def add(self, route: Route) -> bool:
        """A path, of the very first one as much as there is room for; False: it is not there, or not all of it."""
        query, vertices, symbols = route
        fits = len(self.places.keys() | vertices) <= self.most
        if not fits and self.places:
            return False
        is_first = query not in self.queries
        self.queries.add(query)
        self.starts.add(vertices[0])
        if fits:
            self.ends.add(vertices[-1])
        self._step_to(vertices[0])
        for source, symbol, target in zip(vertices, symbols, vertices[1:], strict=False):
            if not self._step_to(target):
                break
            ends = (target, source) if symbol & 1 else (source, target)
            edge = (ends[0], symbol >> 1, ends[1])
            self.edges[edge] = self.edges.get(edge, False) or is_first
        return fits

    def _step_to(self, vertex: int) -> bool:
        if vertex not in self.places and len(self.places) < self.most:
            self.places[vertex] = len(self.places)
        return vertex in self.places


def drawing(graph: NamedGraph, routes: Iterable[Route], most: int) -> Drawing:
    """A drawing of paths with at most so many nodes: of as many paths, from the first on, as there is room for."""
    found, others, not_drawn, rest = _Collected(most), set[int](), 0, iter(routes)
    for route in islice(rest, MOST_SEEN):
        if not_drawn or not found.add(route):
            not_drawn += 1
            others.update(route[1])
    are_more = next(rest, None) is not None
    nodes = tuple(
        _node(graph.terms.value(vertex), vertex in found.starts, vertex in found.ends) for vertex in found.places
    )
    edges = tuple(
        DrawnEdge(found.places[source], found.places[target], shortened(short_name(iri)), cleaned(iri), is_first)
        for (source, label, target), is_first in found.edges.items()
        for iri in (graph.predicates[label],)
    )
    note = _note(not_drawn, len(others - found.places.keys()), are_more) if nodes else "no paths"
    return Drawing(nodes, edges, note)


def _node(value: Value, is_start: bool, is_end: bool) -> DrawnNode:
    text = short_name(value.text) if value.kind == "uri" else value.text
    return DrawnNode(shortened(f"_:{text}" if value.kind == "bnode" else text), cleaned(value.text), is_start, is_end)


def _note(paths: int, nodes: int, are_more: bool) -> str:
    if are_more and not paths:
        return f"not drawn: all paths but the first {MOST_SEEN:,}"
    more = "more than " if are_more else ""
    return f"not drawn: {more}{_many('path', paths)} with {more}{_many('more node', nodes)}" if paths else ""


def _many(name: str, count: int) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


# ── colours ──────────────────────────────────────────────────────────────────────────────────────────────
START = ("#dbeafe", "#1d4ed8")  # fill and stroke of nodes
END = ("#dcfce7", "#15803d")
BETWEEN = ("#ffffff", "#6b7280")
EDGE = ("#9ca3af", 1.5)  # colour and width
FIRST_EDGE = ("#b45309", 3)


def fills(node: DrawnNode) -> tuple[str, str]:
    """Fill and stroke of a node; where a path starts and another ends it is filled as a start."""
    if node.is_start:
        return START[0], END[1] if node.is_end else START[1]
    return END if node.is_end else BETWEEN
