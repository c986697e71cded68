"""Paths and end points that were found: columns of numbers, whose terms are looked up when somebody asks for them.

In tables of Arrow each term is written once, however many paths have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.columns import EndColumns, PathColumns
from spaseq.paths.pictures import MOST_NODES, picture
from spaseq.paths.pictures.subgraph import Route
from spaseq.paths.terms import NamedGraph, short_name
from spaseq.results.terms import Value

if TYPE_CHECKING:
    import pyarrow
    import rdflib


Numbers = NDArray[np.uint32]


def to_arrow(graph: NamedGraph, names: Sequence[str], columns: PathColumns) -> pyarrow.Table:
    """See ``Paths.to_arrow``; ``names`` are those of queries."""
    import pyarrow

    steps = np.concatenate([np.zeros(1, np.int64), columns.ends.astype(np.int64)])
    predicates = pyarrow.array(graph.predicates, pyarrow.string())
    lists = {
        "nodes": (steps + np.arange(len(steps)), terms(graph, columns.vertices)),
        "predicates": (steps, predicates.take(pyarrow.array(columns.symbols >> 1))),
        "inverse": (steps, pyarrow.array((columns.symbols & 1).astype(np.bool_))),
    }
    arrays = {
        name: pyarrow.LargeListArray.from_arrays(pyarrow.array(at), values) for name, (at, values) in lists.items()
    }
    return pyarrow.table({"query": named(names, columns.queries), **arrays})


def ends_to_arrow(
    graph: NamedGraph, names: Sequence[str], queries: Numbers, starts: Numbers, ends: Numbers
) -> pyarrow.Table:
    """See ``EndPoints.to_arrow``."""
    import pyarrow

    return pyarrow.table({"query": named(names, queries), "start": terms(graph, starts), "end": terms(graph, ends)})


def named(names: Sequence[str], queries: Numbers) -> pyarrow.Array:
    """The names of queries."""
    import pyarrow

    return pyarrow.array(names, pyarrow.string()).take(pyarrow.array(queries))


def terms(graph: NamedGraph, vertices: Numbers) -> pyarrow.Array:
    """The terms of vertices."""
    import pyarrow

    used, places = np.unique(vertices, return_inverse=True)
    texts = pyarrow.array([graph.terms.value(int(vertex)).to_ntriples() for vertex in used], pyarrow.string())
    return texts.take(pyarrow.array(places))


# ── end points ───────────────────────────────────────────────────────────────────────────────────────────
class EndPoints(Sequence["EndPair"]):
    """The pairs of nodes between which some queries have paths, each once, as a sequence of ``EndPair``.

    The pairs of a query with one start stand together.  ``complete`` is False if a budget ended the search before all
    was found; ``warnings`` name what the graph does not have.
    """

    def __init__(
        self, graph: NamedGraph, names: Sequence[str], columns: EndColumns, complete: bool, warnings: Sequence[str]
    ) -> None:
        self.graph = graph
        self.names = tuple(names)
        self.columns = columns
        self.complete = complete
        self.warnings = tuple(warnings)

    @cached_property
    def queries(self) -> NDArray[np.uint32]:
        """uint32[n]: of each pair the query, by its place in ``names``."""
        return np.repeat(self.columns.queries, self.columns.lengths)

    @cached_property
    def start_vertices(self) -> NDArray[np.uint32]:
        """uint32[n]: of each pair the number of the node where paths begin."""
        return np.repeat(self.columns.starts, self.columns.lengths)

    @property
    def end_vertices(self) -> NDArray[np.uint32]:
        """uint32[n]: of each pair the number of the node where paths end."""
        return self.columns.ends

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        place = range(len(self))[number]
        name = self.names[int(self.queries[place])]
        return EndPair(self.graph, name, (int(self.start_vertices[place]), int(self.end_vertices[place])))

    def __iter__(self) -> Iterator[EndPair]:
        return (self[place] for place in range(len(self)))

    def by_query(self) -> Mapping[str, EndPoints]:
        """The pairs of each query, also of those that have none."""
        return {name: self.of(number) for number, name in enumerate(self.names)}

    def of(self, number: int) -> EndPoints:
        """The pairs of the query at this place of ``names``."""
        columns = self.columns.of(number)
        return EndPoints(self.graph, self.names, columns, self.complete, self.warnings)

    def part(self, start: int, stop: int) -> EndPoints:
        """Pairs ``start`` … ``stop - 1``."""
        return EndPoints(self.graph, self.names, self.columns.part(start, stop), self.complete, self.warnings)

    def to_arrow(self) -> pyarrow.Table:
        """A table of query, start and end, these as terms in the syntax of N-Triples.

        OptionError: pyarrow is not installed.
        """
        from spaseq.errors import require

        require("pyarrow")

        return ends_to_arrow(self.graph, self.names, self.queries, self.start_vertices, self.end_vertices)

    def __repr__(self) -> str:
        return f"<{len(self):,} pairs of nodes{'' if self.complete else ', not all'}>"


@dataclass(frozen=True, slots=True)
class EndPair:
    """Two nodes between which a query has a path: their numbers are ``vertices``."""

    graph: NamedGraph
    query: str
    vertices: tuple[int, int]

    @property
    def start(self) -> rdflib.term.Identifier:
        """Where paths begin, as a term of rdflib."""
        return self.values()[0].to_rdflib()

    @property
    def end(self) -> rdflib.term.Identifier:
        """Where paths end, as a term of rdflib."""
        return self.values()[1].to_rdflib()

    @property
    def nodes(self) -> tuple[rdflib.term.Identifier, ...]:
        """Both, as terms of rdflib."""
        return self.start, self.end

    def values(self) -> tuple[Value, Value]:
        """Both."""
        start, end = self.vertices
        return self.graph.terms.value(start), self.graph.terms.value(end)

    def to_dict(self) -> dict[str, Any]:
        """What the command writes of it as JSON; terms as in SPARQL's JSON."""
        start, end = self.values()
        return {"query": self.query, "start": start.to_json(), "end": end.to_json()}

    def __str__(self) -> str:
        """``a -> b``: texts of literals, last parts of IRIs."""
        return " -> ".join(shown_node(value) for value in self.values())


