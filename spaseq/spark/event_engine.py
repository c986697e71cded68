"""One engine of a job with SPAseq queries: packed events in."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow

import spaseq.graphs
from spaseq.results.table import MatchTable
from spaseq.spark.kinds import ShardEngine
from spaseq.spark.packing import events_of


class GraphShard(spaseq.graphs.Engine, ShardEngine):
    """An engine that takes packed events."""

    def push_rows(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[MatchTable]:
        """See ``ShardEngine``."""
        return self.push_arrow(events_of(rows), promise)
