"""TriG of derived events."""

from __future__ import annotations

from typing import TextIO

import pyoxigraph

from spaseq.results.formats.rdf import PROV, escaped, serialized, stream_quads
from spaseq.results.formats.writer import Layout, write_encoded
from spaseq.results.table import MatchTable


class TrigWriter:
    """The events of CONSTRUCT queries as an RDF stream in TriG; other results are not shown."""

    def __init__(self, output: TextIO, layout: Layout) -> None:
        self._output = output
        self._prefixes = {"xsd": "http://www.w3.org/2001/XMLSchema#", **layout.prefixes, "prov": PROV}
        head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in self._prefixes.items())
        write_encoded(output, escaped(head.encode()))

    def write(self, table: MatchTable) -> None:
        """Append the events of ``table``."""
        if not table.derived:
            return
        data = serialized(stream_quads(table.derived), pyoxigraph.RdfFormat.TRIG, self._prefixes)
        write_encoded(self._output, data.split(b"\n", len(self._prefixes))[-1])  # prefixes stand in the head already

    def close(self) -> None:
        """Nothing stands at the end."""
