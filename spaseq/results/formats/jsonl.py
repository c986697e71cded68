"""JSON Lines: one object for each result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from spaseq.results.formats.writer import Layout, ResultBlock, write_encoded
from spaseq.text import json_text


class JsonLinesWriter:
    """One object a line; it begins with ``query`` if there are several."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._several = layout.several

    def write(self, block: ResultBlock) -> None:
        """Append the results of ``block``."""
        for lines in self._lines(block):
            write_encoded(self._output, lines)

    def write_merged(self, blocks: Sequence[ResultBlock], turns: NDArray[np.intp]) -> None:
        """Append the results of several blocks, each time the next one of the block of that number."""
        lines = [iter(b"".join(self._lines(block)).splitlines(keepends=True)) for block in blocks]
        write_encoded(self._output, b"".join([next(lines[number]) for number in turns.tolist()]))

    def _lines(self, block: ResultBlock) -> Iterator[bytes]:
        start = f'{{"query": {json_text(block.query)}, ' if self._several else "{"
        return block.json_lines(start)

    def close(self) -> None:
        """Nothing stands at the end."""
