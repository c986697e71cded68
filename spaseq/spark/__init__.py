"""The same queries on Spark: streams cut into parts, each with an engine of its own.

All of this needs pyspark (the extra ``spark``).
"""

from __future__ import annotations

from spaseq.errors import OptionError

try:
    import pyarrow  # noqa: F401
    import pyspark  # noqa: F401
except ImportError as error:
    raise OptionError(f"Spark needs {error.name}; install it with: pip install 'spaseq[spark]'") from error

from spaseq.spark.finishing import finish
from spaseq.spark.matching import match
from spaseq.spark.sources.rdfstream import RdfStream, register
from spaseq.spark.sources.values import from_wire
from spaseq.spark.tuples.matching import finish_tuples, match_tuples

__all__ = ["RdfStream", "finish", "finish_tuples", "from_wire", "match", "match_tuples", "register"]
