"""JSON Lines: one object for each result."""

from __future__ import annotations

from typing import TextIO

from spaseq.results.formats.block import ResultBlock
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.showing import json_text


class JsonLinesWriter:
    """One object a line; it begins with ``query`` if there are several."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._several = layout.several

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        start = f'{{"query": {json_text(block.query)}, ' if self._several else "{"
        for lines in block.json_lines(start):
            write_encoded(self._output, lines)

    def close(self) -> None:
        """Nothing stands at the end."""
