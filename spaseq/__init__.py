"""Semantic complex event processing over RDF streams: see the README and ``docs/``."""

from typing import TYPE_CHECKING

from spaseq.errors import (
    BusyError,
    OptionError,
    OutOfMemoryError,
    QueryError,
    QuerySyntaxError,
    QueryWarning,
    RowError,
    SnapshotError,
    SpaseqError,
    SpaseqWarning,
    StreamError,
)
from spaseq.rooms import entered

if TYPE_CHECKING:
    from spaseq.graphs.background import Background
    from spaseq.graphs.engine import Engine
    from spaseq.graphs.prepared import Prepared, prepare
    from spaseq.graphs.run import Run, run
    from spaseq.languages.spaseq import parse
    from spaseq.results.match import Match
    from spaseq.results.table import MatchTable
    from spaseq.version import __version__

__all__ = [
    "Background", "BusyError", "Engine", "Match", "MatchTable", "OptionError", "OutOfMemoryError", "Prepared",
    "QueryError", "QuerySyntaxError", "QueryWarning", "RowError", "Run", "SnapshotError", "SpaseqError",
    "SpaseqWarning", "StreamError", "__version__", "parse", "prepare", "run",
]  # fmt: skip

_ROOMS = {
    "Background": "spaseq.graphs.background",
    "Engine": "spaseq.graphs",
    "Match": "spaseq.results.match",
    "MatchTable": "spaseq.results.table",
    "Prepared": "spaseq.graphs.prepared",
    "Run": "spaseq.graphs",
    "__version__": "spaseq.version",
    "parse": "spaseq.languages.spaseq",
    "prepare": "spaseq.graphs.prepared",
    "run": "spaseq.graphs",
}


def __getattr__(name: str) -> object:
    """Rooms are entered when first asked for: a part of the package does not load the whole."""
    return entered(__name__, _ROOMS, name)
