"""A query for row patterns on rows that come in their order: each match leaves with what decides it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow
from numpy.typing import NDArray

from nfa_native.row_patterns.scanner import Stuck
from nfa_native.row_patterns.stream_scanner import RowPatternStreamScanner
from spaseq.errors import StreamError
from spaseq.languages.sql import ParsedRowPatternQuery
from spaseq.pattern.rows.query import RowPatternQuery, Shown
from spaseq.plan.rows.plan import row_pattern_plan
from spaseq.plan.rows.reach import remembers, row_reach
from spaseq.sources.tables.types import column_named
from spaseq.streams.timestamps import GREATEST
from spaseq.tuples.encoding.times import Times
from spaseq.tuples.row_patterns.arrow_types import arrow_type
from spaseq.tuples.row_patterns.faults import RowFault
from spaseq.tuples.row_patterns.fed import MOST_SHOWN, EndOfRows, Fed, RowsFed, TimePassed, batch_of
from spaseq.tuples.row_patterns.found_in_stream import FoundInStream
from spaseq.tuples.row_patterns.kept_rows import KeptRows
from spaseq.tuples.row_patterns.neighbours import Neighbours
from spaseq.tuples.row_patterns.partition_numbers import PartitionNumbers
from spaseq.tuples.row_patterns.recognition import StuckError, skip_of, unmatched_of
from spaseq.tuples.row_patterns.scanning import graph_of
from spaseq.tuples.row_patterns.stream_classes import StreamClasses
from spaseq.tuples.row_patterns.tied_rows import POSITION, TiedRows

_FEW = 1 << 12  # rows that are kept without a thought


@dataclass(frozen=True, slots=True)
class _InPartitions:
    """Rows in the order of their partitions, each with the rows before it that conditions read.

    ``new``: which of those that come each is; less than 0: it came before.  ``behind``: how many of its partition came
    behind it so far.
    """

    rows: pyarrow.RecordBatch
    begins: NDArray[np.int64]
    new: NDArray[np.int64]
    behind: NDArray[np.int64]


class RowStream:
    """See ``TableEvaluation``.  ``columns`` are those of the rows as they are asked for, the first one at a position.

    Rows have numbers: their positions, but where those of one time are sorted.
    """

    variables: tuple[str, ...] = ()
    met = 0

    def __init__(
        self, parsed: ParsedRowPatternQuery, query: RowPatternQuery, columns: pyarrow.Schema, first: int
    ) -> None:
        assert query.columns is not None
        self.schema = pyarrow.schema([(column.name, arrow_type(column.type)) for column in query.columns])
        self.found = 0
        self._parsed, self._query = parsed, query
        self._plan = row_pattern_plan(query)
        self._reach = row_reach(query, self._plan)
        self._columns = columns
        self._next = first  # the number of the row that comes next
        named = [pyarrow.field(column_named(field.name), field.type) for field in columns]
        self._tied = TiedRows(pyarrow.schema(named), query.order[1:])
        self._rows = KeptRows(self._tied.schema)
        self._scanner = self._made()
        self._classes = StreamClasses(self._plan, self._reach.ahead, self._scanner)
        self._partitions = PartitionNumbers(query.partition, self._scanner.new_partition)

    def _made(self) -> RowPatternStreamScanner:
        query, reach, automaton = self._query, self._reach, self._plan.automaton
        skip, targets = skip_of(query.skipping, automaton)
        return RowPatternStreamScanner(
            graph_of(automaton), skip, targets, query.shown is Shown.WITH_UNMATCHED, query.within or 0,
            remembers=remembers(query, self._plan, reach), ahead=reach.ahead, context=reach.back + reach.ahead,
            before=reach.before, behind=reach.behind,
        )  # fmt: skip

    # ── as of any evaluation ─────────────────────────────────────────────────────────────────────────────
    @property
    def unmatched(self) -> tuple[str, ...]:
        """The variables whose conditions hold of no row so far, whatever comes before it."""
        return unmatched_of(self._plan, self._classes.held.tolist())

    @property
    def due(self) -> int:
        """As long as time has not passed this, nothing is decided without a further row."""
        due = self._scanner.due
        return min(due if due == GREATEST else due - 1, self._tied.due)

    def batches(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        """See ``TableEvaluation``.  StreamError: a row has no value."""
        for found in self._results(batch):
            self.found += found.num_rows
            yield found

    def counts(self, batch: Fed) -> Iterator[int]:
        """See ``TableEvaluation``."""
        for found in self.batches(batch):
            yield found.num_rows

    def statistics(self) -> dict[str, int]:
        """See ``TableEvaluation``: how many rows are kept, about, of how many keys."""
        return {"rows": self._scanner.rows + len(self._tied), "keys": len(self._partitions)}

    def _results(self, batch: Fed) -> Iterator[pyarrow.RecordBatch]:
        match batch:
            case RowsFed():
                yield from self._fed(*self._tied.add(batch_of(batch, self._columns), batch.times, batch.first))
            case TimePassed(time):
                yield from self._fed(*self._tied.passed(time))
                self._scanner.promise(time)
                yield from self._decided()
            case EndOfRows():
                yield from self._fed(*self._tied.passed(GREATEST))
                self._scanner.promise(GREATEST)
                self._foresee_nothing()
                self._scanner.close()
                yield from self._decided()
        self._forget()

    # ── rows ─────────────────────────────────────────────────────────────────────────────────────────────
    def _fed(self, rows: pyarrow.RecordBatch, times: Times) -> Iterator[pyarrow.RecordBatch]:
        """What rows decide that are in order; where one has no value, what those before it do."""
        if not rows.num_rows:
            return
        of = self._partitions.of(rows)
        try:
            classes = self._classes_of(rows, of)
        except RowFault as fault:
            if rows.num_rows == 1:
                raise self._told(fault, rows) from None
            half = rows.num_rows // 2
            yield from self._fed(rows.slice(0, half), times[:half])
            yield from self._fed(rows.slice(half), times[half:])
            return
        self._rows.add(self._next, rows)
        first, self._next = self._next, self._next + rows.num_rows
        self._scanner.add(of, classes, times if self._query.within else None, first)
        yield from self._decided()

    def _classes_of(self, rows: pyarrow.RecordBatch, of: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Of each row its class so far, and those of the rows before it; ValueFault: one has no value."""
        if not (self._reach.back or self._reach.ahead):
            begins = np.array([0, rows.num_rows])
            return self._classes.of(_neighbours(rows, begins), 0, None).reshape(-1, 1)
        there = self._in_partitions(rows, of)
        own = np.flatnonzero(there.new >= 0)
        found = np.zeros((rows.num_rows, self._reach.ahead + 1), np.uint32)
        for known in range(self._reach.ahead + 1):
            counts = there.behind >= known
            where = np.zeros(len(counts), np.bool_)
            where[np.maximum(own - known, 0)] = True
            try:
                classes = self._classes.of(_neighbours(there.rows, there.begins), known, where & counts)
            except RowFault as fault:
                fault.row = 0
                raise
            found[there.new[own], known] = classes[np.maximum(own - known, 0)]
        return found

    def _in_partitions(self, rows: pyarrow.RecordBatch, of: NDArray[np.uint32]) -> _InPartitions:
        touched, its = np.unique(of, return_inverse=True)
        counts, numbers = self._scanner.last_rows(touched.astype(np.uint32))
        if len(numbers):
            rows = pyarrow.concat_batches([self._rows.take(numbers), rows])
        keys = np.concatenate([np.repeat(np.arange(len(touched)), counts), its])
        order = np.argsort(keys, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(keys))])
        behind = np.repeat(begins[1:], np.diff(begins)) - 1 - np.arange(len(keys))
        return _InPartitions(rows.take(pyarrow.array(order)), begins, order - len(numbers), behind)

    def _foresee_nothing(self) -> None:
        """The last rows of partitions are of the classes that they have as no others come."""
        if not self._reach.ahead:
            return
        heads, _ = self._scanner.kept()
        partitions = heads[:, 0].astype(np.uint32)
        counts, numbers = self._scanner.last_rows(partitions)
        if not len(numbers):
            return
        begins = np.concatenate([[0], np.cumsum(counts)])
        behind = np.repeat(begins[1:], counts) - 1 - np.arange(len(numbers))
        where = behind < self._reach.ahead
        rows = self._rows.take(numbers)
        try:
            classes = self._classes.of(_neighbours(rows, begins), self._reach.ahead, where)
        except RowFault as fault:
            raise self._told(fault, rows) from None
        ends = np.repeat(heads[:, 1] + heads[:, 5], counts)
        for place in np.flatnonzero(where).tolist():
            partition = int(np.searchsorted(begins, place, side="right")) - 1
            self._scanner.change(int(partitions[partition]), int(ends[place] - 1 - behind[place]), int(classes[place]))

    # ── results ──────────────────────────────────────────────────────────────────────────────────────────
    def _decided(self) -> Iterator[pyarrow.RecordBatch]:
        found = FoundInStream.of(self._scanner.take())
        if len(found):
            yield from self._shown(found)
        why, _, first = self._scanner.stuck
        if why is not Stuck.NO:
            raise self._told(StuckError(why, self._query.skipping, 0), self._rows.take(np.array([first])))

    def _shown(self, found: FoundInStream) -> Iterator[pyarrow.RecordBatch]:
        """Results of matches; where a measure has no value, those of the matches before."""
        rows = self._rows.take(found.origins)
        try:
            table = found.results(self._query, self._plan.automaton, rows)
        except RowFault as fault:
            if len(found) == 1:
                raise self._told(fault, rows) from None
            half = len(found) // 2
            yield from self._shown(found.part(0, half))
            yield from self._shown(found.part(half, len(found)))
            return
        yield from table.to_batches(max_chunksize=MOST_SHOWN)

    def _told(self, fault: RowFault, rows: pyarrow.RecordBatch) -> StreamError:
        """What went wrong with one of some rows."""
        position = rows.column(POSITION)[fault.row].as_py()
        return StreamError(f"{fault} (at position {position})", self._parsed.place(fault.clause, fault.name))

    def _forget(self) -> None:
        """Let go of keys of which nothing is undecided, and of rows."""
        self._partitions.forget(self._scanner.done())
        if len(self._rows) > 2 * self._scanner.rows + _FEW:
            self._rows.keep(np.sort(self._scanner.kept()[1]))


def _neighbours(rows: pyarrow.RecordBatch, begins: NDArray[np.int64]) -> Neighbours:
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    return Neighbours(columns, begins, rows.num_rows)
