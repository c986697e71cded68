"""What goes into the evaluation of graph patterns, and what comes out: events in, rows of words out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyoxigraph

Words = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.uint32]


class EventGraph(NamedTuple):
    """The graph of one event: ``timestamp`` in microseconds, ``scope`` a number of its own for its blank nodes."""

    triples: Sequence[pyoxigraph.Triple | pyoxigraph.Quad]
    timestamp: int
    scope: int


@dataclass(frozen=True, slots=True)
class AtomRows:
    """The solutions of one atom on a run of events, a set per event.

    ``row_event`` (r, ascending) is the event's index in the run, ``columns`` (slots, r) holds words, 0 where unbound.
    """

    row_event: Positions
    columns: Words

    @staticmethod
    def of(row_event: Positions, columns: Words) -> AtomRows:
        """Sorts the rows by event and removes duplicates of one event."""
        if not len(row_event):
            return AtomRows(row_event, columns)
        order = np.lexsort((*columns[::-1], row_event))
        row_event, columns = row_event[order], columns[:, order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (row_event[1:] != row_event[:-1]) | (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        return AtomRows(row_event, columns) if new.all() else AtomRows(row_event[new], columns[:, new])
