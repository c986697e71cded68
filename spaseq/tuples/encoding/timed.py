"""The batches of a source with the times of their events, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow

from spaseq.errors import Location, QueryError, StreamError
from spaseq.snapshots.shapes import COUNT, TIME, Shape
from spaseq.sources.tables.columns import StructFields, TextTimes
from spaseq.sources.tables.source import Source
from spaseq.streams.timestamps import LEAST
from spaseq.tuples.encoding.times import Clock, Times

TIMED: Shape = {"rows": COUNT, "skipped": COUNT, "first": [(COUNT, str)], "latest": TIME}


def told(source: Source, row: int) -> tuple[str, str] | None:
    """What is wrong with a text of a source that is no time, and a hint; None: nothing is known about it."""
    return source.told(row) if isinstance(source, TextTimes | StructFields) else None


def clock_of(
    name: str, unit: str, schema: pyarrow.Schema, batches: Iterable[pyarrow.RecordBatch], place: Location
) -> Clock:
    """The clock of rows whose column ``name`` has times, the first of which is at a place.

    QueryError, with the first value: these are no times.
    """
    try:
        return Clock(name, unit, schema)
    except QueryError as error:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None or name not in first.schema.names:
            raise
        message = f"{error.message}, as {str(first.column(name)[0])[:80]}"
        raise QueryError(message, place, hint=error.hint) from None


class Timed:
    """Batches and times (int64[n], microseconds); without a clock the times are positions.

    An event whose time is wrong raises StreamError at its place, or (``skip``) is left out and counted in ``skipped``.
    """

    def __init__(self, source: Source, clock: Clock | None, skip: bool) -> None:
        self._source = source
        self._clock = clock
        self._skip = skip
        self.skipped = 0
        self.rows = 0  # that were read
        self._first: tuple[int, str] | None = None
        self._passed = 0  # rows that were read before

    @property
    def first(self) -> str:
        """The place of the first event that was left out, and what is wrong with its time; its file is read for it."""
        if self._first is None:
            return ""
        row, message = self._first
        return f"at {self._source.place(row)}: {message}"

    def __iter__(self) -> Iterator[tuple[Times, pyarrow.RecordBatch]]:
        """All batches that have events."""
        for batch in self._new():
            times, kept = self._timed(batch, self.rows)
            self.rows += batch.num_rows
            if kept.num_rows:
                yield times, kept

    def state(self) -> dict[str, Any]:
        """How far it has read, as TIMED."""
        first = [] if self._first is None else [list(self._first)]
        latest = LEAST if self._clock is None else self._clock.latest
        return {"rows": max(self.rows, self._passed), "skipped": self.skipped, "first": first, "latest": latest}

    def go_on(self, state: dict[str, Any], latest: int) -> None:
        """Pass over the rows that were read when ``state`` was taken; no time before ``latest`` is good any more."""
        self._passed, self.skipped = state["rows"], state["skipped"]
        self._first = next(((row, message) for row, message in state["first"]), None)
        if self._clock is not None:
            self._clock.go_on(latest)

    def _new(self) -> Iterator[pyarrow.RecordBatch]:
        """The batches with the rows that were not read before; StreamError: there are fewer than those."""
        for batch in self._source.batches():
            passed = min(max(0, self._passed - self.rows), batch.num_rows)
            self.rows += passed
            if passed < batch.num_rows:
                yield batch.slice(passed)
        if self.rows < self._passed:
            raise StreamError(f"the events are {self.rows:,} now, and were {self._passed:,}: their source has changed")

    def _timed(self, batch: pyarrow.RecordBatch, row: int) -> tuple[Times, pyarrow.RecordBatch]:
        if self._clock is None:
            return np.arange(row, row + batch.num_rows, dtype=np.int64), batch
        times, good, fault = self._clock.read(batch)
        if good is None or fault is None:
            return times, batch
        message, hint = told(self._source, row + fault.row) or (fault.message, fault.hint)
        if not self._skip:
            raise StreamError(message, self._source.place(row + fault.row), hint=hint)
        self.skipped += int((~good).sum())
        self._first = self._first or (row + fault.row, message)
        return times[good], batch.filter(pyarrow.array(good))
