"""SPARQL 1.1 Query Results CSV: terms without their kind."""

from __future__ import annotations

import csv
from typing import TextIO

from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable
from spaseq.results.terms import Value


class CsvWriter:
    """``text/csv``: a header, plain values, CRLF; unbound is an empty field."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._rows = csv.writer(output)
        self._rows.writerow(layout.columns)

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        for index in range(len(table)):
            self._rows.writerow([_field(value) for _, value in table.row(index)])

    def close(self) -> None:
        """Nothing stands at the end."""


def _field(value: Value | None) -> str:
    if value is None:
        return ""
    return "_:" + value.text if value.kind == "bnode" else value.text
