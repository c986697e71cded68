"""End points of paths that were found: columns of numbers, whose terms are looked up when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spaseq.paths.end_columns import EndColumns
from spaseq.paths.named_graph import NamedGraph
from spaseq.paths.names import short_name
from spaseq.results.terms import Value

if TYPE_CHECKING:
    import pyarrow
    import rdflib


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
        from spaseq.paths.arrow import ends_to_arrow

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
