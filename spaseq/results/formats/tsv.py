"""SPARQL 1.1 Query Results TSV: terms in the syntax of N-Triples."""

from __future__ import annotations

from typing import TextIO

from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable


class TsvWriter:
    """``text/tab-separated-values``; unbound is an empty field."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        output.write("\t".join("?" + name for name in layout.columns) + "\n")

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        for index in range(len(table)):
            fields = ("" if value is None else value.to_ntriples() for _, value in table.row(index))
            self._output.write("\t".join(fields) + "\n")

    def close(self) -> None:
        """Nothing stands at the end."""
