"""What is known of rows of a stream: their classes, and the values that conditions of a match read of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.match_conditions import MatchConditions
from spaseq.plan.rows.futures import rows_ahead, rows_back
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.plan.rows.reach import RowReach
from spaseq.tuples.row_patterns.bits import Bits, bits_of
from spaseq.tuples.row_patterns.faults import faults_in
from spaseq.tuples.row_patterns.neighbours import Neighbours
from spaseq.tuples.row_patterns.searching import compiled_conditions
from spaseq.tuples.row_patterns.stream_classes import StreamClasses
from spaseq.tuples.row_patterns.text_places import TextPlaces

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InPartitions:
    """Rows in the order of their partitions, which ``begins`` tells as of ``Partitioned``."""

    rows: pyarrow.RecordBatch
    begins: Places

    @property
    def behind(self) -> Places:
        """How many of its partition are there behind each."""
        return np.repeat(self.begins[1:], np.diff(self.begins)) - 1 - np.arange(self.rows.num_rows)

    def neighbours(self) -> Neighbours:
        """Their values."""
        columns = dict(zip(self.rows.schema.names, self.rows.columns, strict=True))
        return Neighbours(columns, self.begins, self.rows.num_rows)


class RowsRead(NamedTuple):
    """Of each row its class so far, then those that the rows before it have by now, the next one first.

    ``values``: of the row ``lag`` before, if conditions of a match read some.
    """

    classes: NDArray[np.uint32]
    values: Bits | None


class StreamReading:
    """Reads rows for a scanner, whose conditions these are; ``texts``: what conditions may compare so far."""

    def __init__(self, plan: RowPatternPlan, reach: RowReach, texts: Sequence[pyarrow.Array] = ()) -> None:
        self._compiled = compiled_conditions(plan.automaton, plan.conditions.searched)
        known = [] if self._compiled is None else [*self._compiled.texts, *texts]
        self.texts = TextPlaces(text for text in chain(*(column.to_pylist() for column in known)) if text is not None)
        columns = () if self._compiled is None else self._compiled.columns
        self.lag = max(map(rows_ahead, columns), default=0)  # rows until the values of one are known
        further = 0 if self._compiled is None else self._compiled.furthest
        self.reach = replace(
            reach,
            ahead=max(reach.ahead, self.lag + further),
            back=max([reach.back, *map(rows_back, columns)]),
        )

    def conditions(self) -> MatchConditions | None:
        """Those that read the match."""
        if self._compiled is None:
            return None
        none = np.zeros(0, np.int64), np.zeros(0, np.uint8)
        return self._compiled.on([none] * len(self._compiled.columns), self.texts.of)

    def alone(self, rows: pyarrow.RecordBatch, classes: StreamClasses) -> RowsRead:
        """Rows of which nothing is asked but their own values."""
        there = InPartitions(rows, np.array([0, rows.num_rows])).neighbours()
        return RowsRead(classes.of(there, 0, None).reshape(-1, 1), self.values(there, None))

    def coming(self, there: InPartitions, new: Places, classes: StreamClasses) -> RowsRead:
        """Rows that come, behind those before them; ``new``: which of those that come each is, less than 0: none."""
        own, ahead = np.flatnonzero(new >= 0), self.reach.ahead
        behind, neighbours = there.behind, there.neighbours()
        found, values = np.zeros((len(own), ahead + 1), np.uint32), None
        for known in range(ahead + 1):
            rows = np.maximum(own - known, 0)
            where = np.zeros(len(behind), np.bool_)
            where[rows] = True
            where &= behind >= known
            found[new[own], known] = classes.of(neighbours, known, where)[rows]
            if known == self.lag and (its := self.values(neighbours, where)) is not None:
                order = np.empty(len(own), np.int64)
                order[new[own]] = rows
                values = its[0][order], its[1][order]
        return RowsRead(found, values)

    def whole(self, there: InPartitions, classes: StreamClasses, at_end: bool = False) -> RowsRead:
        """Of rows that came their classes by now, and values; ``at_end``: as none come any more."""
        ahead = self.reach.ahead
        behind, neighbours = there.behind, there.neighbours()
        found = np.zeros(len(behind), np.uint32)
        for known in range(ahead + 1):
            where = np.minimum(behind, ahead) == known if not at_end else np.full(len(behind), known == ahead)
            if where.any():
                found[where] = classes.of(neighbours, known, where)[where]
        return RowsRead(found, self.values(neighbours, (behind >= self.lag) | at_end))

    def values(self, rows: Neighbours, where: NDArray[np.bool_] | None) -> Bits | None:
        """What conditions of a match read of rows (rows × columns).  NoRoomError, ValueFault."""
        if self._compiled is None or not self._compiled.columns:
            return None
        mask = None if where is None else pyarrow.array(where)
        with faults_in("DEFINE", ""):
            columns = [rows.own(value, mask) for value in self._compiled.columns]
            typed = zip(columns, self._compiled.types, strict=True)
            bits, known = zip(*(bits_of(column, type_, self.texts.of) for column, type_ in typed), strict=True)
        return np.column_stack(bits), np.column_stack(known)
