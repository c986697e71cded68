"""What is known of rows of a stream: their classes, and the values that conditions of a match read of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.match_conditions import MatchConditions
from spaseq.pattern.rows.types import SqlKind
from spaseq.plan.rows.futures import rows_ahead, rows_back
from spaseq.plan.rows.plan import RowPatternPlan
from spaseq.plan.rows.reach import RowReach
from spaseq.sources.tables.types import exact_name
from spaseq.tuples.columns.rows import FewRows
from spaseq.tuples.row_patterns.bits import Bits, bits_of, few_bits
from spaseq.tuples.row_patterns.faults import RowFault, faults_in
from spaseq.tuples.row_patterns.neighbours import Neighbours
from spaseq.tuples.row_patterns.row_tests import plain_columns, row_test_programs
from spaseq.tuples.row_patterns.searching import Compiler, compiled_conditions
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
    """Reads rows for a scanner; ``texts``: what conditions may compare so far.

    ``tests``: conditions of single rows as programs, if all have some.
    """

    def __init__(self, plan: RowPatternPlan, reach: RowReach, texts: Sequence[pyarrow.Array] = ()) -> None:
        searched, automaton = plan.conditions.searched, plan.automaton
        self._conditions = compiled_conditions(automaton, searched)
        columns = () if self._conditions is None else self._conditions.columns
        self.lag = max(map(rows_ahead, columns), default=0)  # rows until the values of one are known
        further = 0 if self._conditions is None else self._conditions.furthest
        ahead, back = max(reach.ahead, self.lag + further), max([reach.back, *map(rows_back, columns)])
        self.reach = replace(reach, ahead=ahead, back=back)
        compiler = Compiler(automaton) if self._conditions is None else self._conditions.compiler
        self.tests = row_test_programs(compiler, plan, ahead)
        if self.tests is None:  # what was compiled of it is of no use
            self._conditions = compiled_conditions(automaton, searched)
            compiler = Compiler(automaton) if self._conditions is None else self._conditions.compiler
        self._compiler = compiler
        self._columns = tuple(compiler.columns)
        self.plain = plain_columns(self._columns)
        known = [*compiler.texts, *texts, *([] if self._conditions is None else self._conditions.texts)]
        self.texts = TextPlaces(text for text in chain(*(column.to_pylist() for column in known)) if text is not None)

    def conditions(self) -> MatchConditions | None:
        """Those that read the match."""
        return None if self._conditions is None else self._conditions.on(self._nothing, self.texts.of)

    def row_tests(self) -> MatchConditions | None:
        """Those of single rows, if these are tested by programs."""
        return None if self.tests is None else self.tests.on(self._compiler, self._nothing, self.texts.of)

    @property
    def _nothing(self) -> list[Bits]:
        return [(np.zeros(0, np.int64), np.zeros(0, np.uint8))] * len(self._columns)

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
        """What conditions that are programs read of rows (rows × columns).  NoRoomError, ValueFault."""
        if not self._columns:
            return None
        mask = None if where is None else pyarrow.array(where)
        with faults_in("DEFINE", ""):
            columns = [rows.own(value, mask) for value in self._columns]
            typed = zip(columns, self._columns, strict=True)
            bits, known = zip(*(bits_of(column, value.type, self.texts.of) for column, value in typed), strict=True)
        return np.column_stack(bits), np.column_stack(known)

    def texts_of(self, rows: pyarrow.RecordBatch) -> list[pyarrow.Array]:
        """What conditions may compare of the texts of rows; of those that some have not, nothing."""
        there = InPartitions(rows, np.array([0, rows.num_rows])).neighbours()
        found = []
        for value in self._columns if rows.num_rows else ():
            if value.type.kind is SqlKind.TEXT:
                with suppress(RowFault):
                    found.append(there.own(value))
        return found

    def few_values(self, rows: FewRows) -> Bits:
        """``values`` of a few rows, which are values of Python.  NoRoomError."""
        assert self.plain is not None
        shape = (rows.num_rows, len(self.plain))
        bits, known = np.zeros(shape, np.int64), np.ones(shape, np.uint8)
        for place, (name, value) in enumerate(zip(self.plain, self._columns, strict=True)):
            its = rows.values(exact_name(name))
            if None in its:
                known[:, place] = [one is not None for one in its]
            bits[:, place] = few_bits(its, value.type, self.texts)
        return bits, known