def shown_node(value: Value) -> str:
    """What a reader calls a node."""
    return short_name(value.text) if value.kind == "uri" else value.text


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────
class Paths(Sequence["Path"]):
    """Paths of some queries on a graph, as a sequence of ``Path``.

    ``complete`` is False if a budget ended the search before all was found; ``warnings`` name what the graph does not
    have.  ``columns`` has the numbers.
    """

    def __init__(
        self, graph: NamedGraph, names: Sequence[str], columns: PathColumns, complete: bool, warnings: Sequence[str]
    ) -> None:
        self.graph = graph
        self.names = tuple(names)
        self.columns = columns
        self.complete = complete
        self.warnings = tuple(warnings)

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the steps of each path begin, and at last where they end."""
        starts = np.zeros(len(self) + 1, np.int64)
        starts[1:] = self.columns.ends
        return starts

    def __len__(self) -> int:
        return len(self.columns.ends)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        place = range(len(self))[number]
        start, stop = int(self._starts[place]), int(self._starts[place + 1])
        vertices = self.columns.vertices[start + place : stop + place + 1]
        name = self.names[int(self.columns.queries[place])]
        return Path(self.graph, name, tuple(vertices.tolist()), tuple(self.columns.symbols[start:stop].tolist()))

    def __iter__(self) -> Iterator[Path]:
        return (self[place] for place in range(len(self)))

    def part(self, start: int, stop: int) -> Paths:
        """Paths ``start`` … ``stop - 1``."""
        return Paths(self.graph, self.names, self.columns.part(start, stop), self.complete, self.warnings)

    def end_points(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        """uint32[n], uint32[n]: the numbers of the first and of the last node of each path."""
        return self.columns.end_points()

    def to_arrow(self) -> pyarrow.Table:
        """A table of query, nodes, predicates (N-Triples terms and IRIs) and inverse, all but the first lists.

        OptionError: pyarrow is not installed.
        """
        from spaseq.errors import require

        require("pyarrow")

        return to_arrow(self.graph, self.names, self.columns)

    def picture(self, form: str = "svg", most_nodes: int = MOST_NODES) -> str:
        """The part of the graph that they go through, as ``svg``, ``mermaid`` or ``dot``.

        The first path of each query is drawn thick.  So many paths are drawn, from the first on, as have at most so
        many nodes together, and it is said what is left out.  OptionError: there is no such form or number.
        """
        return picture(self.graph, (path.route for path in self), form, most_nodes)

    def _repr_svg_(self) -> str | None:
        return self.picture() if len(self) else None

    def __repr__(self) -> str:
        return f"<{len(self):,} paths{'' if self.complete else ', not all'}>"


@dataclass(frozen=True, slots=True)
class Path:
    """A path: the numbers of its nodes (``vertices``), one more than those of its steps (``symbols``)."""

    graph: NamedGraph
    query: str
    vertices: tuple[int, ...]
    symbols: tuple[int, ...]

    def __len__(self) -> int:
        """How many edges it has."""
        return len(self.symbols)

    @property
    def nodes(self) -> tuple[rdflib.term.Identifier, ...]:
        """Its nodes, as terms of rdflib."""
        return tuple(value.to_rdflib() for value in self.values())

    @property
    def edges(self) -> tuple[tuple[rdflib.URIRef, bool], ...]:
        """Of each step the predicate, and whether the edge is taken from its object to its subject."""
        import rdflib

        return tuple((rdflib.URIRef(iri), inverse) for iri, inverse in self.steps())

    def values(self) -> tuple[Value, ...]:
        """Its nodes."""
        return tuple(self.graph.terms.value(vertex) for vertex in self.vertices)

    def steps(self) -> tuple[tuple[str, bool], ...]:
        """As ``edges``, with the IRIs as texts."""
        return tuple((self.graph.predicates[symbol >> 1], bool(symbol & 1)) for symbol in self.symbols)

    @property
    def route(self) -> Route:
        """Query, vertices and symbols."""
        return self.query, self.vertices, self.symbols

    def picture(self, form: str = "svg", most_nodes: int = MOST_NODES) -> str:
        """As of ``Paths``; of a longer path its beginning."""
        return picture(self.graph, [self.route], form, most_nodes)

    def _repr_svg_(self) -> str:
        return self.picture()

    def to_dict(self) -> dict[str, Any]:
        """What the command writes of it as JSON; terms as in SPARQL's JSON."""
        edges = [{"predicate": iri, "inverse": inverse} for iri, inverse in self.steps()]
        return {"query": self.query, "nodes": [value.to_json() for value in self.values()], "edges": edges}

    def __str__(self) -> str:
        """``a -> r -> b -> ^r2 -> c``: texts of literals, last parts of IRIs."""
        steps = [f"^{short_name(iri)}" if inverse else short_name(iri) for iri, inverse in self.steps()]
        nodes = [short_name(value.text) if value.kind == "uri" else value.text for value in self.values()]
        return " -> ".join(in_turn(nodes, steps))


def in_turn(nodes: Sequence[str], steps: Sequence[str]) -> list[str]:
    """A node, a step, a node and so on; there is one node more than there are steps."""
    return [nodes[0], *(part for pair in zip(steps, nodes[1:], strict=True) for part in pair)]
