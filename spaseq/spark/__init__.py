"""The same queries on Spark: streams cut into parts, each with an engine of its own.

All of this needs pyspark (the extra ``spark``).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spaseq.errors import OptionError

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise OptionError(f"Spark needs {error.name}; install it with: pip install 'spaseq[spark]'") from error

if TYPE_CHECKING:
    from spaseq.spark.map_stage import Losses
    from spaseq.spark.matching import finish, match
    from spaseq.spark.row_events import from_rows
    from spaseq.spark.sources.rdfstream import RdfStream, register
    from spaseq.spark.sources.values import from_wire
    from spaseq.spark.tuples.matching import finish_tuples, match_tuples

__all__ = [
    "Losses",
    "RdfStream",
    "finish",
    "finish_tuples",
    "from_rows",
    "from_wire",
    "match",
    "match_tuples",
    "register",
]

_HOMES = {
    "Losses": "spaseq.spark.map_stage",
    "RdfStream": "spaseq.spark.sources.rdfstream",
    "finish": "spaseq.spark.matching",
    "finish_tuples": "spaseq.spark.tuples.matching",
    "from_rows": "spaseq.spark.row_events",
    "from_wire": "spaseq.spark.sources.values",
    "match": "spaseq.spark.matching",
    "match_tuples": "spaseq.spark.tuples.matching",
    "register": "spaseq.spark.sources.rdfstream",
}


def __getattr__(name: str) -> object:
    """Loaded when first asked for: each worker of Spark loads what it needs, and no more."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
