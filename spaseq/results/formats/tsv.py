"""SPARQL 1.1 Query Results TSV: terms in the syntax of N-Triples."""

from __future__ import annotations

from typing import TextIO

from gpm.native.delimited import tsv as lines
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.results.table import MatchTable
from spaseq.results.terms import native


class TsvWriter:
    """``text/tab-separated-values``; unbound is an empty field."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        output.write("\t".join("?" + name for name in layout.columns) + "\n")

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        write_encoded(self._output, lines(*native(table.terms, table.words)))

    def close(self) -> None:
        """Nothing stands at the end."""
