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


TRANSPORT = '''\
from spaseq.sources.transports.transport import Message, Transport

QUOTE = """<urn:quote:{0}> <urn:price> {1} <urn:quote:{0}> .
<urn:quote:{0}> <http://www.w3.org/ns/prov#generatedAtTime> "{0}"^^<http://www.w3.org/2001/XMLSchema#integer> ."""
ROW = '{{"type": "QUOTE", "time": {0}, "price": {1}}}'


class Tape(Transport):
    """tape://N has N quotes, and tape://N/P each P-th of them in a partition; tape-rows:// has them in JSON."""

    resumes = True

    def __init__(self, url, name="", partitions=1):
        super().__init__(url)
        self.name, self.step = name, partitions
        self.position = int(name or 0) + 1 - partitions  # behind which the first one stands
        self.scheme, _, rest = url.partition("://")
        self.count, *self.split = map(int, rest.split("/"))

    def partitions(self):
        if not self.split:
            return [self]
        return [Tape(self.url, str(number), self.split[0]) for number in range(self.split[0])]

    def go_on(self, position):
        self.position = position

    def take(self):
        self.position += self.step
        if self.position > self.count:
            return None
        price = self.position % 3
        if self.scheme == "tape":
            text = QUOTE.format(self.position, f'"{price}"^^<http://www.w3.org/2001/XMLSchema#integer>')
        else:
            text = ROW.format(self.position, price)
        return [Message(text.encode(), position=self.position, time=self.position)]
'''
TRANSPORT_ENTRY_POINTS = "[spaseq.sources]\ntape = tape:Tape\ntape-rows = tape:Tape\n"


def installed_transport(folder: Path) -> Path:
    """As ``installed``, of a transport."""
    installed(folder)
    (folder / "tape.py").write_text(TRANSPORT)
    (folder / "ticker-1.dist-info" / "entry_points.txt").write_text(TRANSPORT_ENTRY_POINTS)
    (folder / "rise.ceql").write_text(
        "SELECT * WHERE QUOTE AS low : QUOTE AS high FILTER low[price = 1] AND high[price = 2]\n"
    )
    return folder
