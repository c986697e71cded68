"""SPARQL 1.1 Query Results CSV: terms without their kind."""

from __future__ import annotations

import csv
from typing import TextIO

from gpm.native.delimited import csv as lines
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.results.table import MatchTable
from spaseq.results.terms import native


class CsvWriter:
    """``text/csv``: a header, plain values, CRLF; unbound is an empty field."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        csv.writer(output).writerow(layout.columns)

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        write_encoded(self._output, lines(*native(table.terms, table.words)))

    def close(self) -> None:
        """Nothing stands at the end."""
