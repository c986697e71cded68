"""Semantic complex event processing over RDF streams: see the README and ``docs/``."""

from __future__ import annotations

from importlib import import_module
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

if TYPE_CHECKING:
    from spaseq.graphs.background import Background
    from spaseq.graphs.graph_engine import Engine
    from spaseq.graphs.graph_run import Run, run
    from spaseq.graphs.mapped import Mapped
    from spaseq.graphs.queries import Prepared, prepare
    from spaseq.languages.spaseq import parse
    from spaseq.results.match import Match
    from spaseq.results.table import MatchTable
    from spaseq.runtime.bounded import Bound

    __version__: str

__all__ = [
    "Background", "Bound", "BusyError", "Engine", "Mapped", "Match", "MatchTable", "OptionError", "OutOfMemoryError",
    "Prepared", "QueryError", "QuerySyntaxError", "QueryWarning", "RowError", "Run", "SnapshotError", "SpaseqError",
    "SpaseqWarning", "StreamError", "__version__", "parse", "prepare", "run",
]  # fmt: skip

NOT_INSTALLED = "0+unknown"  # the version when run from a source tree
_HOMES = {
    "Background": "spaseq.graphs.background",
    "Bound": "spaseq.runtime.bounded",
    "Engine": "spaseq.graphs",
    "Mapped": "spaseq.graphs.mapped",
    "Match": "spaseq.results.match",
    "MatchTable": "spaseq.results.table",
    "Prepared": "spaseq.graphs.queries",
    "Run": "spaseq.graphs",
    "parse": "spaseq.languages.spaseq",
    "prepare": "spaseq.graphs.queries",
    "run": "spaseq.graphs",
}


def __getattr__(name: str) -> object:
    """Names that are loaded when first asked for: a part of the package does not load the whole."""
    if name == "__version__":
        return _version()
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # an import that is seldom needed

    try:
        return version("spaseq")
    except PackageNotFoundError:
        return NOT_INSTALLED
