"""What a newcomer writes to add a source: a module of a dozen lines, and a line that names its scheme."""

from __future__ import annotations

from pathlib import Path

MODULE = '''\
from spaseq.sources.source import Source

LINE = """<urn:quote:{0}> <urn:price> {1} <urn:quote:{0}> .
<urn:quote:{0}> <http://www.w3.org/ns/prov#generatedAtTime> "{0}"^^<http://www.w3.org/2001/XMLSchema#integer> .
"""


class Ticker(Source):
    """ticker://N gives N quotes, whose prices go up and down."""

    quotes = 0

    def read(self) -> bytes:
        self.quotes += 1
        price = f'"{self.quotes % 3}"^^<http://www.w3.org/2001/XMLSchema#integer>'
        return LINE.format(self.quotes, price).encode() if self.quotes <= int(self.url.partition("//")[2]) else b""
'''
ENTRY_POINTS = "[spaseq.sources]\nticker = ticker:Ticker\n"
QUERY = """\
SELECT ?low ?high
WITHIN 1 MINUTE SLIDING
FROM STREAM quotes <urn:quotes>
WHERE {
  SEQ(A , B)
  DEFINE GPM A ON quotes { ?a <urn:price> ?low }
  DEFINE GPM B ON quotes { ?b <urn:price> ?high . FILTER(?high > ?low) }
}
"""
FOUND = [(1, 2), (0, 1), (1, 2), (0, 1), (1, 2)]  # of eight quotes: 1 2 0 1 2 0 1 2


def installed(folder: Path) -> Path:
    """A folder for ``PYTHONPATH``, in which the source lies as if it were installed; and the query, in a file."""
    (folder / "ticker.py").write_text(MODULE)
    about = folder / "ticker-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ticker\nVersion: 1\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "rise.spaseq").write_text(QUERY)
    return folder
