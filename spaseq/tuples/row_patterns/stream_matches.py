"""Matches as a scanner of streams gives them: each with the rows that it is told with, wherever these are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray

from spaseq.pattern.rows.query import RowPatternQuery
from spaseq.plan.rows.automaton import PositionAutomaton
from spaseq.tuples.row_patterns.matched import FoundMatches, Places, shown_rows
from spaseq.tuples.row_patterns.measuring import results


@dataclass(frozen=True)
class StreamMatches:
    """Matches, and rows of none, in the order in which they were decided.

    Each is told with ``leads`` rows before its own, and ``tails`` behind them; ``origins`` has the numbers of all.
    """

    counts: Places
    numbers: Places
    labels: NDArray[np.uint16]
    leads: NDArray[np.uint32]
    tails: NDArray[np.uint32]
    origins: Places

    @staticmethod
    def of(taken: Sequence[NDArray[Any]]) -> StreamMatches:
        """What ``RowPatternStreamScanner.take`` gives."""
        _, counts, numbers, labels, _, leads, tails, origins = taken
        return StreamMatches(counts, numbers, labels, leads, tails, origins)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def begins(self) -> Places:
        """By match: the first row that it is told with, among all that are; one more at the end."""
        told = self.leads.astype(np.int64) + np.maximum(self.counts, 1) + self.tails
        return np.concatenate([[0], np.cumsum(told)])

    def partition_of(self, rows: Places) -> Places:
        """By row that is told: the match that it is told with; no measure reads others."""
        return np.searchsorted(self.begins, rows, side="right") - 1

    def part(self, low: int, high: int) -> StreamMatches:
        """Some of them."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        return StreamMatches(
            self.counts[low:high], self.numbers[low:high], self.labels[ends[low] : ends[high]],
            self.leads[low:high], self.tails[low:high], self.origins[self.begins[low] : self.begins[high]],
        )  # fmt: skip

    def results(self, query: RowPatternQuery, automaton: PositionAutomaton, rows: pyarrow.RecordBatch) -> pyarrow.Table:
        """What they show; ``rows`` are those that they are told with.  ValueFault: a measure has no value."""
        assert query.columns is not None
        firsts = self.begins[:-1] + self.leads
        shown = shown_rows(FoundMatches(firsts, self.counts, self.numbers, self.labels), automaton, query.shown, self)
        columns = dict(zip(rows.schema.names, rows.columns, strict=True))
        return results(query, columns, shown, query.columns)
