"""SPARQL 1.1 Query Results JSON, written as a stream."""

from __future__ import annotations

from typing import TextIO

from gpm.native.json import solutions
from gpm.native.texts import woven
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.results.table import MatchTable
from spaseq.results.terms import Decoder, native
from spaseq.text import json_text


class JsonWriter:
    """``application/sparql-results+json``, one solution a line."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._started = False
        head = json_text({"vars": list(layout.columns)})
        output.write(f'{{"head": {head}, "results": {{"bindings": [')

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        names = [json_text(name).encode() for name in table.columns]
        terms, words = native(table.terms, table.words)
        lines = woven(len(table), [b",\n", solutions(terms, words, names, Decoder(terms).json)])
        write_encoded(self._output, lines if self._started else lines[1:])  # no comma before the first
        self._started = self._started or len(table) > 0

    def close(self) -> None:
        """End the document."""
        self._output.write("\n]}}\n")
