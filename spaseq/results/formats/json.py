"""SPARQL 1.1 Query Results JSON, written as a stream."""

from __future__ import annotations

import json
from typing import TextIO

from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable


class JsonWriter:
    """``application/sparql-results+json``, one solution a line."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._separator = "\n"
        head = json.dumps({"vars": list(layout.columns)}, ensure_ascii=False)
        output.write(f'{{"head": {head}, "results": {{"bindings": [')

    def write(self, table: MatchTable) -> None:
        """Append the matches of ``table``."""
        names = [json.dumps(name, ensure_ascii=False) for name in table.columns]
        term = table.decoder.json
        for words in table.words.tolist():
            members = (f"{name}: {term(word)}" for name, word in zip(names, words, strict=True) if word)
            self._output.write(f"{self._separator}{{{', '.join(members)}}}")
            self._separator = ",\n"

    def close(self) -> None:
        """End the document."""
        self._output.write("\n]}}\n")
