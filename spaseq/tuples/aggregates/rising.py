"""Aggregates in a window that an attribute measures: by totals as long as it rises, from then on by enumeration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from spaseq.pattern.formulas.query import Query
from spaseq.tuples.aggregates.enumerated import Enumeration
from spaseq.tuples.encoding.encoded import EncodedBatch
from spaseq.tuples.encoding.windows import NEVER, edges
from spaseq.tuples.totals.totals import Rows, Totals


class Rising:
    """Rows by ``totals`` up to the batch in which the window's attribute falls, from there on by ``enumeration``.

    What came before may then be in a window again: so events are kept, with the columns of ``needed``."""

    def __init__(self, query: Query, needed: tuple[str, ...], totals: Totals, enumeration: Enumeration) -> None:
        self._window = query.window
        self._needed = needed
        self._totals = totals
        self._enumeration = enumeration
        self._kept: list[EncodedBatch] = []
        self._last = NEVER
        self._has_fallen = False

    def rows(self, batch: EncodedBatch) -> Iterator[Rows]:
        """The rows whose ends are in a batch, in their order."""
        if self._has_fallen:
            return self._enumeration.rows(batch)
        if self._falls(batch):
            self._has_fallen = True
            return self._from_the_begin(batch)
        nowhen = np.broadcast_to(np.int64(0), len(batch))  # times are not asked for again
        self._kept.append(replace(batch, times=nowhen, batch=batch.batch.select(self._needed)))
        return self._totals.rows(batch)

    def met(self) -> int:
        """The atoms that some event had so far."""
        return self._enumeration.met() if self._has_fallen else self._totals.met()

    def _falls(self, batch: EncodedBatch) -> bool:
        starts, _ = edges(self._window, batch)
        there = np.concatenate([[self._last], starts[starts != NEVER]])
        self._last = there[-1]
        return bool((there[1:] < there[:-1]).any())

    def _from_the_begin(self, batch: EncodedBatch) -> Iterator[Rows]:
        """The rows of a batch, after all that came before it."""
        kept, self._kept = self._kept, []
        for before in kept:
            for _ in self._enumeration.rows(before):
                pass
        yield from self._enumeration.rows(batch)
