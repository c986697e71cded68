"""What all engines of queries on tables have in common, whatever language these are in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import pyarrow

from spaseq.spark.jobs import ShardEngine
from spaseq.spark.tuples.map_stage import ONLY, TIME
from spaseq.streams.timestamps import Time, to_microseconds
from spaseq.tuples.kind import TableKind


class TableShard(ShardEngine):
    """Runs a query on the rows of one bucket, whose order is that of time; ``tables`` run it."""

    def __init__(self, tables: TableKind) -> None:
        self._tables = tables
        self._hold(tables.core)
        self._clock = self.core.clock(ONLY)

    def _take(self, batch: pyarrow.RecordBatch) -> None:
        """Rows came, as the query reads them."""
        self._clock.events += batch.num_rows
        self._tables.take(ONLY, batch[TIME].cast(pyarrow.int64()).to_numpy(), batch)

    def _advance(self, time: Time, stream: str | None) -> Iterator[Any]:
        self._clock.promise(to_microseconds(time))
        return self._results()

    def _close(self, stream: str | None) -> Iterator[Any]:
        self._clock.close()
        return self._results()

    def _delivered(self, decided: Iterator[Any]) -> list[Any]:
        return list(decided)

    @abstractmethod
    def _results(self) -> Iterator[Any]:
        """What is decided."""
