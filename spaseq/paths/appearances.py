"""Paths that appear in a stream of edges: they hold their terms, since edges go and their terms with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpm.rows import Words
from nfa_native.terms.words import Terms
from spaseq.paths.columns import PathColumns
from spaseq.paths.results import Path, Paths
from spaseq.paths.terms import shown
from spaseq.pattern.times import iso
from spaseq.results.terms import Value

Times = NDArray[np.int64]
Numbers = NDArray[np.uint32]
NativeColumns = tuple[NDArray[np.uint64], Numbers, Numbers, Numbers, Numbers, Words, Words]  # ``WindowWatcher.take``


class OwnVertices:
    """Terms of vertices by their ``words``, which live as long as this does; they are decoded when somebody asks."""

    def __init__(self, terms: Terms, words: Words) -> None:
        self.terms = terms
        self.words = words
        terms.hold(self)

    def value(self, vertex: int) -> Value:
        """The term of a vertex."""
        return shown(self.terms.bytes(int(self.words[vertex])))

    def __reduce__(self) -> tuple[Callable[[list[bytes]], OwnVertices], tuple[list[bytes]]]:
        """As canonical bytes."""
        return own_vertices, (self.terms.bytes_many(self.words),)


def own_vertices(texts: list[bytes]) -> OwnVertices:
    """Vertices with these canonical bytes, in a table of their own."""
    terms = Terms()
    return OwnVertices(terms, terms.intern_many(texts))


@dataclass(frozen=True, slots=True)
class OwnNames:
    """What some paths call their nodes and predicates."""

    terms: OwnVertices
    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AppearedPath(Path):
    """A path, and the time (microseconds) of the event with which it appeared."""

    time: int

    def to_dict(self) -> dict[str, Any]:
        """As of ``Path``, and the time."""
        path = Path.to_dict(self)
        return {"query": path.pop("query"), "time": iso(self.time), **path}


class Appeared(Paths):
    """Paths that have appeared, in the order of their events, whose ``times`` (int64[n]) are microseconds."""

    def __init__(self, graph: OwnNames, names: Sequence[str], columns: PathColumns, times: Times) -> None:
        super().__init__(graph, names, columns, True, ())
        self.own = graph
        self.times = times

    @staticmethod
    def of(terms: Terms, names: Sequence[str], found: NativeColumns, times: Times) -> Appeared:
        """What a kernel gave, whose words are of ``terms``; ``times`` are those of its events."""
        ends, queries, events, vertices, symbols, nodes, predicates = found
        own = OwnNames(
            OwnVertices(terms, nodes), tuple(text[1:].decode() for text in terms.bytes_many(predicates))
        )  # fmt: skip
        return Appeared(own, names, PathColumns(queries, ends, vertices, symbols), times[events])

    @staticmethod
    def join(terms: Terms, names: Sequence[str], parts: Sequence[Appeared]) -> Appeared:
        """Several, one after the other, whose words are all of ``terms``."""
        if len(parts) == 1:
            return parts[0]
        words = [np.empty(0, np.uint64)]
        predicates: list[str] = []
        moved, vertex_count = [], 0
        for part in parts:
            columns, own = part.columns, part.own
            vertices = columns.vertices + np.uint32(vertex_count)
            symbols = columns.symbols + np.uint32(2 * len(predicates))
            moved.append(PathColumns(columns.queries, columns.ends, vertices, symbols))
            words.append(own.terms.words)
            vertex_count += len(own.terms.words)
            predicates += own.predicates
        times = np.concatenate([np.empty(0, np.int64), *(part.times for part in parts)])
        own_names = OwnNames(OwnVertices(terms, np.concatenate(words)), tuple(predicates))
        return Appeared(own_names, names, PathColumns.join(moved), times)

    def __getitem__(self, number: Any) -> Any:
        found = super().__getitem__(number)
        if isinstance(number, slice):
            return found
        place = range(len(self))[number]
        return AppearedPath(found.graph, found.query, found.vertices, found.symbols, int(self.times[place]))

    def part(self, start: int, stop: int) -> Appeared:
        """Paths ``start`` … ``stop - 1``."""
        return Appeared(self.own, self.names, self.columns.part(start, stop), self.times[start:stop])

    def runs(self) -> Iterator[Appeared]:
        """The paths in their order, in pieces of one query each."""
        return (self.part(*bounds) for bounds in self.columns.of_each_query())

    def by_query(self) -> Mapping[str, Appeared]:
        """The paths of each query that has some."""
        found = {}
        for number in np.unique(self.columns.queries).tolist():
            chosen = np.flatnonzero(self.columns.queries == number)
            columns = self.columns.take(chosen)
            found[self.names[number]] = Appeared(self.own, self.names, columns, self.times[chosen])
        return found

    def to_arrow(self) -> Any:
        """As of ``Paths``, and a column ``time`` behind the query."""
        import pyarrow

        table = super().to_arrow()
        times = pyarrow.array(self.times, pyarrow.int64()).cast(pyarrow.timestamp("us", "UTC"))
        return table.add_column(1, "time", times)
