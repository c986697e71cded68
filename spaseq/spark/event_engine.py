"""One engine of a job with SPAseq queries: packed events in, rows of ``RESULT`` out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow

import spaseq.graphs
from spaseq.results.table import MatchTable
from spaseq.spark.owned import owned
from spaseq.spark.packing import events_of
from spaseq.spark.parts import Part
from spaseq.spark.results import DecidedTypes, result_rows


@dataclass(frozen=True, slots=True)
class FoundMatches:
    """Matches that are an engine's own to give."""

    table: MatchTable
    types: DecidedTypes

    def rows(self) -> pyarrow.RecordBatch:
        """See ``Finding``."""
        return result_rows(self.table, self.types)


@dataclass(frozen=True, slots=True)
class EventEngine:
    """An ``engine`` of a ``part``, with a ``number``; variables with ``types`` are columns."""

    engine: spaseq.graphs.Engine
    part: Part
    number: int
    types: DecidedTypes

    def push(self, rows: pyarrow.Table, promise: int | None = None) -> Iterator[FoundMatches]:
        """See ``JobEngine``."""
        return self._own(self.engine.push_arrow(events_of(rows), promise))

    def advance(self, time: int) -> Iterator[FoundMatches]:
        """See ``JobEngine``."""
        return self._own(self.engine.advance_tables(time))

    def close(self) -> Iterator[FoundMatches]:
        """See ``JobEngine``."""
        return self._own(self.engine.close_tables())

    def needed_since(self) -> int | None:
        """See ``JobEngine``."""
        return self.engine.needed_since()

    def due(self) -> int | None:
        """See ``JobEngine``."""
        return self.engine.due()

    def snapshot(self) -> bytes:
        """See ``JobEngine``."""
        return self.engine.snapshot()

    def _own(self, tables: Iterable[MatchTable]) -> Iterator[FoundMatches]:
        for table in tables:
            found = owned(table, self.part, self.number, self.engine.terms)
            if len(found):
                yield FoundMatches(found, self.types)
