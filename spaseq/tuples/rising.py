"""Aggregates in a window that an attribute measures: by totals as long as it rises, from then on by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from spaseq.pattern.recognition import Query
from spaseq.tuples.encoding import EncodedBatch
from spaseq.tuples.results import Events, Replayed
from spaseq.tuples.totals import Rows, taken
from spaseq.tuples.windows import NEVER, edges

Source = Callable[[Events], Iterator[Rows]]


class Rising:
    """Rows by ``totals`` up to the batch in which the window's attribute falls, from there on by ``enumeration``.

    What came before may then be in a window again: so events are kept, with the columns of ``needed``."""

    def __init__(self, query: Query, needed: tuple[str, ...], totals: Source, enumeration: Source) -> None:
        self._window = query.window
        self._needed = needed
        self._totals = totals
        self._enumeration = enumeration
        self._kept: list[EncodedBatch] = []
        self._last = NEVER
        self._fallen: EncodedBatch | None = None

    def rows(self, events: Events) -> Iterator[Rows]:
        """All rows, in the order of their ends."""
        batches = iter(events)
        yield from self._totals(Replayed(events, self._rising(batches)))
        if self._fallen is None:
            return
        again = chain(self._kept, [self._fallen], batches)
        for rows in self._enumeration(Replayed(events, again)):
            if rows.ends[-1] >= self._fallen.first_position:
                yield taken(rows, rows.ends >= self._fallen.first_position)

    def _rising(self, batches: Iterator[EncodedBatch]) -> Iterator[EncodedBatch]:
        """The batches before the one in which it falls; they are kept."""
        for batch in batches:
            starts, _ = edges(self._window, batch)
            there = np.concatenate([[self._last], starts[starts != NEVER]])
            if (there[1:] < there[:-1]).any():
                self._fallen = batch
                return
            self._last = there[-1]
            nowhen = np.broadcast_to(np.int64(0), len(batch))  # times are not asked for again
            self._kept.append(replace(batch, times=nowhen, batch=batch.batch.select(self._needed)))
            yield batch
