"""Graphs whose paths are asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from gpm.edges import edge_words
from gpm.rows import Words
from nfa_native.terms.dictionary import Terms
from spaseq.errors import OptionError, require
from spaseq.paths.best import BestPaths, StepWeights, WeightsOf
from spaseq.paths.budget import Budget
from spaseq.paths.changes import EdgeChange, change_edges
from spaseq.paths.columns import PathCounts
from spaseq.paths.edges import GraphEdges, interned_edges
from spaseq.paths.queries import PathQueries, prepare
from spaseq.paths.results import EndPoints, Paths
from spaseq.paths.search import CompiledPaths, PathRun, Starts
from spaseq.paths.serialisation import ENDING, open_buffer, open_file, serialised, write_file
from spaseq.sources.rdf.graphs import graph_errors

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_PACKED = (".gz", ".zst")


class Graph(GraphEdges):
    """A frozen set of edges between nodes, which are RDF terms.

    ``source`` is an ``rdflib.Graph``, a Store, quads or triples of pyoxigraph, or tuples of three terms; names of
    graphs mean nothing.  ``label_property`` is what LABEL looks at.  OptionError: it is nothing of this.
    """

    change: EdgeChange | None = None  # what ``with_edges`` did to make it

    def __init__(self, source: Any, label_property: str = RDFS_LABEL) -> None:
        terms = Terms()
        with graph_errors():
            super().__init__(*interned_edges(terms, edge_words(terms, source)), label_property)

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        label_property: str | None = None,
        columns: tuple[str, str, str] | None = None,
        separator: str | None = None,
    ) -> Graph:
        """The graph in a file: RDF (N-Triples, Turtle, N-Quads …), an edge table, or what ``save`` wrote, by its name.

        A table (.csv, .tsv, .txt: separated by ``|``, .jsonl, these with ``.gz`` or ``.zst``, too; .parquet, .arrow)
        has ``columns`` for subject, relation and object.  Its nodes are found by their names; those of RDF by
        ``label_property``, which is rdfs:label if none is given.  A saved graph (.spaseqgraph) is mapped into memory.
        StreamError: the file cannot be read, or is damaged.  OptionError: options that do not fit the file.
        """
        suffixes = [one.lower() for one in Path(path).suffixes if one.lower() not in _PACKED]
        is_table = columns is not None or separator is not None
        if suffixes[-1:] == [ENDING] and not is_table:
            graph = Graph.__new__(Graph)
            open_file(graph, Path(path), label_property)
            return graph
        if is_table or (suffixes and suffixes[-1] in TABLES):
            return Graph.from_table(path, columns, separator)
        return Graph(path, label_property or RDFS_LABEL)

    @staticmethod
    def from_table(data: Any, columns: tuple[str, str, str] | None = None, separator: str | None = None) -> Graph:
        """The graph in a table: a file, an Arrow table, a data frame; ``columns`` and errors as of ``load``."""
        require("pyarrow")
        from spaseq.paths.tables import TableForm, edge_table

        terms = Terms()
        return Graph.of_words(terms, edge_table(terms, data, TableForm(columns, separator)), None)

    @staticmethod
    def of_words(terms: Terms, words: Words, label_property: str | None) -> Graph:
        """The graph with these edges (``gpm.edges.edge_words``); nobody else adds to ``terms`` any more."""
        graph = Graph.__new__(Graph)
        GraphEdges.__init__(graph, *interned_edges(terms, words), label_property)
        return graph

    def with_edges(self, added: Any = (), removed: Any = ()) -> Graph:
        """A graph with some edges more and some less; this one stays as it is, and they share what is in both.

        Edges are given as to ``Graph``, or, if this one is of a table, as to ``from_table`` or as tuples of names.  One
        that is both added and removed is there afterwards.  Nodes and predicates keep their numbers.  ``change`` of the
        new graph says how many came and went, and how many made no difference.  OptionError: something is no edge.
        StreamError: a file cannot be read.
        """
        graph = Graph.__new__(Graph)
        with graph_errors():
            graph.change = change_edges(graph, self, added, removed)
        return graph

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the graph into a file that ``load`` opens at once; its name must end in ``.spaseqgraph``.

        OptionError: it does not, or the file cannot be written.
        """
        if Path(path).suffix.lower() != ENDING:
            raise OptionError(f"the name of a saved graph ends in {ENDING}: {path}")
        write_file(Path(path), serialised(self).pieces())

    def __reduce__(self) -> tuple[Callable[[bytes], Graph], tuple[bytes]]:
        """As it is saved."""
        return _unpickled, (b"".join(serialised(self).pieces()),)

    def match(
        self,
        queries: PathQueries,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> Paths:
        """All paths of ``queries`` (as of ``prepare``), or as many as a budget allows: see ``search``."""
        return self.search(queries, starts, limit, time_limit, most_edges).all()

    def search(
        self,
        queries: PathQueries,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> PathRun:
        """A search, which gives paths as it finds them.

        ``starts`` are numbers of nodes (an integer, an array or an iterable of them), or an iterable of nodes (terms)
        and names (what LABEL finds), instead of those of FROM; or a mapping of names of queries to such.  It ends early
        after ``limit`` paths, ``time_limit`` (a timedelta, or seconds), or when ``most_edges`` were looked at, those of
        the results counted again; ``complete`` tells.  QuerySyntaxError, QueryError, OptionError: arguments are wrong.
        """
        return self.compile(queries).search(starts, limit, time_limit, most_edges)

    def ends(
        self,
        queries: PathQueries,
        starts: Starts | None = None,
        limit: int | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> EndPoints:
        """The pairs of nodes between which ``queries`` have paths, each once, without the paths.

        Walks of queries with the same starts are followed together.  Arguments and errors as of ``search``, ``limit``
        being that of pairs.
        """
        return self.compile(queries).ends_once(starts, Budget.of(limit, time_limit, most_edges))

    def counts(
        self,
        queries: PathQueries,
        starts: Starts | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> PathCounts:
        """How many paths each of ``queries`` has.

        They are not made if all walks are asked for, or one path of each pair of nodes.  Arguments and errors as of
        ``search``; QueryError also: there are more than 2^128.
        """
        return self.compile(queries).counts(starts, time_limit, most_edges)

    def best(
        self,
        queries: PathQueries,
        weights: StepWeights | WeightsOf,
        top: int = 10,
        starts: Starts | None = None,
        time_limit: timedelta | float | None = None,
        most_edges: int | None = None,
    ) -> BestPaths:
        """The ``top`` paths of ``queries``, all for ALL paths, whose steps weigh most in the mean: best first.

        ``weights`` are those of all paths, or a function that gives those of paths from the node of a number.  Of equal
        scores the shorter paths come first, then in the order of ``match``; a path of two queries is that of the first.
        They are searched for best first, without looking at all paths.  Starts and budget are as of ``search``, but
        edges of results are not counted; when it is used up the best paths so far are given.  Errors are as of
        ``search``; QueryError besides: a query asks for other than ALL paths.
        """
        return self.compile(queries).best(weights, top, starts, time_limit, most_edges)

    def compile(self, queries: PathQueries) -> CompiledPaths:
        """The queries (as of ``prepare``) ready to be searched for in this graph, again and again."""
        return CompiledPaths(self, prepare(queries))


def _unpickled(data: bytes) -> Graph:
    graph = Graph.__new__(Graph)
    open_buffer(graph, data)
    return graph
