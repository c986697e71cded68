"""CSV as of RFC 4180; of columns of terms these are SPARQL 1.1 Query Results CSV: terms without their kind."""

from __future__ import annotations

import csv
import io
from typing import TextIO

from spaseq.results.formats.writer import Layout, ResultBlock, write_encoded
from spaseq.text import shown


class CsvWriter:
    """``text/csv``: a header, plain values, CRLF; what is not there is an empty field.

    It has no escapes, so control characters stand in it as they are; but on a terminal, where they are replaced.
    """

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._is_seen = output.isatty()
        head = io.StringIO(newline="")
        csv.writer(head).writerow(layout.columns)
        self._write(head.getvalue().encode())

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        for lines in block.csv_lines():
            self._write(lines)

    def _write(self, lines: bytes) -> None:
        if self._is_seen:
            lines = shown(lines.decode().replace("\r\n", "\n")).encode()
        write_encoded(self._output, lines)

    def close(self) -> None:
        """Nothing stands at the end."""
