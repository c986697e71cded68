"""Plain tuples: tables, files and frames as streams of events, and what a query asks of each single event.

``encode`` gives numpy arrays for the kernel: for every event its time, the symbol of the atoms that it matches, and its
partition.  All of this needs pyarrow (the extra ``arrow``).
"""

from __future__ import annotations

from spaseq.errors import OptionError

try:
    import pyarrow  # noqa: F401
except ImportError as error:
    raise OptionError("tuples need pyarrow; install it with: pip install 'spaseq[arrow]'") from error

from spaseq.sources.tables.opening import open_source
from spaseq.sources.tables.source import CsvFormat, TableSource as Source
from spaseq.tuples.encoding.batches import EncodedBatch, Encoding, Roles, encode
from spaseq.tuples.encoding.partitions import NO_PARTITION, Partitions
from spaseq.tuples.encoding.symbols import Atom, Symbols
from spaseq.tuples.encoding.times import Measure
from spaseq.tuples.matching import Aggregates, Matches, RowMatches, match
from spaseq.tuples.queries import Prepared, prepare
from spaseq.tuples.results import ManyMatches
from spaseq.tuples.tuple_engine import Engine

__all__ = [
    "NO_PARTITION", "Aggregates", "Atom", "CsvFormat", "EncodedBatch", "Encoding", "Engine", "ManyMatches", "Matches",
    "Measure", "Partitions", "Prepared", "Roles", "RowMatches", "Source", "Symbols", "encode", "match", "open_source",
    "prepare",
]  # fmt: skip
