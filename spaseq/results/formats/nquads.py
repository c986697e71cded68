"""N-Quads of derived events."""

from __future__ import annotations

from typing import TextIO

import pyoxigraph

from spaseq.results.formats.rdf import serialized, stream_quads
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.results.table import MatchTable


class NQuadsWriter:
    """The events of CONSTRUCT queries as an RDF stream in N-Quads; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        write_encoded(self._output, serialized(stream_quads(table.derived or ()), pyoxigraph.RdfFormat.N_QUADS))

    def close(self) -> None:
        """Nothing stands at the end."""
