"""N-Quads of derived events."""

from __future__ import annotations

from typing import TextIO

import pyoxigraph

from spaseq.results.formats.rdf import stream_quads
from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable


class NQuadsWriter:
    """The events of CONSTRUCT queries as an RDF stream in N-Quads; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        data = pyoxigraph.serialize(stream_quads(table.derived or ()), format=pyoxigraph.RdfFormat.N_QUADS)
        assert data is not None
        self._output.write(data.decode())

    def close(self) -> None:
        """Nothing stands at the end."""
