"""TriG of derived events."""

from __future__ import annotations

from typing import TextIO

import pyoxigraph

from spaseq.results.formats.rdf import PROV, stream_quads
from spaseq.results.formats.writer import Layout
from spaseq.results.table import MatchTable


class TrigWriter:
    """The events of CONSTRUCT queries as an RDF stream in TriG; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._prefixes = {"xsd": "http://www.w3.org/2001/XMLSchema#", **layout.prefixes, "prov": PROV}
        output.writelines(f"@prefix {name}: <{iri}> .\n" for name, iri in self._prefixes.items())

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        if not table.derived:
            return
        quads = stream_quads(table.derived)
        data = pyoxigraph.serialize(quads, format=pyoxigraph.RdfFormat.TRIG, prefixes=self._prefixes)
        assert data is not None
        self._output.write(data.decode().split("\n", len(self._prefixes))[-1])  # prefixes stand in the head already

    def close(self) -> None:
        """Nothing stands at the end."""
