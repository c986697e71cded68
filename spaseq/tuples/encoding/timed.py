"""The batches of a source with the times of their events, in order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow

from spaseq.errors import StreamError
from spaseq.tuples.encoding.times import Clock, Times
from spaseq.tuples.sources.source import Source


class Timed:
    """Batches and times (int64[n], microseconds); without a clock the times are positions.

    An event whose time is wrong raises StreamError at its place, or (``skip``) is left out and counted in ``skipped``.
    """

    def __init__(self, source: Source, clock: Clock | None, skip: bool) -> None:
        self._source = source
        self._clock = clock
        self._skip = skip
        self.skipped = 0
        self._first: tuple[int, str] | None = None

    @property
    def first(self) -> str:
        """The place of the first event that was left out, and what is wrong with its time; its file is read for it."""
        if self._first is None:
            return ""
        row, message = self._first
        return f"at {self._source.place(row)}: {message}"

    def __iter__(self) -> Iterator[tuple[Times, pyarrow.RecordBatch]]:
        """All batches that have events."""
        row = 0
        for batch in self._source.batches():
            times, kept = self._timed(batch, row)
            row += batch.num_rows
            if kept.num_rows:
                yield times, kept

    def _timed(self, batch: pyarrow.RecordBatch, row: int) -> tuple[Times, pyarrow.RecordBatch]:
        if self._clock is None:
            return np.arange(row, row + batch.num_rows, dtype=np.int64), batch
        times, good, fault = self._clock.read(batch)
        if good is None or fault is None:
            return times, batch
        if not self._skip:
            raise StreamError(fault.message, self._source.place(row + fault.row), hint=fault.hint)
        self.skipped += int((~good).sum())
        self._first = self._first or (row + fault.row, fault.message)
        return times[good], batch.filter(pyarrow.array(good))
