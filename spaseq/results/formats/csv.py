"""CSV as of RFC 4180; of columns of terms these are SPARQL 1.1 Query Results CSV: terms without their kind."""

from __future__ import annotations

import csv
from typing import TextIO

from spaseq.results.formats.block import ResultBlock
from spaseq.results.formats.writer import Layout, write_encoded


class CsvWriter:
    """``text/csv``: a header, plain values, CRLF; what is not there is an empty field."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        csv.writer(output).writerow(layout.columns)

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        for lines in block.csv_lines():
            write_encoded(self._output, lines)

    def close(self) -> None:
        """Nothing stands at the end."""
