"""Graphs whose paths are asked for."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from gpm.edges import edge_words
from nfa_native.terms.words import Terms
from spaseq.engine.background import background_errors
from spaseq.paths.compiled import CompiledPaths
from spaseq.paths.edges import GraphEdges
from spaseq.paths.found import Paths
from spaseq.paths.prepared import PathQueries, prepare
from spaseq.paths.run import PathRun, Starts
from spaseq.results.packages import require

RDFS_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
TABLES = (".csv", ".tsv", ".txt", ".parquet", ".pq")


class Graph(GraphEdges):
    """A frozen set of edges between nodes, which are RDF terms.

    ``source`` is an ``rdflib.Graph``, a Store, quads or triples of pyoxigraph, or tuples of three terms; names of
    graphs mean nothing.  ``label_property`` is what LABEL looks at.  OptionError: it is nothing of this.
    """

    def __init__(self, source: Any, label_property: str = RDFS_LABEL) -> None:
        terms = Terms()
        with background_errors():
            super().__init__(terms, edge_words(terms, source), label_property)

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        label_property: str = RDFS_LABEL,
        columns: tuple[str, str, str] | None = None,
        separator: str | None = None,
    ) -> Graph:
        """The graph in a file: RDF (N-Triples, Turtle, N-Quads …) or an edge table, by the end of its name.

        A table (.csv, .tsv, .txt: separated by ``|``, .parquet; ``.gz`` too) has ``columns`` for subject, relation and
        object.  Its nodes are found by their names; those of RDF by ``label_property``.  StreamError: it cannot be
        read.  OptionError: options that do not fit the file.
        """
        suffixes = [one.lower() for one in Path(path).suffixes if one.lower() != ".gz"]
        if (suffixes and suffixes[-1] in TABLES) or columns is not None or separator is not None:
            return Graph.from_table(path, columns, separator)
        return Graph(path, label_property)

    @staticmethod
    def from_table(data: Any, columns: tuple[str, str, str] | None = None, separator: str | None = None) -> Graph:
        """The graph in a table: a file, an Arrow table, a data frame; ``columns`` and errors as of ``load``."""
        require("pyarrow")
        from spaseq.paths.tables import TableForm, edge_table

        terms, graph = Terms(), Graph.__new__(Graph)
        GraphEdges.__init__(graph, terms, edge_table(terms, data, TableForm(columns, separator)), None)
        return graph

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

        ``starts`` are numbers of nodes (an integer, or an array of them), nodes (terms), or names (what LABEL finds),
        instead of those of FROM; or a mapping of names of queries to such.  It ends early after ``limit`` paths,
        ``time_limit`` (a timedelta, or seconds), or when ``most_edges`` were looked at, those of the results counted
        again; ``complete`` tells.  QuerySyntaxError, QueryError, OptionError: arguments are wrong.
        """
        return self.compile(queries).search(starts, limit, time_limit, most_edges)

    def compile(self, queries: PathQueries) -> CompiledPaths:
        """The queries (as of ``prepare``) ready to be searched for in this graph, again and again."""
        return CompiledPaths(self, prepare(queries))
